"""A link with two directions: rates, buffers, queues, losses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from mesonet.errors import Problem
from mesonet.numbers import exact
from mesonet.scenario.ecn_impairment import Kind
from mesonet.scenario.flows import MAX_PACKETS, not_empty
from mesonet.scenario.path import Path
from mesonet.scenario.queues import DEFAULT, Queue, QueueField, placed
from mesonet.scenario.rate_changes import (
    MAX_CHANGES,
    RateChange,
    VaryingRate,
    listed,
    range_problems,
    rate_problems,
    spec_changes,
)
from mesonet.scenario.types import (
    BufferSize,
    Duration,
    Frozen,
    Given,
    Number,
    PositiveInt,
    ServiceRate,
    TrueOrFalse,
    Written,
)
from mesonet.units import Rate, Size


class PacketSizes(Frozen):
    """Sizes of packets on the wire [bytes]."""

    smss: Annotated[PositiveInt, Field(le=65_535)] = 1460
    """Payload of a full segment."""
    header: Annotated[PositiveInt, Field(le=65_535)] = 40
    """Headers of a data segment."""
    control: Annotated[PositiveInt, Field(le=65_535)] = 40
    """A pure ACK, SYN or SYN+ACK."""

    @property
    def bits(self) -> int:
        """A full data packet on the wire [bit]."""
        return 8 * (self.smss + self.header)


_RateChanges = Annotated[
    tuple[Annotated[RateChange, BeforeValidator(listed("rate"))], ...],
    Field(max_length=MAX_CHANGES),
    Written("list of changes, or of pairs of a time and a rate"),
]


class Link(Frozen):
    """A link of two directions, a station with a buffer for each."""

    rate: ServiceRate
    """Capacity of the bottleneck, in bits or in packets."""
    buffer: Annotated[BufferSize, AfterValidator(not_empty)] = Size(1.0, "bdp")
    """Room for waiting packets: packets, bytes, or bandwidth-delay products of `rate` and `rtt`."""
    loss: Annotated[Number, Field(ge=0, lt=1)] = 0.0
    """Probability that a packet of the forward direction is lost at random."""
    rate_changes: Given[_RateChanges] = ()
    """Changes of `rate` in the forward direction: a time, and the rate from then on."""
    rate_period: Duration | None = None
    """Time after which `rate` and its changes begin anew; when not given, the last rate stays."""
    reverse_rate_changes: Given[_RateChanges] = ()
    """Changes of `reverse_rate`, which is then required."""
    reverse_rate_period: Duration | None = None
    """Time after which `reverse_rate` and its changes begin anew."""
    path: Given[Path] | None = None
    """Conditions of the forward direction that change: delay, jitter, loss, on and off, order."""
    reverse_path: Given[Path] | None = None
    """Those of the reverse direction."""
    queue: QueueField = Queue(DEFAULT)
    """Queue discipline of the bottleneck: drop-tail unless given, by name or with parameters; `xcp`
    and `vcp` flows need the one of their name."""
    half_duplex: TrueOrFalse = False
    """One station serves both directions, as on a radio channel; where the rate is in packets, it
    always does."""
    reverse_rate: ServiceRate | None = None
    """Capacity of the reverse direction, in bits; when not given, that of `rate`."""
    reverse_buffer: Annotated[BufferSize, AfterValidator(not_empty)] | None = None
    """Room for waiting packets of the reverse direction; when not given, as much as of the forward
    one. Bandwidth-delay products are of its own rate."""
    reverse_loss: Annotated[Number, Field(ge=0, lt=1)] = 0.0
    """Probability that a packet of the reverse direction is lost at random."""
    reverse_queue: QueueField | None = None
    """Queue discipline of the reverse direction; when not given, that of `queue`."""
    ecn_impairment: Kind = "none"
    """Change of the ECN field of packets of the forward direction, before the queue: none, every
    codepoint bleached to Not-ECT, CE stripped to ECT(0), or ECT(1) to ECT(0)."""

    @property
    def is_shared(self) -> bool:
        """Tests for one station of both directions."""
        return self.half_duplex or self.rate.of == "packets"

    def packet_rate(self, packet: PacketSizes) -> Fraction:
        """Capacity of the forward direction [segments/s]."""
        return _per_second(self.rate, packet)

    def varying(self, packet: PacketSizes) -> VaryingRate | None:
        """Capacity of the forward direction over time; `None` where it does not change."""
        own, period = float(self.packet_rate(packet)), self.rate_period
        unit = 1 if self.rate.of == "packets" else packet.bits
        times = [change.at for change in self.rate_changes]
        rates = [change.rate.value / unit for change in self.rate_changes]
        return VaryingRate.of(own, times, rates, period) if times else None

    def link_stations(self, names: tuple[str, str], packet: PacketSizes, rtt: float) -> list[Any]:
        """Stations of the resolved scenario: forward and reverse, or the one of both.

        Args:
            names: names of the two.
            packet: sizes of packets.
            rtt: round-trip time of bandwidth-delay products [s].
        """
        there, here = self._rooms(packet, rtt)
        forward = _station(names[0], self.rate, there, self.loss, self.queue, self.path)
        if self.ecn_impairment != "none":
            forward["ecn_impairment"] = self.ecn_impairment
        if self.rate_changes:
            forward["rate_changes"] = spec_changes(self.rate_changes, self.rate_period)
        if self.is_shared:
            return [forward]
        queue, changes = self.reverse_queue or self.queue, self.reverse_rate_changes
        reverse = _station(names[1], self._back, here, self.reverse_loss, queue, self.reverse_path)
        if changes:
            reverse["rate_changes"] = spec_changes(changes, self.reverse_rate_period)
        return [forward, reverse]

    def link_problems(self, packet: PacketSizes, rtt: float | None) -> list[Problem]:
        """Everything that is wrong between its values; without `rtt`, but for the room."""
        problems = [*self._value_problems(packet)]
        # With a rate or a time out of range, the product may be out of every range.
        return problems if problems or rtt is None else [*self._room_problems(packet, rtt)]

    @property
    def _back(self) -> Rate:
        return self.reverse_rate or self.rate

    def _value_problems(self, packet: PacketSizes) -> Iterator[Problem]:
        for loc, size in (("buffer", self.buffer), ("reverse_buffer", self.reverse_buffer)):
            if size is not None and size.of == "bytes" and size.value * 8 < packet.bits:
                message = f"expected room for a packet of {packet.bits // 8} bytes, got {size}"
                yield Problem(loc, "too_small", message)
        yield from range_problems("rate", self.rate)
        if self.reverse_rate is not None:
            yield from range_problems("reverse_rate", self.reverse_rate)
        yield from rate_problems(self.rate, self.rate_changes, self.rate_period)
        back = rate_problems(self._back, self.reverse_rate_changes, self.reverse_rate_period)
        yield from (problem._replace(loc=f"reverse_{problem.loc}") for problem in back)
        if self.reverse_rate_changes and self.reverse_rate is None:
            yield Problem("reverse_rate", "missing", "missing; reverse_rate_changes changes it")
        for loc, path in (("path", self.path), ("reverse_path", self.reverse_path)):
            yield from () if path is None else path.problems(loc)
        own = {
            "reverse_rate": self.reverse_rate is not None,
            "reverse_rate_changes": bool(self.reverse_rate_changes),
            "reverse_buffer": self.reverse_buffer is not None,
            "reverse_loss": self.reverse_loss > 0,
            "reverse_path": self.reverse_path is not None,
            "reverse_queue": self.reverse_queue is not None,
        }
        for loc, is_set in own.items():
            if is_set and self.is_shared:
                message = "both directions share one station: a rate in packets, or half_duplex"
                yield Problem(loc, "conflict", message)
            elif loc == "reverse_rate" and is_set and self._back.of != self.rate.of:
                message = f"expected a rate in {self.rate.of}, as the other direction has, "
                message += f"got {self._back}"
                yield Problem(loc, "conflict", message)

    def _room_problems(self, packet: PacketSizes, rtt: float) -> Iterator[Problem]:
        if self.rate_changes and self.queue.kind in ("xcp", "vcp"):
            message = f"routers of {self.queue.kind} know one rate, so it cannot change"
            yield Problem("rate_changes", "conflict", message)
        forth, back = self._rooms(packet, rtt)
        room_of = "buffer" if self.reverse_buffer is None else "reverse_buffer"
        queue_of = "queue" if self.reverse_queue is None else "reverse_queue"
        # Where nothing is said of the reverse direction, both have the same problem.
        yield from dict.fromkeys(
            [
                *_queue_problems("buffer", forth, "queue", self.queue, packet),
                *_queue_problems(room_of, back, queue_of, self.reverse_queue or self.queue, packet),
            ]
        )

    def _rooms(self, packet: PacketSizes, rtt: float) -> tuple[dict[str, int], dict[str, int]]:
        """Room for waiting packets, forth and back."""
        forth = _room(self.buffer, self.rate, packet, rtt)
        if self.reverse_buffer is None:
            return forth, forth
        return forth, _room(self.reverse_buffer, self._back, packet, rtt)


def spec_rate(rate: Rate | None) -> dict[str, float] | None:
    """A rate as the engine reads it."""
    return None if rate is None else {f"{rate.of}_per_second": rate.value}


def _per_second(rate: Rate, packet: PacketSizes) -> Fraction:
    value = exact(rate.value)
    return value if rate.of == "packets" else value / packet.bits


def _room(size: Size, rate: Rate, packet: PacketSizes, rtt: float) -> dict[str, int]:
    if size.of != "bdp":
        return {size.of: int(size.value)}
    return {"packets": math.ceil(_per_second(rate, packet) * exact(rtt) * exact(size.value))}


def _queue_problems(
    room_of: str, room: dict[str, int], queue_of: str, queue: Queue, packet: PacketSizes
) -> list[Problem]:
    packets = room.get("packets", room.get("bytes", 0) * 8 // packet.bits)
    if packets > MAX_PACKETS:
        message = f"expected at most {MAX_PACKETS} packets, got {packets:g}"
        return [Problem(room_of, "too_large", message)]
    return placed(queue.problems({"packets": packets}), queue_of)


def _station(
    name: str, rate: Rate, room: dict[str, int], loss: float, queue: Queue, path: Path | None
) -> dict[str, Any]:
    return {
        "name": name,
        "region": 0,
        "rate": spec_rate(rate),
        "buffer": room,
        "loss": loss,
        "discipline": queue.resolved(),
        **({} if path is None else {"path": path.resolved(loss)}),
    }
