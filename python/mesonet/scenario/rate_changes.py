"""Rates of a bottleneck that change at known times: outages, handovers, recorded links."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import PlainSerializer, PlainValidator

from mesonet.errors import Problem, show
from mesonet.scenario.types import Frozen, Given, NonNegativeDuration, Written
from mesonet.units import Rate, format_rate, format_time, parse_rate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_CHANGES = 1_000_000
"""Most changes of a rate."""
RATES = {"bits": (100.0, 1e13), "packets": (1e-3, 1e9)}
"""Smallest and largest rate per second of bits and of packets: a packet takes a day at most, and a
rounding to picoseconds is little of what the smallest takes."""
_NEVER = 1e12
"""Time after the end of every run [s]."""


def _rate(value: object) -> Rate:
    rate = value if isinstance(value, Rate) else parse_rate(value)
    if not 0 <= rate.value < math.inf:
        raise ValueError(f"expected a rate of at least zero, got {show(str(value))}")
    return rate


RateOrOutage = Given[
    Annotated[
        Rate,
        PlainValidator(_rate),
        PlainSerializer(format_rate),
        Written('rate, such as "5 Mbit/s", or "0 Mbit/s" for an outage'),
    ]
]
"""A rate in bits or packets, or none at all; `"0 Mbit/s"` outside."""


class RateChange(Frozen):
    """Another rate of the bottleneck from a time on."""

    at: NonNegativeDuration
    """Time of the change; within the period, where the changes repeat."""
    rate: RateOrOutage
    """Capacity from then on; zero is an outage, in which packets wait."""


def listed(name: str) -> Callable[[object], object]:
    """Reads a change also as a pair of its time and the value of that name."""

    def read(value: object) -> object:
        pair = isinstance(value, tuple | list) and len(value) == 2
        return dict(zip(("at", name), value, strict=True)) if pair else value  # type: ignore[call-overload]

    return read


def range_problems(loc: str, rate: Rate) -> Iterator[Problem]:
    """A rate that the engine's clock of picoseconds cannot serve at."""
    low, high = RATES[rate.of]
    if not low <= rate.value <= high:
        ends = (format_rate(Rate(end, rate.of)) for end in (low, high))
        message = f"expected {' to '.join(ends)}, got {rate}"
        yield Problem(loc, "range", message)


def rate_problems(
    rate: Rate, changes: Sequence[RateChange], period: float | None
) -> Iterator[Problem]:
    """Everything that is wrong with changes of a rate, repeated after a period [s]."""
    if not changes:
        if period is not None:
            yield Problem("rate_period", "conflict", "a period needs rate_changes that it repeats")
        return
    yield from time_problems("rate_changes", changes, period)
    for here, change in enumerate(changes):
        loc = f"rate_changes[{here}]"
        if change.rate.of != rate.of and change.rate.value:
            message = f"expected a rate in {rate.of}, as that of the bottleneck, got {change.rate}"
            yield Problem(f"{loc}.rate", "conflict", message)
        elif change.rate.value:
            yield from range_problems(f"{loc}.rate", change.rate)
    always_out = changes[0].at == 0 and not any(change.rate.value for change in changes)
    if always_out if period is not None else not changes[-1].rate.value:
        message = "expected a rate above zero at the end, or a rate_period that brings one"
        yield Problem("rate_changes", "outage", f"{message}: this outage has no end")


def time_problems(loc: str, changes: Sequence[Any], period: float | None) -> Iterator[Problem]:
    """Changes that do not come one after another, or not within the period."""
    before = -1.0
    for here, change in enumerate(changes):
        if change.at <= before:
            message = f"expected a time after {format_time(before)}, got {format_time(change.at)}"
            yield Problem(f"{loc}[{here}].at", "too_small", message)
        before = change.at + getattr(change, "over", 0.0)
        if period is not None and before >= period:
            end, actual = format_time(period), format_time(before)
            message = f"expected a change that ends before the period does ({end}), got {actual}"
            yield Problem(f"{loc}[{here}].at", "too_large", message)


def spec_changes(changes: Sequence[RateChange], period: float | None) -> dict[str, Any]:
    """Changes as the engine reads them, in SI units."""
    return {
        "times": [change.at for change in changes],
        "rates": [change.rate.value for change in changes],
        "period": period,
    }


@dataclass(frozen=True)
class VaryingRate:
    """A rate over time, for shares of it and for the time that a queue takes to leave."""

    times: tuple[float, ...]
    """Beginnings of the stretches of one rate, the first at 0 [s]."""
    rates: tuple[float, ...]
    """Rate of each stretch [segments/s]."""
    period: float | None = None
    """Time after which the stretches repeat [s]."""

    @classmethod
    def of(
        cls, own: float, times: Sequence[float], rates: Sequence[float], period: float | None
    ) -> VaryingRate:
        """The rate of a bottleneck: its own [segments/s], and others from some times on [s]."""
        early = times[0] > 0
        begin = ((0.0,), (own,)) if early else ((), ())
        return cls((*begin[0], *times), (*begin[1], *rates), period)

    @classmethod
    def through(cls, corners: Sequence[tuple[float, float]]) -> VaryingRate:
        """The rate whose integral goes through corners of times [s] and segments."""
        slopes = [
            (later - before) / (end - begin) for (begin, before), (end, later) in pairwise(corners)
        ]
        return cls(tuple(time for time, _ in corners[:-1]), tuple(slopes))

    def carried(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Segments that a busy link has carried by each time [s]."""
        return _folded(times, *self._corners())

    def within(self, ends: NDArray[np.float64], length: float) -> NDArray[np.float64]:
        """Segments that a busy link carries in the last `length` [s] before each end [s]."""
        return self.carried(ends) - self.carried((ends - length).clip(min=0.0))

    def drained(self, carried: NDArray[np.float64]) -> NDArray[np.float64]:
        """Times [s] by which a busy link has carried so many segments."""
        at, corners = self._corners()
        return _folded(carried, corners, at)

    def _corners(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        import numpy as np  # A scenario is read without it.

        at = np.array([*self.times, self.period or _NEVER])
        carried = np.concatenate([[0.0], np.cumsum(np.diff(at) * np.array(self.rates))])
        return at, carried


def _folded(
    values: NDArray[np.float64], xs: NDArray[np.float64], ys: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Values on the line through these points, which goes on from its end as it began."""
    import numpy as np

    turns = np.floor(values / xs[-1])
    folded: NDArray[np.float64] = turns * ys[-1] + np.interp(values - turns * xs[-1], xs, ys)
    return folded
