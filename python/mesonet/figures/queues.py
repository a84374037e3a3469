"""Queue management of one run: sojourn times, signals and control variable over time."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl
from matplotlib.figure import Figure

from mesonet.analysis import QueueRecords
from mesonet.figures.style import Look, data, nothing_chart, paper, sheet, themed

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


def queues_figure(result: QueueRecords) -> Figure:
    """Draws `queues_chart` with matplotlib, for papers."""
    with paper():
        if not result.stations:
            figure = sheet(5.0, 0.5)
            figure.text(0.01, 0.4, " ".join(result.notes), size=7)
            return figure
        shown = _shown(result)
        count = len(shown) + (result.signals.height > 0) + 1
        figure = sheet(6.0, 0.5 + 1.15 * count)
        axes = figure.subplots(count, 1, squeeze=False)[:, 0]
        look = Look.of(result.stations)
        for place, (field, title) in zip(axes, shown.items(), strict=False):
            for name in result.stations:
                mine = result.frame.filter(station=name)
                colour = look.colour(name)
                if field == "sojourn_mean":
                    place.plot(mine["time"], mine["sojourn_max"], color=colour, lw=0.5, alpha=0.5)
                values = mine[field].fill_null(float("nan"))
                place.plot(mine["time"], values, color=colour, lw=0.9, label=name)
            place.set_ylabel(title.replace(" (", "\n("))
            place.set_ylim(bottom=0)
        if len(result.stations) <= 8:
            axes[0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        if result.signals.height:
            _signals(axes[len(shown)], result)
        axes[count - 2].set_xlabel("Time (s)")
        for name in result.stations:
            mine = result.sojourns.filter(station=name)
            ends = [*mine["from"], mine["below"][-1]]
            axes[-1].stairs(mine["share"] * 100, ends, color=look.colour(name), lw=0.9)
        axes[-1].set_xlabel("Sojourn time (ms)")
        axes[-1].set_ylabel("Packets\n(%)")
        axes[-1].set_ylim(bottom=0)
        figure.align_ylabels()
    return figure


def _signals(place: Any, result: QueueRecords) -> None:
    names = _signal_names(result)
    look = Look.of(names)
    named = result.signals.with_columns(_named_signal())
    for name in names:
        for at, station in enumerate(result.stations):
            mine = named.filter(named=name, station=station)
            if mine.height and mine["rate"].sum() > 0:
                style = ("-", "--", ":", "-.")[at % 4]
                label = name if len(result.stations) == 1 else f"{name}, {station}"
                colour = look.colour(name)
                place.plot(mine["time"], mine["rate"], style, color=colour, lw=0.9, label=label)
    place.set_ylabel(_SIGNALS.replace(" (", "\n("))
    place.set_ylim(bottom=0)
    place.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _shown(result: QueueRecords) -> dict[str, str]:
    """Lines that are not zero throughout: drop-tail has no control variable."""
    return {name: title for name, title in _LINES.items() if result.frame[name].sum() != 0}


def _named_signal() -> pl.Expr:
    return pl.concat_str("signal", pl.lit(": "), "cause").alias("named")


def _signal_names(result: QueueRecords) -> tuple[str, ...]:
    return tuple(result.signals.select(_named_signal())["named"].unique(maintain_order=True))
