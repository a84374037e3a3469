"""A laboratory as a picture: hosts and routers, the links between them, and what crosses these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

import altair as alt

from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, GREY, INK, data, themed
from mesonet.scenario.laboratory import Laboratory
from mesonet.scenario.ports import Port, Ways
from mesonet.units import Rate, Size, format_rate, format_size, format_time

_HEIGHT = alt.Scale(domain=[0, 1])
AT = {"x": alt.X("x:Q", axis=None), "y": alt.Y("y:Q", axis=None, scale=_HEIGHT)}
"""Encoding of a place."""
MIDDLE = {"x": alt.X("middle:Q", axis=None), "y": alt.Y("height:Q", axis=None, scale=_HEIGHT)}
"""Encoding of the middle of a link."""


_WIDTH = 860
TALLEST = 1200
"""Height of the tallest picture [pixels]."""
MOST_COLUMNS = 9
"""Most columns of nodes between which there is room for words."""


def has_links(scenario: object) -> TypeGuard[Laboratory]:
    """Tests for a laboratory of more than one link, of which there is something to see."""
    return isinstance(scenario, Laboratory) and len(scenario.ports()) > 2


def laboratory_chart(scenario: Laboratory) -> Any:
    """Hosts, links with rate, delay, queue and room, and how many flows send over each direction.

    Links of large networks have no words.

    Args:
        scenario: A dumbbell, a parking lot or a custom network.
    """
    where = _places(scenario)
    rows = list(_links(scenario, where))
    columns = Counter(x for x, _ in where.values())
    most = max(columns.values())
    height = min(110 * most, TALLEST)
    # Words of more links than these would lie on one another.
    readable = len(columns) <= MOST_COLUMNS and height >= 60 * most
    spoken = rows if readable else []
    nodes = [{"node": node, "x": x, "y": y} for node, (x, y) in where.items()]
    link = Chart(data(rows)).mark_rule(color=GREY, opacity=0.9, strokeWidth=1.4)
    words = {"dy": 8, "baseline": "top", "lineBreak": "\n", "fontSize": 10.5}
    # Links are not to be seen through the words.
    halo = Chart(data(spoken)).mark_text(stroke="white", strokeWidth=4, strokeJoin="round", **words)
    text = Chart(data(spoken)).mark_text(color=INK, **words)
    name = Chart(data(nodes)).mark_text(color=INK, dy=-15, fontSize=11, fontWeight=600)
    circle = Chart(data(nodes)).mark_circle(
        color=BLUE, size=130, opacity=1, stroke="white", strokeWidth=1.5
    )
    return themed(
        alt.layer(
            link.encode(**AT, x2="x2:Q", y2="y2:Q"),
            halo.encode(**MIDDLE, text="label:N"),
            text.encode(**MIDDLE, text="label:N"),
            circle.encode(**AT, tooltip=["node:N"]),
            name.encode(**AT, text="node:N"),
        ).properties(width=_WIDTH, height=height)
    )


def _places(scenario: Laboratory) -> dict[str, tuple[float, float]]:
    """Places of nodes: columns by the number of links from the first sender, rows in between."""
    ports, columns = scenario.ports(), dict[str, int]()
    first = next(scenario.members()).ends[0]
    for start in (first, *(port.source for port in ports)):
        reached = [start] if start not in columns else []
        columns |= dict.fromkeys(reached, 0)
        while reached:
            after = [it.target for it in ports if it.source in reached and it.target not in columns]
            columns |= dict.fromkeys(after, columns[reached[0]] + 1)
            reached = list(dict.fromkeys(after))
    places: dict[str, tuple[float, float]] = {}
    for column in range(max(columns.values()) + 1):
        nodes = [node for node, at in columns.items() if at == column]
        nodes.sort(key=lambda node: -_height(node, ports, places))
        for row, node in enumerate(nodes):
            places[node] = (column, 1 - (row + 0.5) / len(nodes))
    return places


def _height(node: str, ports: Iterable[Port], places: Mapping[str, tuple[float, float]]) -> float:
    """Mean height of the neighbours that have a place."""
    heights = [places[it.source][1] for it in ports if it.target == node and it.source in places]
    return sum(heights) / len(heights) if heights else 0.5


def _links(
    scenario: Laboratory, where: Mapping[str, tuple[float, float]]
) -> Iterable[dict[str, Any]]:
    ports, stations = scenario.ports(), scenario.stations()
    ways, senders = Ways(ports), Counter[Port]()
    for pair, flows in Counter(member.ends for member in scenario.members()).items():
        senders.update(dict.fromkeys(ways.path(*pair), flows))
    backs = {(port.source, port.target): port for port in ports}
    seen: set[Port] = set()
    for port in ports:
        if port in seen:
            continue
        back = backs[port.target, port.source]
        seen |= {port, back}
        there, here = (_words(it, stations[it.station]) for it in (port, back))
        label = [*there, *_flows(senders[port])]
        label += [] if here == there else [f"back: {here[0]}", here[1]]
        label += [f"back: {words}" for words in _flows(senders[back])]
        (x, y), (x2, y2) = where[port.source], where[port.target]
        yield {
            "link": f"{port.source} to {port.target}",
            "label": "\n".join(label),
            "x": x,
            "y": y,
            "x2": x2,
            "y2": y2,
            "middle": (x + x2) / 2,
            "height": (y + y2) / 2,
        }


def _words(port: Port, station: Mapping[str, Any]) -> tuple[str, str]:
    """Rate and delay of a direction, its queue and room."""
    ((unit, rate),) = station["rate"].items()
    ((of, room),) = station["buffer"].items()
    path = [format_rate(Rate(rate, "bits" if unit.startswith("bits") else "packets"))]
    path += [format_time(port.delay)] if port.delay else []
    path += [f"loss {station['loss']:g}"] if station["loss"] else []
    return ", ".join(path), f"{station['discipline']['name']}, {format_size(Size(room, of))}"


def _flows(count: int) -> list[str]:
    return [f"{count} flow{'' if count == 1 else 's'}"] if count else []
