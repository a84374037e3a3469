"""The picture of a result, for those who ask for no other: what notebooks show."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import polars as pl

from mesonet.analysis import Result, alternatives, described
from mesonet.design import Design
from mesonet.figures.style import Look, Names
from mesonet.plan import Plan

CHARTS: Mapping[str, str] = {
    "AlgorithmClusters": "dendrograms_chart",
    "BlockComparison": "block_chart",
    "Components": "components_chart",
    "ConditionResponse": "condition_response_chart",
    "ConditionSummary": "condition_summary_chart",
    "Congestion": "congestion_chart",
    "Contour": "contour_chart",
    "Correlations": "correlation_chart",
    "Description": "describe_chart",
    "DifferenceHistogram": "difference_histogram_chart",
    "ElementaryEffects": "elementary_effects_chart",
    "FactorScatter": "factor_scatter_chart",
    "FlowComparison": "biplot_chart",
    "Harm": "harm_chart",
    "Impact": "impact_chart",
    "Influence": "influence_sets_chart",
    "Interactions": "interactions_chart",
    "MainEffects": "main_effects_chart",
    "OrderedData": "ordered_data_chart",
    "PairedDifferences": "forest_chart",
    "QueueComparison": "queue_comparison_chart",
    "QueueRecords": "queues_chart",
    "RankMatrix": "rank_matrix_chart",
    "ResponseClusters": "index_chart",
    "SignalLadder": "signal_ladder_chart",
    "Significance": "significance_chart",
    "TermEffects": "half_normal_chart",
    "Trace": "trace_chart",
    "WarmUp": "warm_up_chart",
}
"""Chart of `mesonet.figures` that draws a result, by the name of its class."""


def picture(shown: object) -> Any:
    """The picture of a result, a design or a plan as an Altair chart; `None` if nothing draws it.

    Charts that need one response or one group get the first.
    """
    if isinstance(shown, Plan):
        if shown.design is None:
            return None
        labels = {factor.name: factor.label or factor.name for factor in shown.factors}
        return _figures().design_chart(shown.design, labels=labels)
    if isinstance(shown, Design):
        return _figures().design_chart(shown)
    chart = CHARTS.get(type(shown).__name__)
    if chart is None or not isinstance(shown, Result):
        return None
    draw = getattr(_figures(), chart)
    wanted = inspect.signature(draw).parameters
    given = {name: value for name, value in _chosen(shown).items() if name in wanted}
    if any(
        one.default is inspect.Parameter.empty and name not in given
        for name, one in list(wanted.items())[1:]
    ):
        return None
    return draw(shown, **given)


def _figures() -> Any:
    return import_module("mesonet.figures")


def _chosen(result: Result) -> dict[str, Any]:
    """Whatever charts may want to know, as far as the result has it."""
    frame = result.frame
    found: dict[str, Any] = {"look": Look.of(_alternatives(result)), "names": _names(result)}
    for name in ("response", "group", "alternative"):
        if name in frame.columns and frame.height:
            found[name] = frame[name][0]
    return found


def _alternatives(result: Result) -> list[str]:
    """Alternatives of a result in their order, the baseline first."""
    baseline = getattr(result, "baseline", None)
    listed = getattr(result, "alternatives", None)
    labels = [str(baseline)] if baseline else []
    if isinstance(listed, list | tuple):
        labels += map(str, listed)
    for frame in result.frames().values():
        if "alternative" in frame.columns and frame["alternative"].dtype == pl.String:
            labels += alternatives(frame)
    return list(dict.fromkeys(labels))


def _names(result: Result) -> Names:
    """Names and units of the responses of a result."""
    found: set[str] = set()
    for frame in result.frames().values():
        for column in ("response", "first", "second"):
            if column in frame.columns and frame[column].dtype == pl.String:
                found.update(frame[column].drop_nulls())
    about = {name: described(name) for name in sorted(found)}
    return Names({name: (facts["name"], facts["unit"]) for name, facts in about.items()})
