"""The network map: backbone routers where they stand, links with their delays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
from matplotlib.figure import Figure

from mesonet.figures.projection import fitted, graticule
from mesonet.figures.style import BLUE, INK, data, number, paper, sheet, themed

Geometry = Mapping[str, Sequence[Mapping[str, Any]]]


def has_map(geometry: Geometry | None) -> bool:
    """Whether the geometry places any router."""
    return bool(geometry and _placed(geometry))


def network_chart(geometry: Geometry, *, width: int = 860) -> Any:
    """The map as an Altair chart.

    Args:
        geometry: `nodes` (`name`, `label`, `lat`, `lon`) and `links` (`a`, `b`, `delay_ms`), as
            a scenario's `geometry()` gives them. Nodes without a position are left out.
        width: Of the chart, in pixels.
    """
    grid, nodes, links = _drawn(geometry)
    xs, ys = _extent(grid, nodes)
    height = round(width * (ys[1] - ys[0]) / (xs[1] - xs[0]))
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=list(xs), nice=False, zero=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=list(ys), nice=False, zero=False))
    lines = [
        {"line": index, "name": name, "order": order, "x": px, "y": py}
        for index, (name, path) in enumerate(grid)
        for order, (px, py) in enumerate(path)
    ]
    ends = [{"name": name, "x": path[0][0], "y": path[0][1]} for name, path in grid]
    layers = [
        alt.Chart(data(lines))
        .mark_line(color=INK, opacity=0.13, strokeWidth=0.8)
        .encode(x, y, detail="line:N", order="order:Q"),
        alt.Chart(data(ends))
        .mark_text(color=INK, opacity=0.45, fontSize=9, dy=10, dx=2, align="left")
        .encode(x, y, text="name:N"),
        alt.Chart(data(links))
        .mark_rule(color=BLUE, strokeWidth=2, opacity=0.75)
        .encode(
            x,
            y,
            x2="x2:Q",
            y2="y2:Q",
            tooltip=[
                alt.Tooltip("link:N", title="link"),
                alt.Tooltip("delay:N", title="one-way delay"),
            ],
        ),
        alt.Chart(data([_label(link, "short") for link in links]))
        .mark_text(color=INK, fontSize=10.5, opacity=0.8)
        .encode(x, y, text="text:N"),
        alt.Chart(data(nodes))
        .mark_circle(color=BLUE, size=130, opacity=1, stroke="white", strokeWidth=1.5)
        .encode(
            x,
            y,
            tooltip=[
                alt.Tooltip("label:N", title="router"),
                alt.Tooltip("place:N", title="position"),
            ],
        ),
    ]
    # One layer per alignment: the alignment of a text mark cannot come from its data.
    layers += [
        alt.Chart(data([_label(node, "label") for node in nodes if node["align"] == align]))
        .mark_text(color=INK, fontSize=12, fontWeight=600, align=align)
        .encode(x, y, text="text:N")
        for align in sorted({node["align"] for node in nodes})
    ]
    return themed(alt.layer(*layers).properties(width=width, height=height))


def network_figure(geometry: Geometry) -> Figure:
    """The map as a matplotlib figure; see `network_chart`."""
    grid, nodes, links = _drawn(geometry)
    with paper():
        xs, ys = _extent(grid, nodes)
        figure = sheet(7.0, 7.0 * (ys[1] - ys[0]) / (xs[1] - xs[0]))
        axes = figure.add_subplot(xlim=xs, ylim=ys, aspect="equal")
        axes.set_axis_off()
        for name, path in grid:
            axes.plot(*zip(*path, strict=True), color="0.85", lw=0.5, zorder=1)
            axes.annotate(name, path[0], (2, -7), textcoords="offset points", color="0.6", size=5.5)
        for link in links:
            ends = [link["x"], link["x2"]], [link["y"], link["y2"]]
            axes.plot(*ends, color=BLUE, lw=1.3, alpha=0.7, zorder=2)
            axes.text(
                link["label_x"], link["label_y"], link["short"], ha="center", va="center", size=6
            )
        for node in nodes:
            axes.plot(node["x"], node["y"], "o", color=BLUE, mec="white", ms=6, zorder=4)
            axes.text(
                node["label_x"],
                node["label_y"],
                node["label"],
                ha=node["align"],
                va="center",
                weight="bold",
                size=7,
                zorder=5,
            )
    return figure


def _label(item: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {"x": item["label_x"], "y": item["label_y"], "text": item[key]}


def _placed(geometry: Geometry) -> list[Mapping[str, Any]]:
    return [
        node
        for node in geometry.get("nodes", ())
        if node.get("lat") is not None and node.get("lon") is not None
    ]


Path = tuple[str, list[tuple[float, float]]]


def _drawn(geometry: Geometry) -> tuple[list[Path], list[dict[str, Any]], list[dict[str, Any]]]:
    placed = _placed(geometry)
    points = [(float(node["lat"]), float(node["lon"])) for node in placed]
    project = fitted(points)
    grid = [(name, [project(*point) for point in path]) for name, path in graticule(points)]
    where = {str(node["name"]): project(*point) for node, point in zip(placed, points, strict=True)}
    ends = [
        (str(link["a"]), str(link["b"]), number(link.get("delay_ms"), digits=3))
        for link in geometry.get("links", ())
        if str(link["a"]) in where and str(link["b"]) in where
    ]
    # One unit of label distance: a fortieth of the width of what is drawn.
    xs = [x for x, _ in where.values()]
    unit = max(max(xs) - min(xs), 1e-3) / 40.0
    links = [
        {"link": f"{a} to {b}", "delay": f"{delay} ms", "short": delay}
        | _link(where[a], where[b], unit)
        for a, b, delay in ends
    ]
    nodes: list[dict[str, Any]] = []
    for node in placed:
        name = str(node["name"])
        names = [
            (other["label_x"] + _REACH[other["align"]] * unit, other["label_y"]) for other in nodes
        ]
        neighbours = [where[b if a == name else a] for a, b, _ in ends if name in (a, b)]
        nodes.append(
            {
                "label": str(node.get("label") or name),
                "place": f"{node['lat']:.2f}, {node['lon']:.2f}",
                **_beside(where[name], neighbours, [*where.values(), *names], unit),
            }
        )
    return grid, nodes, links


def _link(a: tuple[float, float], b: tuple[float, float], unit: float) -> dict[str, Any]:
    """A link with its label beside its middle."""
    (x, y), (x2, y2) = a, b
    length = math.hypot(x2 - x, y2 - y) or 1.0
    # To the upper side of flat links and to the right of steep ones.
    side = 1.0 if x2 > x or (x2 == x and y2 < y) else -1.0
    label_x = (x + x2) / 2.0 - side * (y2 - y) / length * 0.55 * unit
    label_y = (y + y2) / 2.0 + side * (x2 - x) / length * 0.55 * unit
    return {"x": x, "y": y, "x2": x2, "y2": y2, "label_x": label_x, "label_y": label_y}


# Where a name may stand around its router: direction, distance in units, alignment.
_SPOTS = (
    (0.0, -1.0, 0.95, "center"),
    (0.0, 1.0, 0.95, "center"),
    (1.0, 0.0, 0.6, "left"),
    (-1.0, 0.0, 0.6, "right"),
    (0.8, -0.6, 0.75, "left"),
    (-0.8, -0.6, 0.75, "right"),
    (0.8, 0.6, 0.75, "left"),
    (-0.8, 0.6, 0.75, "right"),
)


# Where the middle of a name lies from its anchor, in units.
_REACH = {"left": 2.2, "right": -2.2, "center": 0.0}


def _beside(
    at: tuple[float, float],
    neighbours: list[tuple[float, float]],
    everyone: list[tuple[float, float]],
    unit: float,
) -> dict[str, Any]:
    """The position of a router and of its name, on the side where links and routers are least."""
    middle = (
        sum(x for x, _ in everyone) / len(everyone),
        sum(y for _, y in everyone) / len(everyone),
    )
    away = math.hypot(middle[0] - at[0], middle[1] - at[1]) or 1.0

    def crowding(spot: tuple[float, float, float, str]) -> float:
        dx, dy, _, align = spot
        # The name reaches some units towards its free end.
        reach = 2.2 * unit
        centre = (at[0] + dx * reach, at[1] + dy * 1.1 * unit)
        total = 0.0 if align == "center" else 0.15
        # Outside of the network there is room.
        inward = ((middle[0] - at[0]) * dx + (middle[1] - at[1]) * dy) / away
        total += 0.4 * max(inward, 0.0)
        for x, y in neighbours:
            length = math.hypot(x - at[0], y - at[1]) or 1.0
            cosine = ((x - at[0]) * dx + (y - at[1]) * dy) / length
            total += max(cosine, 0.0) ** 3
        for x, y in everyone:
            if (x, y) != at:
                total += 1.5 * math.exp(-((math.hypot(x - centre[0], y - centre[1]) / reach) ** 2))
        return total

    dx, dy, distance, align = min(_SPOTS, key=crowding)
    return {
        "x": at[0],
        "y": at[1],
        "label_x": at[0] + dx * distance * unit,
        "label_y": at[1] + dy * distance * unit,
        "align": align,
    }


def _extent(
    grid: Sequence[Path], nodes: Sequence[Mapping[str, Any]]
) -> tuple[tuple[float, float], tuple[float, float]]:
    xs = [x for _, path in grid for x, _ in path] + [node["x"] for node in nodes]
    ys = [y for _, path in grid for _, y in path] + [node["y"] for node in nodes]
    width, height = max(max(xs) - min(xs), 1e-3), max(max(ys) - min(ys), 1e-3)
    # A network along one line would have no height to draw in.
    spare = max(0.42 * width - height, 0.0) / 2.0
    return (
        (min(xs) - 0.02 * width, max(xs) + 0.02 * width),
        (min(ys) - 0.05 * height - spare, max(ys) + 0.03 * height + spare),
    )
