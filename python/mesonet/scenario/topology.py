"""Backbones with PoPs and access routers, built in or of a file, and shortest paths.

Routes minimise delay, or, if the links have a `metric`, its sum. The tiers below a backbone are
laid out by the rule in `lay_out`.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from mesonet.errors import Problem, ScenarioError, did_you_mean, show
from mesonet.scenario.backbone import Edge, Node, letters, read_backbone
from mesonet.scenario.types import Duration, Frozen, NonNegativeInt, PositiveInt

BUILT_IN = ("abilene", "isp", "abilene-reversed")
"""Names of the topologies that come with mesonet."""
_REVERSED = "-reversed"
"""Ends the name of a topology whose backbone routers have their letters, and with them the routers
below, in reverse order: which city has which letter in the published experiments is not known."""
MAX_ROUTERS = 3000
"""Most PoPs and access routers of a topology; the table of routes grows with their square."""

AccessClass = Literal["N", "F", "D"]
PathKind = Literal["farthest", "mean", "nearest"]


@dataclass(frozen=True, slots=True)
class Access:
    """An access router, below a PoP (by index) or, class D, directly on its backbone router."""

    name: str
    kind: AccessClass
    pop: int | None
    backbone: int


@dataclass(frozen=True, eq=False)
class Topology:
    """Three tiers of routers. Delays are whole nanoseconds, so that equal paths compare equal.

    Compared by identity: it is large, and `load_topology` gives the same one again.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    pops: tuple[tuple[str, int], ...]
    access: tuple[Access, ...]
    distance_ns: tuple[tuple[int, ...], ...]
    """Delay along the shortest path, by origin and destination."""
    hops: tuple[tuple[int, ...], ...]
    """Links of the shortest path, by origin and destination."""
    next_node: tuple[tuple[int, ...], ...]
    """Next node of the shortest path, by origin and destination."""
    notes: tuple[str, ...] = ()
    """Notes on what was filled in for a file or left out of it, a sentence each."""

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Ordered pairs of different backbone routers: the paths of the network."""
        count = len(self.nodes)
        return ((a, b) for a in range(count) for b in range(count) if a != b)

    def mean_rtt_ms(self) -> Fraction:
        """Mean round-trip propagation delay over all paths, exactly [ms]."""
        count = len(self.nodes) * (len(self.nodes) - 1)
        return Fraction(2 * self._total_ns, count * 1_000_000)

    @cached_property
    def _total_ns(self) -> int:
        return sum(map(sum, self.distance_ns))

    @cached_property
    def notable_paths(self) -> dict[PathKind, tuple[int, int]]:
        """Paths of longest, most average and shortest round trip; of equals the first in order."""
        distances = set().union(*self.distance_ns) - {0}
        count = len(self.nodes) * (len(self.nodes) - 1)
        from_mean = {ns: abs(ns * count - self._total_ns) for ns in distances}
        minimum = min(from_mean.values())
        return {
            "farthest": self._first_of({max(distances)}),
            "mean": self._first_of({ns for ns in distances if from_mean[ns] == minimum}),
            "nearest": self._first_of({min(distances)}),
        }

    def _first_of(self, distances: set[int]) -> tuple[int, int]:
        """The first path of one of these delays."""
        return next(
            (a, row.index(next(ns for ns in row if ns in distances)))
            for a, row in enumerate(self.distance_ns)
            if not distances.isdisjoint(row)
        )


class Layout(Frozen):
    """Choices that the file of a backbone leaves open: the tiers below it, and delays."""

    pops: PositiveInt = 2
    """PoPs per backbone router."""
    normal: NonNegativeInt = 5
    """N-class access routers per PoP; every second PoP has one fewer, as in Abilene (4.8 each)."""
    fast: NonNegativeInt = 1
    """F-class access routers per PoP."""
    direct: NonNegativeInt | None = None
    """D-class access routers in all, on the backbone routers of highest degree; when not given,
    half as many as there are backbone routers, rounded up (6 of 11 in Abilene)."""
    default_delay: Annotated[Duration, Field(ge=1e-9, le=100)] = 0.0005
    """One-way delay of a link without one whose routers have not both a place; 0.5 ms is the median
    of the links between places in the Internet Topology Zoo."""


def load_topology(name: str, layout: Layout | None = None) -> Topology:
    """The built-in topology `name`, or the one in the file `name`: GraphML, GML or SNDlib's XML."""
    if name in BUILT_IN:
        if layout is not None:
            message = f'applies to files; "{name}" brings its own access routers'
            raise ScenarioError([Problem("layout", "conflict", message)])
        return _built_in(name)
    path = Path(name)
    if not path.is_file():
        names = ", ".join(f'"{choice}"' for choice in BUILT_IN)
        hint = did_you_mean(name, BUILT_IN)
        why = "is no file" if path.exists() else "does not exist"
        expected = f"expected {names} or a GraphML, GML or SNDlib file"
        message = f"{expected}, got {show(name)}, which {why}{hint}"
        raise ScenarioError([Problem("topology", "missing_file", message)])
    state = path.stat()
    return _from_file(path, (state.st_mtime_ns, state.st_size), layout or Layout())


# A plan resolves the same topology for each of its runs; routes of a large one take seconds.
@lru_cache(maxsize=8)
def _from_file(path: Path, state: tuple[int, int], layout: Layout) -> Topology:  # noqa: ARG001
    nodes, edges, notes = read_backbone(path, layout.default_delay)
    pops, access = lay_out(nodes, edges, layout)
    return replace(_routed(nodes, edges, pops, access), notes=notes)


@lru_cache
def _built_in(name: str) -> Topology:
    reverse = name.endswith(_REVERSED)
    file = f"{name.removesuffix(_REVERSED)}.json"
    data = json.loads((resources.files("mesonet") / "data" / file).read_text("utf-8"))
    nodes = tuple(Node(n["name"], n["label"], n["lat"], n["lon"], n["city"]) for n in data["nodes"])
    index = {node.name: here for here, node in enumerate(nodes)}
    # What is below a router goes by its letter, so letters take it along.
    below = {name: len(nodes) - 1 - here if reverse else here for name, here in index.items()}
    if reverse:
        labels = [node.label for node in reversed(nodes)]
        nodes = tuple(replace(node, label=label) for node, label in zip(nodes, labels, strict=True))
    edges = tuple(
        Edge(index[link["a"]], index[link["b"]], link["delay_ms"] * 1_000_000, link.get("metric"))
        for link in data["links"]
    )
    pops = tuple((pop["name"], below[pop["backbone"]]) for pop in data["pops"])
    pop_index = {pop[0]: here for here, pop in enumerate(pops)}
    access = tuple(
        Access(a["name"], a["class"], pop_index.get(a["pop"]), below[a["backbone"]])
        for a in data["access_routers"]
    )
    return _routed(nodes, edges, pops, access)


def lay_out(
    nodes: tuple[Node, ...], edges: tuple[Edge, ...], layout: Layout
) -> tuple[tuple[tuple[str, int], ...], tuple[Access, ...]]:
    """PoPs and access routers below a backbone.

    Backbone routers are lettered A, B, ... Z, AA ... in file order, without R if one is called R1.
    Router A has the PoPs A1, A2, ...; PoP A1 has the access routers A1a, A1b, ..., first the F,
    then the N class. D routers are A0a, on the backbone routers of highest degree (equal degrees:
    in file order), one each before any has two.
    """
    count = len(nodes)
    direct_routers = (count + 1) // 2 if layout.direct is None else layout.direct
    total = count * layout.pops * (1 + layout.fast + layout.normal) + direct_routers
    if total > MAX_ROUTERS:
        message = f"{count} backbone routers would get {total} PoPs and access routers"
        problem = Problem("layout", "too_large", f"{message}; the limit is {MAX_ROUTERS}")
        raise ScenarioError([problem])
    degree = [0] * count
    for edge in edges:
        degree[edge.a] += 1
        degree[edge.b] += 1
    ranked = sorted(range(count), key=lambda here: (-degree[here], here))
    direct = [0] * count
    for turn in range(direct_routers):
        direct[ranked[turn % count]] += 1
    pops: list[tuple[str, int]] = []
    access: list[Access] = []
    for here, node in enumerate(nodes):
        for turn in range(layout.pops):
            pops.append((f"{node.label}{turn + 1}", here))
            normal = max(layout.normal - turn % 2, 0)
            kinds: list[AccessClass] = [*["F"] * layout.fast, *["N"] * normal]  # type: ignore[list-item]
            access += [
                Access(f"{pops[-1][0]}{letters(letter).lower()}", kind, len(pops) - 1, here)
                for letter, kind in enumerate(kinds)
            ]
        access += [
            Access(f"{node.label}0{letters(letter).lower()}", "D", None, here)
            for letter in range(direct[here])
        ]
    return tuple(pops), tuple(access)


def _routed(
    nodes: tuple[Node, ...],
    edges: tuple[Edge, ...],
    pops: tuple[tuple[str, int], ...],
    access: tuple[Access, ...],
) -> Topology:
    """Adds shortest paths of a connected backbone.

    Least cost counts, then fewest links, then the next node that comes first.
    """
    trees = _trees(len(nodes), edges)
    # From every node, by target; the table is by origin first.
    hops, next_node, distance = (
        tuple(zip(*([way[part] for way in tree if way] for tree in trees), strict=True))
        for part in range(3)
    )
    return Topology(nodes, edges, pops, access, distance, hops, next_node)


def without(topology: Topology, missing: frozenset[int]) -> Topology:
    """The topology with routes around some edges; next nodes are -1 where no path is left."""
    left = [edge for here, edge in enumerate(topology.edges) if here not in missing]
    trees = _trees(len(topology.nodes), left)
    next_node = zip(*([way[1] if way else -1 for way in tree] for tree in trees), strict=True)
    return replace(topology, next_node=tuple(next_node))


def _trees(nodes: int, edges: Iterable[Edge]) -> list[list[tuple[int, int, int] | None]]:
    """Shortest paths from every node, by target."""
    neighbours: list[list[tuple[int, int]]] = [[] for _ in range(nodes)]
    delay: dict[tuple[int, int], int] = {}
    for edge in edges:
        neighbours[edge.a].append((edge.b, edge.cost))
        neighbours[edge.b].append((edge.a, edge.cost))
        delay[edge.a, edge.b] = delay[edge.b, edge.a] = edge.delay_ns
    return [_paths_to(target, neighbours, delay) for target in range(nodes)]


def _paths_to(
    target: int, neighbours: list[list[tuple[int, int]]], delay: dict[tuple[int, int], int]
) -> list[tuple[int, int, int] | None]:
    """Links, next node and delay from every node to a target; `None` where there is no path."""
    best: list[tuple[int, int, int] | None] = [None] * len(neighbours)
    # Every link costs something, so all nodes that may come next are known when a node's turn
    # comes, and of equals the heap gives the first.
    queue = [(0, 0, target, target)]
    while queue:
        cost, hops, here, following = heapq.heappop(queue)
        if best[here] is not None:
            continue
        rest = best[following]
        far = 0 if rest is None else delay[here, following] + rest[2]
        best[here] = (hops, following, far)
        for node, more in neighbours[here]:
            if best[node] is None:
                heapq.heappush(queue, (cost + more, hops + 1, node, here))
    return best
