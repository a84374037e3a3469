"""Queue management of one run: sojourn times, signals and control variable over time."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import QueueRecords
from mesonet.figures.style import Look, data, nothing_chart, themed

_LINES = {
    "packets": "Packets",
    "sojourn_mean": "Sojourn time (ms)",
    "control": "Control variable",
}
_SIGNALS = "Signals (packets/s)"
_HISTOGRAM = "Share of packets"


def queues_chart(result: QueueRecords, *, width: int = 620, height: int = 120) -> Any:
    """Queue, sojourn time, signals and control variable over time; histogram of sojourn times.

    The light line is the longest sojourn time of a window. Signals are named by cause.

    Args:
        result: Records to draw.
        width: Width of a panel [pixels].
        height: Height of a panel [pixels].
    """
    if not result.stations:
        return nothing_chart(*result.notes, width=width)
    scale = Look.of(result.stations).scale()
    named = alt.Color("station:N", scale=scale, title=None)
    unnamed = alt.Color("station:N", scale=scale, title=None, legend=None)
    parts: list[Any] = []
    for field, title in _shown(result).items():
        colour = unnamed if parts else named
        x = alt.X("time:Q", title=None, axis=alt.Axis(labels=False))
        layers = []
        if field == "sojourn_mean":
            longest = alt.Chart().mark_line(strokeWidth=0.6, opacity=0.5)
            layers.append(longest.encode(x, alt.Y("sojourn_max:Q", title=title), color=colour))
        line = alt.Chart().mark_line(strokeWidth=1.2)
        layers.append(line.encode(x, alt.Y(f"{field}:Q", title=title), color=colour))
        panel = alt.layer(*layers, data=data(result.frame))
        parts.append(panel.properties(width=width, height=height))
    if result.signals.height:
        rates = result.signals.with_columns(_named_signal())
        dash = alt.StrokeDash("station:N", title=None, legend=None)
        signals = alt.Chart(data(rates)).mark_line(strokeWidth=1.2)
        encoded = signals.encode(
            alt.X("time:Q", title="Time (s)"),
            alt.Y("rate:Q", title=_SIGNALS),
            color=alt.Color("named:N", title=None, scale=Look.of(_signal_names(result)).scale()),
            strokeDash=dash,
            detail="station:N",
        )
        parts.append(encoded.properties(width=width, height=height))
    histogram = alt.Chart(data(result.sojourns)).mark_line(
        interpolate="step-after", strokeWidth=1.2
    )
    parts.append(
        histogram.encode(
            alt.X("from:Q", title="Sojourn time (ms)"),
            alt.Y("share:Q", title=_HISTOGRAM, axis=alt.Axis(format="%")),
            color=unnamed,
        ).properties(width=width, height=height)
    )
    return themed(alt.vconcat(*parts, spacing=10).resolve_scale(color="independent"))


def _shown(result: QueueRecords) -> dict[str, str]:
    """Lines that are not zero throughout: drop-tail has no control variable."""
    return {name: title for name, title in _LINES.items() if result.frame[name].sum() != 0}


def _named_signal() -> pl.Expr:
    return pl.concat_str("signal", pl.lit(": "), "cause").alias("named")


def _signal_names(result: QueueRecords) -> tuple[str, ...]:
    return tuple(result.signals.select(_named_signal())["named"].unique(maintain_order=True))
