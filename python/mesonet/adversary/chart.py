"""The picture of a search: what was tried along each coordinate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from mesonet.adversary.result import Search
from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, GREEN, GREY, INK, VERMILLION, data, themed
from mesonet.units import parse_rate, parse_size, parse_time

_STAGES = {"start": GREY, "evolution": BLUE, "reduction": GREEN, "fresh": VERMILLION}
_WIDTH, _HEIGHT, _COLUMNS = 190, 120, 3
_UNITS = {"rate": "Mbit/s", "rtt": "ms", "buffer": "BDP", "start": "s"}
NAMES = {
    "rtt": "round-trip time",
    "loss": "random loss",
    "flows": "flows of the candidate",
    "victims": "flows of the victims",
}
"""Names of coordinates that say more than their keywords."""


def search_chart(search: Search) -> Any:
    """The score of all trials, a panel for each coordinate that varies."""
    varied = [name for name, ends in search.bounds.items() if len(ends) > 1]
    places = {name: place for place, name in enumerate(search.bounds)}
    panels = [_panel(search, name, places[name]) for name in varied]
    return themed(alt.concat(*panels, columns=_COLUMNS, spacing=18))


def _panel(search: Search, name: str, place: int) -> Any:
    points = [
        {
            "value": _number(name, trial.values[place]),
            "score": max(-1.0, min(1.0, trial.mean)),
            "stage": trial.stage.partition("-")[0],
            "where": " · ".join(map(str, trial.values)),
        }
        for trial in search.trials
        if trial.mean is not None
    ]
    title = NAMES.get(name, name) + (f" ({_UNITS[name]})" if name in _UNITS else "")
    axis = alt.Axis(title=title, tickCount=4, format="~g", labelOverlap="greedy", labelSeparation=4)
    kind, scale = "Q", alt.Scale(type="log", nice=False)
    if name in ("loss", "start"):
        scale = alt.Scale(type="symlog", constant=_least(points), nice=False)
    if name == "queue":
        kind, scale, axis = "N", alt.Scale(), alt.Axis(title=title)
    colours = alt.Scale(domain=list(_STAGES), range=list(_STAGES.values()))
    zero = Chart(data([{"zero": 0}])).mark_rule(color=INK, opacity=0.5).encode(y="zero:Q")
    dots = (
        Chart(data(points))
        .mark_point(filled=True, size=26, opacity=0.7)
        .encode(
            alt.X(f"value:{kind}", scale=scale, axis=axis),
            alt.Y("score:Q", scale=alt.Scale(domain=[-1, 1]), axis=alt.Axis(title=search.response)),
            color=alt.Color("stage:N", scale=colours, legend=alt.Legend(title=None)),
            tooltip=["where:N", "score:Q", "stage:N"],
        )
    )
    return alt.layer(zero, dots).properties(width=_WIDTH, height=_HEIGHT)


def _least(points: Sequence[dict[str, Any]]) -> float:
    """The least value above zero, up to which the scale is linear."""
    return min((it["value"] for it in points if it["value"] > 0), default=1.0)


def _number(name: str, value: Any) -> Any:
    """The value in the unit of its axis."""
    if name == "rate":
        return parse_rate(value).value / 1e6
    if name == "buffer":
        return parse_size(value, bdp=True).value
    return parse_time(value) * (1e3 if name == "rtt" else 1) if name in _UNITS else value
