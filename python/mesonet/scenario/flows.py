"""Flows of a laboratory: who sends, from when, how much, and with which pauses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field

from mesonet.controller import algorithm_name, short
from mesonet.errors import Problem, show
from mesonet.scenario.applications import Application, ApplicationField, Call, Video, behaviour
from mesonet.scenario.queues import placed
from mesonet.scenario.types import (
    MAX_WHOLE,
    DataSize,
    Duration,
    FlowName,
    Frozen,
    Given,
    NonNegativeDuration,
    PositiveInt,
    RoundTripTime,
    TrueOrFalse,
    Written,
)
from mesonet.units import Size, format_time

MAX_FLOWS = 100_000
"""Most flows of one laboratory."""
MAX_RTT = 14_400.0
"""Longest base round-trip time [s]; hosts have a fourth of it each way."""
MAX_GAP = 3600.0
"""Longest time from one burst of a flow to the next [s]."""
MIN_EVERY = 1e-6
"""Shortest time from one burst to the next where none waits for ACKs [s]."""
MAX_PACKETS = MAX_WHOLE
"""Largest buffer or transfer [packets]."""


def not_empty(size: Size) -> Size:
    """The size, if it is one of whole packets or bytes above zero."""
    if size.value <= 0:
        raise ValueError(f"expected a size above zero, got {show(str(size))}")
    if size.value > MAX_PACKETS:
        raise ValueError(f"expected at most {MAX_PACKETS} packets or bytes, got {show(str(size))}")
    if size.of == "packets" and not size.value.is_integer():
        raise ValueError(f"expected whole packets, got {show(str(size))}")
    return size


Algorithm = Given[Annotated[str, BeforeValidator(algorithm_name), Field(min_length=1)]]
"""Congestion control by name; a class of Python's outside."""


Conduct = Literal["honest", "hides_losses", "hides_marks", "repeats_acks", "acks_ahead"]


class Flow(Frozen):
    """One flow through the bottleneck, or `count` of them alike."""

    algorithm: Algorithm
    """Congestion control by name, or a class of Python's."""
    name: FlowName | None = None
    """Name in the results; when not given, the algorithm and a number."""
    start: NonNegativeDuration = 0.0
    """Time at which it connects."""
    stop: Duration | None = None
    """Time at which it stops offering new data; when not given, it does not."""
    size: Annotated[DataSize, AfterValidator(not_empty)] | None = None
    """Data to send; when not given, without limit."""
    burst: Annotated[DataSize, AfterValidator(not_empty)] | None = None
    """Data that the application offers at a time, over one connection; when not given, all."""
    pause: NonNegativeDuration | None = None
    """Time from the acknowledgement of a burst to the next: requests and responses."""
    every: Duration | None = None
    """Time from one burst to the next, acknowledged or not: live media."""
    application: ApplicationField | None = None
    """Application: `rpc`, `web`, `video`, `call` or `trace`; when not given, a file or bursts."""
    rtt: RoundTripTime | None = None
    """Base round-trip time; when not given, that of the scenario."""
    count: PositiveInt = 1
    """Number of flows alike."""
    reverse: TrueOrFalse = False
    """Sends against the forward direction."""
    conduct: Conduct = "honest"
    """What its receiver does: keeps to the rules, acknowledges what was lost, reports no mark,
    sends each ACK three times more, or acknowledges what was lost and the next segment, too."""

    @property
    def lines(self) -> int:
        """Connections of one of them."""
        return 1 if self.application is None else self.application.lines

    @property
    def connections(self) -> int:
        """Connections of all `count` of them."""
        return self.count * self.lines


def as_flow(value: object) -> object:
    """A flow, also as its algorithm alone."""
    return {"algorithm": value} if isinstance(value, str | type) else value


def as_flows(value: object) -> object:
    """A flow alone as a text: it would be taken apart into its fields, as a list of them."""
    return f"a flow of {value.algorithm}" if isinstance(value, Flow) else value


FlowList = Annotated[
    tuple[Annotated[Flow, BeforeValidator(as_flow)], ...],
    BeforeValidator(as_flows),
    Field(min_length=1, max_length=MAX_FLOWS),
    Written("list of flows, or of algorithms"),
]
"""Flows; an algorithm alone is short for a flow with it."""


FlowT = TypeVar("FlowT", bound=Flow)


def numbered(flows: Iterable[FlowT]) -> Iterator[tuple[str, FlowT]]:
    """Every flow by its name; those without are numbered by algorithm."""
    numbers: Counter[str] = Counter()
    for flow in flows:
        for turn in range(flow.count):
            if flow.name is None:
                own = short(flow.algorithm)
                numbers[own] += 1
                yield f"{own}-{numbers[own]}", flow
            else:
                yield flow.name if flow.count == 1 else f"{flow.name}-{turn + 1}", flow


def connections(flows: Iterable[FlowT]) -> Iterator[tuple[str, FlowT]]:
    """Every connection by its name, and the flow that it belongs to."""
    for name, flow in numbered(flows):
        if flow.lines == 1:
            yield name, flow
        else:
            yield from ((f"{name}-{line}", flow) for line in range(1, flow.lines + 1))


class NamedApplication(NamedTuple):
    """An application of a run, and what the judgement of its users depends on beside it."""

    settings: Application
    flow: Flow
    base_rtt: float
    """Round-trip propagation delay [s]."""
    segment: int
    """Payload of a segment [bit]."""
    places: range
    """Places of its connections among the flows."""


def named_applications(
    members: Iterable[tuple[str, Flow, float]], segment: int
) -> dict[str, NamedApplication]:
    """Applications by name; a segment has `segment` bits.

    `members` are connections in the order of the engine, each with its flow and base RTT [s].
    """
    named, after = {}, 0
    for place, (name, flow, base_rtt) in enumerate(members):
        if flow.application is not None and place >= after:
            after = place + flow.lines
            called = name if flow.lines == 1 else name.removesuffix("-1")
            places = range(place, after)
            named[called] = NamedApplication(flow.application, flow, base_rtt, segment, places)
    return named


def with_applications(
    spec: dict[str, Any], named: Mapping[str, NamedApplication]
) -> dict[str, Any]:
    """The resolved scenario with applications by name; as it is without any."""
    for number, (name, own) in enumerate(named.items()):
        settings, flow = own.settings, own.flow
        application = {
            "name": name,
            "start": flow.start,
            "stop": flow.stop,
            "separate": settings.separate,
            "behaviour": behaviour(settings, own.segment),
        }
        # Without datagrams a scenario keeps the spec, and so the run id, that it had.
        if isinstance(settings, Call) and settings.over == "udp":
            application["datagrams"] = True
        spec.setdefault("applications", []).append(application)
        for place in own.places:
            spec["flows"][place] |= {"application": number, "stop": None}
    return spec


def flow_problems(flow: Flow, duration: float, segment: int) -> Iterator[Problem]:
    """Everything that is wrong with a flow in a run of a duration [s]; segments in bits."""
    yield from rtt_problems("rtt", flow.rtt)
    yield from application_problems(flow, segment)
    if flow.start >= duration:
        end = format_time(duration)
        message = f"expected a time before the end ({end}), got {format_time(flow.start)}"
        yield Problem("start", "too_large", message)
    if flow.stop is not None and flow.stop <= flow.start:
        after = format_time(flow.start)
        message = f"expected a time after start ({after}), got {format_time(flow.stop)}"
        yield Problem("stop", "too_small", message)


def application_problems(flow: Flow, segment: int) -> Iterator[Problem]:
    """Everything that is wrong with what a flow sends; a segment has `segment` bits."""
    if flow.application is None:
        yield from burst_problems(flow)
        return
    for name in ("size", "burst", "pause", "every"):
        if getattr(flow, name) is not None:
            message = "the application says what is sent; keep one of them"
            yield Problem(name, "conflict", message)
    if isinstance(flow.application, Video | Call):
        yield from placed(flow.application.problems(segment), "application")


def burst_problems(flow: Flow) -> Iterator[Problem]:
    """Everything that is wrong with the pauses of a flow."""
    gaps = {"pause": flow.pause, "every": flow.every}
    set_gaps = {name: gap for name, gap in gaps.items() if gap is not None}
    if flow.burst is None:
        for name in set_gaps:
            yield Problem(name, "conflict", "a gap between bursts needs their size, burst")
        return
    if len(set_gaps) != 1:
        message = f"expected pause or every beside it, got {'both' if set_gaps else 'none'}"
        yield Problem("burst", "conflict", message)
    for name, gap in set_gaps.items():
        minimum = MIN_EVERY if name == "every" else 0.0
        if not minimum <= gap <= MAX_GAP:
            bounds = f"{format_time(minimum)} to {format_time(MAX_GAP)}"
            message = f"expected {bounds}, got {format_time(gap)}"
            yield Problem(name, "out_of_range", message)


def rtt_problems(loc: str, rtt: float | None) -> list[Problem]:
    """A problem with a round-trip time [s] at `loc` that is too long."""
    if rtt is None or rtt <= MAX_RTT:
        return []
    message = f"expected at most {MAX_RTT:.0f} s, got {format_time(rtt)}"
    return [Problem(loc, "too_large", message)]
