"""All analyses by name, for plan files and the command line."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from mesonet.analysis.algorithm_clusters import algorithm_clusters
from mesonet.analysis.components import principal_components
from mesonet.analysis.condition_summary import condition_summary
from mesonet.analysis.conditions import condition_response
from mesonet.analysis.correlation import correlations
from mesonet.analysis.describe import congestion, describe
from mesonet.analysis.effects import main_effects
from mesonet.analysis.flows import compare_flows, difference_histogram, flow_ranks
from mesonet.analysis.frames import alternatives
from mesonet.analysis.harm import harm, impact
from mesonet.analysis.interactions import interactions
from mesonet.analysis.paired import paired_differences
from mesonet.analysis.ranks import rank_matrix
from mesonet.analysis.response_clusters import response_clusters
from mesonet.analysis.significance import significance
from mesonet.analysis.terms import term_effects
from mesonet.errors import InputError, Problem, did_you_mean

Tables = dict[str, pl.DataFrame]


def analyze(
    frame: pl.DataFrame,
    *,
    factors: Sequence[str],
    responses: Sequence[str],
    kinds: Iterable[str] | Mapping[str, Mapping[str, Any]],
) -> Tables:
    """Runs analyses by name.

    Args:
        frame: One row per run.
        factors: Columns of the factors, coded -1/+1.
        responses: Columns of the responses.
        kinds: Names out of `KINDS`, or a mapping from name to options, for instance
            `{"paired_differences": {"baseline": "reno"}, "rank_matrix": {"order_by": "loss"}}`.
            The options are the keyword arguments of the function of that name, except that
            `baseline`, and `solo` of `harm`, default to the first alternative.

    Returns:
        One frame per table. Most analyses give one, called as the analysis; `main_effects` adds
        `influence`, `term_effects` adds `term_models`, `response_clusters` adds
        `response_cluster_members`, `principal_components` adds `component_variances`,
        `component_scores` and `component_separation`, `algorithm_clusters` adds `stand_apart`,
        `rank_matrix` adds `rank_summary` and `rank_tests`, `paired_differences` adds
        `paired_blocks`, `flow_comparison` adds `flow_summary`, `flow_histogram` and `flow_ranks`,
        `harm` adds `harm_blocks`.

    Raises:
        InputError: A name or an option is unknown, or columns are missing.
    """
    chosen = dict(kinds) if isinstance(kinds, Mapping) else {name: {} for name in kinds}
    problems = [problem for name, options in chosen.items() for problem in _check(name, options)]
    if problems:
        raise InputError(problems)
    tables: Tables = {}
    for name, options in chosen.items():
        tables |= KINDS[name](frame, factors, responses, dict(options))
    return tables


def _check(name: str, options: Mapping[str, Any]) -> list[Problem]:
    if name not in KINDS:
        message = f"no such analysis{did_you_mean(name, KINDS) or f'; there are {_NAMES}'}"
        return [Problem(name, "unknown_analysis", message)]
    known = _OPTIONS[name]
    return [
        Problem(f"{name}.{option}", "unknown_option", f"no such option; there are {sorted(known)}")
        for option in options
        if option not in known
    ]


def _describe(
    frame: pl.DataFrame, _: Sequence[str], responses: Sequence[str], options: dict[str, Any]
) -> Tables:
    return {"describe": describe(frame, responses=responses, **options).frame}


def _congestion(
    frame: pl.DataFrame, _: Sequence[str], responses: Sequence[str], options: dict[str, Any]
) -> Tables:
    response = options.pop("response", responses[0])
    return {"congestion": congestion(frame, response=response, **options).frame}


def _main_effects(
    frame: pl.DataFrame, factors: Sequence[str], responses: Sequence[str], options: dict[str, Any]
) -> Tables:
    result = main_effects(frame, factors=factors, responses=responses, **options)
    return {"main_effects": result.frame, "influence": result.influence}


def _significance(
    frame: pl.DataFrame, factors: Sequence[str], responses: Sequence[str], options: dict[str, Any]
) -> Tables:
    effects = main_effects(frame, factors=factors, responses=responses, **options)
    return {"significance": significance(effects).frame}


def _interactions(
    frame: pl.DataFrame, factors: Sequence[str], responses: Sequence[str], options: dict[str, Any]
) -> Tables:
    result = interactions(frame, factors=factors, responses=responses, **options)
    return {"interactions": result.frame}


def _term_effects(
    frame: pl.DataFrame, factors: Sequence[str], responses: Sequence[str], options: dict[str, Any]
) -> Tables:
    results = [term_effects(frame, factors=factors, response=name, **options) for name in responses]
    named = [pl.lit(result.response).alias("response") for result in results]
    return {
        table: pl.concat(
            [part.select(name, pl.all()) for name, part in zip(named, parts, strict=True)]
        )
        for table, parts in (
            ("term_effects", [result.frame for result in results]),
            ("term_models", [result.models for result in results]),
        )
    }


def _correlations(
    frame: pl.DataFrame, _: Sequence[str], responses: Sequence[str], options: dict[str, Any]
) -> Tables:
    return {"correlations": correlations(frame, responses=responses, **options).frame}


def _response_clusters(
    frame: pl.DataFrame, _: Sequence[str], responses: Sequence[str], options: dict[str, Any]
) -> Tables:
    threshold = options.pop("threshold", None)
    related = correlations(frame, responses=responses, **options)
    result = response_clusters(related, threshold=threshold)
    clusters = result.clusters.with_columns(pl.lit(result.threshold).alias("threshold"))
    return {"response_clusters": clusters, "response_cluster_members": result.frame}


def _principal_components(
    frame: pl.DataFrame, factors: Sequence[str], responses: Sequence[str], options: dict[str, Any]
) -> Tables:
    result = principal_components(frame, factors=factors, responses=responses, **options)
    return {
        "principal_components": result.frame,
        "component_variances": result.scree,
        "component_scores": result.scores,
        "component_separation": result.separation,
    }


def _algorithm_clusters(
    frame: pl.DataFrame, _: Sequence[str], responses: Sequence[str], options: dict[str, Any]
) -> Tables:
    result = algorithm_clusters(frame, responses=responses, **options)
    return {"algorithm_clusters": result.frame, "stand_apart": result.summary}


def _condition_response(
    frame: pl.DataFrame, _: Sequence[str], responses: Sequence[str], options: dict[str, Any]
) -> Tables:
    results = [condition_response(frame, response=name, **options) for name in responses]
    return {"condition_response": pl.concat([result.frame for result in results])}


def _condition_summary(
    frame: pl.DataFrame, _: Sequence[str], responses: Sequence[str], options: dict[str, Any]
) -> Tables:
    return {"condition_summary": condition_summary(frame, responses=responses, **options).frame}


def _rank_matrix(
    frame: pl.DataFrame, _: Sequence[str], responses: Sequence[str], options: dict[str, Any]
) -> Tables:
    result = rank_matrix(frame, response=responses, **options)
    tables = {"rank_matrix": result.frame, "rank_summary": result.summary}
    return tables | {"rank_tests": result.tests}


def _paired_differences(
    frame: pl.DataFrame, _: Sequence[str], responses: Sequence[str], options: dict[str, Any]
) -> Tables:
    baseline = options.pop("baseline", alternatives(frame)[0])
    result = paired_differences(frame, response=responses, baseline=baseline, **options)
    return {"paired_differences": result.frame, "paired_blocks": result.blocks}


def _flow_comparison(
    frame: pl.DataFrame, _: Sequence[str], responses: Sequence[str], options: dict[str, Any]
) -> Tables:
    standard = options.get("standard", "reno")
    both = [name.removesuffix(f":{standard}") for name in responses if f":{standard}" in name]
    groups = options.pop("groups", both)
    result = compare_flows(frame, groups=groups, **options)
    return {
        "flow_comparison": result.frame,
        "flow_summary": result.summary,
        "flow_histogram": difference_histogram(result).frame,
        "flow_ranks": flow_ranks(result).frame,
    }


def _harm(
    frame: pl.DataFrame, _: Sequence[str], responses: Sequence[str], options: dict[str, Any]
) -> Tables:
    solo = options.pop("solo", alternatives(frame)[0])
    result = harm(frame, response=responses, solo=solo, **options)
    return {"harm": result.frame, "harm_blocks": result.blocks}


def _impact(
    frame: pl.DataFrame, _: Sequence[str], responses: Sequence[str], options: dict[str, Any]
) -> Tables:
    baseline = options.pop("baseline", alternatives(frame)[0])
    return {"impact": impact(frame, response=responses, baseline=baseline, **options).frame}


KINDS: dict[str, Callable[[pl.DataFrame, Sequence[str], Sequence[str], dict[str, Any]], Tables]] = {
    "describe": _describe,
    "congestion": _congestion,
    "main_effects": _main_effects,
    "significance": _significance,
    "interactions": _interactions,
    "term_effects": _term_effects,
    "correlations": _correlations,
    "response_clusters": _response_clusters,
    "principal_components": _principal_components,
    "algorithm_clusters": _algorithm_clusters,
    "condition_response": _condition_response,
    "condition_summary": _condition_summary,
    "rank_matrix": _rank_matrix,
    "paired_differences": _paired_differences,
    "flow_comparison": _flow_comparison,
    "harm": _harm,
    "impact": _impact,
}
_NAMES = ", ".join(KINDS)


def _keywords(function: Callable[..., object], *given: str) -> set[str]:
    """The options a function takes, without those that `analyze` gives it."""
    return set(inspect.signature(function).parameters) - {"frame", *given}


_OPTIONS: dict[str, set[str]] = {
    "describe": _keywords(describe, "responses"),
    "congestion": _keywords(congestion),
    "main_effects": _keywords(main_effects, "factors", "responses"),
    "significance": _keywords(main_effects, "factors", "responses", "by"),
    "interactions": _keywords(interactions, "factors", "responses"),
    "term_effects": _keywords(term_effects, "factors", "response"),
    "correlations": _keywords(correlations, "responses"),
    "response_clusters": _keywords(correlations, "responses") | {"threshold"},
    "principal_components": _keywords(principal_components, "factors", "responses"),
    "algorithm_clusters": _keywords(algorithm_clusters, "responses"),
    "condition_response": _keywords(condition_response, "response"),
    "condition_summary": _keywords(condition_summary, "responses"),
    "rank_matrix": _keywords(rank_matrix, "response"),
    "paired_differences": _keywords(paired_differences, "response"),
    "flow_comparison": _keywords(compare_flows),
    "harm": _keywords(harm, "response"),
    "impact": _keywords(impact, "response"),
}
