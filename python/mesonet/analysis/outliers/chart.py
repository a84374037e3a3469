"""The summary of condition-response plots: who is an outlier, over all responses and conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import ConditionSummary
from mesonet.analysis.conditions.chart import level_rows
from mesonet.figures.chart import Chart
from mesonet.figures.style import FAINT, HIGH, LOW, Look, Names, data, rows, themed
from mesonet.numbers import percent

_KINDS = ["high outlier", "low outlier"]


def condition_summary_chart(
    result: ConditionSummary,
    *,
    look: Look,
    names: Names,
    levels: pl.DataFrame | None = None,
    order: list[int] | None = None,
    only: Sequence[str] | None = None,
) -> Any:
    """Chart of the outlying alternative of every response and condition."""
    conditions = order or list(result.conditions)
    title = "Condition, least congested first" if order else "Condition"
    drawn = [name for name in (only or result.responses) if name in result.responses]
    rising = [names.response(name) for name in drawn]
    cells = [
        {
            "response": names.response(row["response"]),
            "condition": row["condition"],
            "number": look.number(row["alternative"]),
            "kind": f"{row['direction']} outlier",
            "alternative": row["alternative"],
            "relative": percent(row["relative"]),
        }
        for row in rows(result.frame)
        if row["response"] in drawn
    ]
    y = alt.Y(
        "response:N",
        sort=rising,
        scale=alt.Scale(domain=rising, paddingInner=0.12),
        axis=alt.Axis(title=None, ticks=False, domain=False, labelLimit=280),
    )
    place = {"sort": conditions, "scale": alt.Scale(domain=conditions, paddingInner=0.08)}
    axis = alt.Axis(title=title, labelAngle=0, ticks=False, domain=False)
    x = alt.X("condition:O", axis=axis, **place)
    base = Chart().encode(
        x, y, tooltip=["condition:O", "response:N", "kind:N", "alternative:N", "relative:N"]
    )
    colour = alt.Color("kind:N", scale=alt.Scale(domain=_KINDS, range=[HIGH, LOW]), title=None)
    width = max(len(conditions) * 20, 240)
    # Empty cells need no mark of their own: a band per response is enough to read along.
    bands = Chart(data([{"response": name} for name in rising])).mark_bar(color=FAINT)
    chart = alt.layer(
        bands.encode(y, x=alt.value(0), x2=alt.value(width)),
        base.mark_rect(cornerRadius=2).encode(color=colour),
        base.mark_text(fontWeight=700, fontSize=11, color="#000000").encode(text="number:N"),
        data=data(cells),
    )
    key = alt.TitleParams(_key(result, look), fontSize=11, fontWeight=400)
    chart = chart.properties(width=width, height=max(19 * len(drawn), 40), title=key)
    if levels is None or levels.width < 2:
        return themed(chart)
    below = alt.X("condition:O", axis=None, **place)
    signs = level_rows(levels, conditions, names, below, width)
    return themed(alt.vconcat(chart, signs, spacing=8))


def _key(result: ConditionSummary, look: Look) -> str:
    """Number of outliers, and the alternative that each number stands for."""
    outliers = result.frame.height or "No"
    several = "" if outliers == 1 else "s"
    key = ", ".join(f"{look.number(label)} {label}" for label in look.alternatives)
    return f"{outliers} outlier{several} in {result.tested} cells tested; {key}"
