"""Goodput on the pages of Experiment 2: movies, ranks, fairness, gains, components."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from mesonet.analysis import difference_histogram
from mesonet.figures import (
    Look,
    Names,
    biplot_chart,
    components_chart,
    difference_histogram_chart,
    goodput_bars_chart,
    rank_scatter_chart,
    rank_sheet_chart,
    scree_chart,
)
from mesonet.report.charts import picture
from mesonet.report.tables import Table, counts, numbers, percents, table, words
from mesonet.studies.nist.exp2_measures import Mixed, matrix_figures, rank_figures
from mesonet.studies.nist.exp2_published import FILES
from mesonet.studies.page import CaptionedChart, Section


def captioned_chart(identifier: str, chart: Any, description: str, caption: str) -> CaptionedChart:
    """A chart with its caption."""
    return CaptionedChart(picture(identifier, chart, description), caption)


def movies(mixed: Mixed, figures: Mapping[str, float], look: Look, names: Names) -> Section:
    """Biplots, histograms and bars of the largest files on the fastest paths."""
    having = [
        f"g{number}"
        for number in mixed.movies
        if mixed.comparison.frame.filter(pl.col("group") == f"g{number}").height
    ]
    histogram = difference_histogram(mixed.comparison)
    charts = []
    for group in having:
        charts += [
            captioned_chart(
                f"biplot-{group}",
                biplot_chart(mixed.comparison, group=group, look=look, names=names),
                f"Goodput of alternate flows against Reno flows, group {group}",
                "Figure 25 of the paper. Below the diagonal the alternate gets more than Reno.",
            ),
            captioned_chart(
                f"histogram-{group}",
                difference_histogram_chart(histogram, group=group, look=look, names=names),
                f"Histograms of goodput differences, group {group}",
                "Differences over the conditions: right of zero the alternate gets more.",
            ),
        ]
    if having:
        group = having[-1]
        least = (
            mixed.comparison.frame.filter(pl.col("group") == group)
            .group_by("condition", "position")
            .len()
            .sort(pl.col("len"), -pl.col("position"), descending=True)["condition"]
            .to_list()[:1]
        )
        charts.append(
            captioned_chart(
                f"bars-{group}",
                goodput_bars_chart(
                    mixed.comparison, group=group, look=look, names=names, conditions=least
                ),
                f"Goodput as a fraction of the largest, group {group}, one condition",
                "Figure 26 of the paper: alternate flows left, Reno beside each of them right, as "
                "a fraction of the largest goodput in the condition.",
            )
        )
    rows = pl.DataFrame(
        [
            {
                "algorithm": label,
                "all": figures.get(f"vf.{label}"),
                "congested": figures.get(f"vf.congested.{label}"),
                "trend": figures.get(f"vf.trend.{label}"),
                "fraction": figures.get(f"fraction.{label}"),
            }
            for label in mixed.algorithms
        ]
    )
    reno = figures["fraction.reno"]
    return Section(
        "movies",
        "Large files on very fast paths with fast interfaces",
        (
            "Gains are means of the logarithm of alternate over Reno goodput over conditions, each "
            "with the weight of its transfers. The trend is the rank correlation of the relative "
            "difference with the order of congestion. The fraction is that of the line rate, over "
            "the less congested half of the conditions"
            + (f"; Reno's is {reno:.0%} (movies alone)." if reno == reno else "."),
        ),
        tuple(charts),
        (
            (
                "Alternate flows against Reno",
                table(
                    "movies",
                    rows,
                    (
                        words("algorithm", "Algorithm"),
                        percents("all", "Gain"),
                        percents("congested", "Gain, congested"),
                        numbers("trend", "Trend"),
                        numbers("fraction", "Fraction of line rate"),
                    ),
                ),
            ),
        ),
        tuple(
            f"No movie or service pack ended in flow group {number} for both kinds of flows."
            for number in mixed.movies
            if f"g{number}" not in having
        ),
    )


def ranks(mixed: Mixed, look: Look, names: Names) -> Section:
    """Spread against mean of ranks, and CTCP's two matrices."""
    ranks = mixed.ranks
    if not mixed.complete_cells:
        why = f"No group and condition has {mixed.fewest} transfers of both kinds for everyone."
        return Section("ranks", "Ranks of goodput", notes=(why,))
    charts = [
        captioned_chart(
            "rank-scatter",
            rank_scatter_chart(ranks.overall, look=look),
            "Standard deviation against mean of goodput ranks by algorithm",
            "Figures 27 and 28 of the paper: the ideal is the lower right corner.",
        )
    ]
    if "CTCP" in mixed.algorithms:
        for kind, matrix in (("alternate", ranks.alternate), ("standard", ranks.standard)):
            whose = "CTCP" if kind == "alternate" else "Reno beside CTCP"
            charts.append(
                captioned_chart(
                    f"rank-matrix-{kind}",
                    rank_sheet_chart(matrix, alternative="CTCP", names=names, whose=whose),
                    f"Ranks of the goodput of {whose} by condition and flow group",
                    f"The rank matrix of {whose}, 7 is best; empty cells lack transfers of some "
                    "algorithm.",
                )
            )
    rows = ranks.frame.select(
        "alternative",
        "n",
        "mean",
        "sd",
        "alternate_mean",
        "alternate_sd",
        "standard_mean",
        "standard_sd",
    )
    return Section(
        "ranks",
        "Ranks of goodput",
        (
            (
                f"Ranked where every algorithm has {mixed.fewest} or more transfers of both "
                f"kinds: {mixed.complete_cells} of 768 pairs of condition and flow group. Groups "
                "are numbered as published: path class (VF, F, T), interface (F, N) and file (M "
                "movies, SP service packs, D documents, WO Web objects)."
            ),
        ),
        tuple(charts),
        (
            (
                "Means and standard deviations of ranks",
                table(
                    "ranks",
                    rows,
                    (
                        words("alternative", "Algorithm"),
                        counts("n", "Ranks"),
                        numbers("mean", "Mean"),
                        numbers("sd", "Deviation"),
                        numbers("alternate_mean", "Mean, its flows"),
                        numbers("alternate_sd", "Deviation, its flows"),
                        numbers("standard_mean", "Mean, Reno beside it"),
                        numbers("standard_sd", "Deviation, Reno beside it"),
                    ),
                ),
            ),
            ("What the ranks owe to the fewest transfers that count", _sensitivity(mixed)),
        ),
    )


def _sensitivity(mixed: Mixed) -> Table:
    """Mean ranks, and agreement with the printed matrices, by the fewest transfers that count."""
    rows = []
    for fewest in (1, 10, 30, 100):
        other = replace(mixed, fewest=fewest)
        found = rank_figures(other) | matrix_figures(other)
        rows.append(
            {"fewest": fewest, "cells": other.complete_cells}
            | {name: found.get(name) for name in ("matrix.alternate", "matrix.standard")}
            | {label: found.get(f"rank.{label}") for label in mixed.algorithms}
        )
    columns = [counts("fewest", "Fewest transfers"), counts("cells", "Pairs")]
    columns += [numbers("matrix.alternate", "Correlation, CTCP")]
    columns += [numbers("matrix.standard", "Correlation, Reno beside CTCP")]
    columns += [numbers(label, f"Mean, {label}") for label in mixed.algorithms]
    schema = dict.fromkeys(("matrix.alternate", "matrix.standard", *mixed.algorithms), pl.Float64)
    return table("sensitivity", pl.DataFrame(rows, schema_overrides=schema), tuple(columns))


def fairness(mixed: Mixed, figures: Mapping[str, float]) -> Section:
    """Section on the goodput that the algorithms leave to Reno."""
    rows = pl.DataFrame(
        [
            {"algorithm": label, "all": figures.get(f"reno.{label}")}
            | {file: figures.get(f"reno.{label}.{file}") for file in FILES}
            | {
                level: figures.get(f"reno.{label}.{level}")
                for level in ("uncongested", "congested")
            }
            for label in mixed.algorithms
        ]
    ).sort("all", descending=True, nulls_last=True)
    columns = [words("algorithm", "Beside"), numbers("all", "Mean")]
    columns += [numbers(file, file.capitalize() if file[0] != "W" else file) for file in FILES]
    columns += [numbers("uncongested", "Less congested"), numbers("congested", "Congested")]
    return Section(
        "fairness",
        "Fairness to Reno",
        (
            (
                "As the paper has it: the rank of what Reno flows get beside each algorithm, "
                "averaged over the four kinds of files. High is fair."
            ),
        ),
        (),
        (("Mean rank of Reno's goodput", table("fairness", rows, tuple(columns))),),
    )


def gains(mixed: Mixed, figures: Mapping[str, float]) -> Section:
    """Section on the gains over Reno, by file and path."""
    rows = pl.DataFrame(
        [
            {
                "algorithm": label,
                "low": figures.get(f"low.{label}"),
                "severe": figures.get(f"severe.{label}"),
            }
            for label in mixed.algorithms
        ]
    )
    sizes = pl.DataFrame([{"file": file, "gain": figures.get(f"size.{file}")} for file in FILES])
    share = figures["utility.share"]
    return Section(
        "utility",
        "Increase rate and utility",
        (
            (
                "Gains of large files over Reno: on very fast and fast paths in the less congested "
                "half of the conditions, and on all paths in the most congested quarter."
            ),
            (
                f"{share:.0%} of the transfers of alternate flows are in a group and condition in "
                "which these get over 10 % more than Reno."
            ),
        ),
        (),
        (
            (
                "Gain by algorithm, movies and service packs",
                _gain_table("gains", rows, ("low", "Uncongested"), ("severe", "Severe congestion")),
            ),
            (
                "Gain by kind of file without congestion, mean over algorithms",
                table("sizes", sizes, (words("file", "File"), percents("gain", "Gain"))),
            ),
        ),
    )


def _gain_table(identifier: str, rows: pl.DataFrame, *columns: tuple[str, str]) -> Table:
    return table(
        identifier,
        rows,
        (words("algorithm", "Algorithm"), *(percents(name, heading) for name, heading in columns)),
    )


def components(mixed: Mixed, figures: Mapping[str, float], look: Look, names: Names) -> Section:
    """The plane of the first two principal components."""
    found = mixed.components
    parts = pl.DataFrame(
        [
            {"factor": names.factor(factor) if factor != "group" else "Algorithm", "part": part}
            for factor in (*mixed.factors, "group")
            if (part := figures.get(f"plane.{factor}")) is not None
        ],
        schema={"factor": pl.String, "part": pl.Float64},
    ).sort("part", descending=True)
    return Section(
        "components",
        "Principal components of goodputs",
        (
            (
                f"Of {len(found.responses)} of the 48 goodputs, those that every run has. The "
                "table has the part of the variance in the plane of the first two components that "
                "lies between the levels of each factor."
            ),
        ),
        (
            captioned_chart(
                "components",
                components_chart(found, look=look, names=names, by=("speed", "delay")),
                "First against second principal component of goodputs, by speed and delay",
                "Figure 13 of the paper: one group of the slow network, two of the fast one.",
            ),
            captioned_chart(
                "scree",
                scree_chart(found, most=8),
                "Fraction of the variance by principal component",
                "How much each component explains.",
            ),
        ),
        (
            (
                "What separates the plane",
                table("plane", parts, (words("factor", "Factor"), percents("part", "Part"))),
            ),
        ),
        found.notes,
    )
