"""One dendrogram per condition, all on a sheet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import AlgorithmClusters
from mesonet.figures.chart import Chart
from mesonet.figures.style import (
    BLUE,
    GREEN,
    INDIGO,
    INK,
    ORANGE,
    PURPLE,
    VERMILLION,
    Look,
    data,
    names_along,
    nothing_chart,
    themed,
)

# Not the colour that marks outliers.
_HUES = (BLUE, GREEN, ORANGE, PURPLE, INDIGO)
_ABOVE = "#808790"
_PAGE = 848
"""Width of a row [pixels]."""


def dendrograms_chart(
    result: AlgorithmClusters, *, look: Look, conditions: Sequence[int] | None = None
) -> Any:
    """The dendrograms of all conditions; the number of an outlier is marked."""
    # Numbers of two digits take more room than those of one.
    many = max(1, _PAGE // (16 * len(look.alternatives)))
    columns = 8 if len(look.alternatives) < 10 else many
    drawn = _drawn(result, look, conditions, columns)
    if drawn is None:
        return nothing_chart(*_why(result))
    lines, leaves, titles, lanes, tiers = drawn
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, lanes], nice=False), axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[0, tiers], nice=False, reverse=True), axis=None)
    words = Chart().encode(x, y, text="text:N")
    chart = alt.layer(
        Chart(data(lines))
        .mark_line(strokeWidth=1.4)
        .encode(
            x,
            y,
            detail="line:N",
            order="step:Q",
            color=alt.Color("colour:N", scale=None),
            tooltip=["tip:N"],
        ),
        alt.layer(
            words.transform_filter("datum.title").mark_text(
                fontSize=11, fontWeight=600, color=INK, align="left"
            ),
            words.transform_filter("!datum.title && !datum.apart")
            .mark_text(fontSize=10.5, color=INK)
            .encode(tooltip=["tip:N"]),
            words.transform_filter("datum.apart")
            .mark_text(fontSize=11.5, fontWeight=800, color=VERMILLION)
            .encode(tooltip=["tip:N"]),
            data=data([*leaves, *titles]),
        ),
    )
    size = {"width": lanes * _PAGE // columns, "height": tiers * 98}
    legend = ", ".join(f"{look.number(name)} {name}" for name in look.alternatives)
    return themed(chart.properties(**size, title=legend))


def stand_apart_chart(result: AlgorithmClusters, *, look: Look) -> Any:
    """Number of conditions under which each algorithm is an outlier."""
    if not result.summary["conditions"].sum():
        return nothing_chart(*_why(result))
    rows = [
        {
            "name": row["alternative"],
            "apart": row["apart"],
            "text": f"{row['apart']} of {row['conditions']}; in {row['alone']} a cluster alone",
        }
        for row in result.summary.iter_rows(named=True)
    ]
    maximum = max(result.summary["conditions"].to_list())
    base = Chart().encode(
        alt.X(
            "apart:Q",
            scale=alt.Scale(domain=[0, maximum]),
            axis=alt.Axis(tickMinStep=1),
            title="Conditions under which it is an outlier",
        ),
        names_along(alt.Y, "name:N", None),
    )
    chart = alt.layer(
        base.mark_bar(height=13, cornerRadiusEnd=2).encode(
            alt.Color("name:N", scale=look.scale(), legend=None)
        ),
        base.mark_text(align="left", dx=6, fontSize=11, color=INK).encode(text="text:N"),
        data=data(rows),
    )
    return themed(chart.properties(width=520, height=26 * len(rows)))


def _why(result: AlgorithmClusters) -> tuple[str, ...]:
    return ("No condition has two alternatives with values to compare.", *result.notes)


def _drawn(
    result: AlgorithmClusters, look: Look, only: Sequence[int] | None, columns: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]], int, int] | None:
    conditions = result.conditions.filter(pl.col("largest").is_not_nan())
    if only is not None:
        conditions = conditions.filter(pl.col("condition").is_in(list(only)))
    if conditions.is_empty():
        return None
    lanes = min(columns, conditions.height)
    tiers = math.ceil(conditions.height / lanes)
    # All on one scale of heights, so that conditions can be compared.
    highest = max(conditions["largest"].to_list()) or 1.0
    place = {condition: divmod(k, lanes) for k, condition in enumerate(conditions["condition"])}
    count = dict(conditions.select("condition", "alternatives").iter_rows())

    def across(condition: int, leaf: float) -> float:
        return float(place[condition][1] + 0.08 + 0.84 * (leaf + 0.5) / count[condition])

    def down(condition: int, height: float) -> float:
        return float(place[condition][0] + 0.80 - 0.58 * height / highest)

    lines = []
    for row in result.links.filter(pl.col("condition").is_in(list(place))).iter_rows(named=True):
        at = row["condition"]
        left, right = across(at, row["left_x"]), across(at, row["right_x"])
        corners = [
            (left, down(at, row["left_y"])),
            (left, down(at, row["height"])),
            (right, down(at, row["height"])),
            (right, down(at, row["right_y"])),
        ]
        own = row["cluster"]
        colour = _ABOVE if own is None else _HUES[(own - 1) % len(_HUES)]
        about = {"line": f"{at} {row['link']}", "colour": colour}
        about["tip"] = f"condition {at}: distance {row['height']:.3g}"
        lines += [{"x": a, "y": b, "step": k, **about} for k, (a, b) in enumerate(corners)]
    leaves = [
        {
            "x": across(row["condition"], row["leaf"]),
            "y": place[row["condition"]][0] + 0.88,
            "text": look.number(row["alternative"]),
            "tip": f"{row['alternative']} under condition {row['condition']}",
            "apart": row["apart"],
            "title": False,
        }
        for row in result.frame.filter(pl.col("condition").is_in(list(place))).iter_rows(named=True)
    ]
    identical = set(conditions.filter("identical")["condition"])
    titles = [
        {
            "x": lane + 0.06,
            "y": tier + 0.1,
            "text": f"{condition} identical" if condition in identical else str(condition),
            "apart": False,
            "title": True,
        }
        for condition, (tier, lane) in place.items()
    ]
    return lines, leaves, titles, lanes, tiers
