"""Charts of Experiment 1 beside those of reports."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from mesonet.figures.chart import Chart
from mesonet.figures.style import GREY, data, themed
from mesonet.studies.study import RunResults, chart
from mesonet_studies.nist.exp1.measure import look_of
from mesonet_studies.nist.exp1.results import results_of

_PERIODS = {1: "before", 2: "congestion", 3: "after"}
"""The measured periods of the experiment."""
_FLOWS = {"y33": "L1, long", "y34": "L2, medium", "y35": "L3, short"}
"""Responses with the goodput of the long-lived flows."""


@chart
def long_flows(run: RunResults) -> Any:
    """Mean goodput of the long-lived flows in the three periods, one panel per flow."""
    results = results_of(run)
    rows = [
        {"label": label, "flow": flow, "period": period, "goodput": float(np.nanmean(values))}
        for label in results.labels
        for column, flow in _FLOWS.items()
        for place, period in _PERIODS.items()
        for values in [results.values(f"{column}@{place}", label)]
    ]
    places = list(_PERIODS.values())
    lines = Chart().encode(
        alt.X("period:N", sort=places, title=None, axis=alt.Axis(labelAngle=0)),
        alt.Y("goodput:Q", title="Mean goodput (segments/s)", scale=alt.Scale(type="log")),
        alt.Color("label:N", scale=look_of(run).scale(), title=None),
        tooltip=["label:N", "flow:N", "period:N", alt.Tooltip("goodput:Q", format=".4~g")],
    )
    lines = lines.mark_line(point=True, strokeWidth=1.6).properties(width=210, height=220)
    panels = lines.facet(column=alt.Column("flow:N", title=None), data=data(rows))
    return themed(panels.resolve_scale(y="shared"))


@chart
def latencies(run: RunResults) -> Any:
    """Latencies [s] measured against printed, a panel per kind; None for fewer than two."""
    rows = [
        {"kind": f"{kind} latency", "label": label, "printed": printed, "measured": ours}
        for kind, column in run.options.values["latencies"].items()
        for label, printed in column.items()
        if (ours := run.figures.get(f"{label}.{kind}_seconds", 0.0)) > 0
    ]
    if len(rows) < 2:
        return None
    values = [row[name] for row in rows for name in ("printed", "measured")]
    ends = [min(values) * 0.8, max(values) * 1.25]
    scale = alt.Scale(type="log", domain=ends, nice=False)
    x = alt.X("printed:Q", title="printed (s)", scale=scale)
    y = alt.Y("measured:Q", title="measured (s)", scale=scale)
    tooltip = ["label:N", "printed:Q", alt.Tooltip("measured:Q", format=".3~g")]
    colour = alt.Color("label:N", scale=look_of(run).scale(), title=None)
    points = Chart().mark_point(size=90, filled=True).encode(x, y, colour, tooltip=tooltip)
    names = Chart().mark_text(align="left", dx=8, fontSize=11).encode(x, y, text="label:N")
    line = Chart(data([{"printed": end, "measured": end} for end in ends]))
    equal = line.mark_line(color=GREY, strokeDash=[4, 3], strokeWidth=1).encode(x, y)
    panels = []
    for kind in dict.fromkeys(row["kind"] for row in rows):
        own = data([row for row in rows if row["kind"] == kind])
        layers = alt.layer(equal, points.properties(data=own), names.properties(data=own))
        panels.append(layers.properties(width=330, height=300, title=kind.capitalize()))
    return themed(alt.hconcat(*panels, spacing=30))
