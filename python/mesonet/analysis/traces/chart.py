"""One run through time: sequence, rates, windows, round trips, queues, losses and phases."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import Trace, trace
from mesonet.analysis.traces.estimate import Recorded
from mesonet.errors import InputError, unknown
from mesonet.figures.chart import Chart
from mesonet.figures.style import (
    FAINT,
    GREEN,
    GREY,
    NARROW,
    ORANGE,
    PURPLE,
    SKY,
    Look,
    data,
    nothing_chart,
    themed,
)

_TITLES = {
    "sequence": "Sequence (segments)",
    "rate": "Rate (segments/s)",
    "cwnd": "Window (segments)",
    "srtt": "Smoothed RTT (ms)",
    "queue": "Queue (packets)",
    "signals": "Losses and marks",
    "phase": "Phase",
}
PANELS = tuple(_TITLES)
"""Panels that can be drawn of a run, from top to bottom."""
_RUN_PANELS = tuple(name for name in PANELS if name != "sequence")
_RUN_POINTS = 600
_SIGNALS = ("retransmitted", "marked")
_ANY_SIGNAL = pl.any_horizontal(pl.col(name) > 0 for name in _SIGNALS).any()
_FLOWS_APART = 12
"""Most flows whose losses and phases are drawn, each on a line of its own."""


_SOLID = alt.Legend(symbolOpacity=1)
"""Legend of lines, also where faint bands have their colours."""

_WIDTH = 620


def trace_chart(
    result: Trace, *, panels: Sequence[str] = PANELS, look: Look | None = None, height: int = 130
) -> Any:
    """Panels over one time axis; drag in any to move in all, Ctrl and the wheel to look closer.

    A click on a flow in the legend brings it to the front. Bands around windows and queues are
    their range inside the time steps of the trace. Rates are in Mbit/s of payload where segments
    have a size.

    Args:
        panels: Panels among `PANELS`, in order; a panel without data is left out.
        height: Height of a panel [pixels].
    """
    problems = [it for name in panels for it in unknown("panels", "unknown_panel", name, PANELS)]
    if problems:
        raise InputError(problems)
    kit = _Kit(result, look or Look.of(result.flows), _WIDTH, height)
    charts: list[tuple[str, Any]] = []
    drawn = [name for name in panels if kit.has(name)]
    for name in drawn:
        here = replace(kit, last=name == drawn[-1], legend=name == drawn[0])
        charts.append((name, _DRAW[name](here)))
    if not charts:
        return nothing_chart(*(result.notes or ("Nothing was recorded.",)), width=_WIDTH)
    # The wheel alone scrolls the page; pinching a trackpad is the wheel with Ctrl.
    wheel = "wheel![event.ctrlKey || event.metaKey]"
    zoom = alt.selection_interval(name="zoom", encodings=["x"], bind="scales", zoom=wheel)
    parts = [chart.add_params(zoom) for _, chart in charts]
    if len(result.flows) > 1:
        parts = [
            part if name == "queue" else part.add_params(kit.chosen)
            for (name, _), part in zip(charts, parts, strict=True)
        ]
    with warnings.catch_warnings():
        # One selection for all panels is meant.
        warnings.filterwarnings("ignore", "Automatically deduplicated")
        chart = alt.vconcat(*parts, spacing=8)
    own = {"color": "independent", "shape": "independent", "size": "independent"}
    shared = chart.resolve_scale(x="shared", **own)
    return themed(shared.properties(usermeta=NARROW))


def run_chart(
    run: Recorded,
    *panels: str,
    flows: Iterable[str] | None = None,
    stations: Iterable[str] | None = None,
    start: float = 0.0,
    end: float = math.inf,
) -> Any:
    """A run over time as an Altair chart: rates, windows, round trips, queues, losses, phases.

    Args:
        panels: Panels among `PANELS`, in order; all but `sequence` if none are given.
        flows: Named flows; all if `None`.
        stations: Watched stations; all if `None`.
        start: Begin of the chart [s].
        end: End of the chart [s].
    """
    result = trace(run, flows=flows, stations=stations, start=start, end=end, points=_RUN_POINTS)
    return trace_chart(result, panels=panels or _RUN_PANELS)


@dataclass(frozen=True)
class _Kit:
    """Parts that the panels of a chart share."""

    result: Trace
    look: Look
    width: int
    height: int
    last: bool = True
    legend: bool = True

    def has(self, panel: str) -> bool:
        """`True` if there is something to draw in a panel."""
        frame, queues = self.result.frame, self.result.queues
        if panel == "queue":
            return not queues.is_empty()
        if frame.is_empty():
            return False
        if panel in _FIELDS:
            return not frame[panel].is_null().all()
        few = len(self.result.flows) <= _FLOWS_APART
        return few and (panel == "phase" or bool(frame.select(_ANY_SIGNAL).item()))

    @property
    def chosen(self) -> Any:
        """The flow that was clicked in the legend."""
        return alt.selection_point(name="flow", fields=["flow"], bind="legend")

    @property
    def frame(self) -> pl.DataFrame:
        """Rows of the flows in the units of the panels."""
        return self.scaled(self.result.frame).with_columns(pl.col("srtt") * 1000)

    def scaled(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The frame with its rates in Mbit/s of payload where segments have a size."""
        rate, payload = pl.col("rate"), self.result.payload
        return frame.with_columns(rate if payload is None else rate * payload / 1e6)

    def x(self, field: str = "time") -> Any:
        """Time; only the lowest panel says its numbers."""
        title = "Time (s)" if self.last else None
        # Labels keep a distance: those at the ends are moved inwards.
        axis = alt.Axis(labels=self.last, title=title, tickCount=12, labelSeparation=6)
        return alt.X(f"{field}:Q", title=title, axis=axis)

    def colour(self) -> Any:
        """Colours of the flows, with a legend in the uppermost panel if there are several."""
        legend = {"legend": _SOLID if self.legend and len(self.result.flows) > 1 else None}
        return alt.Color("flow:N", scale=self.look.scale(), title=None, **legend)

    def front(self, above: float, below: float) -> Any:
        """Opacity of the flow that was clicked, and of the others."""
        if len(self.result.flows) < 2:
            return alt.value(above)
        return alt.condition(self.chosen, alt.value(above), alt.value(below))

    def sized(self, *layers: Any, frame: pl.DataFrame, height: int | None = None) -> Any:
        size = {"width": self.width, "height": height or self.height}
        return alt.layer(*layers, data=data(frame)).properties(**size)


def _lines(name: str) -> Callable[[_Kit], Any]:
    """The panel of a quantity of flows."""

    def draw(kit: _Kit) -> Any:
        frame = kit.frame
        megabits = name == "rate" and kit.result.payload is not None
        title = "Rate (Mbit/s)" if megabits else _TITLES[name]
        colour = kit.colour()
        y = alt.Y(f"{name}:Q", title=title)
        line = Chart().mark_line(strokeWidth=1.3)
        layers = [line.encode(kit.x(), y, color=colour, opacity=kit.front(1, 0.15))]
        if name == "cwnd":
            band = Chart().mark_area()
            layers.insert(
                0,
                band.encode(
                    kit.x(),
                    alt.Y("cwnd_low:Q", title=title),
                    y2="cwnd_high",
                    color=colour,
                    opacity=kit.front(0.18, 0.03),
                ),
            )
        if name == "rate" and kit.result.link is not None:
            layers.append(_link(kit, kit.result.link))
        return kit.sized(*layers, frame=frame.select("time", "flow", *_FIELDS[name]))

    return draw


def _link(kit: _Kit, link: pl.DataFrame) -> Any:
    """The capacity of a bottleneck whose rate changes."""
    dashed = Chart(data(kit.scaled(link))).mark_line(
        strokeDash=[4, 3], strokeWidth=1.2, color=GREY, interpolate="step-before"
    )
    return dashed.encode(kit.x(), alt.Y("rate:Q"))


_FIELDS = {
    "sequence": ["sequence"],
    "rate": ["rate"],
    "cwnd": ["cwnd", "cwnd_low", "cwnd_high"],
    "srtt": ["srtt"],
}


def _queue(kit: _Kit) -> Any:
    stations = kit.result.stations
    legend = {"legend": _SOLID if len(stations) > 1 else None}
    scale = station_look(stations, kit.look).scale()
    colour = alt.Color("station:N", scale=scale, title=None, **legend)
    title = _TITLES["queue"]
    band = Chart().mark_area(opacity=0.18)
    line = Chart().mark_line(strokeWidth=1.3)
    limit = Chart().mark_line(strokeDash=[4, 3], strokeWidth=0.8, opacity=0.6)
    return kit.sized(
        band.encode(kit.x(), alt.Y("low:Q", title=title), y2="high", color=colour),
        line.encode(kit.x(), alt.Y("packets:Q", title=title), color=colour),
        limit.encode(kit.x(), alt.Y("capacity:Q"), color=colour),
        frame=kit.result.queues,
    )


def station_look(stations: Sequence[str], flows: Look) -> Look:
    """Colours of stations beside flows, signals and phases, which have others."""
    # The thin rules of queues need more contrast than the light ones have.
    light = [PURPLE, SKY]
    return Look.of(stations, beside=[*flows.colours, *_SIGNAL_INK, *_PHASES.values(), *light])


def _signals(kit: _Kit) -> Any:
    """Losses and marks: a point for each window with some, a line for each flow."""
    rows = [
        kit.result.frame.filter(pl.col(column) > 0).select(
            "time", "flow", pl.lit(column).alias("signal"), pl.col(column).alias("segments")
        )
        for column in _SIGNALS
    ]
    frame = pl.concat(rows)
    scale = {"domain": list(_SIGNALS)}
    point = Chart().mark_point(filled=True)
    return kit.sized(
        point.encode(
            kit.x(),
            alt.Y("flow:N", title=_TITLES["signals"], sort=list(kit.result.flows)),
            color=alt.Color("signal:N", title=None, scale=alt.Scale(**scale, range=_SIGNAL_INK)),
            shape=alt.Shape("signal:N", scale=alt.Scale(**scale, range=["cross", "circle"])),
            size=alt.Size("segments:Q", legend=None, scale=alt.Scale(range=[15, 120])),
            opacity=kit.front(0.85, 0.12),
        ),
        frame=frame,
        height=22 * len(kit.result.flows),
    )


_SIGNAL_INK = ["#D55E00", "#0072B2"]
_PHASES = {"idle": FAINT, "slow start": ORANGE, "standard": GREY, "alternate": GREEN}


def _phase(kit: _Kit) -> Any:
    """Regimes of the controllers: a bar for each stretch, a line for each flow."""
    begin = pl.col("time") - kit.result.window
    stretch = pl.col("phase").rle_id().over("flow").alias("stretch")
    frame = (
        kit.result.frame.with_columns(begin.alias("begin"), stretch)
        .group_by("flow", "stretch", maintain_order=True)
        .agg(pl.col("begin").first(), pl.col("time").last(), pl.col("phase").first())
        .drop("stretch")
    )
    scale = alt.Scale(domain=list(_PHASES), range=list(_PHASES.values()))
    return kit.sized(
        Chart()
        .mark_bar()
        .encode(
            kit.x("begin"),
            x2="time",
            y=alt.Y("flow:N", title=_TITLES["phase"], sort=list(kit.result.flows)),
            color=alt.Color("phase:N", title=None, scale=scale),
            opacity=kit.front(0.9, 0.15),
        ),
        frame=frame,
        height=16 * len(kit.result.flows),
    )


_DRAW: dict[str, Callable[[_Kit], Any]] = {
    **{name: _lines(name) for name in _FIELDS},
    "queue": _queue,
    "signals": _signals,
    "phase": _phase,
}
