"""Rates that algorithms reach at a rising probability of marks and of drops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from mesonet.figures.chart import Chart
from mesonet.figures.style import INK, Look, data, nothing_chart, themed

if TYPE_CHECKING:
    from mesonet.ladder import SignalLadder

_SUBTITLE = "points: simulated; dashed: published"
_TITLES = {"mark": "Marked (ECN)", "drop": "Dropped"}

_WIDTH = 300


def signal_ladder_chart(result: SignalLadder) -> Any:
    """Rate against probability, both on log scales; marks on the left, drops on the right.

    Points are simulated, with two standard errors; hollow ones are limited by the path. Dashed
    lines are the published response functions.
    """
    drawn = result.frame.filter(pl.col("rate") > 0)
    if drawn.is_empty():
        return nothing_chart(*result.notes, width=2 * _WIDTH)
    error = 2 * pl.col("error")
    drawn = drawn.with_columns(
        (pl.col("rate") - error).clip(pl.col("rate") / 10).alias("low"),
        (pl.col("rate") + error).alias("high"),
        pl.when("limited").then(pl.lit("the path")).otherwise(pl.lit("signals")).alias("limit"),
    )
    look = Look.of(result.algorithms)
    lowest = 10.0 ** pl.concat([drawn["low"], drawn["published"].drop_nulls()]).log10().min()  # type: ignore[operator]
    scale = alt.Scale(type="log", domain=[lowest * 0.8, result.path * 1.3], nice=False)
    panels = [
        _panel(drawn.filter(signal=signal), title, look, scale, result.path).properties(
            width=_WIDTH,
            height=320,
            title=alt.Title(title, subtitle=_SUBTITLE, frame="group", subtitleColor=INK),
        )
        for signal, title in _TITLES.items()
        if signal in set(drawn["signal"])
    ]
    return themed(alt.hconcat(*panels, spacing=24))


def _panel(frame: pl.DataFrame, title: str, look: Look, scale: alt.Scale, path: float) -> Any:
    kind = title.split(" ")[0].lower()
    domain = _decade(frame["probability"].to_list())
    x = alt.X(
        "probability:Q",
        title=f"Probability that a packet is {kind}",
        scale=alt.Scale(type="log", domain=domain, nice=False, padding=12),
        axis=alt.Axis(format="~g", values=_ticks(*domain)),
    )
    decades = alt.Axis(format="~s", values=[10.0**power for power in range(-3, 7)])
    y_title = "Rate (segments per round trip)"
    y = alt.Y("rate:Q", title=y_title, scale=scale, axis=decades)
    colour = alt.Color("algorithm:N", scale=look.scale(), title=None)
    numbers = (alt.Tooltip(f"{name}:Q", format=".4~g") for name in ("rate", "published"))
    limited = alt.Tooltip("limit:N", title="limited by")
    tips = ["algorithm:N", "probability:Q", *numbers, "source:N", limited]
    base = Chart()
    published = base.mark_line(strokeDash=[5, 4], strokeWidth=1.2, opacity=0.8).encode(
        x, alt.Y("published:Q", scale=scale), color=colour
    )
    line = base.mark_line(strokeWidth=1, opacity=0.45).encode(x, y, color=colour)
    errors = base.mark_rule(strokeWidth=1.2).encode(
        x, alt.Y("low:Q", scale=scale), y2="high:Q", color=colour
    )
    shape = alt.Shape("algorithm:N", scale=look.shapes(), title=None)
    solid = base.transform_filter("!datum.limited").mark_point(size=42, filled=True, opacity=1)
    hollow = base.transform_filter("datum.limited").mark_point(size=42, strokeWidth=1.4, opacity=1)
    points = [
        mark.encode(x, y, color=colour, shape=shape, tooltip=tips) for mark in (solid, hollow)
    ]
    full = Chart(data([{"path": path, "text": "all that the path carries (hollow points)"}]))
    limit = full.mark_rule(strokeDash=[1, 3], opacity=0.7, color=INK).encode(
        alt.Y("path:Q", scale=scale)
    )
    label = full.mark_text(align="right", dy=-6, fontSize=9.5, color=INK).encode(
        alt.Y("path:Q", scale=scale), x=alt.value("width"), text="text:N"
    )
    return alt.layer(published, line, errors, *points, limit, label, data=data(frame))


def _decade(probabilities: Sequence[float]) -> tuple[float, float]:
    """Ends of an axis of probabilities: theirs, or a decade around them."""
    low, high = min(probabilities), max(probabilities)
    if high >= 10 * low:
        return low, high
    end = min(math.sqrt(10 * low * high), 1.0)
    return end / 10, end


def _ticks(low: float, high: float) -> list[float]:
    """Powers of ten on a logarithmic axis; with fewer than two, twos and fives among them."""
    values = [float(f"{digit}e{power}") for power in range(-8, 1) for digit in (1, 2, 5)]
    inside = [value for value in values if low <= value <= high]
    powers = [value for value in inside if f"{value:e}".startswith("1.000000e")]
    return powers if len(powers) > 1 else inside
