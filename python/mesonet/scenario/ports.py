"""Ways through a network of named nodes, and the routing tables of the engine that follow."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

NOWHERE, HERE = -2, -1
"""Next hops that are no link: a station that has no way to a site, and one that delivers to it."""


class Port(NamedTuple):
    """One direction of a link: packets queue at its station, then travel for its delay."""

    source: str
    """Node that it leaves."""
    target: str
    """Node that it enters."""
    station: int
    """Index of its station; the directions of a half-duplex link share theirs."""
    delay: float = 0.0
    """Propagation delay [s]."""


class Ways:
    """Shortest ways over ports, by delay, then by the number of hops, then by the order of ports.

    To one node they make a tree, so that the next hop depends on nothing but the destination.
    """

    def __init__(self, ports: Sequence[Port]) -> None:
        self.ports = ports
        self._into: dict[str, list[tuple[int, Port]]] = {}
        for here, port in enumerate(ports):
            self._into.setdefault(port.target, []).append((here, port))
        self._trees: dict[str, dict[str, Port]] = {}

    def path(self, source: str, receiver: str) -> list[Port]:
        """Ports from one node to another; empty if there is no way."""
        tree, path, here = self._tree(receiver), list[Port](), source
        while here != receiver:
            if here not in tree:
                return []
            path.append(tree[here])
            here = path[-1].target
        return path

    def next_port(self, node: str, receiver: str) -> Port | None:
        """The port to take at a node; `None` if there is no way, and at the receiver."""
        return self._tree(receiver).get(node)

    def without(self, links: Collection[int]) -> Ways:
        """Ways without some links, each of which has two ports that follow one another."""
        return Ways([port for here, port in enumerate(self.ports) if here // 2 not in links])

    def round_trip(self, source: str, receiver: str) -> float:
        """Propagation delay of the ways there and back [s]."""
        trip = (*self.path(source, receiver), *self.path(receiver, source))
        return sum(port.delay for port in trip)

    def _tree(self, receiver: str) -> dict[str, Port]:
        """The port to take at every node that reaches the receiver (Dijkstra, 1959)."""
        if receiver in self._trees:
            return self._trees[receiver]
        tree = self._trees[receiver] = {}
        # Picoseconds, as the engine counts, so that equal delays compare equal.
        heap: list[tuple[int, int, int, str, Port | None]] = [(0, 0, -1, receiver, None)]
        done: set[str] = set()
        while heap:
            delay, hops, _, node, by = heapq.heappop(heap)
            if node in done:
                continue
            done.add(node)
            if by is not None:
                tree[node] = by
            for here, port in self._into.get(node, ()):
                further = delay + round(port.delay * 1e12)
                heapq.heappush(heap, (further, hops + 1, here, port.source, port))
        return tree


@dataclass(frozen=True)
class Routes:
    """Routing tables of the engine for flows between pairs of nodes."""

    links: list[dict[str, Any]]
    """Hops between stations."""
    next_link: list[list[int]]
    """Next hop by station and site."""
    sites: list[dict[str, Any]]
    """Nodes that send, one for each station at which they do."""
    nodes: list[str]
    """Name of the node of each site."""
    ends: dict[tuple[str, str], tuple[int, int]]
    """Sites of source and receiver by pair of nodes."""
    delays: dict[tuple[str, str], tuple[float, float]]
    """Delay of the round trip, and that of the last links of both ways [s]. The engine has no delay
    between a station and its hosts but that of interfaces, which is a fourth of the latter."""
    changes: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    """Routes of stations that change, by the index of the station."""


def routes(ways: Ways, pairs: Iterable[tuple[str, str]], stations: int) -> Routes:
    """Tables for flows between pairs of nodes that have ways there and back."""
    order = {node: here for here, node in enumerate(_nodes(ways.ports))}
    trips = {pair: (ways.path(*pair), ways.path(*pair[::-1])) for pair in pairs}
    starts = {
        (way[0].station, order[way[0].source], way[0].source)
        for trip in trips.values()
        for way in trip
    }
    sites = {(station, node): here for here, (station, _, node) in enumerate(sorted(starts))}
    next_link = [[NOWHERE] * len(sites) for _ in range(stations)]
    links: dict[tuple[int, int, float], int] = {}
    ends: dict[tuple[str, str], tuple[int, int]] = {}
    delays: dict[tuple[str, str], tuple[float, float]] = {}
    for pair, (there, back) in trips.items():
        here, away = (sites[way[0].station, way[0].source] for way in (there, back))
        ends[pair] = (here, away)
        delays[pair] = (
            sum(port.delay for port in (*there, *back)),
            there[-1].delay + back[-1].delay,
        )
        for way, site in ((there, away), (back, here)):
            for port, following in pairwise(way):
                link = (port.station, following.station, port.delay)
                next_link[port.station][site] = links.setdefault(link, len(links))
            next_link[way[-1].station][site] = HERE
    return Routes(
        links=[{"from": a, "to": b, "delay": delay} for a, b, delay in links],
        next_link=next_link,
        sites=[
            {"station": station, "class": 0, "sources": 0, "receivers": 0} for station, _ in sites
        ],
        nodes=[node for _, node in sites],
        ends=ends,
        delays=delays,
    )


def _nodes(ports: Iterable[Port]) -> dict[str, None]:
    return dict.fromkeys(node for port in ports for node in (port.source, port.target))
