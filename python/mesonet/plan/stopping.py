"""Stopping rules: the precision to which responses are to be known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mesonet.errors import Problem, did_you_mean, show
from mesonet.plan.tables import StoppingTable


@dataclass(frozen=True)
class Precision:
    """The largest half-width of a confidence interval that is small enough."""

    value: float
    relative: bool
    """True if `value` is a fraction of the mean, else it is in the unit of the response."""

    def half_width(self, mean: float) -> float:
        """The largest half-width around `mean`."""
        return self.value * abs(mean) if self.relative else self.value

    def __str__(self) -> str:
        return f"{100 * self.value:g} %" if self.relative else f"{self.value:g}"


@dataclass(frozen=True)
class Stopping:
    """More replicates are run until every response is known precisely, or there are enough.

    Replicates come in blocks: one more is one more of every condition and alternative, with a seed
    of its own. Otherwise conditions could not be compared replicate by replicate.
    """

    responses: dict[str, Precision]
    confidence: float
    max_replicates: int

    def words(self) -> str:
        """The half-widths that are small enough, and their confidence, in words."""
        widths = ", ".join(f"{name} to {width}" for name, width in self.responses.items())
        return f"{widths} ({100 * self.confidence:g} % confidence)"


def read_stopping(
    table: StoppingTable, *, replicates: int, kept: Sequence[str], problems: list[Problem]
) -> Stopping | None:
    """The stopping rule of a plan; None, and the reasons in `problems`, if it cannot be one."""
    before = len(problems)
    responses = {}
    for name, text in table.responses.items():
        loc = f"stopping.responses.{name}"
        if name not in kept:
            hint = did_you_mean(name, kept)
            problems.append(Problem(loc, "unknown_response", f'"{name}" is not in responses{hint}'))
        precision = _precision(text)
        if precision is None:
            message = 'expected a half-width above zero, or a share of the mean such as "5 %"'
            problems.append(Problem(loc, "precision", f"{message}, got {show(text)}"))
        else:
            responses[name] = precision
    if replicates > table.max_replicates:
        message = f"expected at least replicates ({replicates}), got {table.max_replicates}"
        problems.append(Problem("stopping.max_replicates", "range", message))
    if len(problems) > before:
        return None
    return Stopping(responses, table.confidence, table.max_replicates)


def _precision(text: object) -> Precision | None:
    relative = isinstance(text, str) and text.rstrip().endswith("%")
    if isinstance(text, bool) or not (relative or isinstance(text, int | float)):
        return None
    try:
        value = float(str(text).rstrip().removesuffix("%")) / (100 if relative else 1)
    except ValueError:
        return None
    return Precision(value, relative) if 0 < value < math.inf else None
