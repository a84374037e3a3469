"""Goodput of alternate flows against standard flows: biplots, bars, histograms, rank sheets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import DifferenceHistogram, FlowComparison, RankMatrix
from mesonet.analysis.ranks.chart import DARK, rank_colour
from mesonet.figures.chart import Chart
from mesonet.figures.style import (
    INK,
    Look,
    Names,
    data,
    names_along,
    nothing_chart,
    rows,
    themed,
)
from mesonet.numbers import number, percent

_SIZE = 170


def biplot_chart(result: FlowComparison, *, group: str, look: Look, names: Names) -> Any:
    """Goodput of standard flows against that of the alternate flows beside them.

    One panel per alternative, one mark per condition; on the diagonal both get the same.
    """
    labels = [label for label in look.alternatives if label in result.alternatives]
    points = [
        {**row, "more": percent(row["relative"]), "number": str(row["condition"])}
        for row in rows(result.frame.filter(pl.col("group") == group))
    ]
    if not points:
        return nothing_chart(f"{names.response(group)}: nothing could be compared.")
    largest = max(max(point["alternate"], point["standard"]) for point in points)
    top = 1.06 * largest or 1.0
    scale = alt.Scale(domain=[0, top], nice=False)
    ends = [{"alternate": end, "standard": end} for end in (0.0, top)]
    panels = []
    for place, label in enumerate(labels):
        path = [point for point in points if point["alternative"] == label]
        y = alt.Axis(title="Standard flows") if place % 4 == 0 else alt.Axis(title=None)
        diagonal = (
            Chart(data(ends))
            .mark_line(color=INK, opacity=0.4, strokeWidth=1)
            .encode(
                alt.X("alternate:Q", scale=scale, title="Alternate flows"),
                alt.Y("standard:Q", scale=scale, axis=y),
            )
        )
        marks = (
            Chart(data(path))
            .mark_point(filled=True, size=46, opacity=0.85, color=look.colour(label))
            .encode(
                alt.X("alternate:Q", scale=scale),
                alt.Y("standard:Q", scale=scale, axis=y),
                tooltip=[
                    "alternative:N",
                    "condition:O",
                    alt.Tooltip("alternate:Q", format=".4~g"),
                    alt.Tooltip("standard:Q", format=".4~g"),
                    alt.Tooltip("more:N", title="alternate over standard"),
                ],
            )
        )
        panel = alt.layer(diagonal, marks, title=label)
        panels.append(panel.properties(width=_SIZE, height=_SIZE))
    title = alt.TitleParams(names.axis(group), anchor="start")
    return themed(alt.concat(*panels, columns=4, title=title))


def _kinds(result: FlowComparison) -> dict[str, str]:
    return {"alternate": "alternate flows", "standard": f"{result.standard} versus them"}


def goodput_bars_chart(
    result: FlowComparison,
    *,
    group: str,
    look: Look,
    names: Names,
    conditions: Sequence[int] | None = None,
) -> Any:
    """Goodput as a fraction of the maximum, condition by condition.

    Per condition two sets of bars, one bar per alternative in each: what alternate flows get, and
    what standard flows get beside them.
    """
    bars = _bars(result, group, conditions)
    if not bars:
        return nothing_chart(f"{names.response(group)}: nothing could be compared.")
    labels = [label for label in look.alternatives if label in result.alternatives]
    order = list(dict.fromkeys(bar["condition"] for bar in bars))
    x = alt.X("alternative:N", sort=labels, axis=None)
    bar = (
        Chart()
        .mark_bar()
        .encode(
            x,
            alt.Y("fraction:Q", title="Of the maximum", scale=alt.Scale(domain=[0, 1.0])),
            color=alt.Color("alternative:N", scale=look.scale(labels), title=None),
            tooltip=[
                "condition:O",
                "alternative:N",
                "kind:N",
                alt.Tooltip("text:N", title=names.axis(group)),
                alt.Tooltip("share:N", title="of the maximum"),
            ],
        )
        .properties(width=max(16 * len(labels), 130), height=110)
    )
    chart = bar.facet(
        row=alt.Row("condition:O", sort=order, title="Condition"),
        column=alt.Column("kind:N", sort=list(_kinds(result).values()), title=names.axis(group)),
        data=data(bars),
        spacing=8,
    )
    return themed(chart)


def _bars(
    result: FlowComparison, group: str, conditions: Sequence[int] | None
) -> list[dict[str, Any]]:
    return [
        {
            "condition": row["condition"],
            "alternative": row["alternative"],
            "kind": text,
            "fraction": row[f"{kind}_fraction"],
            "share": percent(row[f"{kind}_fraction"], signed=False),
            "text": number(row[kind]),
        }
        for row in rows(result.frame.filter(pl.col("group") == group))
        for kind, text in _kinds(result).items()
        if (conditions is None or row["condition"] in conditions)
        and row[f"{kind}_fraction"] is not None
    ]


def difference_histogram_chart(
    result: DifferenceHistogram, *, group: str, look: Look, names: Names
) -> Any:
    """Histograms of the differences between alternate and standard flows, one per alternative."""
    counts = rows(result.frame.filter(pl.col("group") == group))
    if not counts:
        return nothing_chart(f"{names.response(group)}: nothing could be compared.")
    labels = [label for label in look.alternatives if label in result.alternatives]
    top = max(row["count"] for row in counts)
    bars = (
        Chart()
        .mark_bar(stroke="white", strokeWidth=0.5)
        .encode(
            alt.X("low:Q", title="Alternate less standard", bin="binned"),
            x2="high:Q",
            y=alt.Y(
                "count:Q",
                title="Conditions",
                scale=alt.Scale(domain=[0, top]),
                axis=alt.Axis(tickMinStep=1, tickCount=4),
            ),
            color=alt.Color("alternative:N", scale=look.scale(labels), legend=None),
            tooltip=[
                "alternative:N",
                alt.Tooltip("low:Q", title="from"),
                alt.Tooltip("high:Q", title="to"),
                alt.Tooltip("count:Q", title="conditions"),
            ],
        )
    )
    zero = Chart().mark_rule(color=INK, opacity=0.6).encode(x=alt.datum(0))
    chart = (
        alt.layer(bars, zero, data=data(counts))
        .properties(width=260, height=70)
        .facet(facet=alt.Facet("alternative:N", sort=labels, title=None), columns=3)
        .properties(title=names.axis(group))
    )
    return themed(chart)


def rank_sheet_chart(result: RankMatrix, *, alternative: str, names: Names, whose: str = "") -> Any:
    """The ranks of one alternative: conditions down, least congested first, responses across.

    Args:
        alternative: Whose ranks to draw.
        whose: Name of the flows in the title; the alternative's label if empty.
    """
    cells = [
        {
            "response": names.response(row["response"]),
            "condition": row["condition"],
            "rank": row["rank"],
            "text": "" if row["rank"] is None else f"{row['rank']:g}",
            "value": number(row["value"]),
        }
        for row in rows(result.frame.filter(pl.col("alternative") == alternative))
    ]
    n = max(len(result.alternatives), 1)
    conditions = list(dict.fromkeys(cell["condition"] for cell in cells))
    responses = [names.response(name) for name in result.responses]
    row = next(row for row in rows(result.summary) if row["alternative"] == alternative)
    mean, sd = number(row["mean"], digits=3), number(row["sd"], digits=3)
    title = f"{whose or alternative}: mean rank {mean} of {len(result.alternatives)}, sd {sd}"
    base = Chart().encode(
        names_along(alt.X, "response:N", responses, orient="top", labelAngle=-60),
        names_along(alt.Y, "condition:O", conditions, title="Condition"),
        tooltip=["condition:O", "response:N", "rank:Q", "value:N"],
    )
    chart = alt.layer(
        base.mark_rect(cornerRadius=2).encode(color=rank_colour("rank", n)),
        base.mark_text(fontSize=10.5, color=DARK).encode(text="text:N"),
        data=data(cells),
        title=title,
    )
    height = max(18 * len(conditions), 40)
    return themed(chart.properties(width=max(24 * len(responses), 60), height=height))
