"""The report's figures from our runs: receive rate, queue, window, sequence plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE, VERMILLION, data, themed
from mesonet.studies.study import RunResults, chart
from mesonet_studies.labs.laboratory import QUEUE, RATE
from mesonet_studies.labs.measure import STANDARD, run_name
from mesonet_studies.labs.measures import BIN, RunNumbers, repair

_COLOURS = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE)
_WIDTH, _HEIGHT = 620, 220
_CROSS = "M-.5,-.5L.5,.5M.5,-.5L-.5,.5"
_ROOM = QUEUE + 1
"""Packets at a link whose queue is full: the one being sent has left the queue."""
_FATES = {
    "acknowledged": ("stroke", GREEN, "acks"),
    "sent": ("circle", BLUE, "sends"),
    "retransmitted": ("circle", ORANGE, "repeats"),
    "lost": (_CROSS, INK, "drops"),
}
"""Shape, colour and name in what is measured, in the order in which they are drawn."""
_SIZES = (14, 5, 5, 30)
"""Sizes of their marks, in the same order."""


@chart
def rate(run: RunResults, of: str, under: str = STANDARD) -> Any:
    """Receive rate of every flow over time, in bins of 0.1 s; that of the link is dashed."""
    measured = run.results[run_name(of, under)]
    middles = [round(start + BIN / 2, 3) for start in measured["bins"]]
    points = [
        point | {"flow": name}
        for name, flow in measured["flows"].items()
        for point in _points(time=middles, rate=flow["rate"])
    ]
    time = _time(measured, at_least=points[-1]["time"] if points else 0.0)
    lines = _base(points, time, ["flow:N", "time:Q", "rate:Q"]).encode(
        alt.Y("rate:Q", title="Receive rate (Mbit/s)", scale=alt.Scale(domainMin=0)),
        _colour(measured),
    )
    marked = lines.mark_line(strokeWidth=1.8, point=alt.OverlayMarkDef(size=14))
    return _finished(_level(RATE / 1e6, "link"), marked)


@chart
def queue(run: RunResults, of: str, under: str = STANDARD) -> Any:
    """Packets at the link over time; losses are crosses above the dashed line of a full link."""
    measured = run.results[run_name(of, under)]
    points = _points(time=measured["time"], queue=measured["queue"])
    scale = alt.Scale(domain=[0, _ROOM * 1.12])
    title = ["Packets at the link,", "the one being sent included"]
    line = _base(points, _time(measured), ["time:Q", "queue:Q"]).encode(
        alt.Y("queue:Q", title=title, scale=scale)
    )
    lost = [
        {"time": time, "queue": _ROOM * 1.06, "flow": name, "what": f"segment {segment} lost"}
        for name, flow in measured["flows"].items()
        for time, segment in zip(*flow["drops"], strict=True)
    ]
    steps = line.mark_line(color=INK, strokeWidth=1.4, interpolate="step-before")
    return _finished(_level(_ROOM, "queue full"), steps, _crosses(lost, "queue", _colour(measured)))


@chart
def window(run: RunResults, of: str, flow: str, under: str = STANDARD, beside: bool = False) -> Any:
    """The window of a flow over time, with crosses where it falls; beside others on one axis."""
    measured = run.results[run_name(of, under)]
    curve = measured["flows"][flow]
    points = _points(time=measured["time"], window=curve["window"])
    flows = measured["flows"].values()
    end = max(max(flow["window"]) for flow in flows) if beside else alt.Undefined
    scale = alt.Scale(domainMin=0, domainMax=end, clamp=True)
    line = _base(points, _time(measured), ["time:Q", "window:Q"]).encode(
        alt.Y("window:Q", title="Window (segments)", scale=scale)
    )
    falls = [
        {"time": time, "window": window, "flow": flow, "what": f"from {window:g} segments"}
        for time, window in curve["restarts"]
    ]
    marked = line.mark_line(color=_of(measured, flow), strokeWidth=1.6)
    return _finished(marked, _crosses(falls, "window", alt.value(VERMILLION)))


@chart
def sequence(
    run: RunResults, of: str, flow: str, under: str = STANDARD, enlarged: bool = False
) -> Any:
    """Segments of a flow by their fates; enlarged, those of its smallest loss event."""
    measured = run.results[run_name(of, under)]
    part = repair(measured, flow) if enlarged else None
    curve = measured["flows"][flow]
    scale, larger = alt.Scale(zero=True), 1
    if part is not None:
        scale, larger = alt.Scale(domain=[part.low, part.high], nice=False), 5
    shapes, colours, _ = zip(*_FATES.values(), strict=True)
    legend = alt.Legend(orient="top", symbolStrokeWidth=1.6, symbolSize=60)

    def by_fate(values: tuple[str, ...]) -> dict[str, Any]:
        return {
            "title": None,
            "scale": alt.Scale(domain=list(_FATES), range=list(values)),
            "legend": legend,
        }

    along = _time(measured, between=part and (part.start, part.end))
    layers = [
        _base(
            [
                {"time": time, "segment": segment, "what": what}
                for time, segment in zip(*curve[key], strict=True)
                if part is None or part.holds(time, segment)
            ],
            along,
            ["what:N", "segment:Q", "time:Q"],
        )
        .mark_point(filled=False, size=size * larger, strokeWidth=1.4, opacity=0.85)
        .encode(
            alt.Y("segment:Q", title="Segment", scale=scale),
            alt.Color("what:N", **by_fate(colours)),
            alt.Shape("what:N", **by_fate(shapes)),
        )
        for (what, (_, _, key)), size in zip(_FATES.items(), _SIZES, strict=True)
    ]
    return themed(alt.layer(*layers).properties(width=_WIDTH, height=1.4 * _HEIGHT))


def _points(**columns: Sequence[float]) -> list[dict[str, float]]:
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _base(points: Sequence[Mapping[str, Any]], time: Any, tooltip: Sequence[str]) -> Any:
    return Chart(data(points)).encode(time, tooltip=list(tooltip))


def _finished(*layers: Any) -> Any:
    return themed(alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT))


def _time(
    measured: RunNumbers, *, at_least: float = 0.0, between: tuple[float, float] | None = None
) -> Any:
    end = max(measured["time"][-1] if measured["time"] else 1.0, at_least)
    return alt.X(
        "time:Q",
        title="Time (s)",
        scale=alt.Scale(domain=list(between or (0, end)), nice=False),
        axis=alt.Axis(labelFlush=False),
    )


def _colour(measured: RunNumbers) -> Any:
    names = list(measured["flows"])
    legend = alt.Legend(orient="top") if len(names) > 1 else None
    colours = [_of(measured, name) for name in names]
    return alt.Color(
        "flow:N", title=None, scale=alt.Scale(domain=names, range=colours), legend=legend
    )


def _of(measured: RunNumbers, flow: str) -> str:
    names: Sequence[str] = list(measured["flows"])
    return _COLOURS[names.index(flow) % len(_COLOURS)]


def _crosses(points: list[dict[str, Any]], field: str, colour: Any) -> Any:
    base = _base(points, alt.X("time:Q"), ["flow:N", "time:Q", "what:N"])
    crosses = base.mark_point(shape=_CROSS, size=70, filled=False, strokeWidth=1.1, opacity=0.9)
    return crosses.encode(alt.Y(f"{field}:Q"), color=colour)


def _level(value: float, text: str) -> Any:
    return (
        Chart(data([{"level": value, "text": text}]))
        .mark_rule(color=INK, opacity=0.4, strokeDash=[4, 3])
        .encode(alt.Y("level:Q"), tooltip=["text:N", "level:Q"])
    )
