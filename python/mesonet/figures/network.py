"""The network map: backbone routers where they stand, links with their delays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, GREY, INK, data, themed
from mesonet.numbers import number

Geometry = Mapping[str, Sequence[Mapping[str, Any]]]

AT = {"longitude": "lon:Q", "latitude": "lat:Q"}
"""Encoding of a place."""
BETWEEN = {**AT, "longitude2": "lon2:Q", "latitude2": "lat2:Q"}
"""Encoding of a link."""


def has_map(geometry: Geometry | None) -> bool:
    """Tests whether the geometry places routers apart from one another."""
    placed = places(geometry or {})
    return len({(node["lat"], node["lon"]) for node in placed}) > 1


def network_chart(geometry: Geometry, *, width: int = 860) -> Any:
    """The map as an Altair chart.

    Args:
        geometry: `nodes` (`name`, `label`, `place`, `lat`, `lon`) and `links` (`a`, `b`,
            `delay_ms`), as a scenario's `geometry()` gives them. Nodes without a position are
            left out; `place` may be missing.
        width: Width [pixels].
    """
    nodes, roads = places(geometry), links(geometry)
    middle = {"longitude": "middle_lon:Q", "latitude": "middle_lat:Q"}
    return themed(
        map_of(
            geometry,
            Chart(data(roads))
            .mark_text(color=INK, fontSize=10.5, opacity=0.8, dy=-7)
            .encode(**middle, text="delay:N"),
            Chart(data(nodes))
            .mark_circle(color=BLUE, size=130, opacity=1, stroke="white", strokeWidth=1.5)
            .encode(**AT, tooltip=[alt.Tooltip("label:N", title="router"), "lat:Q", "lon:Q"]),
            names=nodes,
            width=width,
        )
    )


def map_of(geometry: Geometry, *layers: Any, names: Sequence[Mapping[str, Any]], width: int) -> Any:
    """Links with layers on them, and the labels of some places above these."""
    nodes = places(geometry)
    latitudes, longitudes = ([node[key] for node in nodes] for key in ("lat", "lon"))
    road = Chart(data(links(geometry))).mark_rule(color=GREY, opacity=0.9, strokeWidth=1.4)
    tooltip = [alt.Tooltip("link:N"), alt.Tooltip("delay:N", title="one-way delay, ms")]
    text = Chart(data(names)).mark_text(color=INK, dy=-14, fontSize=11, fontWeight=600)
    chart = alt.layer(
        road.encode(**BETWEEN, tooltip=tooltip), *layers, text.encode(**AT, text="label:N")
    )
    # Albers' conic with equal areas, between parallels at the ends of the network.
    chart = chart.project(
        "conicEqualArea",
        rotate=[-(min(longitudes) + max(longitudes)) / 2, 0, 0],
        parallels=[min(latitudes), max(latitudes)],
    )
    return chart.properties(width=width, height=round(0.45 * width))


def router_name(node: Mapping[str, Any]) -> str:
    """The short label by which the text speaks of a router, and where it stands."""
    label, place = str(node.get("label") or node["name"]), str(node.get("place") or "")
    return f"{label} {place}" if place and place != label else label


def places(geometry: Geometry) -> list[dict[str, Any]]:
    """Name, short and long label, `lat` and `lon` of the routers that have a place."""
    return [
        {
            "name": str(node["name"]),
            "short": str(node.get("label") or node["name"]),
            "label": router_name(node),
            "lat": node["lat"],
            "lon": node["lon"],
        }
        for node in geometry.get("nodes", ())
        if node.get("lat") is not None and node.get("lon") is not None
    ]


def links(geometry: Geometry) -> list[dict[str, Any]]:
    """Routers, delay, ends and middle of the links between places."""
    where = {node["name"]: (node["lat"], node["lon"]) for node in places(geometry)}
    rows = []
    for link in geometry.get("links", ()):
        a, b = str(link["a"]), str(link["b"])
        if a in where and b in where:
            (lat, lon), (lat2, lon2) = where[a], where[b]
            ends = {"lat": lat, "lon": lon, "lat2": lat2, "lon2": lon2}
            middle = {"middle_lat": (lat + lat2) / 2, "middle_lon": (lon + lon2) / 2}
            delay = number(link.get("delay_ms"), digits=3)
            rows.append({"a": a, "b": b, "link": f"{a} to {b}", "delay": delay, **ends, **middle})
    return rows
