"""Means of a response along the levels of every factor."""

from __future__ import annotations

import json
from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import LevelMeans
from mesonet.figures.chart import Chart
from mesonet.figures.style import Look, Names, data, nothing_chart, rows, themed
from mesonet.numbers import number

_JOINED = 8


def level_means_chart(result: LevelMeans, *, response: str, look: Look, names: Names) -> Any:
    """Means of one response at the levels of each factor, a line for each alternative."""
    frame = result.frame.filter(response=response)
    if frame.is_empty():
        return nothing_chart(f"{names.response(response)} has no value under any condition.")
    panels = [
        _panel(part, response, look, names)
        for part in frame.partition_by("factor", maintain_order=True)
    ]
    chart = alt.concat(*panels, columns=3, spacing={"row": 22, "column": 30})
    return themed(chart.resolve_scale(y="shared"))


def _panel(frame: pl.DataFrame, response: str, look: Look, names: Names) -> Any:
    levels = frame.unique("code", maintain_order=True)["level"].to_list()
    places = frame["code"].rank("dense").cast(pl.Int64) - 1
    points = [
        {**row, "place": place, "text": number(row["mean"])}
        for row, place in zip(rows(frame), places, strict=True)
    ]
    joined = len(levels) <= _JOINED
    axis = alt.Axis(
        title=names.factor(frame["factor"][0]),
        values=list(range(len(levels))) if joined else [0, len(levels) - 1],
        labelExpr=f"{json.dumps(levels)}[datum.value]",
        grid=False,
        labelLimit=100,
    )
    scale = alt.Scale(domain=[-0.3, len(levels) - 0.7], nice=False)
    base = Chart(data(points)).encode(
        alt.X("place:Q", axis=axis, scale=scale),
        alt.Y("mean:Q", scale=alt.Scale(zero=False), title=names.axis(response)),
        color=alt.Color("alternative:N", scale=look.scale(), title=None),
        tooltip=["alternative:N", "level:N", alt.Tooltip("text:N", title="mean"), "conditions:Q"],
    )
    marks = base.mark_point(filled=True, size=46, opacity=1).encode(
        shape=alt.Shape("alternative:N", scale=look.shapes(), title=None)
    )
    layers = [base.mark_line(strokeWidth=2), marks] if joined else [marks]
    return alt.layer(*layers).properties(width=235, height=190)
