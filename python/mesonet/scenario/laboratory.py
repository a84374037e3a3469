"""Common part of scenarios of named flows: packets, names, checks, and the resolved scenario."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from mesonet.controller import short
from mesonet.errors import Problem, show
from mesonet.numbers import exact
from mesonet.scenario.base import NamedFlow, ScenarioBase, algorithm_table
from mesonet.scenario.flows import (
    MAX_FLOWS,
    Flow,
    NamedApplication,
    flow_problems,
    named_applications,
    with_applications,
)
from mesonet.scenario.link import PacketSizes, spec_rate
from mesonet.scenario.ports import Port, Routes, Ways, routes
from mesonet.scenario.queues import placed
from mesonet.scenario.transport import Profile
from mesonet.scenario.types import Duration, Given, TrueOrFalse
from mesonet.units import Rate, Size

MAX_RTTS = 256
"""Most different round-trip times; each is an interface of the engine."""


class Member(NamedTuple):
    """One flow of a laboratory and its place in it."""

    name: str
    """Its name in the results."""
    flow: Flow
    """What the scenario says of it, perhaps of others alike, too."""
    ends: tuple[str, str]
    """Nodes at which it sends and receives."""
    rtt: float | None
    """Base round-trip time [s]; `None` is that of the links on its way."""


class Laboratory(ScenarioBase):
    """A scenario of named flows over stations that are written down."""

    packet: Given[PacketSizes] = PacketSizes()
    """Sizes of packets, where a rate or a size is in bits or bytes."""
    profile: Profile | None = None
    """Set of TCP options; when not given, `rfc`, or `mesonet` for a rate in packets."""
    interval: Duration = 0.1
    """Measurement interval."""
    duration: Duration = 60.0
    """Simulated time."""
    record_segments: TrueOrFalse = False
    """Record what happens to every single segment: for short laboratories, a row takes 17 bytes."""

    def members(self) -> Iterator[Member]:
        """Every flow, in the order of the results."""
        raise NotImplementedError

    def tables(self) -> Mapping[str, Sequence[Flow]]:
        """Flows as they stand in the scenario, by their key."""
        raise NotImplementedError

    def delays(self) -> dict[str, float]:
        """Propagation delays that all flows share, by the path of their key [s]."""
        raise NotImplementedError

    def flow_count(self) -> int:
        """Number of flows."""
        return sum(flow.connections for flows in self.tables().values() for flow in flows)

    def stations(self) -> list[dict[str, Any]]:
        """Stations of the resolved scenario; responses of a bottleneck are of the first."""
        raise NotImplementedError

    def ports(self) -> list[Port]:
        """Directions of links between nodes, with their stations."""
        raise NotImplementedError

    def counts_packets(self) -> bool:
        """Tests for rates in packets, not in bits."""
        raise NotImplementedError

    def line(self) -> Rate | None:
        """Line rate of hosts; `None` is infinitely fast."""
        return None

    def effective_profile(self) -> Profile:
        """The profile given, or the one that goes with the unit of the rate."""
        return self.profile or ("mesonet" if self.counts_packets() else "rfc")

    def algorithm_places(self) -> dict[str, list[str]]:
        """Places in the scenario that name each algorithm."""
        places: dict[str, list[str]] = {}
        for key, flows in self.tables().items():
            for here, flow in enumerate(flows):
                places.setdefault(flow.algorithm, []).append(f"{key}[{here}].algorithm")
        return places

    def payload(self) -> int | None:
        """Payload of a full segment [bit]; `None` if the rate is in packets."""
        return None if self.counts_packets() else 8 * self.packet.smss

    def forward_flows(self) -> tuple[str, ...]:
        """Names of the flows that are not `reverse`."""
        return tuple(member.name for member in self.members() if not member.flow.reverse)

    def named_flows(self) -> dict[str, NamedFlow]:
        """Algorithm, base round-trip time and start of every flow."""
        ways = Ways(self.ports())
        return {
            name: NamedFlow(
                short(flow.algorithm),
                ways.round_trip(*ends) if rtt is None else rtt,
                flow.start,
                flow.size is not None,
            )
            for name, flow, ends, rtt in self.members()
        }

    def applications(self) -> dict[str, NamedApplication]:
        """Applications by name, in the order of the results."""
        return self._applications(self.members(), Ways(self.ports()))

    def _applications(self, members: Iterable[Member], ways: Ways) -> dict[str, NamedApplication]:
        if not any(flow.application for flows in self.tables().values() for flow in flows):
            return {}
        timed = (
            (name, flow, ways.round_trip(*ends) if rtt is None else rtt)
            for name, flow, ends, rtt in members
        )
        return named_applications(timed, 8 * self.packet.smss)

    def routes(self, ways: Ways, pairs: Iterable[tuple[str, str]], stations: int) -> Routes:
        """Routing tables for flows between pairs of nodes."""
        return routes(ways, pairs, stations)

    def resolve(self) -> dict[str, Any]:
        """The resolved scenario in SI units."""
        members, stations, ways = list(self.members()), self.stations(), Ways(self.ports())
        pairs = dict.fromkeys(member.ends for member in members)
        tables = self.routes(ways, pairs, len(stations))
        for here, changes in tables.changes.items():
            stations[here]["routes"] = changes
        algorithms = list(self.algorithm_places())
        algorithm_of = {name: here for here, name in enumerate(algorithms)}
        delays = [self._host_delay(member, *tables.delays[member.ends]) for member in members]
        interfaces = sorted(set(delays))
        interface_of = {delay: here for here, delay in enumerate(interfaces)}
        # The first station is the bottleneck of responses, whatever crosses it.
        crossed = {0} | {port.station for pair in pairs for port in ways.path(*pair)}
        spec = {
            "version": 1,
            "duration": self.duration,
            "packet": self.packet.model_dump(),
            "transport": self.transport_options(),
            "regions": 1,
            "stations": stations,
            "links": tables.links,
            "next_link": tables.next_link,
            "sites": tables.sites,
            "interfaces": [{"rate": spec_rate(self.line()), "delay": it} for it in interfaces],
            "algorithms": algorithm_table(algorithms, self),
            "population": None,
            "flows": [
                {
                    "name": name,
                    "source": tables.ends[ends][0],
                    "receiver": tables.ends[ends][1],
                    "algorithm": algorithm_of[flow.algorithm],
                    "interface": interface_of[delay],
                    "start": flow.start,
                    "size": None if flow.size is None else self._segments(flow.size),
                    "stop": flow.stop,
                    **self._bursts(flow),
                    # What is honest keeps the spec, and so the run id, that it had.
                    **({} if flow.conduct == "honest" else {"conduct": flow.conduct}),
                }
                for (name, flow, ends, _), delay in zip(members, delays, strict=True)
            ],
            "measure": self.measured(sorted(crossed)),
        }
        return with_applications(spec, self._applications(members, ways))

    def _host_delay(self, member: Member, trip: float, last: float) -> float:
        """Delay of a host's interface, which each end has in both directions [s]."""
        rest = 0.0 if member.rtt is None else max(member.rtt - trip, 0.0)
        return (rest + last) / 4

    def _flow_problems(self) -> list[Problem]:
        tables = self.tables()
        count = self.flow_count()
        if count > MAX_FLOWS:
            message = f"expected at most {MAX_FLOWS} flows, got {show(count)}"
            key, flows = next(iter(tables.items()))
            loc = key if len(flows) > 1 else f"{key}[0].count"
            return [Problem(loc, "too_large", message)]
        problems = self._parameter_problems(list(self.algorithm_places()))
        key, members = next(iter(tables)), list(self.members())
        taken = Counter(member.name for member in members)
        twice = [name for name, times in taken.items() if times > 1]
        if twice:
            message = f"expected names used once, {show(twice[0])} is used {taken[twice[0]]} times"
            problems.append(Problem(key, "duplicate", message))
        rtts = len({member.rtt for member in members})
        if rtts > MAX_RTTS:
            message = f"expected at most {MAX_RTTS} different round-trip times, got {rtts}"
            problems.append(Problem(key, "too_large", message))
        segment = 8 * self.packet.smss
        transport = self.transport_options()
        limited = transport["receive_window"] is not None
        for key, flows in tables.items():
            for here, flow in enumerate(flows):
                problems += placed(flow_problems(flow, self.duration, segment), f"{key}[{here}]")
                if flow.conduct in ("hides_losses", "acks_ahead") and not limited:
                    message = "expected transport.receive_window beside it: all that limits it"
                    problems.append(Problem(f"{key}[{here}].conduct", "conflict", message))
                if flow.conduct == "acks_ahead" and transport["recovery"] == "quic":
                    message = "expected a recovery of TCP beside it: ACKs of QUIC name packets"
                    problems.append(Problem(f"{key}[{here}].conduct", "conflict", message))
        return problems

    def _bursts(self, flow: Flow) -> dict[str, Any]:
        """Bursts of a flow; empty without any."""
        if flow.burst is None:
            return {}
        gap = {"every": flow.every} if flow.every is not None else {"after": flow.pause}
        return {"bursts": {"size": self._segments(flow.burst), "next": gap}}

    def _segments(self, size: Size) -> int:
        return _quotient(size.value, self.packet.smss if size.of == "bytes" else 1)


@cache
def _quotient(size: float, segment: int) -> int:
    """Segments that a size fills, the last one in part; flows of a plan have few sizes."""
    return math.ceil(exact(size) / segment)
