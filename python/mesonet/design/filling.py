"""Designs that fill the space between low and high: Latin hypercube and Sobol sequence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mesonet.design.design import Design, matrix_of, name_problems
from mesonet.errors import PlanError, Problem

# Of more points than these the distances of all pairs would take long, and random points are fine.
_SPREAD = 1000
_CANDIDATES = 100
# Codes are written into files and read back; twelve digits are the same on every platform.
_DIGITS = 12

Listed = Mapping[str, Sequence[float]]
"""Codes of factors that have only listed levels; every point has all their combinations."""


def latin_hypercube(
    factors: Sequence[str], *, points: int, listed: Listed | None = None, seed: int = 1
) -> Design:
    """Points of which each factor has one in every one of `points` equal parts of its range.

    M. D. McKay, R. J. Beckman and W. J. Conover, Technometrics 21 (1979). Up to 1000 points, the
    one of 100 such designs whose closest two points are farthest apart.
    """
    continuous = _continuous(factors, points, listed)
    # pydoe brings half of scipy, which the workers of a campaign need not wait for.
    import pydoe

    spread = {"criterion": "maximin", "iterations": _CANDIDATES} if points <= _SPREAD else {}
    unit = pydoe.lhs(len(continuous), samples=points, seed=seed, **spread)
    return _crossed("latin_hypercube", factors, continuous, unit, listed or {})


def sobol(
    factors: Sequence[str], *, points: int, listed: Listed | None = None, seed: int = 1
) -> Design:
    """The first points of a scrambled Sobol sequence.

    I. M. Sobol', USSR Computational Mathematics and Mathematical Physics 7 (1967); scrambled after
    J. Matoušek, Journal of Complexity 14 (1998). A power of two points: only these are balanced.
    """
    if points >= 2 and points.bit_count() != 1:
        lower = 2 ** (points.bit_length() - 1)
        message = f"expected a power of two, got {points}; near are {lower} and {2 * lower}"
        raise PlanError([Problem("design.points", "range", message)])
    continuous = _continuous(factors, points, listed)
    import pydoe

    unit = pydoe.sobol_sequence(points, len(continuous), scramble=True, seed=seed)
    return _crossed("sobol", factors, continuous, unit, listed or {})


def _continuous(factors: Sequence[str], points: int, listed: Listed | None) -> list[str]:
    """The factors to spread, once everything is known to be right."""
    problems = name_problems(factors)
    continuous = [name for name in factors if name not in (listed or {})]
    if factors and not continuous:
        message = "no factor has values between low and high; use a full factorial"
        problems.append(Problem("design.kind", "levels", message))
    if points < 2:
        problems.append(Problem("design.points", "range", f"expected at least 2, got {points}"))
    if problems:
        raise PlanError(problems)
    return continuous


def _crossed(
    kind: str,
    factors: Sequence[str],
    continuous: Sequence[str],
    unit: NDArray[np.float64],
    listed: Listed,
) -> Design:
    """Every point with every combination of listed levels, the points of a combination together."""
    columns: dict[str, list[float]] = {name: [] for name in factors}
    for combination in product(*listed.values()):
        for name, code in zip(listed, combination, strict=True):
            columns[name] += [code] * len(unit)
        for name, column in zip(continuous, np.round(2 * unit - 1, _DIGITS).T, strict=True):
            columns[name] += column.tolist()
    coded = np.array([columns[name] for name in factors], dtype=np.float64).T
    notes: tuple[str, ...] = ()
    if listed:
        notes = (
            f"Every {len(unit)} conditions are the same points, with {', '.join(listed)} set.",
        )
    return Design(kind, tuple(factors), {}, matrix_of(coded, factors), notes=notes)
