"""Links of a backbone with queues of their own and conditions that change."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from mesonet.errors import Problem
from mesonet.numbers import exact
from mesonet.scenario.failures import Outage, end_problems, rows_over_time
from mesonet.scenario.link import Link, PacketSizes
from mesonet.scenario.ports import NOWHERE
from mesonet.scenario.queues import placed
from mesonet.scenario.topology import Topology
from mesonet.scenario.types import FlowName, Given, Written

if TYPE_CHECKING:
    from mesonet.scenario.internet import Internet

MAX_LINKS = 100
"""Most such links of a network."""


class BackboneLink(Link):
    """A link between two routers of the backbone, with a rate and a queue in each direction.

    What its routers send enters these queues; conditions come on top of the topology's delay.
    """

    ends: Annotated[tuple[FlowName, FlowName], Written("list of two names")]
    """Names of the routers at its ends; the forward direction is from first to second."""
    half_duplex: Literal[False] = False
    """Each direction has a station."""

    @property
    def is_shared(self) -> bool:
        """Tests for one station of both directions."""
        return False

    def names(self) -> tuple[str, str]:
        """Names of its stations."""
        here, there = self.ends
        return f"{here} to {there}", f"{there} to {here}"


BackboneLinks = Given[
    Annotated[tuple[BackboneLink, ...], Field(max_length=MAX_LINKS), Written("list of links")]
]


def backbone_link_problems(
    scenario: Internet, topology: Topology, edges: Sequence[tuple[str, str]]
) -> Iterator[Problem]:
    """Everything that is wrong with such links of a backbone of these edges."""
    pairs = [frozenset(link.ends) for link in scenario.links]
    for here, link in enumerate(scenario.links):
        loc = f"links[{here}]"
        yield from end_problems(link.ends, edges, f"{loc}.ends")
        if pairs[here] in pairs[:here]:
            message = f"another link joins {' and '.join(link.ends)}, too"
            yield Problem(f"{loc}.ends", "duplicate", message)
        for name in ("path", "reverse_path"):
            if (path := getattr(link, name)) is not None and path.reordering is not None:
                message = "packets of a national network keep their order"
                yield Problem(f"{loc}.{name}.reordering", "conflict", message)
        yield from placed(link.link_problems(PacketSizes(), _rtt(scenario, topology)), loc)


def add_backbone_links(
    spec: dict[str, Any], scenario: Internet, topology: Topology, outages: Sequence[Outage]
) -> None:
    """Puts the stations of such links behind their routers, which then have no delay to them."""
    nodes = {node.name: here for here, node in enumerate(topology.nodes)}
    # Edge `n` has links `2n` there and `2n + 1` back.
    numbers = {
        ends: 2 * here + side
        for here, edge in enumerate(topology.edges)
        for side, ends in enumerate(((edge.a, edge.b), (edge.b, edge.a)))
    }
    spec["next_link"] = list(spec["next_link"])
    for own in scenario.links:
        ends = nodes[own.ends[0]], nodes[own.ends[1]]
        stations = own.link_stations(own.names(), PacketSizes(), _rtt(scenario, topology))
        for way, station in zip((ends, ends[::-1]), stations, strict=True):
            failed = [it for it in outages if it.link == numbers[way] // 2]
            _add_station(spec, numbers[way], station, failed)


def _add_station(
    spec: dict[str, Any], number: int, station: dict[str, Any], failed: list[Outage]
) -> None:
    """Puts a station at the beginning of a link, which fails at times."""
    link, here, onward = spec["links"][number], len(spec["stations"]), len(spec["links"])
    delay = link["delay"]

    def row(time: float) -> list[int]:
        is_dead = any(it.is_dead(time, delay) for it in failed)
        return [NOWHERE if is_dead else onward] * len(spec["sites"])

    if changes := rows_over_time(failed, [delay], row):
        station["routes"] = changes
    spec["links"][number] = {"from": link["from"], "to": here, "delay": 0.0}
    spec["links"].append(link | {"from": here})
    spec["stations"].append(station | {"region": link["from"]})
    spec["next_link"].append(row(-math.inf))


def _rtt(scenario: Internet, topology: Topology) -> float:
    """Mean round-trip propagation delay of the network [s], as for the buffers of its routers."""
    return float(topology.mean_rtt_ms() * exact(scenario.delay_multiplier) / 1000)
