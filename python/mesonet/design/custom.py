"""A design of one's own: a matrix of codes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mesonet.design.design import Design, matrix_of, name_problems
from mesonet.design.factors import Factor
from mesonet.errors import PlanError, Problem

_SHOWN = 10


def custom_design(
    factors: Sequence[Factor],
    rows: Sequence[Sequence[float]],
    *,
    kind: str = "custom",
    loc: str = "design.conditions",
) -> Design:
    """A design with these codes: a row per condition, a code per factor.

    Rows of a `kind` drawn by lot may meet by chance, those of a "custom" one may not. `loc` is
    where the rows come from, for messages.
    """
    names = [factor.name for factor in factors]
    problems = name_problems(names)
    if not rows:
        problems.append(Problem(loc, "empty", "expected at least one condition"))
    first: dict[tuple[float, ...], int] = {}
    for number, row in enumerate(rows, start=1):
        if len(row) != len(factors):
            message = f"expected {len(factors)} codes, one for each factor, got {len(row)}"
            problems.append(Problem(f"{loc}, condition {number}", "shape", message))
            continue
        wrong = [
            Problem(f"{loc}, condition {number}, {factor.name}", "level", _expected(factor, code))
            for factor, code in zip(factors, row, strict=True)
            if not _has_level(factor, code)
        ]
        problems += wrong
        before = first.setdefault(tuple(row), number)
        if kind == "custom" and before < number and not wrong:
            # It would count as an observation of its own and make effects look surer than they are.
            message = (
                f"repeats condition {before}; with the same seed it is the same run. Leave it out, "
                "and for more than one run of each condition set `replicates`"
            )
            problems.append(Problem(f"{loc}, condition {number}", "repeats", message))
    if not problems:
        problems += [
            Problem(f"{loc}, {name}", "constant", "does not vary; set it in the scenario instead")
            for name, column in zip(names, zip(*rows, strict=True), strict=True)
            if len(set(column)) == 1
        ]
    if problems:
        raise PlanError(shortened(problems, loc))
    coded = np.array(rows, dtype=np.float64)
    notes: tuple[str, ...] = ()
    if repeats := len(rows) - len(first):
        notes = (f"{repeats} conditions repeat others; with the same seed they are the same run.",)
    return Design(kind, tuple(names), {}, matrix_of(coded, names), notes=notes)


def _has_level(factor: Factor, code: float) -> bool:
    try:
        factor.level(code)
    except ValueError:
        return False
    return True


def _expected(factor: Factor, code: float) -> str:
    codes = ", ".join(f"{code:g}" for code in factor.codes)
    between = " or a number between" if factor.continuous else ""
    return f"expected {codes}{between}, got {code:g}"


def shortened(problems: list[Problem], loc: str) -> list[Problem]:
    """A wrong column is one mistake, not one for each of its thousand rows."""
    rest = len(problems) - _SHOWN
    if rest <= 0:
        return problems
    return [*problems[:_SHOWN], Problem(loc, "more", f"and {rest} more problems of this kind")]
