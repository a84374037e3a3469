"""Harm, its excess over what the baseline does, and what can be said of it.

Harm: R. Ware, M. K. Mukerjee, S. Seshan, J. Sherry, "Beyond Jain's Fairness Index: Setting the Bar
For the Deployment of Congestion Control Algorithms", HotNets 2019. A gain is bounded here: it is
the harm with the sides exchanged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mesonet.analysis.fairness.estimate import part_lost
from mesonet.analysis.frames import ROUNDING
from mesonet.analysis.multiplicity import adjusted
from mesonet.analysis.student import t_exceeded
from mesonet.analysis.two_way import MeanError, over_blocks, t_test
from mesonet.comparison.estimates import step_levels

Values = NDArray[np.float64]
State = Literal["worse", "better", "no worse", "undecided", "no value"]
STATES: tuple[State, ...] = ("worse", "undecided", "no worse", "better", "no value")
LEVEL = 0.05
"""Probability of any false alarm among the cells of a criterion, and of intervals to miss."""
MOST = 1000
"""Replicates beyond which it is not said how many would decide."""


harm = partial(part_lost, bounded=True)
"""Part of its performance that a victim loses, from the first without to the second versus it."""


class Judged(NamedTuple):
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


def judged(cells: Sequence[tuple[Values, float]], *, looks: int = 1) -> list[Judged]:
    """What can be said of each cell, its excess over replicates, with its margin.

    The excess is tested against zero and against the margin, with p adjusted by Holm's method over
    all cells. Where all replicates have the same excess, p is that of their signs (`t_test`).
    Cells that are judged again with more replicates have as many chances of a false alarm: with
    two `looks` p counts double (Bonferroni).
    """
    means = [over_blocks(it) if len(it) else MeanError(*[math.nan] * 3) for it, _ in cells]
    both = list(zip(means, (margin for _, margin in cells), strict=True))
    of_zero, of_margin = (
        [
            t_test(it.mean - by * margin, it.error, it.df, rounding=ROUNDING)[1]
            for it, margin in both
        ]
        for by in (0, 1)
    )
    p, p_margin = (
        [it if math.isnan(it) else min(1.0, looks * it) for it in adjusted(values, method="holm")]
        for values in (of_zero, of_margin)
    )
    levels = [level / looks for level in step_levels(of_zero)]
    verdicts = []
    for n, ((excess, margin), (mean, error, _)) in enumerate(zip(cells, means, strict=True)):
        state = _state(excess, margin, p[n], p_margin[n])
        low, high, needed = None, None, None
        if error > ROUNDING:
            half = error * float(t_exceeded(levels[n] / 2, len(excess) - 1))
            low, high = mean - half, mean + half
            if state == "undecided":
                needed = _needed(excess, margin, levels[n])
        verdicts.append(Judged(state, low, high, None if math.isnan(p[n]) else p[n], needed))
    return verdicts


def _state(excess: Values, margin: float, p: float, p_margin: float) -> State:
    """Says "no worse" for an upper bound below the margin, "worse" for a lower one above 0.

    An excess that is surely there and surely within the margin is no worse.
    """
    if not len(excess):
        return "no value"
    mean = excess.mean()
    if len(excess) > 1 and (np.abs(excess) <= ROUNDING).all():
        return "no worse"
    if p < LEVEL and mean < -margin:
        return "better"
    if p_margin < LEVEL and mean < margin:
        return "no worse"
    return "worse" if p < LEVEL and mean > 0 else "undecided"


def _needed(excess: Values, margin: float, level: float) -> int | None:
    """Replicates with which one of the bounds would clear what it has to."""
    mean, deviation = float(excess.mean()), float(excess.std(ddof=1))
    n = np.arange(len(excess) + 1, MOST + 1)
    half = t_exceeded(level / 2, n - 1) * deviation / np.sqrt(n)
    enough = half < max(abs(mean), margin - mean)
    return int(n[enough.argmax()]) if enough.any() else None


def effect(excess: Values, codes: Values) -> Values:
    """Change of the excess from the low to the high level of a factor, in each replicate.

    Args:
        excess: A row for each replicate, a column for each condition.
        codes: Level of the factor in each condition; those between -1 and +1 are left out.
    """
    change: Values = excess[:, codes == 1].mean(axis=1) - excess[:, codes == -1].mean(axis=1)
    return change
