"""Curves of a run of the two-flow bench: windows, queue and goodput over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from mesonet.figures.style import BLUE, INK, VERMILLION, data, themed

_COLOURS = {"red": VERMILLION, "blue": BLUE}
_HEIGHT = 150


def run_chart(curves: Mapping[str, Sequence[float]], *, path: int, room: int) -> Any:
    """Three panels side by side: windows, queue, and goodput as parts of the capacity.

    Lines are means over five seconds, bands the range inside them.

    Args:
        curves: As `measure_two_flows` gives them.
        path: What the path holds without a queue [packets].
        room: What the buffer holds [packets].
    """
    points = [
        dict(zip(curves, values, strict=True)) for values in zip(*curves.values(), strict=True)
    ]
    highest = max(max(curves[f"{name}_high"]) for name in _COLOURS)
    windows = [
        *(_level(value, text) for value, text in ((path, "path"), (path + room, "path + buffer"))),
        *(_band(name, colour) for name, colour in _COLOURS.items()),
        *(_line(name, colour, name) for name, colour in _COLOURS.items()),
    ]
    queue = [_level(room, "buffer"), _band("queue", INK), _line("queue", INK, "queue")]
    goodput = [_line(f"{name}_use", colour, name) for name, colour in _COLOURS.items()]
    panels = [
        _panel(windows, "Windows (packets)", 390, 1.04 * max(path + room, highest)),
        _panel(queue, "Queue (packets)", 240, 1.06 * room),
        _panel(goodput, "Goodput (part of capacity)", 240, 1.02),
    ]
    return themed(alt.hconcat(*panels, data=data(points), spacing=26))


def _panel(layers: list[Any], title: str, width: int, top: float) -> Any:
    scale = alt.Scale(domain=[0, top], nice=False, clamp=True)
    layers[0] = layers[0].encode(y=layers[0].encoding.y.scale(scale).title(None))
    return alt.layer(*layers).properties(width=width, height=_HEIGHT, title=title)


def _x() -> Any:
    return alt.X("time:Q", title="Time (s)", scale=alt.Scale(domain=[0, 1000], nice=False))


def _line(field: str, colour: str, label: str) -> Any:
    return (
        alt.Chart()
        .mark_line(color=colour, strokeWidth=1.3, interpolate="linear")
        .encode(
            _x(),
            alt.Y(f"{field}:Q", title=None),
            tooltip=[
                alt.Tooltip("time:Q", title="time (s)", format=".0f"),
                alt.Tooltip(f"{field}:Q", title=label),
            ],
        )
    )


def _band(field: str, colour: str) -> Any:
    return (
        alt.Chart()
        .mark_area(color=colour, opacity=0.2)
        .encode(_x(), alt.Y(f"{field}_low:Q", title=None), y2=f"{field}_high:Q")
    )


def _level(value: float, text: str) -> Any:
    return (
        alt.Chart(data([{"level": value, "text": text}]))
        .mark_rule(color=INK, opacity=0.4, strokeDash=[4, 3], strokeWidth=1)
        .encode(alt.Y("level:Q", title=None), tooltip=["text:N", "level:Q"])
    )
