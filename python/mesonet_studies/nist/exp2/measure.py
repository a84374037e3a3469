"""Figures, charts and tables of Experiment 2: seven alternates, each mixed with Reno."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import polars as pl

from mesonet import figures as drawn
from mesonet.analysis import condition_response, difference_histogram, flow_ranks
from mesonet.analysis import congestion as congestion_of
from mesonet.errors import PlanError, Problem
from mesonet.figures import Look, Names
from mesonet.page.tables import Table, counts, numbers, percents, words
from mesonet.page.tables import table as table_of
from mesonet.plan import Plan
from mesonet.responses import FLOW_GROUPS, lookup
from mesonet.studies.study import Noted, Options, RunResults, chart, once, table, value
from mesonet_studies.nist.exp2.figures import measured
from mesonet_studies.nist.exp2.mixed import Kind, Mixed, agreed_ranks
from mesonet_studies.nist.exp2.network import full_over_measured, network_figures
from mesonet_studies.nist.network import processor_hours

_FILES = {"movie": "M", "service_pack": "SP", "document": "D", "web_object": "WO"}
_ALWAYS = ("fraction.reno", "utility.share")
"""Figures in the text of the page."""


@once
def mixed(run: RunResults) -> Mixed:
    """The runs, whose parts are computed when they are asked for."""
    values = dict(run.options.values)
    if run.options.size == "population":
        # Everything but the hour is as published.
        values["times"] = 3600 / values["duration"]
    return Mixed.of(run.campaigns[""], values)


def settings(options: Options) -> dict[str, str]:
    """Settings that options change."""
    algorithms = options.algorithms or ()
    if "reno" in algorithms:
        message = 'expected algorithms other than "reno", which each of them is mixed with'
        raise PlanError([Problem("algorithms", "conflict", message)])
    seed = options.values["seed"] if options.seed is None else options.seed
    return {
        "Seed": f"{seed}, the same for all conditions and algorithms",
        "Replicates": str(options.replicates or 1),
        "Algorithms": ", ".join(algorithms or options.values["alternates"]) + "; each with reno",
        "Scale": options.words.partition("; ")[2],
    }


def figures(run: RunResults) -> dict[str, float]:
    """Every figure by name."""
    numbers = network_figures(run.options.study, run.options.values["network"])
    if mixed(run).frame.is_empty():
        return numbers | dict.fromkeys(_ALWAYS, math.nan)
    return numbers | measured(mixed(run))


def facts(run: RunResults) -> dict[str, str]:
    """Cost, and cells that ranks rest on."""
    table = {
        "Simulated": f"{run.campaigns[''].plan.scenario.duration:g} s",
        "Processor hours": f"{processor_hours(run):.2f}",
        "Packets": f"{float(run.campaigns[''].results()['packets'].sum()):.3g}",
    }
    if mixed(run).frame.is_empty():
        return table
    return table | {"Ranked cells": f"{mixed(run).complete_cells()} of 768"}


@value
def shown(run: RunResults) -> dict[str, Any]:
    """Parts of the text of the page that the runs decide; empty without any."""
    it = mixed(run)
    if it.frame.is_empty():
        return {}
    names, there = _names(run.campaigns[""].plan), set(it.comparison.frame["group"])
    return {
        "cells": it.complete_cells(),
        "labels": list(it.algorithms),
        "fairest": sorted(
            it.algorithms, key=lambda label: -run.figures.get(f"reno.{label}", -math.inf)
        ),
        "movies": [group for group in it.values["movies"] if f"g{group}" in there],
        "goodputs": len(it.components.responses),
        "network": [
            (name, names.response(name), names.axis(name)) for name in ("y6", "y1", "y42", "y5")
        ],
    }


def _look(run: RunResults) -> Look:
    return Look.of(mixed(run).algorithms)


def _names(plan: Plan) -> Names:
    columns = {name: lookup(name) for name in plan.responses if ":" not in name}
    responses = {name: (column.name, column.response.unit) for name, column in columns.items()}
    for number, (path, interface, file) in FLOW_GROUPS.items():
        short = f"{number} {path} {interface[0].upper()} {_FILES[file]}"
        responses[f"g{number}"] = (short, "segments/s")
        responses |= {f"g{number}, {of}": (f"{short}, {of}", "") for of in ("alternate", "Reno")}
    factors = {
        factor.name: (f"{factor.symbol} {factor.label}", factor.text(-1), factor.text(1))
        for factor in plan.factors
    }
    return Names(responses, factors)


def _style(run: RunResults) -> dict[str, Any]:
    """Colours and names, which most charts take."""
    return {"look": _look(run), "names": _names(run.campaigns[""].plan)}


@chart
def congestion(run: RunResults) -> Any:
    """Loss rate of every algorithm under every condition."""
    result = congestion_of(mixed(run).frame, response="loss_rate")
    return drawn.congestion_chart(result, **_style(run))


@chart
def biplot(run: RunResults, group: int) -> Any:
    """Goodput of alternate flows against Reno flows in a group."""
    return drawn.biplot_chart(mixed(run).comparison, group=f"g{group}", **_style(run))


@chart
def histogram(run: RunResults, group: int) -> Any:
    """Differences of goodput over the conditions in a group."""
    result = difference_histogram(mixed(run).comparison)
    return drawn.difference_histogram_chart(result, group=f"g{group}", **_style(run))


@chart
def bars(run: RunResults, group: int) -> Any:
    """Goodput in a group under the least congested condition that has most algorithms."""
    comparison = mixed(run).comparison
    smallest = (
        comparison.frame.filter(pl.col("group") == f"g{group}")
        .group_by("condition", "position", maintain_order=True)
        .len()
        .sort(pl.col("len"), -pl.col("position"), descending=True)["condition"]
    )
    first = smallest.to_list()[:1]
    return drawn.goodput_bars_chart(comparison, group=f"g{group}", conditions=first, **_style(run))


@chart
def rank_scatter(run: RunResults) -> Any:
    """Standard deviation against mean of ranks."""
    return drawn.rank_scatter_chart(mixed(run).ranks.overall, look=_look(run))


@chart
def rank_matrix(run: RunResults, kind: Kind, whose: str) -> Any:
    """Ranks of the goodput of CTCP, or of Reno beside it; None without CTCP."""
    if "CTCP" not in mixed(run).algorithms:
        return None
    matrix = mixed(run).matrix(kind)
    names = _names(run.campaigns[""].plan)
    return drawn.rank_sheet_chart(matrix, alternative="CTCP", names=names, whose=whose)


@table
def ranks(run: RunResults) -> pl.DataFrame:
    """Means and standard deviations of ranks."""
    columns: Mapping[str, str] = run.options.values["ranked"]
    return mixed(run).ranks.frame.select(*columns).rename(columns)


@table
def fewest(run: RunResults) -> Table:
    """Mean ranks, and agreement with the printed matrices, by the fewest transfers that count."""
    experiment = mixed(run)
    rows = []
    for minimum in (1, 10, 30, 100):
        ranks = agreed_ranks(flow_ranks(experiment.complete(minimum)))
        means: Mapping[str, str] = {
            "Correlation, CTCP": "matrix.alternate",
            "Correlation, Reno versus CTCP": "matrix.standard",
        } | {f"Mean, {label}": f"rank.{label}" for label in experiment.algorithms}
        rows.append(
            {"Fewest transfers": minimum, "Pairs": experiment.complete_cells(minimum)}
            | {heading: ranks.get(name) for heading, name in means.items()}
        )
    frame = pl.DataFrame(rows, schema_overrides=dict.fromkeys(means, pl.Float64))
    whole = [counts(name, name) for name in ("Fewest transfers", "Pairs")]
    return table_of("sensitivity", frame, [*whole, *(numbers(name, name) for name in means)])


@chart
def components(run: RunResults) -> Any:
    """First against second principal component."""
    return drawn.components_chart(mixed(run).components, **_style(run), by=("speed", "delay"))


@chart
def scree(run: RunResults) -> Any:
    """Part of the variance by principal component."""
    return drawn.scree_chart(mixed(run).components, limit=8)


@table
def plane(run: RunResults) -> Noted:
    """Part of the variance of the plane that lies between levels of each factor."""
    names = _names(run.campaigns[""].plan)
    parts = {
        "Algorithm" if factor == "group" else names.factor(factor): part
        for factor in (*mixed(run).factors, "group")
        if (part := run.figures.get(f"plane.{factor}")) is not None
    }
    schema = {"Factor": pl.String, "Part": pl.Float64}
    frame = pl.DataFrame({"Factor": list(parts), "Part": list(parts.values())}, schema=schema)
    columns = [words("Factor", "Factor"), percents("Part", "Part")]
    table = table_of("plane", frame.sort("Part", descending=True), columns)
    return Noted(table, mixed(run).components.notes)


@chart
def conditions(run: RunResults, response: str) -> Any:
    """Residuals of a response around the mean of each condition."""
    result = condition_response(mixed(run).frame, response=response)
    return drawn.condition_response_chart(result, **_style(run))


@table
def cost(run: RunResults) -> pl.DataFrame:
    """Processor hours and packets: measured, extrapolated to the full size, and published."""
    hours, packets = processor_hours(run), float(run.campaigns[""].results()["packets"].sum())
    whole = run.options.size == "full"
    ratio = 1.0 if whole else full_over_measured(run.options.study, run.campaigns[""])
    printed = run.options.values["volume"]
    return pl.DataFrame(
        {
            " ": ["This size, measured", "Full size, extrapolated", "Full size, published"],
            "Hours": [hours, hours * ratio, printed["hours"]],
            "Packets": [packets, packets * ratio, printed["packets"]],
        }
    )
