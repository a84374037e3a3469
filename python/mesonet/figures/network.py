"""The network map: backbone routers where they stand, links with their delays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from mesonet.figures.chart import Chart
from mesonet.figures.projection import fitted, graticule
from mesonet.figures.style import BLUE, INK, data, themed
from mesonet.numbers import number

Geometry = Mapping[str, Sequence[Mapping[str, Any]]]


def has_map(geometry: Geometry | None) -> bool:
    """Tests whether the geometry places any router."""
    return bool(geometry and _placed(geometry))


def network_chart(geometry: Geometry) -> Any:
    """The map as an Altair chart.

    Args:
        geometry: `nodes` (`name`, `label`, `place`, `lat`, `lon`) and `links` (`a`, `b`,
            `delay_ms`), as a scenario's `geometry()` gives them. Nodes without a position are
            left out; `place` may be missing.
    """
    drawn = Map.of(geometry, width=860)
    lines = [
        {"line": index, "name": name, "order": order, "x": px, "y": py}
        for index, (name, path) in enumerate(drawn.grid)
        for order, (px, py) in enumerate(path)
    ]
    ends = [{"name": name, "x": path[0][0], "y": path[0][1]} for name, path in drawn.grid]
    layers = [
        Chart(data(lines))
        .mark_line(color=INK, opacity=0.13, strokeWidth=0.8)
        .encode(drawn.x, drawn.y, detail="line:N", order="order:Q"),
        Chart(data(ends))
        .mark_text(color=INK, opacity=0.65, fontSize=9, dy=10, dx=2, align="left")
        .encode(drawn.x, drawn.y, text="name:N"),
        Chart(data(drawn.links))
        .mark_rule(color=BLUE, strokeWidth=2, opacity=1)
        .encode(
            drawn.x,
            drawn.y,
            x2="x2:Q",
            y2="y2:Q",
            tooltip=[
                alt.Tooltip("link:N", title="link"),
                alt.Tooltip("delay:N", title="one-way delay"),
            ],
        ),
        Chart(data(drawn.links))
        .mark_text(color=INK, fontSize=10.5, opacity=0.8, dy=-7)
        .encode(_at(drawn.x, "middle_x"), _at(drawn.y, "middle_y"), text="short:N"),
        Chart(data(drawn.nodes))
        .mark_circle(color=BLUE, size=130, opacity=1, stroke="white", strokeWidth=1.5)
        .encode(
            drawn.x,
            drawn.y,
            tooltip=[
                alt.Tooltip("label:N", title="router"),
                alt.Tooltip("position:N", title="position"),
            ],
        ),
        drawn.names(size=11.5, weight=600),
    ]
    return themed(drawn.of_layers(layers))


def _at(axis: Any, field: str) -> Any:
    """The axis with another field."""
    other = axis.copy()
    other.shorthand = f"{field}:Q"
    return other


def router_name(node: Mapping[str, Any]) -> str:
    """The short label by which the text speaks of a router, and where it stands."""
    label, place = str(node.get("label") or node["name"]), str(node.get("place") or "")
    return f"{label} {place}" if place and place != label else label


def _placed(geometry: Geometry) -> list[Mapping[str, Any]]:
    return [
        node
        for node in geometry.get("nodes", ())
        if node.get("lat") is not None and node.get("lon") is not None
    ]


Path = tuple[str, list[tuple[float, float]]]


@dataclass(frozen=True)
class Map:
    """A network in the plane.

    Attributes:
        grid: Graticule, by name.
        nodes: Routers with `name`, `label`, `position`, `x`, `y`.
        links: Links with `a`, `b`, both ends and their middle.
        x: Horizontal axis.
        y: Vertical axis.
        corner: The upper left corner.
        width: Width [pixels].
        height: Height [pixels].
    """

    grid: list[Path]
    nodes: list[dict[str, Any]]
    links: list[dict[str, Any]]
    x: Any
    y: Any
    corner: tuple[float, float]
    width: int
    height: int

    @classmethod
    def of(cls, geometry: Geometry, *, width: int, globe: bool = True) -> Map:
        """The map of routers that have a place, with or without the graticule around them."""
        grid, nodes, links = _projected(geometry)
        grid = grid if globe else []
        xs, ys = _extent(grid, nodes)
        hidden: dict[str, Any] = {"axis": None}
        return cls(
            grid=grid,
            nodes=nodes,
            links=links,
            x=alt.X("x:Q", scale=alt.Scale(domain=list(xs), nice=False, zero=False), **hidden),
            y=alt.Y("y:Q", scale=alt.Scale(domain=list(ys), nice=False, zero=False), **hidden),
            corner=(xs[0], ys[1]),
            width=width,
            height=round(width * (ys[1] - ys[0]) / (xs[1] - xs[0])),
        )

    def names(
        self, *, size: float, weight: float | None = None, text: Mapping[str, str] | None = None
    ) -> Any:
        """The names of the routers above them, or a text for some."""
        nodes = [
            {**node, "label": node["label"] if text is None else text[node["name"]]}
            for node in self.nodes
            if text is None or node["name"] in text
        ]
        style = {"fontSize": size} | ({} if weight is None else {"fontWeight": weight})
        mark = Chart(data(nodes)).mark_text(color=INK, dy=-14, **style)
        return mark.encode(self.x, self.y, text="label:N")

    def of_layers(self, layers: Sequence[Any]) -> Any:
        """The layers on a map of this size."""
        return alt.layer(*layers).properties(width=self.width, height=self.height)


def _projected(geometry: Geometry) -> tuple[list[Path], list[dict[str, Any]], list[dict[str, Any]]]:
    """Graticule, nodes and links of a map, projected."""
    placed = _placed(geometry)
    points = [(float(node["lat"]), float(node["lon"])) for node in placed]
    project = fitted(points)
    grid = [(name, [project(*point) for point in path]) for name, path in graticule(points)]
    where = {str(node["name"]): project(*point) for node, point in zip(placed, points, strict=True)}
    links = [
        _link(a, b, number(link.get("delay_ms"), digits=3), where)
        for link in geometry.get("links", ())
        if (a := str(link["a"])) in where and (b := str(link["b"])) in where
    ]
    nodes = [
        {
            "name": str(node["name"]),
            "label": router_name(node),
            "position": f"{node['lat']:.2f}, {node['lon']:.2f}",
            "x": where[str(node["name"])][0],
            "y": where[str(node["name"])][1],
        }
        for node in placed
    ]
    return grid, nodes, links


def _link(a: str, b: str, delay: str, where: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    (x, y), (x2, y2) = where[a], where[b]
    return {
        "a": a,
        "b": b,
        "link": f"{a} to {b}",
        "delay": f"{delay} ms",
        "short": delay,
        "x": x,
        "y": y,
        "x2": x2,
        "y2": y2,
        "middle_x": (x + x2) / 2,
        "middle_y": (y + y2) / 2,
    }


def _extent(
    grid: Sequence[Path], nodes: Sequence[Mapping[str, Any]]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """West and east, south and north of what is drawn."""
    xs = [x for _, path in grid for x, _ in path] + [node["x"] for node in nodes]
    ys = [y for _, path in grid for _, y in path] + [node["y"] for node in nodes]
    width, height = max(max(xs) - min(xs), 1e-3), max(max(ys) - min(ys), 1e-3)
    # A network along one line would have no height to draw in.
    spare = max(0.42 * width - height, 0.0) / 2.0
    return (
        (min(xs) - 0.02 * width, max(xs) + 0.02 * width),
        (min(ys) - 0.05 * height - spare, max(ys) + 0.03 * height + spare),
    )
