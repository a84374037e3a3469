"""Charts that the page of Experiment 1 has beside those of reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from mesonet.figures.chart import Chart
from mesonet.figures.style import GREY, Look, data, themed

PERIODS = ("before", "congestion", "after")
"""The measured periods of the experiment."""


def long_flow_chart(rows: Sequence[Mapping[str, Any]], *, look: Look) -> Any:
    """Goodput of the long-lived flows in the three periods, one panel per flow.

    Args:
        rows: label, flow, period (one of `PERIODS`) and goodput [segments/s].
        look: Colours of the algorithms.
    """
    lines = (
        Chart()
        .mark_line(point=True, strokeWidth=1.6)
        .encode(
            alt.X("period:N", sort=list(PERIODS), title=None, axis=alt.Axis(labelAngle=0)),
            alt.Y("goodput:Q", title="Mean goodput (segments/s)", scale=alt.Scale(type="log")),
            alt.Color("label:N", scale=look.scale(), title=None),
            tooltip=["label:N", "flow:N", "period:N", alt.Tooltip("goodput:Q", format=".4~g")],
        )
        .properties(width=210, height=220)
    )
    return themed(
        lines.facet(column=alt.Column("flow:N", title=None), data=data(rows)).resolve_scale(
            y="shared"
        )
    )


def latency_chart(rows: Sequence[Mapping[str, Any]], *, look: Look) -> Any:
    """Latencies measured against printed, with the line on which they would be equal.

    Args:
        rows: label, kind ("goodput latency" or "recovery latency"), printed and measured [s].
        look: Colours of the algorithms.
    """
    values = [row[name] for row in rows for name in ("printed", "measured")]
    ends = [min(values) * 0.8, max(values) * 1.25]
    scale = alt.Scale(type="log", domain=ends, nice=False)
    points = (
        Chart()
        .mark_point(size=90, filled=True)
        .encode(
            alt.X("printed:Q", title="printed (s)", scale=scale),
            alt.Y("measured:Q", title="measured (s)", scale=scale),
            alt.Color("label:N", scale=look.scale(), title=None),
            tooltip=["label:N", "printed:Q", alt.Tooltip("measured:Q", format=".3~g")],
        )
    )
    names = (
        Chart()
        .mark_text(align="left", dx=8, fontSize=11)
        .encode(alt.X("printed:Q"), alt.Y("measured:Q"), text="label:N")
    )
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    panels = []
    for kind in kinds:
        equal = (
            Chart(data([{"printed": end, "measured": end} for end in ends]))
            .mark_line(color=GREY, strokeDash=[4, 3], strokeWidth=1)
            .encode(alt.X("printed:Q", scale=scale), alt.Y("measured:Q", scale=scale))
        )
        own = data([row for row in rows if row["kind"] == kind])
        panels.append(
            alt.layer(equal, points.properties(data=own), names.properties(data=own)).properties(
                width=330, height=300, title=kind.capitalize()
            )
        )
    return themed(alt.hconcat(*panels, spacing=30))
