"""Backbones in files: routers with places, links with delays and metrics.

Nodes have `lat`/`lon` (or `Latitude`/`Longitude`, as the Internet Topology Zoo has them) and
edges an optional `delay` (one way, ms). Without `delay`, a link takes its great-circle distance at
200 km/ms, the speed of light in fibre, and no less than `LEAST_MS`. Of parallel edges the one that
routes prefer counts.
"""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mesonet.errors import Problem, ScenarioError, show
from mesonet.scenario.backbone_files import read_graph

if TYPE_CHECKING:
    import networkx as nx

FIBRE_KM_PER_MS = 200.0
"""Distance that light travels in fibre in one millisecond [km]."""
EARTH_RADIUS_KM = 6371.0
"""Mean radius of the Earth [km]."""
LEAST_MS = 0.1
"""Least delay that follows from places [ms]: 20 km of fibre. Files place routers by city, so two of
them in one place are joined by some such length."""
MAX_METRIC = 2**24
"""Largest metric of a link, that of wide metrics in IS-IS less its reserved values, rounded."""
MAX_BACKBONE_ROUTERS = 1000
"""Most backbone routers of a topology."""
_SHOWN = 10
_UNPLACED = (
    "links without a delay, and without the places of both routers, take {} (layout.default_delay)"
)
_SHORT = f"links of less than {LEAST_MS * FIBRE_KM_PER_MS:g} km take {LEAST_MS:g} ms"
_LOOPS = "links from a router to itself are left out"
_NOTES = (_UNPLACED, _SHORT, _LOOPS)


@dataclass(frozen=True, slots=True)
class Node:
    """A backbone router; `lat` and `lon` in degrees, NaN where unknown; `place` may be empty."""

    name: str
    label: str
    lat: float
    lon: float
    place: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """A backbone link between two nodes by index; `delay_ns` one way.

    Routes minimise the sum of `metric`; None where they minimise delay.
    """

    a: int
    b: int
    delay_ns: int
    metric: int | None = None

    @property
    def cost(self) -> int:
        """Cost of the link; routes minimise its sum."""
        return self.delay_ns if self.metric is None else self.metric


class Backbone(NamedTuple):
    """Routers, the links between them, and what was made up or left out, a sentence each."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    notes: tuple[str, ...]


def read_backbone(path: Path, default_delay: float) -> Backbone:
    """Routers and links of a GraphML, GML or SNDlib file.

    Args:
        path: the file.
        default_delay: delay of a link that has none, and not both of its routers a place [s].
    """
    problems: list[Problem] = []
    try:
        # What the reader finds odd is either refused below or of no matter.
        with warnings.catch_warnings(action="ignore"):
            graph = read_graph(path, problems)
    except Exception as error:  # noqa: BLE001 - what readers raise has no common base
        message = (
            f"{path} is no GraphML, GML or SNDlib file that can be read: "
            f"{error or type(error).__name__}"
        )
        raise ScenarioError([Problem("topology", "bad_file", message)]) from None
    notes = _leave_largest_part(graph)
    count = graph.number_of_nodes()
    if not 2 <= count <= MAX_BACKBONE_ROUTERS:
        message = (
            f"expected 2 to {MAX_BACKBONE_ROUTERS} backbone routers that links join, "
            f"{path} has {count}"
        )
        raise ScenarioError([Problem("topology", "size", message)])
    nodes = _nodes(graph, problems)
    default = f"{default_delay * 1e3:g} ms"
    counts = Counter[str]()
    edges = _edges(graph, nodes, round(default_delay * 1e9), problems, counts)
    if problems:
        raise ScenarioError(problems)
    notes += [f"{note.format(default)}: {counts[note]}" for note in _NOTES if counts[note]]
    return Backbone(nodes, edges, tuple(f"{path.name}: {note}" for note in notes))


def _leave_largest_part(graph: nx.Graph[Any]) -> list[str]:
    """Removes all routers outside the largest connected part, of equals the first; says so."""
    import networkx as nx

    parts = list(nx.connected_components(nx.Graph(graph)))
    if len(parts) < 2:
        return []
    largest = max(parts, key=len)
    outside = [(key, data) for key, data in graph.nodes(data=True) if key not in largest]
    names = ", ".join(str(data.get("label", key)) for key, data in outside[:_SHOWN])
    more = ", ..." if len(outside) > _SHOWN else ""
    total = graph.number_of_nodes()
    graph.remove_nodes_from([key for key, _ in outside])
    why = "for no links join them to the others"
    return [f"{len(outside)} of {total} routers are left out, {why}: {names}{more}"]


def _nodes(graph: nx.Graph[Any], problems: list[Problem]) -> tuple[Node, ...]:
    labels = [str(data.get("label", key)) for key, data in graph.nodes(data=True)]
    if len(set(labels)) < len(labels):
        labels = [str(key) for key in graph.nodes]
    # PoPs and access routers below router R are R1 and R1a, as routers of the file may be, too.
    taken = {re.sub(r"\d+[a-z]*$", "", label) for label in labels if not label.isalpha()}
    free = (letter for letter in map(letters, count()) if letter not in taken)
    nodes = []
    for label, (_, data) in zip(labels, graph.nodes(data=True), strict=True):
        place = f"topology: router {label}"
        lat = _degrees(data, ("lat", "latitude", "Latitude"), 90.0, place, problems)
        lon = _degrees(data, ("lon", "longitude", "Longitude"), 180.0, place, problems)
        nodes.append(Node(label, next(free), lat, lon, label))
    return tuple(nodes)


def _degrees(
    data: dict[str, Any], names: Sequence[str], most: float, place: str, problems: list[Problem]
) -> float:
    """A coordinate; NaN where there is none, or one from which no distance follows."""
    value = _number(data, names, place, problems)
    if abs(value) <= most:
        return value
    if math.isfinite(value):
        message = f"expected a {names[1]} from -{most:g} to {most:g} degrees, got {value:g}"
        problems.append(Problem(place, "range", message))
    return math.nan


def _edges(
    graph: nx.Graph[Any],
    nodes: tuple[Node, ...],
    default_ns: int,
    problems: list[Problem],
    counts: Counter[str],
) -> tuple[Edge, ...]:
    """The links of a graph; of parallel ones the one that routes prefer.

    `counts` gets how many were filled in or left out, by note.
    """
    index = {key: here for here, key in enumerate(graph.nodes)}
    by_metric = any("metric" in data for _, _, data in graph.edges(data=True))
    best: dict[tuple[int, int], Edge] = {}
    for source, target, data in graph.edges(data=True):
        a, b = sorted((index[source], index[target]))
        if a == b:
            counts[_LOOPS] += 1
            continue
        place = f"topology: link {nodes[a].name}-{nodes[b].name}"
        metric = _metric(data, place, problems) if by_metric else None
        before = len(problems)
        delay_ms = _number(data, ("delay", "delay_ms"), place, problems)
        if len(problems) > before:
            continue
        if math.isnan(delay_ms):
            delay_ms = great_circle_km(nodes[a], nodes[b]) / FIBRE_KM_PER_MS
            if math.isnan(delay_ms):
                counts[_UNPLACED] += 1
                delay_ms = default_ns / 1e6
            elif delay_ms < LEAST_MS:
                counts[_SHORT] += 1
                delay_ms = LEAST_MS
        if not 0.000001 <= delay_ms <= 100_000:
            message = f"expected a delay above zero and up to 100000 ms, got {delay_ms:g} ms"
            problems.append(Problem(place, "range", message))
        edge = Edge(a, b, round(delay_ms * 1_000_000), metric)
        best[a, b] = min(edge, best.get((a, b), edge), key=lambda e: (e.cost, e.delay_ns))
    return tuple(best.values())


def _metric(data: dict[str, Any], place: str, problems: list[Problem]) -> int:
    if "metric" not in data:
        message = "has no metric although other links have one; give one to all links or to none"
        problems.append(Problem(place, "missing", message))
        return 1
    value = _number(data, ("metric",), place, problems)
    if math.isfinite(value) and (value != int(value) or not 1 <= value <= MAX_METRIC):
        message = f"expected a metric of 1 to {MAX_METRIC}, a whole number, got {value:g}"
        problems.append(Problem(place, "range", message))
    return int(value) if math.isfinite(value) else 1


def _number(
    data: dict[str, Any], names: Iterable[str], place: str, problems: list[Problem]
) -> float:
    """The first attribute of these names, NaN where there is none."""
    for name in names:
        if name in data:
            try:
                value = math.nan if isinstance(data[name], bool) else float(data[name])
            except (TypeError, ValueError, OverflowError):
                value = math.nan
            if not math.isfinite(value):
                message = f"expected a number for {name}, got {show(data[name])}"
                problems.append(Problem(place, "number", message))
            return value
    return math.nan


def great_circle_km(a: Node, b: Node) -> float:
    """Distance between two nodes along the Earth's surface [km]; NaN where a place is unknown."""
    lat_a, lat_b = math.radians(a.lat), math.radians(b.lat)
    half_lat, half_lon = (lat_b - lat_a) / 2, math.radians(b.lon - a.lon) / 2
    chord = math.sin(half_lat) ** 2 + math.cos(lat_a) * math.cos(lat_b) * math.sin(half_lon) ** 2
    return 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(chord))


def letters(number: int) -> str:
    """A, B, ... Z, AA, AB ... as in the columns of a spreadsheet."""
    text = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        text = chr(ord("A") + digit) + text
    return text
