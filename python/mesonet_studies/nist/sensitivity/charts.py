"""Charts of the sensitivity analysis: Table 7 ours beside published, and the influence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, GREY, INK, ORANGE, SKY, VERMILLION, data, themed

KINDS = {
    "same sign, significant here too": BLUE,
    "same sign, not significant here": SKY,
    "opposite sign": VERMILLION,
    "significant here only": "#d9dce1",
}
"""Colours of the cells of Table 7, by how both signs compare."""
_GROUPS = {"main": BLUE, "lesser": ORANGE, "little or none": GREY}


def signs_chart(
    cells: Sequence[dict[str, str]], columns: Sequence[str], rows: Sequence[str]
) -> Any:
    """A matrix of effects: in each cell the published sign above, ours below, and a tip."""
    plain = {"title": None, "ticks": False, "domain": False}
    above = alt.Axis(**plain, orient="top", labelAngle=-50, labelLimit=230)
    base = Chart().encode(
        alt.X("column:N", sort=list(columns), axis=above),
        alt.Y("row:N", sort=list(rows), axis=alt.Axis(**plain, labelLimit=320)),
        tooltip=["row:N", "column:N", "published:N", "ours:N", "tip:N"],
    )
    paint = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=list(KINDS), range=list(KINDS.values())),
        legend=alt.Legend(title=None, orient="bottom", labelLimit=260, columns=4),
    )
    signed = base.transform_filter("datum.kind != 'neither'")
    dark = "datum.kind == 'same sign, significant here too' || datum.kind == 'opposite sign'"
    texts = [
        signed.transform_filter(condition)
        .mark_text(fontSize=11, fontWeight=weight, dy=dy, color=ink)
        .encode(text=f"{field}:N")
        for condition, ink in ((dark, "#ffffff"), (f"!({dark})", "#1d2126"))
        for field, weight, dy in (("published", 700, -6), ("ours", 400, 7))
    ]
    layers = [
        base.mark_rect(fill=INK, fillOpacity=0.05, stroke=None),
        signed.mark_rect(cornerRadius=2).encode(paint),
        *texts,
    ]
    chart = alt.layer(*layers, data=data(list(cells))).properties(
        width=38 * len(columns), height=31 * len(rows)
    )
    return themed(chart)


def influence_chart(factors: Sequence[dict[str, Any]]) -> Any:
    """The weighted influence of each factor [%], coloured by its group in the paper's prose."""
    rows = [
        {
            "name": factor["factor"],
            "share": factor["share"],
            "text": f"{factor['share']:.0f}",
            "group": factor["words"],
        }
        for factor in factors
    ]
    base = Chart().encode(
        alt.X("share:Q", title="Ψ × 100, weighted", scale=alt.Scale(domain=[0, 100])),
        alt.Y("name:N", sort=None, title=None, axis=alt.Axis(ticks=False, labelLimit=260)),
    )
    colour = alt.Color(
        "group:N",
        scale=alt.Scale(domain=list(_GROUPS), range=list(_GROUPS.values())),
        legend=alt.Legend(title="influence in the paper's words", orient="bottom"),
    )
    chart = alt.layer(
        base.mark_bar(height=13, cornerRadiusEnd=2).encode(colour),
        base.mark_text(align="left", dx=5, fontSize=11, color=INK).encode(text="text:N"),
        data=data(rows),
    )
    return themed(chart.properties(width=600, height=22 * len(rows)))
