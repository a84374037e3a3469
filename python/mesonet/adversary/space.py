"""The space that is searched: coordinates from 0 to 1, and the values that they stand for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
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
    """A coordinate: its value at each place from 0 to 1.

    `ends` are the bounds, the only value, or all that are listed. `usual` is the value that
    `mesonet compare` has, within the bounds or not, and `home` the place next to it.
    """

    name: str
    ends: list[Any]
    usual: Any
    home: float
    value: Callable[[float], Any]


@dataclass(frozen=True)
class Space:
    """Coordinates of all conditions, in the order of their values."""

    coordinates: tuple[Coordinate, ...]

    @property
    def varied(self) -> list[Coordinate]:
        """Coordinates of a point."""
        return [it for it in self.coordinates if len(it.ends) > 1]

    @property
    def home(self) -> Point:
        """The usual condition."""
        return np.array([it.home for it in self.varied])

    def bounds(self) -> dict[str, list[Any]]:
        """Ends of each coordinate."""
        return {it.name: it.ends for it in self.coordinates}

    def values(self, point: Point) -> Values:
        """The condition of a point."""
        places = iter(point)
        return tuple(
            it.value(next(places)) if len(it.ends) > 1 else it.ends[0] for it in self.coordinates
        )

    def named(self, values: Values) -> dict[str, Any]:
        """A condition by the names of its coordinates."""
        return {it.name: value for it, value in zip(self.coordinates, values, strict=True)}


def space(bounds: Mapping[str, Any]) -> Space:
    """The space within bounds by name, each a value or the least and the largest."""
    problems: list[Problem] = []
    coordinates: list[Coordinate] = []
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
            coordinates.append(_scaled(name, ends[0], ends[-1], usual, form))
    queues = _several(bounds["queue"])
    if not queues or len(set(queues)) < len(queues):
        message = f"expected different queue disciplines, got {', '.join(queues) or 'none'}"
        problems.append(Problem("queue", "duplicate", message))
    if problems:
        raise InputError(problems)
    return Space((*coordinates, _listed("queue", queues)))


def _several(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _scaled(
    name: str, low: float, high: float, usual: float, form: Callable[[float], Any]
) -> Coordinate:
    """A coordinate on a logarithmic scale.

    From a lower bound of zero, the lower half is zero, and the upper half has the three decades
    below the upper bound.
    """

    def value(place: float) -> Any:
        exact = low * (high / low) ** place if low > 0 else 0.0
        if not low and place > 0.5:
            exact = high * 10 ** (2 * _DECADES * (place - 1))
        return form(min(max(float(f"{exact:.{_DIGITS - 1}e}"), low), high))

    near, home = min(max(usual, low), high), 0.5
    if 0 < low < high:
        home = math.log(near / low) / math.log(high / low)
    elif near:
        home = 1 + math.log10(near / high) / (2 * _DECADES)
    ends = [form(it) for it in dict.fromkeys((low, high))]
    return Coordinate(name, ends, form(usual), home, value)


def _listed(name: str, values: Sequence[str]) -> Coordinate:
    """A coordinate of which each value has an equal part; the first is home."""

    def value(place: float) -> str:
        return values[min(int(place * len(values)), len(values) - 1)]

    return Coordinate(name, list(values), "droptail", 0.5 / len(values), value)


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
        with suppress(TypeError, ValueError, OverflowError):
            if math.isfinite(number := kind(value)):
                return number
        raise UnitError(f"expected {words}, got {show(value)}")

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
