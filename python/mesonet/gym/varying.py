"""Scenarios that differ from episode to episode: draws of their values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mesonet.errors import InputError, Problem, show
from mesonet.units import QUANTITY


@dataclass(frozen=True)
class _Range:
    low: float | str
    high: float | str

    def __post_init__(self) -> None:
        low, high, unit = self._ends()
        if not low <= high or unit != _quantity(self.high, "high")[1]:
            message = f"expected low to be at most high, both in one unit, got {show(self.high)}"
            raise InputError([Problem("high", "range", message)])

    def _ends(self) -> tuple[float, float, str]:
        (low, unit), (high, _) = _quantity(self.low, "low"), _quantity(self.high, "high")
        return low, high, unit


class Uniform(_Range):
    """A value drawn uniformly from `low` to `high`: numbers, or texts with one unit."""

    def draw(self, random: Any) -> Any:
        """A value, by a generator of numpy."""
        low, high, unit = self._ends()
        return _value(float(random.uniform(low, high)), unit)


class LogUniform(_Range):
    """A value whose logarithm is drawn uniformly; both ends are above zero and have one unit."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._ends()[0] <= 0:
            message = f"expected low to be above zero, got {show(self.low)}"
            raise InputError([Problem("low", "range", message)])

    def draw(self, random: Any) -> Any:
        """A value, by a generator of numpy."""
        low, high, unit = self._ends()
        drawn = math.exp(float(random.uniform(math.log(low), math.log(high))))
        return _value(min(max(drawn, low), high), unit)


@dataclass(frozen=True)
class Choice:
    """One of some values, each as likely as the others."""

    values: Sequence[Any]

    def draw(self, random: Any) -> Any:
        """A value, by a generator of numpy."""
        return self.values[int(random.integers(len(self.values)))]


Draw = Uniform | LogUniform | Choice
"""A draw of a value."""


def _quantity(value: float | str, end: str) -> tuple[float, str]:
    """Number and unit of an end."""
    if not isinstance(value, str):
        return float(value), ""
    match = QUANTITY.fullmatch(value)
    if match is None:
        message = f'expected a number or a text such as "40 ms", got {show(value)}'
        raise InputError([Problem(end, "quantity", message)])
    return float(match[1]), match[2]


def _value(number: float, unit: str) -> Any:
    # Six digits: a scenario that is written down is the one that was simulated.
    rounded = float(f"{number:.6g}")
    return f"{rounded!r} {unit}" if unit else rounded
