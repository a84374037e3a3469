"""All analyses by name, for plan files and the command line."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from mesonet.analysis.algorithm_clusters import algorithm_clusters
from mesonet.analysis.components import principal_components
from mesonet.analysis.condition_summary import condition_summary
from mesonet.analysis.conditions import condition_response
from mesonet.analysis.correlation import correlations
from mesonet.analysis.describe import congestion, describe
from mesonet.analysis.effects import main_effects, two_level_part
from mesonet.analysis.elementary import elementary_effects
from mesonet.analysis.flows import compare_flows, difference_histogram, flow_ranks
from mesonet.analysis.frames import alternatives, replicate_notes
from mesonet.analysis.harm import harm, harm_sides, impact, undirected_note
from mesonet.analysis.interactions import interactions
from mesonet.analysis.missing import missing_runs, with_missing
from mesonet.analysis.paired import paired_differences
from mesonet.analysis.ranks import rank_matrix
from mesonet.analysis.response_clusters import response_clusters
from mesonet.analysis.result import Result
from mesonet.analysis.significance import significance
from mesonet.analysis.terms import term_effects
from mesonet.analysis.warmup import warm_up_of_runs
from mesonet.errors import InputError, Problem, did_you_mean
from mesonet.responses import lookup

ReadSeries = Callable[[str], pl.DataFrame | None]
"""Gives the series of a run by its id; None where they were not kept."""


class Tables(dict[str, pl.DataFrame]):
    """Frames by name; `notes` has for each name what to know before trusting the numbers."""

    def __init__(self, frames: Mapping[str, pl.DataFrame], notes: Iterable[str] = ()) -> None:
        super().__init__(frames)
        self.notes = dict.fromkeys(frames, tuple(notes))

    def add(self, other: Tables) -> None:
        """Takes in other tables with their notes."""
        self.update(other)
        self.notes |= other.notes


@dataclass(frozen=True)
class _Given:
    """Arguments that every analysis receives."""

    frame: pl.DataFrame
    factors: Sequence[str]
    responses: Sequence[str]
    read_series: ReadSeries | None
    options: dict[str, Any] = field(default_factory=dict)


def analyze(
    frame: pl.DataFrame,
    *,
    factors: Sequence[str],
    responses: Sequence[str],
    kinds: Iterable[str] | Mapping[str, Mapping[str, Any]],
    read_series: ReadSeries | None = None,
    planned: pl.DataFrame | None = None,
) -> Tables:
    """Runs analyses by name.

    Args:
        frame: One row per run.
        factors: Columns of the factors, coded from -1 to +1.
        responses: Columns of the responses.
        kinds: Names out of `KINDS`, or a mapping from name to options, for instance
            `{"paired_differences": {"baseline": "reno"}, "rank_matrix": {"order_by": "loss"}}`.
            The options are the keyword arguments of the function of that name, except that
            `baseline`, and `solo` of `harm`, default to the first alternative, and `better` of
            `harm` to the better end of each response.
        read_series: Gives the series of a run, for `warm_up`; without it there are none.
        planned: One row per planned run, as `missing_runs` takes it, so that the notes say what is
            missing as a whole; without it a condition that has no run is not known of.

    Returns:
        One frame per table, and notes on each. Most analyses give one, called as the analysis;
        `main_effects` adds `influence`, `term_effects` adds `term_models`, `response_clusters`
        adds `response_cluster_members`, `principal_components` adds `component_variances`,
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
    tables = Tables({})
    for name, options in chosen.items():
        given = _Given(frame, factors, responses, read_series, dict(options))
        tables.add(KINDS[name](given))
    if planned is not None:
        missing = missing_runs(frame, planned=planned)
        tables.notes = {name: with_missing(notes, missing) for name, notes in tables.notes.items()}
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


def _describe(given: _Given) -> Tables:
    result = describe(given.frame, responses=given.responses, **given.options)
    return Tables({"describe": result.frame}, result.notes)


def _congestion(given: _Given) -> Tables:
    response = given.options.pop("response", given.responses[0])
    result = congestion(given.frame, response=response, **given.options)
    return Tables({"congestion": result.frame}, result.notes)


def _main_effects(given: _Given) -> Tables:
    part = two_level_part(given.frame, factors=given.factors)
    result = main_effects(
        part.frame, factors=part.factors, responses=given.responses, **given.options
    )
    frames = {"main_effects": result.frame, "influence": result.influence}
    return Tables(frames, (*part.notes, *result.notes))


def _significance(given: _Given) -> Tables:
    part = two_level_part(given.frame, factors=given.factors)
    effects = main_effects(
        part.frame, factors=part.factors, responses=given.responses, **given.options
    )
    result = significance(effects)
    return Tables({"significance": result.frame}, (*part.notes, *result.notes))


def _interactions(given: _Given) -> Tables:
    part = two_level_part(given.frame, factors=given.factors)
    result = interactions(
        part.frame, factors=part.factors, responses=given.responses, **given.options
    )
    return Tables({"interactions": result.frame}, (*part.notes, *result.notes))


def _term_effects(given: _Given) -> Tables:
    part = two_level_part(given.frame, factors=given.factors)
    results = [
        term_effects(part.frame, factors=part.factors, response=name, **given.options)
        for name in given.responses
    ]
    frames = {
        table: pl.concat(
            [
                found.select(pl.lit(result.response).alias("response"), pl.all())
                for result, found in zip(results, parts, strict=True)
            ]
        )
        for table, parts in (
            ("term_effects", [result.frame for result in results]),
            ("term_models", [result.models for result in results]),
        )
    }
    notes = dict.fromkeys(note for result in results for note in result.notes)
    return Tables(frames, (*part.notes, *notes))


def _correlations(given: _Given) -> Tables:
    result = correlations(given.frame, responses=given.responses, **given.options)
    return Tables({"correlations": result.frame}, result.notes)


def _response_clusters(given: _Given) -> Tables:
    threshold = given.options.pop("threshold", None)
    related = correlations(given.frame, responses=given.responses, **given.options)
    result = response_clusters(related, threshold=threshold)
    clusters = result.clusters.with_columns(pl.lit(result.threshold).alias("threshold"))
    frames = {"response_clusters": clusters, "response_cluster_members": result.frame}
    return Tables(frames, result.notes)


def _principal_components(given: _Given) -> Tables:
    part = two_level_part(given.frame, factors=given.factors)
    result = principal_components(
        part.frame, factors=part.factors, responses=given.responses, **given.options
    )
    frames = {
        "principal_components": result.frame,
        "component_variances": result.scree,
        "component_scores": result.scores,
        "component_separation": result.separation,
    }
    return Tables(frames, (*part.notes, *result.notes))


def _algorithm_clusters(given: _Given) -> Tables:
    result = algorithm_clusters(given.frame, responses=given.responses, **given.options)
    frames = {"algorithm_clusters": result.frame, "stand_apart": result.summary}
    return Tables(frames, result.notes)


def _elementary_effects(given: _Given) -> Tables:
    try:
        result: Result = elementary_effects(
            given.frame, factors=given.factors, responses=given.responses, **given.options
        )
    except InputError as error:
        if any(problem.kind != "no_trajectory" for problem in error.problems):
            raise
        # Other analyses of the same results still have something to say.
        note = "Not a Morris design, so there are no elementary effects."
        notes = (note, *replicate_notes(given.frame))
        return Tables({"elementary_effects": pl.DataFrame()}, notes)
    return Tables({"elementary_effects": result.frame}, result.notes)


def _condition_response(given: _Given) -> Tables:
    results = [
        condition_response(given.frame, response=name, **given.options) for name in given.responses
    ]
    notes = dict.fromkeys(note for result in results for note in result.notes)
    return Tables({"condition_response": pl.concat([result.frame for result in results])}, notes)


def _condition_summary(given: _Given) -> Tables:
    result = condition_summary(given.frame, responses=given.responses, **given.options)
    return Tables({"condition_summary": result.frame}, result.notes)


def _rank_matrix(given: _Given) -> Tables:
    result = rank_matrix(given.frame, response=given.responses, **given.options)
    tables = {"rank_matrix": result.frame, "rank_summary": result.summary}
    return Tables(tables | {"rank_tests": result.tests}, result.notes)


def _paired_differences(given: _Given) -> Tables:
    baseline = given.options.pop("baseline", alternatives(given.frame)[0])
    result = paired_differences(
        given.frame, response=given.responses, baseline=baseline, **given.options
    )
    frames = {"paired_differences": result.frame, "paired_blocks": result.blocks}
    return Tables(frames, result.notes)


def _flow_comparison(given: _Given) -> Tables:
    standard = given.options.get("standard", "reno")
    both = [name.removesuffix(f":{standard}") for name in given.responses if f":{standard}" in name]
    groups = given.options.pop("groups", both)
    result = compare_flows(given.frame, groups=groups, **given.options)
    frames = {
        "flow_comparison": result.frame,
        "flow_summary": result.summary,
        "flow_histogram": difference_histogram(result).frame,
        "flow_ranks": flow_ranks(result).frame,
    }
    return Tables(frames, result.notes)


def _harm(given: _Given) -> Tables:
    solo = given.options.pop("solo", alternatives(given.frame)[0])
    sides = harm_sides(
        given.responses, known=_better(given.responses), given=given.options.pop("better", None)
    )
    left_out = undirected_note(given.responses, sides)
    if not sides:
        return Tables({"harm": pl.DataFrame(), "harm_blocks": pl.DataFrame()}, left_out)
    result = harm(given.frame, response=list(sides), solo=solo, better=sides, **given.options)
    frames = {"harm": result.frame, "harm_blocks": result.blocks}
    return Tables(frames, (*result.notes, *left_out))


def _better(responses: Sequence[str]) -> dict[str, str]:
    """Better end of each registered response: "higher", "lower" or "neither"."""
    sides: dict[str, str] = {}
    for name in responses:
        # A frame may have columns of its own.
        with contextlib.suppress(InputError):
            sides[name] = lookup(name).response.better
    return sides


def _impact(given: _Given) -> Tables:
    baseline = given.options.pop("baseline", alternatives(given.frame)[0])
    result = impact(given.frame, response=given.responses, baseline=baseline, **given.options)
    return Tables({"impact": result.frame}, result.notes)


def _warm_up(given: _Given) -> Tables:
    result = warm_up_of_runs(given.frame, read=given.read_series, **given.options)
    return Tables({"warm_up": result.frame}, result.notes)


KINDS: dict[str, Callable[[_Given], Tables]] = {
    "describe": _describe,
    "congestion": _congestion,
    "main_effects": _main_effects,
    "significance": _significance,
    "interactions": _interactions,
    "term_effects": _term_effects,
    "elementary_effects": _elementary_effects,
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
    "warm_up": _warm_up,
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
    "elementary_effects": _keywords(elementary_effects, "factors", "responses"),
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
    "warm_up": _keywords(warm_up_of_runs, "read"),
}
