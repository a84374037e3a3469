"""The smallest laboratory: some flows, one bottleneck.

A rate in bits makes an ordinary link with a port and a buffer in each direction; acknowledgements
cross the reverse one. A rate in packets makes one MesoNet router, which both directions share.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from mesonet.errors import Problem, show
from mesonet.numbers import exact
from mesonet.scenario.applications import NamedApplication, with_applications
from mesonet.scenario.base import NamedFlow, ScenarioBase, algorithm_table, report
from mesonet.scenario.ecn_impairment import Kind
from mesonet.scenario.flows import (
    MAX_PACKETS,
    Flow,
    application_problems,
    as_flow,
    as_flows,
    burst_problems,
    connection_names,
    named_applications,
    not_empty,
    rtt_problems,
)
from mesonet.scenario.host_lines import with_host_lines
from mesonet.scenario.queues import DEFAULT, Queue, QueueField, placed
from mesonet.scenario.rate_changes import (
    MAX_CHANGES,
    RateChange,
    VaryingRate,
    as_change,
    range_problems,
    rate_problems,
    spec_changes,
)
from mesonet.scenario.transport import Profile
from mesonet.scenario.types import (
    BufferSize,
    DataSize,
    Duration,
    Frozen,
    Given,
    Number,
    PositiveInt,
    RoundTripTime,
    ServiceRate,
    TrueOrFalse,
    Written,
)
from mesonet.units import Rate, Size, format_time

MAX_FLOWS = 100_000
"""Most flows of one dumbbell."""
MAX_LINES = 1000
"""Most flows whose hosts have lines with buffers; each is a station of the engine."""
MAX_RTTS = 256
"""Most different round-trip times; each is an interface of the engine."""


class PacketSizes(Frozen):
    """Sizes of packets on the wire [bytes]."""

    smss: Annotated[PositiveInt, Field(le=65_535)] = 1460
    """Payload of a full segment."""
    header: Annotated[PositiveInt, Field(le=65_535)] = 40
    """Headers of a data segment."""
    control: Annotated[PositiveInt, Field(le=65_535)] = 40
    """A pure ACK, SYN or SYN+ACK."""


class Dumbbell(ScenarioBase):
    """Flows over one bottleneck."""

    resolved_places: ClassVar = {
        **ScenarioBase.resolved_places,
        r"stations\[0\]\.rate_changes\.rates\[(\d+)\]": r"rate_changes[\1].rate",
        r"stations\[0\]\.rate_changes\.times\[(\d+)\]": r"rate_changes[\1].at",
        r"stations\[0\]\.rate_changes\.period": "rate_period",
        r"stations\[0\]\.rate_changes.*": "rate_changes",
        r"stations\[[01]\]\.(rate|buffer|loss)": r"\1",
        r"stations\[\d+\]\.rate|interfaces\[\d+\]\.rate": "access_rate",
        r"stations\[\d+\]\.buffer": "access_buffer",
        r"interfaces\[\d+\]\.delay": "rtt",
    }
    kind: Literal["dumbbell"] = "dumbbell"
    """Kind of scenario."""
    rate: ServiceRate
    """Capacity of the bottleneck, in bits or in packets."""
    rtt: RoundTripTime
    """Base round-trip time."""
    buffer: Annotated[BufferSize, AfterValidator(not_empty)] = Size(1.0, "bdp")
    """Room for waiting packets: packets, bytes, or bandwidth-delay products of `rate` and `rtt`."""
    loss: Annotated[Number, Field(ge=0, lt=1)] = 0.0
    """Probability that a packet of the forward direction is lost at random."""
    rate_changes: Given[
        Annotated[
            tuple[Annotated[RateChange, BeforeValidator(as_change)], ...],
            Field(max_length=MAX_CHANGES),
            Written("list of changes, or of pairs of a time and a rate"),
        ]
    ] = ()
    """Changes of `rate` in the forward direction: a time, and the rate from then on."""
    rate_period: Duration | None = None
    """Time after which `rate` and its changes begin anew; when not given, the last rate stays."""
    queue: QueueField = Queue(DEFAULT)
    """Queue discipline of the bottleneck: drop-tail unless given, by name or with parameters; `xcp`
    and `vcp` flows need the one of their name."""
    reverse_queue: QueueField | None = None
    """Queue discipline of the reverse direction; when not given, that of `queue`."""
    ecn_impairment: Kind = "none"
    """Change of the ECN field of packets of the forward direction, before the queue: none, every
    codepoint bleached to Not-ECT, CE stripped to ECT(0), or ECT(1) to ECT(0)."""
    access_rate: ServiceRate | None = None
    """Line rate of hosts; when not given, infinitely fast."""
    access_buffer: Annotated[DataSize, AfterValidator(not_empty)] | None = None
    """Room for waiting packets at the line of each sending host, in packets or bytes; when not
    given, hosts hold segments back while their line is busy, and none waits."""
    flows: Given[
        Annotated[
            tuple[Annotated[Flow, BeforeValidator(as_flow)], ...],
            BeforeValidator(as_flows),
            Field(min_length=1, max_length=MAX_FLOWS),
            Written("list of flows, or of algorithms"),
        ]
    ]
    """The flows; an algorithm alone is short for a flow with it."""
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

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        report([*self._clock_problems(), *self._flow_problems(), *self._room_problems()])
        return self

    def _flow_problems(self) -> list[Problem]:
        count = sum(flow.count * flow.lines for flow in self.flows)
        if count > MAX_FLOWS:
            message = f"expected at most {MAX_FLOWS} flows, got {show(count)}"
            loc = "flows" if len(self.flows) > 1 else "flows[0].count"
            return [Problem(loc, "too_large", message)]
        problems = self._parameter_problems(self._algorithms())
        taken = Counter(name for name, _ in self._named_flows())
        twice = [name for name, times in taken.items() if times > 1]
        if twice:
            message = f"expected names used once, {show(twice[0])} is used {taken[twice[0]]} times"
            problems.append(Problem("flows", "duplicate", message))
        rtts = len({self._rtt(flow) for flow in self.flows})
        if rtts > MAX_RTTS:
            message = f"expected at most {MAX_RTTS} different round-trip times, got {rtts}"
            problems.append(Problem("flows", "too_large", message))
        for here, flow in enumerate(self.flows):
            problems += rtt_problems(f"flows[{here}].rtt", flow.rtt)
            problems += burst_problems(f"flows[{here}]", flow)
            problems += application_problems(f"flows[{here}]", flow, 8 * self.packet.smss)
            if flow.start >= self.duration:
                end = format_time(self.duration)
                message = f"expected a time before the end ({end}), got {format_time(flow.start)}"
                problems.append(Problem(f"flows[{here}].start", "too_large", message))
            if flow.stop is not None and flow.stop <= flow.start:
                after = format_time(flow.start)
                message = f"expected a time after start ({after}), got {format_time(flow.stop)}"
                problems.append(Problem(f"flows[{here}].stop", "too_small", message))
        return problems

    def _room_problems(self) -> list[Problem]:
        problems = rtt_problems("rtt", self.rtt)
        packet = self.packet.smss + self.packet.header
        if self.buffer.of == "bytes" and self.buffer.value < packet:
            message = f"expected room for a packet of {packet} bytes, got {self.buffer}"
            problems.append(Problem("buffer", "too_small", message))
        for name, rate in (("rate", self.rate), ("access_rate", self.access_rate)):
            problems += [] if rate is None else range_problems(name, rate)
        problems += rate_problems(self.rate, self.rate_changes, self.rate_period)
        problems += self._host_line_problems()
        if self.reverse_queue is not None and self.rate.of == "packets":
            message = "a rate in packets makes one router, whose queue both directions share"
            problems.append(Problem("reverse_queue", "conflict", message))
        # With a rate or a time out of range, the product may be out of every range.
        if problems:
            return problems
        room = self.buffer_packets()
        if room is not None and room > MAX_PACKETS:
            message = f"expected at most {MAX_PACKETS} packets, got {room:g}"
            return [Problem("buffer", "too_large", message)]
        return self._queue_problems()

    def _host_line_problems(self) -> list[Problem]:
        room, loc = self.access_buffer, "access_buffer"
        if room is None:
            return []
        if self.access_rate is None or self.access_rate.of == "packets":
            return [Problem(loc, "conflict", "a line with a buffer needs access_rate in bits")]
        if self.rate.of == "packets":
            return [Problem(loc, "conflict", "hosts of one router have no lines with buffers")]
        if room.of == "bytes" and room.value * 8 < self._packet_bits():
            return [Problem(loc, "too_small", f"expected room for a packet, got {room}")]
        count = sum(flow.count * flow.lines for flow in self.flows)
        if count > MAX_LINES:
            message = f"expected at most {MAX_LINES} flows with lines of their own, got {count}"
            return [Problem(loc, "too_large", message)]
        return []

    def _queue_problems(self) -> list[Problem]:
        queues = {"queue": self.queue, "reverse_queue": self.reverse_queue}
        if self.rate_changes and self.queue.kind in ("xcp", "vcp"):
            message = f"routers of {self.queue.kind} know one rate, so it cannot change"
            return [Problem("rate_changes", "conflict", message)]
        return [
            problem
            for loc, queue in queues.items()
            if queue is not None
            for problem in placed(queue.problems(self._room_in_packets()), loc)
        ]

    def effective_profile(self) -> Profile:
        """The profile given, or the one that goes with the unit of the rate."""
        return self.profile or ("mesonet" if self.rate.of == "packets" else "rfc")

    def algorithm_places(self) -> dict[str, list[str]]:
        """Places in the scenario that name each algorithm."""
        places: dict[str, list[str]] = {}
        for here, flow in enumerate(self.flows):
            places.setdefault(flow.algorithm, []).append(f"flows[{here}].algorithm")
        return places

    def bottleneck(self) -> float:
        """Capacity of the bottleneck [segments/s]."""
        return float(self._packet_rate())

    def varying_rate(self) -> VaryingRate | None:
        """Capacity of the bottleneck over time; `None` where it does not change."""
        if not self.rate_changes:
            return None
        unit = 1 if self.rate.of == "packets" else self._packet_bits()
        times = [change.at for change in self.rate_changes]
        rates = [change.rate.value / unit for change in self.rate_changes]
        return VaryingRate.of(self.bottleneck(), times, rates, self.rate_period)

    def payload(self) -> int | None:
        """Payload of a full segment [bit]; `None` if the rate is in packets."""
        return 8 * self.packet.smss if self.rate.of == "bits" else None

    def forward_flows(self) -> tuple[str, ...]:
        """Names of the flows that are not `reverse`."""
        return tuple(name for name, flow in self._named_flows() if not flow.reverse)

    def named_flows(self) -> dict[str, NamedFlow]:
        """Algorithm and base round-trip time of every flow."""
        return {
            name: NamedFlow(flow.algorithm, self._rtt(flow)) for name, flow in self._named_flows()
        }

    def applications(self) -> dict[str, NamedApplication]:
        """Applications by name."""
        return named_applications(self._named_flows(), self.rtt, 8 * self.packet.smss)

    def buffer_packets(self) -> int | None:
        """Room for waiting packets; `None` if the buffer counts bytes."""
        if self.buffer.of == "bytes":
            return None
        if self.buffer.of == "packets":
            return int(self.buffer.value)
        return math.ceil(self._packet_rate() * exact(self.rtt) * exact(self.buffer.value))

    def resolve(self) -> dict[str, Any]:
        """The resolved scenario in SI units."""
        rtts = sorted({self._rtt(flow) for flow in self.flows})
        algorithms = self._algorithms()
        interface_of = {rtt: here for here, rtt in enumerate(rtts)}
        algorithm_of = {name: here for here, name in enumerate(algorithms)}
        shared = self.rate.of == "packets"
        stations = [self._station("forward", self.loss, self.queue)]
        if self.ecn_impairment != "none":
            stations[0]["ecn_impairment"] = self.ecn_impairment
        if self.rate_changes:
            stations[0]["rate_changes"] = spec_changes(self.rate_changes, self.rate_period)
        if not shared:
            stations.append(self._station("reverse", 0.0, self.reverse_queue or self.queue))
        watched = [0]
        if not shared and any(flow.reverse for flow in self.flows):
            watched.append(1)
        right = {"station": 0 if shared else 1, "class": 0, "sources": 0, "receivers": 0}
        spec: dict[str, Any] = {
            "version": 1,
            "duration": self.duration,
            "packet": self.packet.model_dump(),
            "transport": self.transport_options(),
            "regions": 1,
            "stations": stations,
            "links": [],
            "next_link": [[-1, -1]] if shared else [[-2, -1], [-1, -2]],
            "sites": [{"station": 0, "class": 0, "sources": 0, "receivers": 0}, right],
            "interfaces": [
                {"rate": _spec_rate(self.access_rate), "delay": rtt / 4} for rtt in rtts
            ],
            "algorithms": algorithm_table(algorithms, self),
            "population": None,
            "flows": [
                {
                    "name": name,
                    "source": 1 if flow.reverse else 0,
                    "receiver": 0 if flow.reverse else 1,
                    "algorithm": algorithm_of[flow.algorithm],
                    "interface": interface_of[self._rtt(flow)],
                    "start": flow.start,
                    "size": None if flow.size is None else self._segments(flow.size),
                    "stop": flow.stop,
                    **self._bursts(flow),
                }
                for name, flow in self._named_flows()
            ],
            "measure": self.measured(watched),
        }
        spec = with_applications(spec, self.applications())
        line, room = _spec_rate(self.access_rate), self.access_buffer
        if line is None or room is None:
            return spec
        return with_host_lines(spec, rate=line, room={room.of: int(room.value)})

    def _packet_rate(self) -> Fraction:
        rate = exact(self.rate.value)
        return rate if self.rate.of == "packets" else rate / self._packet_bits()

    def _packet_bits(self) -> int:
        return 8 * (self.packet.smss + self.packet.header)

    def _rtt(self, flow: Flow) -> float:
        return self.rtt if flow.rtt is None else flow.rtt

    def _algorithms(self) -> list[str]:
        return list(dict.fromkeys(flow.algorithm for flow in self.flows))

    def _named_flows(self) -> Iterator[tuple[str, Flow]]:
        """Every connection with its flow; flows without a name are numbered by algorithm."""
        numbers: Counter[str] = Counter()
        for flow in self.flows:
            for turn in range(flow.count):
                if flow.name is None:
                    numbers[flow.algorithm] += 1
                    name = f"{flow.algorithm}-{numbers[flow.algorithm]}"
                else:
                    name = flow.name if flow.count == 1 else f"{flow.name}-{turn + 1}"
                for connection in connection_names(name, flow):
                    yield connection, flow

    def _room_in_packets(self) -> dict[str, int]:
        room = self._room()
        return {"packets": room.get("packets", room.get("bytes", 0) * 8 // self._packet_bits())}

    def _room(self) -> dict[str, int]:
        packets = self.buffer_packets()
        return {"bytes": int(self.buffer.value)} if packets is None else {"packets": packets}

    def _station(self, name: str, loss: float, queue: Queue) -> dict[str, Any]:
        return {
            "name": name,
            "region": 0,
            "rate": _spec_rate(self.rate),
            "buffer": self._room(),
            "loss": loss,
            "discipline": queue.resolved(),
        }

    def _bursts(self, flow: Flow) -> dict[str, Any]:
        """Bursts of a flow; empty without any."""
        if flow.burst is None:
            return {}
        gap = {"every": flow.every} if flow.every is not None else {"after": flow.pause}
        return {"bursts": {"size": self._segments(flow.burst), "next": gap}}

    def _segments(self, size: Size) -> int:
        segment = self.packet.smss if size.of == "bytes" else 1
        return math.ceil(exact(size.value) / segment)


def _spec_rate(rate: Rate | None) -> dict[str, float] | None:
    return None if rate is None else {f"{rate.of}_per_second": rate.value}
