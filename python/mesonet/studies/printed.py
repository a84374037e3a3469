"""Chart of a scorecard: numbers as they were printed, and as they were measured."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, INK, NARROW, ORANGE, data, themed
from mesonet.numbers import plain_number
from mesonet.studies.rules import Figures
from mesonet.studies.scorecard import Scorecard

_FARTHEST = 2.0
"""Largest ratio that is drawn; what lies beyond stands at the edge."""


def printed_chart(card: Scorecard, figures: Figures) -> Any | None:
    """Measured over printed for each claim on a printed number; None for fewer than two."""
    rows = []
    for entry in card.entries:
        rule = entry.claim.rule
        measured = figures.get(rule.needs[0], math.nan) if rule.printed else math.nan
        if rule.printed and rule.printed.value and math.isfinite(measured):
            printed = rule.printed.value
            low, high = sorted((rule.printed.low / printed, rule.printed.high / printed))
            rows.append(
                {
                    "claim": entry.claim.id,
                    "text": entry.claim.text,
                    "published": f"{entry.claim.published} ({entry.claim.source})",
                    "measured": plain_number(measured),
                    "verdict": entry.verdict,
                    "ratio": _drawn(measured / printed),
                    "low": _drawn(low),
                    "high": _drawn(high),
                    "printed": 1.0,
                }
            )
    if len(rows) < 2:
        return None
    scale = alt.Scale(domain=[0, _FARTHEST], nice=False)
    x = alt.X("ratio:Q", scale=scale, title="Measured over printed", axis=alt.Axis(tickCount=5))
    lines = alt.Axis(title=None, labels=False, ticks=False, domain=False, grid=True)
    y = alt.Y("claim:N", sort=[row["claim"] for row in rows], axis=lines)
    tooltip = ["text:N", "published:N", "measured:N", "verdict:N"]
    base = Chart().encode(y, tooltip=tooltip)
    agrees = alt.condition("datum.verdict !== 'disagrees'", alt.value(BLUE), alt.value(ORANGE))
    chart = alt.layer(
        base.mark_bar(color=INK, opacity=0.12, height=9).encode(alt.X("low:Q"), alt.X2("high:Q")),
        base.mark_point(size=45, filled=True, opacity=1).encode(x, color=agrees),
        base.mark_point(shape="diamond", size=150, color=INK).encode(alt.X("printed:Q")),
        base.mark_text(align="left", dy=-12, fontSize=11.5, limit=620).encode(
            x=alt.value(0), text="text:N"
        ),
        data=data(rows),
    )
    return themed(chart.properties(width=620, height=31 * len(rows), usermeta=NARROW))


def _drawn(ratio: float) -> float:
    return min(max(ratio, 0.0), _FARTHEST)
