"""One run through time: sequence, windows, rates and queues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from mesonet.analysis import Trace
from mesonet.figures.chart import Chart
from mesonet.figures.style import INK, Look, data, rows, themed

_PANELS = {
    "sequence": "Sequence (segments)",
    "rate": "Rate (segments/s)",
    "cwnd": "Window (segments)",
    "srtt": "Smoothed RTT (s)",
    "queue": "Queue (packets)",
}
PANELS = tuple(_PANELS)
"""Panels that can be drawn of a run, from top to bottom."""


def trace_chart(
    result: Trace,
    *,
    panels: Sequence[str] = PANELS,
    look: Look | None = None,
    width: int = 620,
    height: int = 130,
) -> Any:
    """Panels over one time axis; drag or scroll in the first to look closer.

    Bands around windows and queues are their range inside the time steps of the trace.

    Args:
        result: Result to draw.
        panels: Panels among `PANELS`, in order; a panel without data is left out.
        look: Colours of the flows; by order if `None`.
        width: Width of a panel [pixels].
        height: Height of a panel [pixels].
    """
    shown = _shown(result, panels)
    if not shown:
        text = " ".join(result.notes) or "Nothing was recorded."
        mark = Chart(data([{"text": text}])).mark_text(align="left", color=INK)
        return themed(mark.encode(x=alt.value(0), y=alt.value(12), text="text:N"))
    colours = {"flow": look or Look.of(result.flows), "station": Look.of(result.stations)}
    zoom = alt.selection_interval(name="zoom", encodings=["x"], bind="scales")
    parts = []
    for panel in shown:
        kind = "station" if panel == "queue" else "flow"
        field = "packets" if panel == "queue" else panel
        values = rows(result.queues if kind == "station" else result.frame)
        last = panel == shown[-1]
        x = alt.X(
            "time:Q",
            title="Time (s)" if last else None,
            axis=alt.Axis(labels=last, title="Time (s)" if last else None),
        )
        named = panel == shown[0] or kind == "station"
        colour = alt.Color(
            f"{kind}:N",
            scale=colours[kind].scale(),
            title=None,
            **({} if named else {"legend": None}),
        )
        y = alt.Y(f"{field}:Q", title=_PANELS[panel])
        line = Chart().mark_line(strokeWidth=1.2).encode(x, y, color=colour)
        layers = [line.add_params(zoom) if panel == shown[0] else line]
        if panel in _BANDS:
            low, high = _BANDS[panel]
            band = Chart().mark_area(opacity=0.18)
            layers.insert(
                0, band.encode(x, alt.Y(f"{low}:Q", title=_PANELS[panel]), y2=high, color=colour)
            )
        if panel == "queue":
            limits = Chart().mark_line(strokeDash=[4, 3], strokeWidth=0.8, opacity=0.6)
            layers.append(limits.encode(x, alt.Y("capacity:Q"), color=colour))
        parts.append(alt.layer(*layers, data=data(values)).properties(width=width, height=height))
    chart = alt.vconcat(*parts, spacing=8).resolve_scale(x="shared", color="independent")
    return themed(chart)


_BANDS = {"cwnd": ("cwnd_low", "cwnd_high"), "queue": ("low", "high")}


def _shown(result: Trace, panels: Sequence[str]) -> list[str]:
    have = {"queue": result.queues.height > 0}
    return [panel for panel in panels if have.get(panel, result.frame.height > 0)]
