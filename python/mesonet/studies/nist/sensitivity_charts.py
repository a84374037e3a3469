"""Charts of the sensitivity analysis: Table 7 ours beside published, and the influence."""

from __future__ import annotations

from typing import Any

import altair as alt

from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, GREY, INK, ORANGE, SKY, VERMILLION, data, themed
from mesonet.studies.nist.sensitivity_effects import Effects
from mesonet.studies.nist.sensitivity_published import (
    FACTORS,
    LESSER_FACTORS,
    MAIN_FACTORS,
    RESPONSES,
    TABLE_7,
)

_KINDS = {
    "same sign, significant here too": BLUE,
    "same sign, not significant here": SKY,
    "opposite sign": VERMILLION,
    "significant here only": "#d9dce1",
}
_GROUPS = {"main": BLUE, "lesser": ORANGE, "little or none": GREY}


def column(factor: int) -> str:
    """The heading of a factor."""
    return f"X{factor} {FACTORS[factor][1]}"


def row(response: str) -> str:
    """The heading of a response."""
    return f"{response} {RESPONSES[response][1]}"


def signs(effects: Effects) -> list[dict[str, str]]:
    """A cell for each response and factor: both signs with their stars, and how they compare."""
    published = {effect[:2]: effect for effect in TABLE_7}
    cells = []
    for response in RESPONSES:
        for factor in FACTORS:
            found, printed = effects.row(response, factor), published.get((response, factor))
            ours = found["sign"] + str(found["stars"]) if found["stars"] else ""
            if printed is not None:
                kind = _KIND[found["sign"] == printed.sign, bool(found["stars"])]
                shown = ours or found["sign"] or "?"
            else:
                kind = "significant here only" if ours else "neither"
                shown = ours
            cells.append(
                {
                    "row": row(response),
                    "column": column(factor),
                    "published": _minus(printed.sign + printed.stars) if printed else "",
                    "ours": _minus(shown),
                    "kind": kind,
                    "tip": f"effect {found['relative']:+.1%}, p = {found['p']:.2g}",
                }
            )
    return cells


_KIND = {
    (True, True): "same sign, significant here too",
    (True, False): "same sign, not significant here",
    (False, True): "opposite sign",
    (False, False): "opposite sign",
}


def _minus(text: str) -> str:
    return text.replace("-", "−")


def table_7_chart(effects: Effects) -> Any:
    """Table 7: in each cell the published sign above, ours below."""
    base = Chart().encode(
        alt.X(
            "column:N",
            sort=[column(factor) for factor in FACTORS],
            axis=alt.Axis(
                title=None, orient="top", labelAngle=-50, ticks=False, domain=False, labelLimit=230
            ),
        ),
        alt.Y(
            "row:N",
            sort=[row(response) for response in RESPONSES],
            axis=alt.Axis(title=None, ticks=False, domain=False, labelLimit=320),
        ),
        tooltip=["row:N", "column:N", "published:N", "ours:N", "tip:N"],
    )
    paint = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=list(_KINDS), range=list(_KINDS.values())),
        legend=alt.Legend(title=None, orient="bottom", labelLimit=260, columns=4),
    )
    known = base.transform_filter("datum.kind != 'neither'")
    dark = "datum.kind == 'same sign, significant here too' || datum.kind == 'opposite sign'"
    texts = [
        known.transform_filter(condition)
        .mark_text(fontSize=11, fontWeight=weight, dy=dy, color=ink)
        .encode(text=f"{field}:N")
        for condition, ink in ((dark, "#ffffff"), (f"!({dark})", "#1d2126"))
        for field, weight, dy in (("published", 700, -6), ("ours", 400, 7))
    ]
    layers = [
        base.mark_rect(fill=INK, fillOpacity=0.05, stroke=None),
        known.mark_rect(cornerRadius=2).encode(paint),
        *texts,
    ]
    chart = alt.layer(*layers, data=data(signs(effects))).properties(
        width=38 * len(FACTORS), height=31 * len(RESPONSES)
    )
    return themed(chart)


def group_of(factor: int) -> str:
    """Group of a factor by its influence in the prose of the paper."""
    if factor in MAIN_FACTORS:
        return "main"
    return "lesser" if factor in LESSER_FACTORS else "little or none"


def influence_bars(effects: Effects) -> Any:
    """The weighted influence of each factor, coloured by its group in the paper's prose."""
    rows = [
        {
            "name": column(factor),
            "share": 100 * effects.share(factor),
            "text": f"{100 * effects.share(factor):.0f}",
            "group": group_of(factor),
        }
        for factor in sorted(FACTORS, key=lambda factor: -effects.share(factor))
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
