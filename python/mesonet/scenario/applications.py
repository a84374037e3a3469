"""Applications of flows: what they ask for, over how many connections, and when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from mesonet.errors import Problem, ProblemsError, refused
from mesonet.numbers import exact
from mesonet.scenario.laws import Counts, Sizes, TimeLaw, Times
from mesonet.scenario.types import (
    Duration,
    Frozen,
    Given,
    NonNegativeNumber,
    PositiveInt,
    ServiceRate,
    TrueOrFalse,
    Written,
)
from mesonet.units import Rate, Size, format_rate, format_time

MAX_CONNECTIONS = 10_000
"""Most connections of an application."""
MAX_ROWS = 1_000_000
"""Most transfers of a trace."""
MIN_GAP = 1e-6
"""Shortest mean time between requests that do not wait for each other [s]."""
RESERVOIR, CUSHION = 90 / 240, 126 / 240
"""Parts of the buffer of a film: Huang and others, SIGCOMM 2014, section 4."""
EFFICIENCY = 0.85
"""Part of the throughput that a bit rate may have, in FESTIVE (Jiang and others, CoNEXT 2012)."""


class Application(Frozen):
    """What the application of a flow asks for; by default over one connection that stays."""

    @property
    def lines(self) -> int:
        """Connections at a time."""
        return 1

    @property
    def separate(self) -> bool:
        """True if every request has a connection of its own."""
        return False


class Requests(Application):
    """Requests over connections of their own, or one after the other over one."""

    reuse: TrueOrFalse = False
    """All requests use one connection, in turn; else each has its own."""
    connections: Annotated[PositiveInt, Field(le=MAX_CONNECTIONS)] = 100
    """Most connections at a time without `reuse` and `pause`; more requests wait."""

    @property
    def lines(self) -> int:
        """Connections at a time."""
        return 1 if self.reuse else self.connections

    @property
    def separate(self) -> bool:
        """True if every request has a connection of its own."""
        return not self.reuse


class Rpc(Requests):
    """Requests and responses, in an open or a closed loop."""

    kind: Literal["rpc"]
    """Kind of application."""
    size: Sizes
    """Size of a response."""
    every: Times | None = None
    """Time from one request to the next, answered or not: an open loop."""
    pause: Times | None = None
    """Time from a response to the next request: a closed loop."""

    @property
    def lines(self) -> int:
        """Connections at a time."""
        return 1 if self.pause else super().lines

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        problems = []
        if (self.every is None) == (self.pause is None):
            message = f"expected every or pause, got {'both' if self.every else 'none'}"
            problems = [Problem("every", "conflict", message)]
        elif self.every and self.every.mean < MIN_GAP:
            least, mean = format_time(MIN_GAP), format_time(self.every.mean)
            problems = [Problem("every", "too_small", f"expected at least {least}, got {mean}")]
        return refused(self, problems)


class Web(Application):
    """Pages of objects over several connections that stay, and pauses between pages."""

    kind: Literal["web"]
    """Kind of application."""
    objects: Counts
    """Objects of a page."""
    size: Sizes
    """Size of an object."""
    pause: Times
    """Time from the last object of a page to the next page."""
    connections: Annotated[PositiveInt, Field(le=MAX_CONNECTIONS)] = 6
    """Connections, each of which has one object at a time."""

    @property
    def lines(self) -> int:
        """Connections at a time."""
        return self.connections


class Video(Application):
    """A film in segments whose bit rate adapts."""

    kind: Literal["video"]
    """Kind of application."""
    rates: Annotated[
        tuple[ServiceRate, ...], Field(min_length=1, max_length=100), Written("list of rates")
    ] = tuple(Rate(kbit * 1e3, "bits") for kbit in (300, 750, 1200, 1850, 2850, 4300))
    """Bit rates, from the lowest on."""
    segment: Duration = 4.0
    """Playing time of a segment."""
    buffer: Duration = 60.0
    """Most playing time that the client holds."""
    adaptation: Literal["buffer", "throughput"] = "buffer"
    """What the bit rate follows."""

    def sizes(self, segment: int) -> list[int]:
        """Segments of the transport in a segment of the film, by bit rate."""
        return [max(1, round(_rate(rate, segment) * self.segment)) for rate in self.rates]

    def problems(self, segment: int) -> Iterable[Problem]:
        """Everything that is wrong where a segment has `segment` bits."""
        if any(later <= before for before, later in pairwise(self.sizes(segment))):
            message = "expected rates that rise, by at least a packet in a segment"
            yield Problem("rates", "order", message)
        if self.buffer < 2 * self.segment:
            least = format_time(2 * self.segment)
            message = f"expected two segments ({least}) or more, got {format_time(self.buffer)}"
            yield Problem("buffer", "too_small", message)


class Call(Application):
    """Frames at a constant or adaptive rate, each of which is late after a deadline."""

    kind: Literal["call"]
    """Kind of application."""
    rate: ServiceRate
    """Rate of the frames' data; of a call that adapts the greatest."""
    adaptation: Literal["none", "nada"] = "none"
    """What the rate follows: nothing, or by NADA (RFC 8698) the delay, loss and marks of the
    path."""
    least_rate: ServiceRate = Rate(150e3, "bits")
    """Least rate of a call that adapts."""
    frame: Duration = 0.02
    """Time from one frame to the next."""
    deadline: Duration = 0.15
    """Time from a frame to its arrival after which it is late."""
    over: Literal["tcp", "udp"] = "tcp"
    """Transport: a connection of the flow, or datagrams, which are never retransmitted."""

    def problems(self, segment: int) -> Iterable[Problem]:
        """Everything that is wrong where a segment has `segment` bits."""
        if self.adaptation != "none":
            if self.over != "udp":
                message = f'a call that adapts is over "udp", got {self.over}'
                yield Problem("over", "conflict", message)
            if _rate(self.least_rate, segment) > _rate(self.rate, segment):
                message = f"expected rate ({self.rate}) or less, got {self.least_rate}"
                yield Problem("least_rate", "too_large", message)
        if _rate(self.rate, segment) * self.frame < 1 - 1e-9:
            unit = segment if self.rate.of == "bits" else 1
            message = (
                "expected a packet of packet.smss in each frame "
                f"({format_rate(Rate(unit / self.frame, self.rate.of))}) or more, got {self.rate}"
            )
            yield Problem("rate", "too_small", message)


class Trace(Requests):
    """Transfers that are known, as `transfer_trace` reads them from a file."""

    kind: Literal["trace"]
    """Kind of application."""
    times: Annotated[
        tuple[NonNegativeNumber, ...],
        Field(min_length=1, max_length=MAX_ROWS),
        Written("list of numbers from 0"),
    ]
    """Time of each after the start of the flow [s]."""
    bytes: Annotated[
        tuple[PositiveInt, ...],
        Field(min_length=1, max_length=MAX_ROWS),
        Written("list of whole numbers from 1"),
    ]
    """Size of each [bytes]."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        problems = []
        if len(self.times) != len(self.bytes):
            message = f"expected {len(self.times)} sizes, one for each time, got {len(self.bytes)}"
            problems.append(Problem("bytes", "length", message))
        if any(later < before for before, later in pairwise(self.times)):
            problems.append(Problem("times", "order", "expected times in order"))
        return refused(self, problems)


def behaviour(application: Application, segment: int) -> dict[str, Any]:
    """What the engine reads; a segment has `segment` bits."""

    def segments(size: Size) -> float:
        return size.value if size.of == "packets" else float(exact(size.value) * 8 / segment)

    match application:
        case Rpc(every=TimeLaw() as gap, size=size):
            return {"open": {"gap": gap.resolved(), "size": size.resolved(segments)}}
        case Rpc(pause=TimeLaw() as pause, size=size):
            requests, pauses = {"constant": 1.0}, pause.resolved()
        case Web(objects=objects, pause=pause, size=size):
            requests, pauses = objects.resolved(), pause.resolved()
        case Call(adaptation="nada", rate=rate, least_rate=least, frame=frame):
            rates = {"least": _rate(least, segment), "most": _rate(rate, segment)}
            return {"call": {"frame": frame, **rates}}
        case Call(rate=rate, frame=frame):
            return {
                "open": {"gap": {"constant": frame}, "size": {"even": _rate(rate, segment) * frame}}
            }
        case Trace(times=times, bytes=sizes):
            whole = [-(-8 * size // segment) for size in sizes]
            return {"listed": {"times": list(times), "sizes": whole}}
        case Video(buffer=room):
            by_buffer = {"reservoir": RESERVOIR * room, "cushion": CUSHION * room}
            part = {"buffer": by_buffer, "throughput": EFFICIENCY}[application.adaptation]
            film = {"segment": application.segment, "sizes": application.sizes(segment)}
            return {"video": {**film, "buffer": room, "adaptation": {application.adaptation: part}}}
    return {"closed": {"pause": pauses, "requests": requests, "size": size.resolved(segments)}}


def _as_kind(value: object) -> object:
    """An application, also by its kind alone."""
    if isinstance(value, Mapping) and "kind" not in value:
        raise ProblemsError([Problem("kind", "missing", "missing; it has no default")])
    return {"kind": value} if isinstance(value, str) else value


ApplicationField = Given[
    Annotated[
        Rpc | Web | Video | Call | Trace,
        Field(discriminator="kind"),
        BeforeValidator(_as_kind),
        Written('table such as `{ kind = "video" }`'),
    ]
]
"""An application of a flow: a table, or its kind alone."""


def _rate(rate: Rate, segment: int) -> float:
    """Segments per second."""
    return rate.value if rate.of == "packets" else rate.value / segment
