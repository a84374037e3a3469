"""A run of the two-flow bench drawn: windows, queue and goodput over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import altair as alt

from mesonet.figures import number, percent
from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, INK, VERMILLION, data, themed
from mesonet.studies.study import RunResults, chart, value
from mesonet_studies.two_flow.measure import finished
from mesonet_studies.two_flow.runs import (
    DURATION,
    SETTINGS,
    buffer_packets,
    path_packets,
    setting_name,
    threshold_text,
)

_COLOURS = {"red": VERMILLION, "blue": BLUE}
_HEIGHT = 150


def facts(figures: Mapping[str, float]) -> str:
    """Summary of a run in a line: use, shares, queue and losses; `figures` as measured."""
    use, both, red, blue = (
        percent(figures[name], digits=3, signed=False)
        for name in ("alone_use", "both_use", "red_share", "blue_share")
    )
    queue = number(figures["both_queue"], digits=3)
    loss = percent(figures["loss"], signed=False)
    return (
        f"alone {use} of the path; both {both}, red {red}, blue {blue}; queue {queue}; lost {loss}"
    )


def model_chart(
    curves: Mapping[str, Sequence[float]], *, path: int, room: int, title: str, caption: str
) -> Any:
    """Windows of red and blue and the queue for the page of a model, under title and caption.

    Lines are means over five seconds, bands the range inside them; `path` and `room` are what path
    and buffer hold [packets].
    """
    windows, queue, _ = _panels(curves, path=path, room=room)
    head = alt.TitleParams(title, subtitle=caption, anchor="start", subtitleFontSize=10.5)
    drawn = alt.hconcat(windows, queue, data=data(_points(curves)), spacing=26, title=head)
    return themed(drawn)


@value
def benches(run: RunResults) -> list[dict[str, Any]]:
    """Settings with their runs, for loops."""
    settings = []
    for (rtt, threshold), runs in groupby(finished(run), key=itemgetter(0, 1)):
        runs_shown = [
            {"algorithm": algorithm, "name": name, "facts": facts(run.results[name]["figures"])}
            for *_, algorithm, name in runs
        ]
        identifier = f"runs-{rtt}-{threshold_text(threshold)}"
        settings.append(
            {"id": identifier, "name": setting_name(rtt, threshold), "runs": runs_shown}
        )
    return settings


@chart
def over_time(run: RunResults, name: str) -> Any:
    """Windows, queue, and goodput as parts of the capacity: means over 5 s, and their range."""
    rtt = next(rtt for rtt, *_, algorithm in finished(run) if algorithm == name)
    curves = run.results[name]["curves"]
    panels = _panels(curves, path=path_packets(rtt), room=buffer_packets(rtt))
    return themed(alt.hconcat(*panels, data=data(_points(curves)), spacing=26))


def _points(curves: Mapping[str, Sequence[float]]) -> list[dict[str, float]]:
    return [dict(zip(curves, values, strict=True)) for values in zip(*curves.values(), strict=True)]


def _panels(curves: Mapping[str, Sequence[float]], *, path: int, room: int) -> tuple[Any, Any, Any]:
    highest = max(max(curves[f"{name}_high"]) for name in _COLOURS)
    windows = [
        *(_level(value, text) for value, text in ((path, "path"), (path + room, "path + buffer"))),
        *(_band(name, colour) for name, colour in _COLOURS.items()),
        *(_line(name, colour, name) for name, colour in _COLOURS.items()),
    ]
    queue = [_level(room, "buffer"), _band("queue", INK), _line("queue", INK, "queue")]
    goodput = [_line(f"{name}_use", colour, name) for name, colour in _COLOURS.items()]
    return (
        _panel(windows, "Windows of red and blue (packets)", 390, 1.04 * max(path + room, highest)),
        _panel(queue, "Queue (packets)", 240, 1.06 * room),
        _panel(goodput, "Goodput (part of capacity)", 240, 1.02),
    )


def _panel(layers: list[Any], title: str, width: int, top: float) -> Any:
    scale = alt.Scale(domain=[0, top], nice=False, clamp=True)
    layers[0] = layers[0].encode(y=layers[0].encoding.y.scale(scale).title(None))
    return alt.layer(*layers).properties(width=width, height=_HEIGHT, title=title)


def _x() -> Any:
    return alt.X("time:Q", title="Time (s)", scale=alt.Scale(domain=[0, DURATION], nice=False))


def _line(field: str, colour: str, label: str) -> Any:
    time = alt.Tooltip("time:Q", title="time (s)", format=".0f")
    tooltip = [time, alt.Tooltip(f"{field}:Q", title=label)]
    base = Chart().encode(_x(), alt.Y(f"{field}:Q", title=None), tooltip=tooltip)
    return base.mark_line(color=colour, strokeWidth=1.3, interpolate="linear")


def _band(field: str, colour: str) -> Any:
    base = Chart().encode(_x(), alt.Y(f"{field}_low:Q", title=None), y2=f"{field}_high:Q")
    return base.mark_area(color=colour, opacity=0.2)


def _level(value: float, text: str) -> Any:
    base = Chart(data([{"level": value, "text": text}]))
    base = base.encode(alt.Y("level:Q", title=None), tooltip=["text:N", "level:Q"])
    return base.mark_rule(color=INK, opacity=0.4, strokeDash=[4, 3], strokeWidth=1)


@chart
def shares(run: RunResults) -> Any:
    """Red's and blue's shares under the published setting, and a dot for red's use while alone."""
    figures = {
        algorithm: run.results[name]["figures"]
        for *setting, algorithm, name in finished(run)
        if tuple(setting) == SETTINGS[0]
    }
    if not figures:
        return None
    rows = [
        {"algorithm": name, "flow": flow, "share": it[f"{flow}_share"], "alone": it["alone_use"]}
        for name, it in figures.items()
        for flow in _COLOURS
    ]
    names = alt.Y("algorithm:N", title=None, sort=list(figures))
    x = alt.Scale(domain=[0, 1.0], nice=False)
    colour = alt.Scale(domain=list(_COLOURS), range=list(_COLOURS.values()))
    bars = Chart().encode(
        alt.X("share:Q", title="Part of the capacity", scale=x, axis=alt.Axis(format="%")),
        names,
        alt.Color("flow:N", title=None, scale=colour),
        # Red first, then blue on top of it.
        alt.Order("flow:N", sort="descending"),
        tooltip=["algorithm:N", "flow:N", alt.Tooltip("share:Q", format=".1%")],
    )
    alone = alt.Tooltip("alone:Q", title="red alone", format=".1%")
    dots = Chart().encode(alt.X("alone:Q", scale=x), names, tooltip=["algorithm:N", alone])
    layers = (
        bars.mark_bar(height=11, opacity=0.85),
        dots.mark_point(color=INK, filled=True, size=34),
    )
    chart = alt.layer(*layers, data=data(rows)).properties(width=620, height=alt.Step(18))
    return themed(chart)
