"""Harm, its excess over what the baseline does, and what can be said of it.

Harm: R. Ware, M. K. Mukerjee, S. Seshan, J. Sherry, "Beyond Jain's Fairness Index: Setting the Bar
For the Deployment of Congestion Control Algorithms", HotNets 2019. A gain is bounded here: it is
the harm with the sides exchanged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mesonet.analysis.fairness.estimate import part_lost
from mesonet.analysis.frames import ROUNDING
from mesonet.analysis.multiplicity import adjusted
from mesonet.analysis.student import t_exceeded
from mesonet.analysis.two_way import over_blocks, t_test
from mesonet.comparison.estimates import step_levels

Values = NDArray[np.float64]
State = Literal["more harm", "less harm", "no more harm", "undecided"]
STATES: tuple[State, ...] = ("more harm", "undecided", "no more harm", "less harm")
LEVEL = 0.05
"""Probability of any false alarm among the cells of a criterion, and of intervals to miss."""
MOST = 1000
"""Replicates beyond which it is not said how many would decide."""


harm = partial(part_lost, bounded=True)
"""Part of its performance that a victim loses, from the first without to the second versus it."""


@dataclass(frozen=True)
class Assessed:
    """Excess of one cell over replicates, before it is judged with the others."""

    mean: float
    error: float
    n: int
    p: float
    """Of no excess, two-sided."""
    p_margin: float
    """Of an excess as large as the margin, two-sided."""
    margin: float
    equal: bool
    """No replicate has any excess: both sides are the same in all of them."""


@dataclass(frozen=True)
class Judged:
    """A cell judged together with the others of its criterion.

    The interval has the level of the step of Holm's method that the cell is at; it has no ends
    where values do not vary or there is one.
    """

    state: State
    low: float | None
    high: float | None
    p: float | None
    needed: int | None
    """Replicates that would decide, if mean and variance stay; none if decided or beyond `MOST`."""


def assessed(excess: Values, *, margin: float) -> Assessed:
    """Tests the excess of replicates against zero and against the margin.

    Where all replicates have the same excess, p is that of their signs (`t_test`).
    """
    if not len(excess):
        return Assessed(math.nan, math.nan, 0, math.nan, math.nan, margin, equal=False)
    mean, error, df = over_blocks(excess)
    _, p = t_test(mean, error, df, rounding=ROUNDING)
    _, p_margin = t_test(mean - margin, error, df, rounding=ROUNDING)
    equal = len(excess) > 1 and bool((np.abs(excess) <= ROUNDING).all())
    return Assessed(mean, error, len(excess), p, p_margin, margin, equal)


def judged(cells: Sequence[Assessed], *, looks: int = 1) -> list[Judged]:
    """What can be said of each cell, with p adjusted by Holm's method over all of them.

    Cells that are judged again with more replicates have as many chances of a false alarm: with
    two `looks` p counts double (Bonferroni).
    """
    p, p_margin = (
        [it if math.isnan(it) else min(1.0, looks * it) for it in adjusted(values, method="holm")]
        for values in ([cell.p for cell in cells], [cell.p_margin for cell in cells])
    )
    levels = [level / looks for level in step_levels([cell.p for cell in cells])]
    return [_judged(*parts) for parts in zip(cells, p, p_margin, levels, strict=True)]


def _judged(cell: Assessed, p: float, p_margin: float, level: float) -> Judged:
    state = _state(cell, p, p_margin)
    low, high = None, None
    if cell.error > ROUNDING:
        half = cell.error * float(t_exceeded(level / 2, cell.n - 1))
        low, high = cell.mean - half, cell.mean + half
    needed = _needed(cell, level) if state == "undecided" and low is not None else None
    return Judged(state, low, high, None if math.isnan(p) else p, needed)


def _state(cell: Assessed, p: float, p_margin: float) -> State:
    """Says "no more harm" for an upper bound below the margin, "more harm" for a lower one above 0.

    An excess that is surely there and surely within the margin is no more harm.
    """
    if cell.equal:
        return "no more harm"
    if p < LEVEL and cell.mean < -cell.margin:
        return "less harm"
    if p_margin < LEVEL and cell.mean < cell.margin:
        return "no more harm"
    return "more harm" if p < LEVEL and cell.mean > 0 else "undecided"


def _needed(cell: Assessed, level: float) -> int | None:
    """Replicates with which one of the bounds would clear what it has to."""
    deviation = cell.error * math.sqrt(cell.n)
    distance = max(abs(cell.mean), cell.margin - cell.mean)
    n = np.arange(cell.n + 1, MOST + 1)
    enough = t_exceeded(level / 2, n - 1) * deviation / np.sqrt(n) < distance
    return int(n[enough.argmax()]) if enough.any() else None


def effect(excess: Values, codes: Values) -> Values:
    """Change of the excess from the low to the high level of a factor, in each replicate.

    Args:
        excess: A row for each replicate, a column for each condition.
        codes: Level of the factor in each condition; those between -1 and +1 are left out.
    """
    change: Values = excess[:, codes == 1].mean(axis=1) - excess[:, codes == -1].mean(axis=1)
    return change
