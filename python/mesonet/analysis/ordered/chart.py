"""Ordered data with the settings below, and the response against every factor."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import FactorScatter, OrderedData
from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, INK, Names, data, nothing_chart, themed
from mesonet.numbers import number

_SIDES = {-1: -0.2, 1: 0.2}

_STEP = 104
_WIDTH = 760


def ordered_data_chart(result: OrderedData, *, names: Names) -> Any:
    """The response in increasing order; below each value, which factors were high."""
    if result.frame.is_empty():
        return nothing_chart(*result.notes)
    points, cells = _ordered(result, names)
    x = alt.X("position:O", axis=None)
    tip = ["condition:O", "shown:N"]
    upper = Chart(data(points)).encode(
        x,
        alt.Y("value:Q", scale=alt.Scale(zero=False), title=names.axis(result.response)),
        tooltip=tip,
    )
    gap = alt.Scale(paddingInner=0.12)
    lower = Chart(data(cells)).encode(
        alt.X("position:O", axis=None, scale=gap),
        alt.Y(
            "factor:N",
            scale=gap,
            sort=[names.factor(name) for name in result.factors],
            axis=alt.Axis(title=None, ticks=False, domain=False, labelLimit=240),
        ),
        tooltip=["factor:N", "level:N", "condition:O"],
    )
    chart = alt.vconcat(
        upper.mark_point(filled=True, size=42, color=BLUE, opacity=1).properties(
            width=_WIDTH, height=240
        ),
        lower.mark_rect(cornerRadius=1, color=BLUE)
        .encode(opacity=alt.condition("datum.high", alt.value(0.85), alt.value(0.12)))
        .properties(width=_WIDTH, height=16 * len(result.factors)),
        spacing=10,
    )
    return themed(chart)


def factor_scatter_chart(result: FactorScatter, *, names: Names) -> Any:
    """The response of every condition at the low and the high level of every factor."""
    if result.frame.is_empty():
        return nothing_chart(*result.notes)
    points, means = _scatter(result, names)
    labels = {index: names.factor(name) for index, name in enumerate(result.factors)}
    text = " : ".join(f"datum.value == {k} ? '{_quoted(v)}'" for k, v in labels.items())
    count = len(labels)
    axis = alt.Axis(
        title=None, values=list(labels), labelExpr=f"{text} : ''", domain=False, ticks=False,
        grid=False, labelLimit=_STEP - 6,
    )  # fmt: skip
    x = alt.X("x:Q", scale=alt.Scale(domain=[-0.5, count - 0.5], nice=False), axis=axis)
    y = alt.Y("value:Q", scale=alt.Scale(zero=False), title=names.axis(result.response))
    chart = alt.layer(
        Chart(data(points))
        .mark_point(filled=True, size=26, color=BLUE, opacity=0.55)
        .encode(x, y, tooltip=["factor:N", "level:N", "condition:O", "shown:N"]),
        Chart(data(means))
        .mark_tick(thickness=2.5, size=26, color=INK, orient="horizontal", opacity=1)
        .encode(x, y, tooltip=["factor:N", "level:N", "shown:N"]),
    )
    return themed(chart.properties(width=max(count * _STEP, 240), height=270))


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def _ordered(
    result: OrderedData, names: Names
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    points, cells = [], []
    for row in result.frame.iter_rows(named=True):
        place = {"position": row["position"], "condition": row["condition"]}
        points.append(place | {"value": row["value"], "shown": number(row["value"])})
        cells += [
            place
            | {
                "factor": names.factor(name),
                "high": row[name] > 0,
                "level": names.levels(name)[row[name] > 0],
            }
            for name in result.factors
        ]
    return points, cells


def _scatter(
    result: FactorScatter, names: Names
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    place = {name: index for index, name in enumerate(result.factors)}

    def described(frame: pl.DataFrame, column: str) -> list[dict[str, Any]]:
        return [
            {
                "x": place[row["factor"]] + _SIDES[row["level"]],
                "value": row[column],
                "shown": number(row[column]),
                "factor": names.factor(row["factor"]),
                "level": names.levels(row["factor"])[row["level"] > 0],
                "condition": row.get("condition"),
            }
            for row in frame.iter_rows(named=True)
        ]

    return described(result.frame, "value"), described(result.spread, "mean")
