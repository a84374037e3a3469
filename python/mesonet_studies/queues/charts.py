"""Charts of the study `queues`: matrices of algorithms by disciplines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from mesonet.figures.chart import Chart
from mesonet.figures.style import data, themed

_COLOURS = ("#D9722E", "#F3EFE6", "#3C86B8")
"""From the worst to the best of a response."""
_DARK = "#1b1f24"


def choice_chart(cells: pl.DataFrame, words: Mapping[str, str]) -> Any:
    """One matrix, and a list to choose the response that colours it.

    Args:
        cells: `queue`, `algorithm`, `response`, `value` and `shade`, 0 worst to 1 best.
        words: responses by name, in the order of the list.
    """
    chosen = alt.param(
        name="response",
        value=next(iter(words)),
        bind=alt.binding_select(options=list(words), labels=list(words.values()), name="Colour: "),
    )
    chart = (
        _cells(cells, size=13).add_params(chosen).transform_filter("datum.response === response")
    )
    return themed(chart.properties(width=alt.Step(84), height=alt.Step(30)))


def panels_chart(cells: pl.DataFrame, words: Mapping[str, str]) -> Any:
    """Matrices side by side, two in a row, one per response."""
    panels = [
        _cells(cells.filter(response=name), size=10).properties(
            width=alt.Step(47), height=alt.Step(20), title=title
        )
        for name, title in words.items()
    ]
    rows = [alt.hconcat(*panels[at : at + 2], spacing=18) for at in range(0, len(panels), 2)]
    return themed(alt.vconcat(*rows, spacing=18))


def _cells(cells: pl.DataFrame, *, size: float) -> Any:
    queues = cells["queue"].unique(maintain_order=True).to_list()
    algorithms = cells["algorithm"].unique(maintain_order=True).to_list()
    frame = cells.with_columns(
        text=pl.col("value").map_elements(_short, return_dtype=pl.String, skip_nulls=False)
    )
    x = alt.X(
        "queue:N",
        sort=queues,
        title=None,
        axis=alt.Axis(orient="top", labelAngle=-35, domain=False, ticks=False, labelLimit=120),
    )
    y = alt.Y("algorithm:N", sort=algorithms, title=None, axis=alt.Axis(domain=False, ticks=False))
    base = Chart(data(frame)).encode(
        x, y, tooltip=["algorithm:N", "queue:N", alt.Tooltip("text:N", title="value")]
    )
    tiles = base.mark_rect(stroke="white", strokeWidth=1).encode(
        alt.Color(
            "shade:Q",
            legend=None,
            scale=alt.Scale(domain=[0, 0.5, 1], range=list(_COLOURS)),
        )
    )
    return alt.layer(tiles, base.mark_text(fontSize=size, color=_DARK).encode(text="text:N"))


def _short(value: float | None) -> str:
    """A value in a cell: three digits at most."""
    if value is None:
        return "–"
    if value == 0 or abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2g}"


def levels_chart(frame: pl.DataFrame, title: str) -> Any:
    """Lines over the levels of each factor of the paths, one per discipline.

    Args:
        frame: `queue`, `factor`, `level`, `code` (its place from -1 to 1) and `value`.
        title: title of the vertical axis.
    """
    queues = frame["queue"].unique(maintain_order=True).to_list()
    panels = []
    for at, factor in enumerate(frame["factor"].unique(maintain_order=True)):
        mine = frame.filter(factor=factor)
        order = mine.sort("code")["level"].unique(maintain_order=True).to_list()
        panels.append(
            Chart(data(mine))
            .mark_line(strokeWidth=1.6, point=alt.OverlayMarkDef(size=34))
            .encode(
                alt.X("level:O", sort=order, title=factor, axis=alt.Axis(labelAngle=-30)),
                alt.Y(
                    "value:Q",
                    title=None if at else title,
                    scale=alt.Scale(type="log"),
                ),
                alt.Color("queue:N", title=None, scale=alt.Scale(domain=queues)),
                tooltip=["queue:N", "level:N", alt.Tooltip("value:Q", format=".3~g")],
            )
            .properties(width=195, height=200)
        )
    return themed(alt.hconcat(*panels, spacing=14).resolve_scale(y="shared"))
