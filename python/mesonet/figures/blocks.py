"""The block plot: both levels of a factor, in every combination of the others."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import polars as pl
from matplotlib.figure import Figure

from mesonet.analysis import BlockComparison
from mesonet.figures.style import (
    BLUE,
    GREY,
    Names,
    data,
    nothing_chart,
    nothing_figure,
    number,
    paper,
    probability,
    sheet,
    themed,
)


def block_chart(result: BlockComparison, *, names: Names, columns: int = 3) -> Any:
    """The block plot of every factor, side by side.

    Args:
        result: Result to draw.
        names: Names of responses, factors and levels.
        columns: Panels in a row.
    """
    drawn = _panels(result, names)
    if not drawn:
        return nothing_chart("No factor can be compared within blocks.", *result.notes)
    panels = []
    for title, subtitle, rows in drawn:
        ends = [
            {"block": row["block"], "value": row[side], "level": level, **row["tip"]}
            for row in rows
            for side, level in (("low", "low level"), ("high", "high level"))
        ]
        x = alt.X("block:O", axis=alt.Axis(title=None, labels=False, ticks=False))
        y = alt.Y("value:Q", scale=alt.Scale(zero=False), title=names.axis(result.response))
        base = alt.Chart().encode(x, y, tooltip=["setting:N", "low:N", "high:N"])
        colour = alt.Color(
            "level:N",
            scale=alt.Scale(domain=["low level", "high level"], range=[GREY, BLUE]),
            title=None,
        )
        panel = alt.layer(
            base.mark_line(strokeWidth=1, color=GREY, opacity=0.6).encode(detail="block:O"),
            base.mark_point(filled=True, size=36, opacity=1).encode(colour),
            data=data(ends),
        )
        head = alt.Title(title, subtitle=subtitle)
        panels.append(panel.properties(width=250, height=150, title=head))
    chart = alt.concat(*panels, columns=columns, spacing=18).resolve_scale(y="shared")
    return themed(chart).configure_title(
        anchor="start", color="currentColor", subtitleColor="currentColor", fontSize=12.5,
        subtitleFontSize=11,
    )  # fmt: skip


def block_figure(result: BlockComparison, *, names: Names, columns: int = 3) -> Figure:
    """Draws `block_chart` with matplotlib, for papers."""
    drawn = _panels(result, names)
    if not drawn:
        return nothing_figure("No factor can be compared within blocks.", *result.notes)
    lines = math.ceil(len(drawn) / columns)
    with paper():
        figure = sheet(2.4 * min(columns, len(drawn)), 1.7 * lines + 0.2)
        grid = figure.subplots(lines, min(columns, len(drawn)), sharey=True, squeeze=False)
        for axes, (title, subtitle, rows) in zip(grid.flat, drawn, strict=False):
            for row in rows:
                axes.plot((row["block"],) * 2, (row["low"], row["high"]), color="0.7", lw=0.8)
            at = [row["block"] for row in rows]
            axes.plot(at, [row["low"] for row in rows], "o", color=GREY, ms=3)
            axes.plot(at, [row["high"] for row in rows], "o", color=BLUE, ms=3)
            axes.set_title(f"{title}\n", size=7)
            axes.text(0, 1.02, subtitle, transform=axes.transAxes, size=6, va="bottom")
            axes.set_xticks([])
        for axes in list(grid.flat)[len(drawn) :]:
            axes.set_visible(False)
        for axes in grid[:, 0]:
            axes.set_ylabel(names.axis(result.response), size=6.5)
        figure.supxlabel("Blocks; grey: low level, blue: high level of the factor", size=6.5)
    return figure


def _panels(result: BlockComparison, names: Names) -> list[tuple[str, str, list[dict[str, Any]]]]:
    panels = []
    for test in result.tests.filter(pl.col("blocks") > 0).iter_rows(named=True):
        by = [names.factor(name) for name in test["blocked_by"].split(", ") if name]
        rows: list[dict[str, Any]] = []
        for row in result.frame.filter(factor=test["factor"]).iter_rows(named=True):
            levels = [
                f"{label} {'+' if level == '+' else '−'}"
                for label, level in zip(by, row["setting"], strict=True)
            ]
            tip = {
                "setting": ", ".join(levels),
                "low": number(row["low"]),
                "high": number(row["high"]),
            }
            rows.append(row | {"tip": tip})
        subtitle = f"up in {test['up']} of {test['up'] + test['down']}"
        if test["p"] is not None:
            subtitle += f", p = {probability(test['p'])}".replace("= <", "<")
        panels.append((names.factor(test["factor"]), subtitle, rows))
    return panels
