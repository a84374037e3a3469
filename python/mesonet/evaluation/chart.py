"""Charts of an evaluation: all cells at a glance, and each measure versus the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from mesonet.evaluation.result import Cell, Evaluation, Share
from mesonet.evaluation.statistics import State
from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, GREY, INK, VERMILLION, data, nothing_chart, themed

_LINES: dict[State, str]
_LINES = {"worse": VERMILLION, "undecided": GREY, "no worse": GREY, "better": BLUE}
"""Colours of the states that have a dot; a cell without a value has none."""
_FILLS: dict[State, str] = {**_LINES, "undecided": "transparent"}
_ROW, _NAMED, _WIDTH = 17, 36, 900
_PANEL = 300
_NARROW = {"narrow": {"below": 620, "margin": 30}}


def overview_chart(evaluation: Evaluation) -> Any:
    """Excess of every cell, a row for each criterion below its name; right of zero is worse."""
    rows = [
        (f"{it.section} {it.title}", cells)
        for it in evaluation.criteria
        if (cells := [cell for cell in it.cells if cell.excess is not None])
    ]
    points = [
        {
            "row": row,
            "excess": max(-1.0, min(1.0, cell.excess or 0.0)),
            "state": cell.state,
            "measure": f"{cell.words}, {cell.versus}",
            "where": place(cell),
        }
        for row, cells in rows
        for cell in cells
    ]
    if not points:
        return nothing_chart("No cell has a value.")
    arrows = "\N{LEFTWARDS ARROW} better than the baseline · excess · worse \N{RIGHTWARDS ARROW}"
    axis = alt.Axis(title=arrows, tickCount=4, format="+.2~f")
    x = alt.X("excess:Q", scale=alt.Scale(domain=[-1, 1]), axis=axis)
    lines = alt.Axis(title=None, labels=False, ticks=False, domain=False, grid=True)
    y = alt.Y("row:N", sort=[row for row, _ in rows], axis=lines)
    legend = alt.Legend(title=None, symbolStrokeColor=GREY)
    zero = Chart(data([{"zero": 0}])).mark_rule(color=INK, opacity=0.5).encode(x="zero:Q")
    names = Chart(data([{"row": row, "excess": -1} for row, _ in rows]))
    dots = Chart(data(points)).mark_point(size=50, strokeWidth=1.6, opacity=0.85)
    drawn = alt.layer(
        zero,
        names.mark_text(align="left", dy=-16, fontSize=12).encode(x, y, text="row:N"),
        dots.encode(
            x,
            y,
            fill=alt.Fill("state:N", scale=_scale(_FILLS), legend=legend),
            stroke=alt.Stroke("state:N", scale=_scale(_LINES), legend=None),
            tooltip=["row:N", "measure:N", "where:N", "excess:Q", "state:N"],
        ),
    )
    return themed(drawn.properties(width=_WIDTH, height=_NAMED * len(rows), usermeta=_NARROW))


def _scale(colours: Mapping[State, str]) -> alt.Scale:
    return alt.Scale(domain=list(colours), range=list(colours.values()))


def place(cell: Cell) -> str:
    """Levels of a cell in a line."""
    return " · ".join(cell.levels.values()) or "the only condition"


def measure_chart(response: Sequence[Cell], *, title: str) -> Any:
    """A measure in every condition, versus the baseline: a panel for each baseline.

    Hollow dots are the baseline's and filled ones the candidate's; the line between has the colour
    of the verdict.
    """
    baselines = list(dict.fromkeys(cell.versus for cell in response))
    factor = response[0].factor
    order = list(dict.fromkeys(place(cell) for cell in response))
    axis = alt.Axis(
        title=None, ticks=False, domain=False, grid=True, labelLimit=300, labelPadding=8
    )
    colour = alt.Color("state:N", scale=_scale(_LINES), legend=None)
    tip = ["place:N", "reference:Q", "candidate:Q", "state:N"]
    scale = alt.Scale(zero=True)
    x = alt.X("reference:Q", title=title, axis=alt.Axis(tickCount=5), scale=scale)
    panels = []
    for baseline in baselines:
        points = [
            {
                "place": place(cell),
                "reference": cell.reference * factor,
                "candidate": cell.candidate * factor,
                "state": cell.state,
            }
            for cell in response
            if cell.versus == baseline and cell.reference is not None and cell.candidate is not None
        ]
        y = alt.Y("place:N", sort=order, axis=axis if baseline == baselines[0] else None)
        base = Chart(data(points)).encode(y)
        hollow = base.mark_point(size=60, fill="transparent", stroke=GREY, strokeWidth=1.8)
        filled = base.mark_point(size=60, filled=True, opacity=1)
        panels.append(
            alt.layer(
                base.mark_rule(strokeWidth=2).encode(x, x2="candidate:Q", color=colour),
                hollow.encode(x, tooltip=tip),
                filled.encode(alt.X("candidate:Q"), color=colour, tooltip=tip),
            ).properties(width=_PANEL, height=_ROW * len(order), title=f"versus {baseline}")
        )
    return themed(alt.hconcat(*panels, spacing=24))


def shares_chart(shares: Sequence[Share]) -> Any:
    """Goodput of a flow of either side by the number of the candidate's: a panel a condition."""
    panels = []
    for condition, baseline in dict.fromkeys((it.condition, it.baseline) for it in shares):
        group = [it for it in shares if (it.condition, it.baseline) == (condition, baseline)]
        points = [
            {"count": it.count, "goodput": value, "side": side}
            for it in group
            for side, value in (("candidate", it.candidate), ("baseline", it.reference))
            if value is not None
        ]
        colours = alt.Scale(domain=["candidate", "baseline"], range=[BLUE, GREY])
        fills = alt.Scale(domain=["candidate", "baseline"], range=[BLUE, "white"])
        x = alt.X("count:Q", axis=alt.Axis(title="flows of the candidate", tickMinStep=1))
        y = alt.Y("goodput:Q", axis=alt.Axis(title="segments/s", tickCount=4))
        colour = alt.Color("side:N", scale=colours, legend=None)
        base = Chart(data(points)).encode(x, y, colour)
        dots = base.mark_point(size=45, opacity=1).encode(
            fill=alt.Fill("side:N", scale=fills, legend=None), tooltip=["side:N", "goodput:Q"]
        )
        title = f"{', '.join(group[0].levels.values())}, versus {baseline}"
        panels.append(
            alt.layer(base.mark_line(), dots).properties(width=190, height=120, title=title)
        )
    return themed(alt.concat(*panels, columns=3, spacing=18))
