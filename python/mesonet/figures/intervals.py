"""Intervals: a line with a mark for each alternative, in rows of responses."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from mesonet.figures.chart import Chart
from mesonet.figures.style import INK, Look, data
from mesonet.numbers import percent

_LINE = 44
"""Letters in a line of the name of a row."""


def interval_rows(order: Sequence[str], labels: Sequence[str]) -> Any:
    """A chart with a row per response and a line in it per alternative; long names are broken."""
    lines = {name: textwrap.wrap(name, _LINE) or [""] for name in order}
    y = alt.Y(
        "name:N",
        sort=list(order),
        scale=alt.Scale(paddingInner=0.25),
        axis=alt.Axis(
            title=None,
            ticks=False,
            domain=False,
            labelExpr=f"{json.dumps(lines)}[datum.value]",
            labelLimit=270,
            labelFontSize=10.5,
            labelLineHeight=12,
            labelBaseline="middle",
        ),
    )
    return Chart().encode(y, alt.YOffset("alternative:N", sort=list(labels)))


def interval_layers(
    base: Any,
    labels: Sequence[str],
    *,
    look: Look,
    axis: Any,
    tooltip: Sequence[Any],
    scale: Any = alt.Undefined,
) -> list[Any]:
    """A line at zero, the intervals, and marks that are filled where the points say `sure`.

    Args:
        base: Chart with the places of the points along y.
        labels: Alternatives in the order of drawing.
        tooltip: Further entries of the tooltip.
    """
    colour = alt.Color("alternative:N", scale=look.scale(list(labels)), title=None)
    ink = {"color": colour, "tooltip": ["name:N", "alternative:N", *tooltip]}
    return [
        Chart(data([{"zero": 0}]))
        .mark_rule(color=INK, opacity=0.5)
        .encode(alt.X("zero:Q", axis=axis, scale=scale)),
        base.mark_rule(strokeWidth=2).encode(
            alt.X("lower:Q", axis=axis, scale=scale), x2="upper:Q", **ink
        ),
        base.mark_point(size=75, strokeWidth=2, opacity=1).encode(
            alt.X("middle:Q", axis=axis, scale=scale),
            fill=alt.condition("datum.sure", colour, alt.value("transparent")),
            shape=alt.Shape("alternative:N", scale=look.shapes(list(labels)), title=None),
            **ink,
        ),
    ]


def interval_point(row: Mapping[str, Any], middle: str, lower: str, upper: str) -> dict[str, Any]:
    """Ends and text, in percent, of an interval of fractions in a row; without ends if unknown."""
    known = None not in (row[lower], row[upper])
    ends = f" [{percent(row[lower])}, {percent(row[upper])}]" if known else ""
    return {
        "middle": 100 * row[middle],
        "lower": 100 * row[lower] if known else None,
        "upper": 100 * row[upper] if known else None,
        "text": percent(row[middle]) + ends,
    }
