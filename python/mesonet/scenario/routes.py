"""Routes between the routers of a topology, in the numbers of a resolved scenario.

Stations are numbered backbone routers first, then PoPs, then access routers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from mesonet.numbers import exact
from mesonet.scenario.failures import Outage, rows_over_time
from mesonet.scenario.ports import NOWHERE
from mesonet.scenario.topology import Topology, without


@dataclass(frozen=True, eq=False)
class Routes:
    """Directed links, and for every station the link towards every site."""

    ends: tuple[tuple[int, int], ...]
    """Stations that each link leaves and enters: two links for each edge, then for each router
    below another."""
    next_link: list[list[int]]
    """The link by station and site; -1 at the site itself, -2 where no route leads. All resolved
    scenarios of a topology have this one."""


# A plan resolves the same topology for each of its runs.
@lru_cache(maxsize=8)
def routes_of(topology: Topology) -> Routes:
    """Lays out links, and looks up the next one everywhere."""
    first_pop = len(topology.nodes)
    first_access = first_pop + len(topology.pops)
    index: dict[tuple[int, int], int] = {}

    def join(a: int, b: int) -> None:
        for ends in ((a, b), (b, a)):
            index[ends] = len(index)

    for edge in topology.edges:
        join(edge.a, edge.b)
    for here, (_, backbone) in enumerate(topology.pops):
        join(first_pop + here, backbone)
    parents = [
        router.backbone if router.pop is None else first_pop + router.pop
        for router in topology.access
    ]
    for here, parent in enumerate(parents):
        join(first_access + here, parent)

    down = [
        index[router.backbone, parent]
        if router.pop is not None
        else index[parent, first_access + s]
        for s, (router, parent) in enumerate(zip(topology.access, parents, strict=True))
    ]
    # Of a few million entries nearly all repeat their row's.
    table = []
    for node, following in enumerate(topology.next_node):
        to = [index.get((node, neighbour), -2) for neighbour in following]
        table.append(
            [
                down[s] if router.backbone == node else to[router.backbone]
                for s, router in enumerate(topology.access)
            ]
        )
    below: dict[int, list[int]] = {}
    for here, parent in enumerate(parents):
        below.setdefault(parent, []).append(here)
    for here, (_, backbone) in enumerate(topology.pops):
        pop = first_pop + here
        row = [index[pop, backbone]] * len(parents)
        for s in below.get(pop, ()):
            row[s] = index[pop, first_access + s]
        table.append(row)
    for here, parent in enumerate(parents):
        row = [index[first_access + here, parent]] * len(parents)
        row[here] = -1
        table.append(row)
    return Routes(tuple(index), table)


def routes_around(
    topology: Topology, every: Sequence[Outage], delay_multiplier: float
) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Backbone routers whose routes change as edges fail, with their rows over time."""

    @cache
    def table(rerouted: frozenset[int]) -> list[list[int]]:
        return routes_of(without(topology, rerouted) if rerouted else topology).next_link

    for here in range(len(topology.nodes)) if every else ():
        # Edge `n` has links `2n` there and `2n + 1` back, as they are laid out above.
        own = {
            2 * outage.link + side: float(edge.delay_ns * exact(delay_multiplier) / 10**9)
            for outage in every
            for edge in [topology.edges[outage.link]]
            for side, end in enumerate((edge.a, edge.b))
            if end == here
        }

        def row(time: float, here: int = here, own: dict[int, float] = own) -> list[int]:
            lost = {
                link
                for link, delay in own.items()
                if any(it.link == link // 2 and it.is_dead(time, delay) for it in every)
            }
            rerouted = frozenset(it.link for it in every if it.is_rerouted(time))
            return [NOWHERE if link in lost else link for link in table(rerouted)[here]]

        if changes := rows_over_time(every, own.values(), row):
            yield here, changes
