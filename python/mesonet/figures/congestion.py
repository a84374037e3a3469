"""Charts of the congestion of conditions, least congested first."""

from __future__ import annotations

import json
import math
from typing import Any

import altair as alt

from mesonet.analysis import Congestion
from mesonet.figures.chart import Chart
from mesonet.figures.style import FAINT, Look, Names, data, rows, themed
from mesonet.numbers import number


def congestion_chart(result: Congestion, *, look: Look, names: Names, step: int = 26) -> Any:
    """Each alternative's value under each condition, on a log scale that keeps zeros visible.

    Zeros lie on a line of their own below the smallest decade.

    Args:
        result: The values and the order of the conditions.
        look: Colours and marks.
        names: Name of the response.
        step: Width of a condition, in pixels.
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
    return themed(chart.properties(width=max(len(order) * step, 240), height=280))


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
