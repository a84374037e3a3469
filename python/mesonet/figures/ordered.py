"""Ordered data with the settings below, and the response against every factor."""

from __future__ import annotations

import textwrap
from typing import Any

import altair as alt
import polars as pl
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from mesonet.analysis import FactorScatter, OrderedData
from mesonet.figures.style import (
    BLUE,
    INK,
    Names,
    data,
    nothing_chart,
    nothing_figure,
    number,
    paper,
    sheet,
    themed,
)

_SIDES = {-1: -0.2, 1: 0.2}


def ordered_data_chart(result: OrderedData, *, names: Names, width: int = 760) -> Any:
    """The response in increasing order; below each value, which factors were high."""
    if result.frame.is_empty():
        return nothing_chart(*result.notes)
    points, cells = _ordered(result, names)
    x = alt.X("position:O", axis=None)
    tip = ["condition:O", "shown:N"]
    upper = alt.Chart(data(points)).encode(
        x,
        alt.Y("value:Q", scale=alt.Scale(zero=False), title=names.axis(result.response)),
        tooltip=tip,
    )
    gap = alt.Scale(paddingInner=0.12)
    lower = alt.Chart(data(cells)).encode(
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
            width=width, height=240
        ),
        lower.mark_rect(cornerRadius=1, color=BLUE)
        .encode(opacity=alt.condition("datum.high", alt.value(0.85), alt.value(0.12)))
        .properties(width=width, height=16 * len(result.factors)),
        spacing=10,
    )
    return themed(chart)


def ordered_data_figure(result: OrderedData, *, names: Names) -> Figure:
    """Draws `ordered_data_chart` with matplotlib, for papers."""
    if result.frame.is_empty():
        return nothing_figure(*result.notes)
    points, cells = _ordered(result, names)
    labels = [names.factor(name) for name in result.factors]
    with paper():
        figure = sheet(7.0, 2.6 + 0.17 * len(labels))
        upper, lower = figure.subplots(
            2, 1, sharex=True, gridspec_kw={"height_ratios": [2.3, 0.17 * len(labels)]}
        )
        upper.plot(
            [point["position"] for point in points],
            [point["value"] for point in points],
            "o",
            color=BLUE,
            ms=3.5,
        )
        upper.set_ylabel(names.axis(result.response))
        upper.tick_params(axis="x", length=0, labelbottom=False)
        for cell in cells:
            corner = (cell["position"] - 0.45, labels.index(cell["factor"]) + 0.06)
            fill = BLUE if cell["high"] else "0.9"
            lower.add_patch(Rectangle(corner, 0.9, 0.88, color=fill, lw=0))
        lower.set_xlim(0.3, len(points) + 0.7)
        lower.set_ylim(len(labels), 0)
        lower.set_yticks([k + 0.5 for k in range(len(labels))], labels, size=6.5)
        shown = range(len(points)) if len(points) <= 40 else []
        lower.set_xticks(
            [k + 1 for k in shown], [str(points[k]["condition"]) for k in shown], size=5.5
        )
        lower.set_xlabel("Condition; filled: the factor is at its high level")
        lower.tick_params(length=0)
        lower.spines[:].set_visible(False)
    return figure


def factor_scatter_chart(result: FactorScatter, *, names: Names, step: int = 104) -> Any:
    """The response of every condition at the low and the high level of every factor."""
    if result.frame.is_empty():
        return nothing_chart(*result.notes)
    points, means = _scatter(result, names)
    labels = {index: names.factor(name) for index, name in enumerate(result.factors)}
    text = " : ".join(f"datum.value == {k} ? '{_quoted(v)}'" for k, v in labels.items())
    count = len(labels)
    axis = alt.Axis(
        title=None, values=list(labels), labelExpr=f"{text} : ''", domain=False, ticks=False,
        grid=False, labelLimit=step - 6,
    )  # fmt: skip
    x = alt.X("x:Q", scale=alt.Scale(domain=[-0.5, count - 0.5], nice=False), axis=axis)
    y = alt.Y("value:Q", scale=alt.Scale(zero=False), title=names.axis(result.response))
    chart = alt.layer(
        alt.Chart(data(points))
        .mark_point(filled=True, size=26, color=BLUE, opacity=0.55)
        .encode(x, y, tooltip=["factor:N", "level:N", "condition:O", "shown:N"]),
        alt.Chart(data(means))
        .mark_tick(thickness=2.5, size=26, color=INK, orient="horizontal", opacity=1)
        .encode(x, y, tooltip=["factor:N", "level:N", "shown:N"]),
    )
    return themed(chart.properties(width=max(count * step, 240), height=270))


def factor_scatter_figure(result: FactorScatter, *, names: Names) -> Figure:
    """Draws `factor_scatter_chart` with matplotlib, for papers."""
    if result.frame.is_empty():
        return nothing_figure(*result.notes)
    points, means = _scatter(result, names)
    with paper():
        figure = sheet(7.0, 2.8)
        axes = figure.add_subplot()
        axes.plot(
            [point["x"] for point in points], [point["value"] for point in points], "o",
            color=BLUE, ms=2.5, alpha=0.6,
        )  # fmt: skip
        for mean in means:
            xs = (mean["x"] - 0.13, mean["x"] + 0.13)
            axes.plot(xs, (mean["value"],) * 2, color="0.1", lw=1.6)
        axes.set_xticks(
            [k + side for k in range(len(result.factors)) for side in _SIDES.values()],
            ["−", "+"] * len(result.factors),
        )
        axes.tick_params(axis="x", length=0)
        for k, name in enumerate(result.factors):
            axes.text(
                k, -0.11, textwrap.fill(names.factor(name), 18), size=6, ha="center", va="top",
                transform=axes.get_xaxis_transform(),
            )  # fmt: skip
        axes.set_ylabel(names.axis(result.response))
        axes.set_xlim(-0.5, len(result.factors) - 0.5)
    return figure


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
