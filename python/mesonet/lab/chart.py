"""The chart of one side: its panels are made once, and the page gives them new rows."""

from __future__ import annotations

import json
from typing import Any

import altair as alt

from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, GREY, VERMILLION, themed

WIDTH, HEIGHT = 600, 112
"""Size of a panel [pixels]; the page sets the width."""
_WORDS = alt.Axis(title=None, labelExpr="{retransmitted: 'losses', marked: 'marks'}[datum.value]")
_SIGNALS = {"retransmitted": (VERMILLION, "cross"), "marked": (BLUE, "circle")}


def spec() -> dict[str, Any]:
    """Vega-Lite of a side with the data `flows` and `queue`, which are empty.

    The parameters `until`, `top_rate`, `top_cwnd`, `top_srtt`, `top_queue` are the ends of the
    axes, alike on both sides so that these can be compared; `rate` and `room` are those of the
    bottleneck.
    """
    tops = ("until", "top_rate", "top_cwnd", "top_srtt", "top_queue", "rate", "room")
    panels = [
        _panel(_line("rate", "Rate (Mbit/s)"), _rule("rate", "top_rate")),
        _panel(_band("cwnd", "cwnd_low", "cwnd_high", "flow"), _line("cwnd", "Window (segments)")),
        _panel(_line("srtt", "Round trip (ms)")),
        _panel(*_queue(), _rule("room", "top_queue"), data="queue"),
        _panel(_signals(), height=34),
    ]
    chart = alt.vconcat(*panels, spacing=8).add_params(
        *(alt.param(name=name, value=1) for name in tops)
    )
    return dict(json.loads(json.dumps(themed(chart).to_dict(validate=False))))


def _panel(*layers: Any, data: str = "flows", height: int = HEIGHT) -> Any:
    return alt.layer(*layers, data=alt.NamedData(data)).properties(width=WIDTH, height=height)


def _time(*, last: bool = False) -> Any:
    scale = alt.Scale(domainMin=0, domainMax=alt.expr("until"), nice=False)
    title = "Time (s)" if last else None
    return alt.X("time:Q", scale=scale, axis=alt.Axis(title=title, labels=last, tickCount=10))


def _y(field: str, top: str, title: str) -> Any:
    scale = alt.Scale(domainMin=0, domainMax=alt.expr(top), nice=False, clamp=True)
    # The page is laid out before a run is there: with room for four digits no title is cut off.
    axis = alt.Axis(title=title, tickCount=4, minExtent=40)
    return alt.Y(f"{field}:Q", scale=scale, axis=axis)


def _ink() -> Any:
    return alt.Color("colour:N", scale=None)


def _line(field: str, title: str) -> Any:
    return (
        Chart()
        .mark_line(strokeWidth=1.3)
        .encode(_time(), _y(field, f"top_{field}", title), color=_ink(), detail="flow:N")
    )


def _band(field: str, low: str, high: str, detail: str) -> Any:
    return (
        Chart()
        .mark_area(opacity=0.16)
        .encode(_time(), _y(low, f"top_{field}", ""), y2=high, color=_ink(), detail=f"{detail}:N")
    )


def _queue() -> tuple[Any, Any]:
    y = {"top": "top_queue", "title": "Queue (packets)"}
    band = Chart().mark_area(opacity=0.25, color=GREY)
    line = Chart().mark_line(strokeWidth=1.3, color=GREY)
    return (
        band.encode(_time(), _y("low", **y), y2="high"),
        line.encode(_time(), _y("packets", **y)),
    )


def _rule(field: str, top: str) -> Any:
    """A dashed line across: the rate of the bottleneck, the room of its queue."""
    dashed = Chart(alt.InlineData([{}])).mark_rule(strokeDash=[4, 3], strokeWidth=1, color=GREY)
    scale = alt.Scale(domainMin=0, domainMax=alt.expr(top), nice=False)
    return dashed.transform_calculate(level=field).encode(y=alt.Y("level:Q", scale=scale))


def _signals() -> Any:
    names = list(_SIGNALS)
    colours, shapes = ([_SIGNALS[name][k] for name in names] for k in (0, 1))
    return (
        Chart()
        .transform_fold(names, as_=["signal", "segments"])
        .transform_filter("datum.segments > 0")
        .mark_point(filled=True, size=28, opacity=0.7)
        .encode(
            _time(last=True),
            alt.Y("signal:N", scale=alt.Scale(domain=names), axis=_WORDS),
            color=alt.Color("signal:N", scale=alt.Scale(domain=names, range=colours), legend=None),
            shape=alt.Shape("signal:N", scale=alt.Scale(domain=names, range=shapes), legend=None),
        )
    )
