"""The block plot: both levels of a factor, in every combination of the others."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import BlockComparison
from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, GREY, Names, data, nothing_chart, themed
from mesonet.numbers import number, probability


def block_chart(result: BlockComparison, *, names: Names) -> Any:
    """The block plot of every factor, side by side."""
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
        base = Chart().encode(x, y, tooltip=["setting:N", "low:N", "high:N"])
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
    chart = alt.concat(*panels, columns=3, spacing=18).resolve_scale(y="shared")
    return themed(chart).configure_title(
        anchor="start", color="currentColor", subtitleColor="currentColor", fontSize=12.5,
        subtitleFontSize=11,
    )  # fmt: skip


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
