"""The space that is searched: coordinates from 0 to 1, and the values that they stand for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mesonet.errors import InputError, Problem, show
from mesonet.units import Rate, Size, UnitError, format_time, parse_rate, parse_size, parse_time

Point = NDArray[np.float64]
"""Coordinates of a condition, those that vary only, each from 0 to 1."""
Values = tuple[Any, ...]
"""A condition as a scenario has it: a value for each coordinate."""
_DIGITS = 2
"""Significant digits of what is tried, so that a condition can be read and typed again."""
_DECADES = 3
"""Decades below the largest value that the upper half of a coordinate from zero has."""


@dataclass(frozen=True)
class Coordinate:
    """A coordinate with its bounds, on a logarithmic scale.

    From a lower bound of zero, the lower half is zero, and the upper half has the three decades
    below the upper bound. `usual` is what the reduction goes back to.
    """

    name: str
    low: float
    high: float
    usual: float
    form: Callable[[float], Any]

    @property
    def fixed(self) -> bool:
        """True if it has one value."""
        return self.low == self.high

    def value(self, place: float) -> Any:
        """The value at a place from 0 to 1."""
        if self.fixed:
            return self.form(self.low)
        if self.low > 0:
            exact = self.low * (self.high / self.low) ** place
        else:
            exact = 0.0 if place <= 0.5 else self.high * 10 ** (2 * _DECADES * (place - 1))
        return self.form(min(max(_rounded(exact), self.low), self.high))

    @property
    def usual_value(self) -> Any:
        """The usual value, within the bounds or not."""
        return self.form(self.usual)

    def ends(self) -> list[Any]:
        """The only value, or the bounds."""
        return [self.form(it) for it in dict.fromkeys((self.low, self.high))]

    @property
    def home(self) -> float:
        """The place of the usual value, or of the bound next to it."""
        usual = min(max(self.usual, self.low), self.high)
        if self.low > 0:
            return math.log(usual / self.low) / math.log(self.high / self.low)
        return 1 + math.log10(usual / self.high) / (2 * _DECADES) if usual else 0.5


@dataclass(frozen=True)
class Listed:
    """A coordinate with listed values; the first is the usual one."""

    name: str
    listed: tuple[str, ...]

    @property
    def fixed(self) -> bool:
        """True if it has one value."""
        return len(self.listed) == 1

    def value(self, place: float) -> str:
        """The value at a place from 0 to 1, of which each has an equal part."""
        return self.listed[min(int(place * len(self.listed)), len(self.listed) - 1)]

    @property
    def usual_value(self) -> str:
        """The queue of `mesonet compare` without options."""
        return "droptail"

    def ends(self) -> list[str]:
        """All values."""
        return list(self.listed)

    @property
    def home(self) -> float:
        """The place of the first value."""
        return 0.5 / len(self.listed)


@dataclass(frozen=True)
class Space:
    """Coordinates of all conditions, in the order of their values."""

    coordinates: tuple[Coordinate | Listed, ...]

    @property
    def varied(self) -> list[Coordinate | Listed]:
        """Coordinates of a point."""
        return [it for it in self.coordinates if not it.fixed]

    @property
    def home(self) -> Point:
        """The usual condition."""
        return np.array([it.home for it in self.varied])

    @property
    def usual(self) -> Values:
        """The condition that `mesonet compare` has without options, within the bounds or not."""
        return tuple(it.usual_value for it in self.coordinates)

    def bounds(self) -> dict[str, list[Any]]:
        """Least and largest value of each coordinate, its only value, or all that are listed."""
        return {it.name: it.ends() for it in self.coordinates}

    def values(self, point: Point) -> Values:
        """The condition of a point."""
        places = iter(point)
        return tuple(it.value(0.0 if it.fixed else next(places)) for it in self.coordinates)

    def named(self, values: Values) -> dict[str, Any]:
        """A condition by the names of its coordinates."""
        return {it.name: value for it, value in zip(self.coordinates, values, strict=True)}


def space(bounds: Mapping[str, Any]) -> Space:
    """The space within bounds by name, each a value or the least and the largest."""
    problems: list[Problem] = []
    coordinates: list[Coordinate | Listed] = []
    for name, (parse, form, usual, least) in _KINDS.items():
        texts = _several(bounds[name])
        try:
            ends = [parse(text) for text in texts]
        except UnitError as error:
            problems.append(Problem(name, "quantity", str(error)))
            continue
        if len(ends) not in (1, 2) or ends[0] > ends[-1] or ends[0] < least:
            expected = f"expected one value, or the least and the largest, from {form(least)}"
            message = f"{expected}, got {', '.join(map(str, texts)) or 'none'}"
            problems.append(Problem(name, "range", message))
        else:
            coordinates.append(Coordinate(name, ends[0], ends[-1], usual, form))
    queues = _several(bounds["queue"])
    coordinates.append(Listed("queue", tuple(queues)))
    if not queues or len(set(queues)) < len(queues):
        message = f"expected different queue disciplines, got {', '.join(queues) or 'none'}"
        problems.append(Problem("queue", "duplicate", message))
    if problems:
        raise InputError(problems)
    return Space(tuple(coordinates))


def _several(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _bdps(text: Any) -> float:
    size = parse_size(text, bdp=True, unit="bdp")
    if size.of != "bdp":
        message = f'expected bandwidth-delay products such as "0.5 bdp", got {show(text)}'
        raise UnitError(message)
    return size.value


def _bits(text: Any) -> float:
    return parse_rate(text, of="bits").value


def _number(kind: type[int] | type[float], words: str) -> Callable[[Any], float]:
    def parse(value: Any) -> float:
        try:
            number = kind(value)
        except (TypeError, ValueError):
            raise UnitError(f"expected {words}, got {show(value)}") from None
        if not math.isfinite(number):
            raise UnitError(f"expected {words}, got {show(value)}")
        return number

    return parse


_COUNT = (_number(int, "a whole number of flows"), round, 1.0, 1.0)
_KINDS: dict[str, tuple[Callable[[Any], float], Callable[[float], Any], float, float]] = {
    "rate": (_bits, lambda it: str(Rate(it, "bits")), 50e6, 1e3),
    "rtt": (parse_time, format_time, 0.04, 1e-6),
    "buffer": (_bdps, lambda it: str(Size(it, "bdp")), 1.0, 1e-3),
    "loss": (_number(float, "a probability"), float, 0.0, 0.0),
    "flows": _COUNT,
    "victims": _COUNT,
    "start": (parse_time, format_time, 0.0, 0.0),
}
"""How bounds are read and values written, the usual value, as `mesonet compare` has it, and the
least bound."""


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS - 1}e}")
