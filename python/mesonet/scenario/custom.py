"""A network of one's own: named hosts, links between them, and flows from host to host."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import accumulate
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from mesonet.errors import Problem, did_you_mean, refused, show
from mesonet.scenario.base import ScenarioBase
from mesonet.scenario.failures import (
    Failures,
    Outage,
    failing,
    failure_problems,
    outages,
    rerouted_sets,
)
from mesonet.scenario.flows import MAX_FLOWS, Flow, connections, not_empty
from mesonet.scenario.laboratory import Laboratory, Member
from mesonet.scenario.link import Link
from mesonet.scenario.ports import Port, Routes, Ways
from mesonet.scenario.queues import placed
from mesonet.scenario.rate_changes import VaryingRate
from mesonet.scenario.types import DataSize, FlowName, Given, NonNegativeDuration, Written
from mesonet.units import Size, format_time

MAX_LINKS = 1000
"""Most links of a custom network."""
MAX_DELAY = 3600.0
"""Longest delay of a link that the engine takes [s]."""


class CustomLink(Link):
    """A link between two hosts or routers, with a buffer in each direction."""

    ends: Annotated[tuple[FlowName, FlowName], Written("list of two names")]
    """Names of the hosts or routers at its ends; the forward direction is from first to second."""
    name: FlowName | None = None
    """Name of its queues in the results; when not given, "a to b" and "b to a"."""
    delay: NonNegativeDuration
    """Propagation delay."""
    reverse_delay: NonNegativeDuration | None = None
    """Propagation delay of the reverse direction; when not given, that of `delay`."""
    buffer: Annotated[DataSize, AfterValidator(not_empty)] = Size(1000.0, "packets")
    """Room for waiting packets of each direction, in packets or bytes; the default is the length of
    an interface's queue in Linux."""
    reverse_buffer: Annotated[DataSize, AfterValidator(not_empty)] | None = None
    """Room for waiting packets of the reverse direction; when not given, that of `buffer`."""

    def names(self) -> tuple[str, str]:
        """Names of its stations."""
        there, here = self.ends[1], self.ends[0]
        if self.name is None:
            return f"{here} to {there}", f"{there} to {here}"
        return self.name, f"{self.name} reverse"


class CustomFlow(Flow):
    """A flow from one host to another, or `count` of them alike."""

    source: FlowName
    """Host that sends."""
    receiver: FlowName
    """Host that receives."""


class Custom(Laboratory):
    """Flows between named hosts, over the ways of least delay along links.

    Responses of the bottleneck are those of the forward direction of the first link.
    """

    resolved_places: ClassVar = {**ScenarioBase.resolved_places, r"interfaces.*": "flows"}
    kind: Literal["custom"] = "custom"
    """Kind of scenario."""
    links: Given[
        Annotated[
            tuple[CustomLink, ...],
            Field(min_length=1, max_length=MAX_LINKS),
            Written("list of links"),
        ]
    ]
    """The links, each in both directions."""
    failures: Failures = ()
    """Links that fail for a time."""
    flows: Given[
        Annotated[
            tuple[CustomFlow, ...],
            Field(min_length=1, max_length=MAX_FLOWS),
            Written("list of flows"),
        ]
    ]
    """The flows."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        problems = [*self._clock_problems(), *self._flow_problems(), *self._network_problems()]
        return refused(self, problems or [*self._way_problems()])

    def members(self) -> Iterator[Member]:
        """Every flow."""
        for name, flow in connections(self.flows):
            ends = (flow.source, flow.receiver)
            yield Member(name, flow, ends[::-1] if flow.reverse else ends, flow.rtt)

    def tables(self) -> dict[str, tuple[CustomFlow, ...]]:
        """Flows as they stand in the scenario, by their key."""
        return {"flows": self.flows}

    def place_of(self, resolved: str) -> str:
        """The key that a place in the resolved scenario follows from; that of the link at most."""
        if match := re.match(r"stations\[(\d+)\]", resolved):
            station, stations = int(match[1]), [1 if it.is_shared else 2 for it in self.links]
            return f"links[{bisect(list(accumulate(stations)), station)}]"
        return super().place_of(resolved)

    def delays(self) -> dict[str, float]:
        """Delays of all links, by the path of their key [s]."""
        return {
            f"links[{here}].{key}": delay
            for here, link in enumerate(self.links)
            for key, delay in (("delay", link.delay), ("reverse_delay", link.reverse_delay))
            if delay is not None
        }

    def ports(self) -> list[Port]:
        """Directions of all links."""
        ports: list[Port] = []
        station = 0
        for link in self.links:
            here, there = link.ends
            back = link.delay if link.reverse_delay is None else link.reverse_delay
            ports.append(Port(here, there, station, link.delay))
            station += not link.is_shared
            ports.append(Port(there, here, station, back))
            station += 1
        return ports

    def stations(self) -> list[dict[str, Any]]:
        """Stations of all links."""
        return [
            station
            for link in self.links
            for station in link.link_stations(link.names(), self.packet, 0.0)
        ]

    def routes(self, ways: Ways, pairs: Iterable[tuple[str, str]], stations: int) -> Routes:
        """Routing tables, which change where links fail."""
        tables = super().routes(ways, pairs, stations)
        return failing(ways, tables, self._outages()) if self.failures else tables

    def counts_packets(self) -> bool:
        """Tests for rates in packets."""
        return self.links[0].rate.of == "packets"

    def bottleneck(self) -> float:
        """Capacity of the first link [segments/s]."""
        return float(self.links[0].packet_rate(self.packet))

    def varying_rate(self) -> VaryingRate | None:
        """Capacity of the first link over time; `None` where it does not change."""
        return self.links[0].varying(self.packet)

    def _outages(self) -> list[Outage]:
        return outages(self.failures, [link.ends for link in self.links])

    def _network_problems(self) -> Iterator[Problem]:
        """Everything that is wrong with links, and names of hosts that no link has."""
        pairs = Counter(frozenset(link.ends) for link in self.links)
        stations = Counter(name for link in self.links for name in link.names())
        for here, link in enumerate(self.links):
            problem, rate = partial(Problem, f"links[{here}].ends"), self.links[0].rate
            if link.ends[0] == link.ends[1]:
                yield problem("conflict", f"expected two hosts, got {show(link.ends[0])} twice")
            elif pairs[frozenset(link.ends)] > 1:
                yield problem("duplicate", f"another link joins {' and '.join(link.ends)}, too")
            elif any(stations[name] > 1 for name in link.names()):
                message = f"expected a name used once, got {show(link.names()[0])}"
                yield Problem(f"links[{here}].name", "duplicate", message)
            if link.rate.of != rate.of:
                message = f"expected a rate in {rate.of}, as the first has, got {link.rate}"
                yield Problem(f"links[{here}].rate", "conflict", message)
            for loc, delay in (("delay", link.delay), ("reverse_delay", link.reverse_delay)):
                if delay is not None and delay > MAX_DELAY:
                    message = f"expected at most {format_time(MAX_DELAY)}, got {format_time(delay)}"
                    yield Problem(f"links[{here}].{loc}", "too_large", message)
            yield from placed(link.link_problems(self.packet, 0.0), f"links[{here}]")
        yield from failure_problems(
            self.failures, [link.ends for link in self.links], self.duration
        )
        hosts = dict.fromkeys(host for link in self.links for host in link.ends)
        for here, flow in enumerate(self.flows):
            for loc, host in (("source", flow.source), ("receiver", flow.receiver)):
                if host not in hosts:
                    hint = did_you_mean(host, hosts) or f"; there are {', '.join(hosts)}"
                    message = f"expected a host at the end of a link, got {show(host)}{hint}"
                    yield Problem(f"flows[{here}].{loc}", "unknown", message)
            if flow.source == flow.receiver:
                message = f"expected another host than the source, got {show(flow.receiver)}"
                yield Problem(f"flows[{here}].receiver", "conflict", message)

    def _way_problems(self) -> Iterator[Problem]:
        """Flows that have no way, or a round-trip time shorter than theirs."""
        ways = Ways(self.ports())
        for here, flow in enumerate(self.flows):
            if not ways.path(flow.source, flow.receiver):
                message = f"no links lead from {show(flow.source)} to {show(flow.receiver)}"
                yield Problem(f"flows[{here}].receiver", "unreachable", message)
                continue
            least = ways.round_trip(flow.source, flow.receiver)
            # Replicates that stretch both round them to nanoseconds.
            if flow.rtt is not None and flow.rtt < least - 1e-6:
                message = f"expected at least {format_time(least)}, which its links take, got "
                message += format_time(flow.rtt)
                yield Problem(f"flows[{here}].rtt", "too_small", message)
        for links in rerouted_sets(self._outages()):
            left = ways.without(links)
            for here, flow in enumerate(self.flows):
                ends = (flow.source, flow.receiver)
                for pair in (ends, ends[::-1]):
                    way, around = ways.path(*pair), left.path(*pair)
                    if around and (way[0], way[-1]) != (around[0], around[-1]):
                        message = (
                            "expected a router between each host and the links that routes go "
                            f"around; the way from {pair[0]} to {pair[1]} would begin or end at "
                            "another link of its host"
                        )
                        yield Problem(f"flows[{here}]", "conflict", message)
