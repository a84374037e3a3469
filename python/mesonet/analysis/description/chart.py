"""Range, median and mean of responses, and the congestion of conditions."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from mesonet.analysis import Congestion, Description
from mesonet.figures.chart import Chart
from mesonet.figures.style import (
    FAINT,
    INK,
    Look,
    Names,
    data,
    names_along,
    nothing_chart,
    rows,
    themed,
)
from mesonet.numbers import number


def describe_chart(
    result: Description, *, look: Look, names: Names, only: Sequence[str] | None = None
) -> Any:
    """Smallest to largest value, median (bar) and mean (mark) over conditions, by response.

    Mean and standard deviation stand beside it.
    """
    points = [
        {
            **row,
            "text": f"{number(row['mean'], digits=3)} ± {number(row['sd'], digits=2)}",
            **{f"{key}_text": number(row[key], digits=3) for key in _TOLD},
        }
        for row in rows(result.frame.drop_nulls("mean").drop_nans("mean"))
        if only is None or row["response"] in only
    ]
    responses = list(dict.fromkeys(point["response"] for point in points))[:12]
    if not responses:
        return nothing_chart("No response has a value.", *result.notes)
    panels = [
        _panel([point for point in points if point["response"] == name], name, look, names, 230)
        for name in responses
    ]
    grid = alt.concat(*panels, columns=2, spacing={"row": 18, "column": 24})
    return themed(grid.resolve_scale(x="independent", y="independent"))


_TOLD = ("minimum", "median", "mean", "maximum")


def _panel(
    points: list[dict[str, Any]], response: str, look: Look, names: Names, width: int
) -> Any:
    labels = [name for name in look.alternatives if any(p["alternative"] == name for p in points)]
    colour = alt.Color("alternative:N", scale=look.scale(), legend=None)
    y = names_along(alt.Y, "alternative:N", labels, labelLimit=120)
    axis = alt.Axis(title=None, tickCount=4, labelOverlap=True)
    scale = alt.Scale(zero=False, nice=True)
    fields = [alt.Tooltip(f"{key}_text:N", title=key) for key in _TOLD]
    base = Chart().encode(y, tooltip=["alternative:N", *fields, "conditions:Q"])

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", axis=axis, scale=scale)

    layers = [
        base.mark_rule(strokeWidth=2).encode(x("minimum"), colour, x2="maximum:Q"),
        base.mark_tick(thickness=2.5, size=13, opacity=1).encode(x("median"), colour),
        base.mark_point(filled=True, size=52, opacity=1).encode(
            x("mean"), colour, shape=alt.Shape("alternative:N", scale=look.shapes(), legend=None)
        ),
        base.mark_text(align="left", color=INK, fontSize=10.5).encode(
            x=alt.value(width + 10), text="text:N"
        ),
    ]
    chart = alt.layer(*layers, data=data(points))
    return chart.properties(width=width, height=22 * len(labels), title=names.axis(response))


def congestion_chart(result: Congestion, *, look: Look, names: Names) -> Any:
    """Each alternative's value under each condition, on a log scale that keeps zeros visible.

    Zeros lie on a line of their own below the smallest decade.
    """
    order = result.conditions["condition"].to_list()
    floor, top = _decades(result)
    points = [
        {**row, "shown": row["value"] if row["value"] > 0 else floor, "text": number(row["value"])}
        for row in rows(result.frame)
        if row["value"] is not None and row["value"] >= 0
    ]
    x = alt.X(
        "condition:O",
        sort=order,
        axis=alt.Axis(title="Condition, least congested first", labelAngle=0, ticks=False),
    )
    y = alt.Y(
        "shown:Q",
        scale=alt.Scale(type="log", domain=[floor / 1.6, top], nice=False),
        axis=alt.Axis(
            title=names.axis(result.response),
            values=[floor * 10**k for k in range(_count(floor, top) + 1)],
            labelExpr=f"{json.dumps(_labels(floor, top))}"
            f"[round(log(datum.value / {floor!r}) / LN10)]",
        ),
    )
    select = alt.selection_point(name="pick", fields=["alternative"], bind="legend")
    band = (
        Chart(data([{"floor": floor / 1.6, "edge": floor * 2.2}]))
        .mark_rect(color=FAINT, opacity=1)
        .encode(y=alt.Y("floor:Q", title=names.axis(result.response)), y2="edge:Q")
    )
    dots = (
        Chart()
        .mark_point(filled=True, size=44, strokeWidth=0)
        .encode(
            x,
            y,
            # Side by side, or equal values would hide each other.
            xOffset=alt.XOffset("alternative:N", sort=list(look.alternatives)),
            color=alt.Color("alternative:N", scale=look.scale(), title=None),
            shape=alt.Shape("alternative:N", scale=look.shapes(), title=None),
            opacity=alt.condition(select, alt.value(0.95), alt.value(0.12)),
            tooltip=[
                "condition:O",
                "alternative:N",
                alt.Tooltip("text:N", title=names.axis(result.response)),
            ],
        )
        .add_params(select)
    )
    chart = alt.layer(band, dots, data=data(points))
    return themed(chart.properties(width=max(len(order) * 26, 240), height=280))


def _decades(result: Congestion) -> tuple[float, float]:
    """The place of zero, one decade below the smallest positive value, and the top of the axis."""
    positive = [value for value in result.frame["value"].drop_nulls() if value > 0]
    if not positive:
        return 1e-6, 1e-3
    lowest = math.floor(math.log10(min(positive))) - 1
    return 10.0**lowest, 10.0 ** (math.log10(max(positive)) + 0.15)


def _count(floor: float, top: float) -> int:
    return math.floor(math.log10(top / floor) + 1e-9)


def _labels(floor: float, top: float) -> list[str]:
    lowest = round(math.log10(floor))
    powers = range(lowest + 1, lowest + 1 + _count(floor, top))
    superscript = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    return ["0", *("1" if k == 0 else "10" + str(k).translate(superscript) for k in powers)]
