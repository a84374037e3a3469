"""Scenarios that differ from episode to episode: draws of their values."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mesonet.errors import InputError, Problem, ScenarioError, show
from mesonet.scenario.base import ScenarioBase

_QUANTITY = re.compile(r"\s*([0-9.eE+-]+)\s*(.*?)\s*")


@dataclass(frozen=True)
class Uniform:
    """A value drawn uniformly from `low` to `high`: numbers, or texts with one unit."""

    low: float | str
    high: float | str

    def draw(self, random: Any) -> Any:
        """A value, by a generator of numpy."""
        low, high, unit = _range(self.low, self.high)
        return _value(float(random.uniform(low, high)), unit)

    def example(self) -> Any:
        """One of the values."""
        return self.low


@dataclass(frozen=True)
class LogUniform:
    """A value whose logarithm is drawn uniformly; both ends are above zero and have one unit."""

    low: float | str
    high: float | str

    def draw(self, random: Any) -> Any:
        """A value, by a generator of numpy."""
        low, high, unit = _range(self.low, self.high)
        drawn = math.exp(float(random.uniform(math.log(low), math.log(high))))
        return _value(min(max(drawn, low), high), unit)

    def example(self) -> Any:
        """One of the values."""
        return self.low


@dataclass(frozen=True)
class Choice:
    """One of some values, each as likely as the others."""

    values: Sequence[Any]

    def draw(self, random: Any) -> Any:
        """A value, by a generator of numpy."""
        return self.values[int(random.integers(len(self.values)))]

    def example(self) -> Any:
        """One of the values."""
        return self.values[0]


Draw = Uniform | LogUniform | Choice
"""A draw of a value."""


def checked_draws(vary: Mapping[str, Any] | None) -> dict[str, Draw]:
    """The draws by path in the scenario; raises `InputError` with every problem."""
    problems = []
    for path, draw in (vary or {}).items():
        message = None
        if isinstance(draw, Choice):
            if len(draw.values) == 0:
                message = "expected one value at least"
        elif isinstance(draw, Uniform | LogUniform):
            message = _range_problem(draw)
        else:
            message = f"expected a Uniform, LogUniform or Choice, got {show(draw)}"
        if message:
            problems.append(Problem(f"vary[{show(path)}]", "value", message))
    if problems:
        raise InputError(problems)
    return dict(vary or {})


def place_problems(scenario: ScenarioBase, vary: Mapping[str, Draw]) -> list[Problem]:
    """Problems with paths that a scenario does not have; values are looked at when drawn."""
    problems = []
    for path, draw in vary.items():
        try:
            scenario.replace({path: draw.example()})
        except ScenarioError as error:
            problems += [
                problem._replace(loc=f"vary[{show(path)}]")
                for problem in error.problems
                if problem.kind in ("unknown_key", "path")
            ]
    return problems


def _range_problem(draw: Uniform | LogUniform) -> str | None:
    try:
        low, high, _ = _range(draw.low, draw.high)
    except ValueError as error:
        return str(error)
    if not low <= high:
        return f"expected low to be at most high, got {show(draw.low)} and {show(draw.high)}"
    if isinstance(draw, LogUniform) and low <= 0:
        return f"expected low to be above zero, got {show(draw.low)}"
    return None


def _range(low: float | str, high: float | str) -> tuple[float, float, str]:
    (first, unit), (last, other) = _quantity(low), _quantity(high)
    if unit != other:
        raise ValueError(f"expected one unit, got {show(low)} and {show(high)}")
    return first, last, unit


def _quantity(given: float | str) -> tuple[float, str]:
    if not isinstance(given, str):
        return float(given), ""
    found = _QUANTITY.fullmatch(given)
    if found is None:
        raise ValueError(f'expected a number or a text such as "40 ms", got {show(given)}')
    return float(found[1]), found[2]


def _value(number: float, unit: str) -> Any:
    # Six digits: a scenario that is written down is the one that was simulated.
    rounded = float(f"{number:.6g}")
    return f"{rounded!r} {unit}" if unit else rounded
