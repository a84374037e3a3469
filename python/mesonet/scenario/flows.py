"""Flows of a laboratory: who sends, from when, how much, and with which pauses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from mesonet.controller import algorithm_name
from mesonet.errors import Problem, show
from mesonet.scenario.applications import ApplicationField, Call, NamedApplication, Video
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
)
from mesonet.units import Size, format_time

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


class Flow(Frozen):
    """One flow through the bottleneck, or `count` of them alike."""

    algorithm: Given[Annotated[str, BeforeValidator(algorithm_name), Field(min_length=1)]]
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

    @property
    def lines(self) -> int:
        """Connections at a time."""
        return 1 if self.application is None else self.application.lines


def as_flow(value: object) -> object:
    """A flow, also as its algorithm alone."""
    return {"algorithm": value} if isinstance(value, str | type) else value


def as_flows(value: object) -> object:
    """A flow alone as a text: it would be taken apart into its fields, as a list of them."""
    return f"a flow of {value.algorithm}" if isinstance(value, Flow) else value


def burst_problems(loc: str, flow: Flow) -> Iterator[Problem]:
    """Everything that is wrong with the pauses of a flow at `loc`."""
    gaps = {"pause": flow.pause, "every": flow.every}
    set_gaps = {name: gap for name, gap in gaps.items() if gap is not None}
    if flow.burst is None:
        for name in set_gaps:
            message = "a gap between bursts needs their size, burst"
            yield Problem(f"{loc}.{name}", "conflict", message)
        return
    if len(set_gaps) != 1:
        message = f"expected pause or every beside it, got {'both' if set_gaps else 'none'}"
        yield Problem(f"{loc}.burst", "conflict", message)
    for name, gap in set_gaps.items():
        least = MIN_EVERY if name == "every" else 0.0
        if not least <= gap <= MAX_GAP:
            bounds = f"{format_time(least)} to {format_time(MAX_GAP)}"
            message = f"expected {bounds}, got {format_time(gap)}"
            yield Problem(f"{loc}.{name}", "out_of_range", message)


def application_problems(loc: str, flow: Flow, segment: int) -> Iterator[Problem]:
    """Everything that is wrong with the application of a flow; a segment has `segment` bits."""
    if flow.application is None:
        return
    for name in ("size", "burst", "pause", "every"):
        if getattr(flow, name) is not None:
            message = "the application says what is sent; keep one of them"
            yield Problem(f"{loc}.{name}", "conflict", message)
    if isinstance(flow.application, Video | Call):
        for problem in flow.application.problems(segment):
            yield problem._replace(loc=f"{loc}.application.{problem.loc}")


def connection_names(name: str, flow: Flow) -> Iterator[str]:
    """Names of the connections of a flow called `name`."""
    for number in range(flow.lines):
        yield name if flow.lines == 1 else f"{name}-{number + 1}"


def named_applications(
    flows: Iterable[tuple[str, Flow]], rtt: float, segment: int
) -> dict[str, NamedApplication]:
    """Applications by name.

    Args:
        flows: Every connection with its flow, in the order of the engine.
        rtt: Base round-trip time of flows that do not say theirs [s].
        segment: Payload of a segment [bit].
    """
    named, after = {}, 0
    for place, (name, flow) in enumerate(flows):
        if flow.application is None or place < after:
            continue
        after = place + flow.lines
        called = name if flow.lines == 1 else name.removesuffix("-1")
        named[called] = NamedApplication(
            settings=flow.application,
            algorithm=flow.algorithm,
            start=flow.start,
            stop=flow.stop,
            base_rtt=rtt if flow.rtt is None else flow.rtt,
            segment=segment,
            places=range(place, after),
        )
    return named


def rtt_problems(loc: str, rtt: float | None) -> list[Problem]:
    """A problem with a round-trip time [s] at `loc` that is too long."""
    if rtt is None or rtt <= MAX_RTT:
        return []
    message = f"expected at most {MAX_RTT:.0f} s, got {format_time(rtt)}"
    return [Problem(loc, "too_large", message)]
