"""Effects of factors and their products on a half-normal plot."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

from mesonet.analysis import TermEffects
from mesonet.figures.chart import Chart
from mesonet.figures.style import (
    BLUE,
    INK,
    VERMILLION,
    Names,
    data,
    nothing_chart,
    rows,
    themed,
)
from mesonet.numbers import number

_KINDS = ["factor", "product"]
_NAMED = 8


def half_normal_chart(result: TermEffects, *, names: Names) -> Any:
    """Sizes of effects against what chance gives; real ones leave the line through the others."""
    if result.frame.is_empty() or not result.frame["absolute"].max():
        return nothing_chart(*result.notes)
    size = f"Size of the effect on {names.axis(result.response)}"
    x = alt.X("quantile:Q", title="Median of the order statistic of the half-normal distribution")
    y = alt.Y("absolute:Q", title=size)
    base = Chart().encode(x, y, tooltip=["shown:N", "text:N", "relative_text:N", "aliases:N"])
    colour = alt.Color(
        "kind:N", scale=alt.Scale(domain=_KINDS, range=[BLUE, VERMILLION]), title=None
    )
    layers = [
        Chart(data(_lines(result)))
        .mark_rule(color=INK, strokeDash=[4, 3], opacity=0.5)
        .encode(x, y, x2="x2:Q", y2="y2:Q", tooltip="line:N"),
        base.mark_point(filled=True, size=52, opacity=1).encode(colour),
        base.transform_filter(f"datum.position <= {_NAMED}")
        .mark_text(align="left", dx=7, dy=-4, fontSize=11, color=INK)
        .encode(text="shown:N"),
    ]
    chart = alt.layer(*layers, data=data(_terms(result))).properties(width=520, height=320)
    return themed(chart)


def _lines(result: TermEffects) -> list[dict[str, Any]]:
    """Lenth's margins, and the line on which chance alone lies."""
    end, largest = (max(result.frame[name].to_list()) for name in ("quantile", "absolute"))
    margins = [
        (result.margin, "margin of error of one effect"),
        (result.simultaneous_margin, "margin of error of all together"),
    ]
    lines = [
        {"quantile": 0.0, "absolute": value, "x2": end, "y2": value, "line": text}
        for value, text in margins
        if 0.0 < value <= 1.3 * largest
    ]
    error = result.standard_error
    if math.isfinite(error) and error:
        reach = min(end, largest / error)
        chance = {"x2": reach, "y2": error * reach, "line": "chance, after Lenth"}
        lines.append({"quantile": 0.0, "absolute": 0.0, **chance})
    return lines


def _terms(result: TermEffects) -> list[dict[str, Any]]:
    return [
        row
        | {
            "shown": row["term"].replace("*", " × "),
            "kind": _KINDS[row["order"] > 1],
            "text": number(row["effect"], digits=3, signed=True),
            "relative_text": "" if row["relative"] is None else f"{100 * row['relative']:+.1f} %",
        }
        for row in rows(result.frame)
    ]
