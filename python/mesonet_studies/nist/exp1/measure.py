"""Runs, figures, charts and tables of Experiments 1a and 1b."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from mesonet.analysis import congestion
from mesonet.figures import (
    Look,
    Names,
    condition_response_chart,
    condition_summary_chart,
    congestion_chart,
    dendrograms_chart,
    number,
    stand_apart_chart,
)
from mesonet.page.tables import Table, counts, numbers, words
from mesonet.page.tables import table as table_of
from mesonet.responses import lookup
from mesonet.studies import Item, Options, RunResults, chart, table, value
from mesonet.studies.study import Noted
from mesonet_studies.nist.exp1.bench import cut_figures, cut_items
from mesonet_studies.nist.exp1.figures import (
    FILTER,
    decided,
    fraction_of_full,
    latency_factors,
    measured,
    of_some_conditions,
)
from mesonet_studies.nist.exp1.network import network_figures, printed_beside_ours
from mesonet_studies.nist.exp1.results import RESPONSES, results_of
from mesonet_studies.nist.network import processor_hours


def runs(options: Options) -> list[Item]:
    """Flows whose windows show what is kept of them, if the study has them."""
    return cut_items(options.chosen) if options.values["bench"] else []


def settings(options: Options) -> dict[str, str]:
    """Settings that options change."""
    seed = options.values["seed"] if options.seed is None else options.seed
    return {
        "Algorithms": ", ".join(options.chosen),
        "Replicates": str(options.replicates or 1),
        "Seed": str(seed),
    }


def figures(run: RunResults) -> dict[str, float]:
    """Figures that claims need, and those of tables."""
    values = run.options.values
    numbers = network_figures(run.options.study, values["network"])
    if results_of(run).labels:
        measures = measured(
            results_of(run), fraction=fraction_of_full(values), packets=values["packets"]
        )
        if run.options.conditions is not None:
            measures = of_some_conditions(results_of(run), measures)
        numbers |= decided(values, measures)
        numbers |= latency_factors(values["latencies"], numbers)
        for name, printed in values["volumes"].items():
            numbers[f"volume.{name}.difference"] = numbers[f"volume.{name}"] / printed - 1
    if values["bench"]:
        numbers |= cut_figures(run)
    return numbers


def facts(run: RunResults) -> dict[str, str]:
    """Short facts for the head of the page."""
    frame, hours = results_of(run).frame, processor_hours(run)
    if frame.is_empty():
        return {}
    return {
        "Simulated": f"{run.options.values['duration']:g} s",
        "Conditions": str(frame["condition"].n_unique()),
        "Algorithms": str(frame["alternative"].n_unique()),
        "Packets": f"{frame['packets'].sum():,}",
        "Processor time": f"{hours * 3600:,.0f} s" if hours < 2 else f"{hours:,.1f} h",
    }


@value
def labels(run: RunResults) -> Sequence[str]:
    """Algorithms that have results; their order is that of the plan."""
    return results_of(run).labels


@value
def part(run: RunResults) -> float:
    """Part of the published hosts times duration that is simulated."""
    return fraction_of_full(run.options.values)


@chart
def loss(run: RunResults) -> Any:
    """Loss rate of every condition and algorithm."""
    result = congestion(results_of(run).frame, response="loss_rate")
    return congestion_chart(result, look=look_of(run), names=_names(run))


@chart
def apart(run: RunResults) -> Any:
    """Number of conditions in which each algorithm stands apart, without FAST-AT."""
    return stand_apart_chart(results_of(run).clusters("FAST-AT"), look=look_of(run))


@chart
def dendrograms(run: RunResults) -> Any:
    """A dendrogram per condition."""
    return dendrograms_chart(results_of(run).clusters(), look=look_of(run))


@chart
def residuals(run: RunResults) -> Any:
    """Retransmission rates around the mean of each condition, without FAST-AT."""
    results, look = results_of(run), look_of(run, "FAST-AT")
    levels = _levels(run, _factors(run)).sort("condition")
    return condition_response_chart(results.residuals, look=look, names=_names(run), levels=levels)


@chart
def outliers(run: RunResults) -> Noted:
    """Outliers of all responses, without FAST-AT, and their limitations."""
    results, look = results_of(run), look_of(run, "FAST-AT")
    result = results.outliers(FILTER)
    drawn = condition_summary_chart(result, look=look, names=_names(run), order=results.ordered)
    return Noted(drawn, result.notes)


@table
def conditions(run: RunResults) -> Table:
    """Levels and mean loss rate of the conditions, least congested first."""
    factors = _factors(run)
    positions = congestion(results_of(run).frame, response="loss_rate").conditions
    wide = positions.select("condition", "position", "value").join(
        _levels(run, [f"{name}_level" for name in factors]), on="condition", maintain_order="left"
    )
    columns = [counts("position", "Order"), counts("condition", "Condition")]
    columns += [words(f"{name}_level", name.capitalize()) for name in factors]
    return table_of("conditions", wide, [*columns, numbers("value", "Mean loss rate")])


def _factors(run: RunResults) -> list[str]:
    """Names of the factors."""
    columns = results_of(run).frame.columns
    return [name.removesuffix("_level") for name in columns if name.endswith("_level")]


def _levels(run: RunResults, columns: Sequence[str]) -> pl.DataFrame:
    """Levels of each condition."""
    by_condition = results_of(run).frame.group_by("condition", maintain_order=True)
    return by_condition.agg(pl.col(columns).first())


@table
def apart_counts(run: RunResults) -> Noted:
    """Conditions in which each algorithm stands apart, without FAST-AT and without FAST."""
    results = results_of(run)
    out = ("FAST-AT", "FAST") if "FAST-AT" in results.labels else ("FAST-AT",)
    headings = {"alternative": "Algorithm", "conditions": "Conditions"}
    headings |= {"apart": "Outlier", "alone": "Alone at the cut"}
    frame = pl.concat(
        results.clusters(label)
        .summary.select(
            pl.lit(label if label in results.labels else "–").alias("Left out"), *headings
        )
        .rename(headings)
        for label in out
    )
    return Noted(frame, results.clusters().notes)


@table
def cost(run: RunResults) -> pl.DataFrame:
    """Processor time of this size, and of full size from packets and packets per second."""
    hours, packets = processor_hours(run), float(results_of(run).frame["packets"].sum())
    published, share = run.options.values["hours"], part(run)
    full = hours / share
    rows = {
        "Packets sent": f"{packets:,.0f}",
        "Processor time of this size": f"{hours:,.3f} h",
        "Packets per processor-second": number(packets / (hours * 3600)) if hours else "–",
        "Part of the published hosts times duration": number(share),
        "Processor time of full size, extrapolated": f"{full:,.1f} h",
        "Processor time of the published experiment": f"{published:,.0f} h",
        "Published over ours": number(published / full) if full else "–",
    }
    return pl.DataFrame({"What": list(rows), "Value": list(rows.values())})


@table
def network(run: RunResults) -> pl.DataFrame:
    """Printed numbers of the network beside ours."""
    frame = printed_beside_ours(run.options.study, run.options.values["network"]).with_columns(
        pl.when("agrees").then(pl.lit("yes")).otherwise(pl.lit("no")).alias("agrees")
    )
    return frame.select("table", "entry", "printed", "ours", "agrees").rename(str.capitalize)


def look_of(run: RunResults, without: str = "") -> Look:
    """Colours of the algorithms, which stay the same without one of them."""
    look = Look.of(results_of(run).labels)
    kept = tuple(label for label in look.alternatives if label != without)
    return Look(kept, tuple(look.colour(label) for label in kept))


def _names(run: RunResults) -> Names:
    """Names of responses and factors in charts."""
    frame = results_of(run).frame
    columns = {column: lookup(column).response for column in (*RESPONSES, "loss_rate")}
    factors: dict[str, Any] = {
        name: (name, str(texts[0]), str(texts[-1]))
        for name in _factors(run)
        for texts in [frame.sort(name)[f"{name}_level"]]
    }
    return Names(
        {
            k: (f"{column.name[:1].upper()}{column.name[1:]} ({k})", column.unit)
            for k, column in columns.items()
        },
        factors,
    )
