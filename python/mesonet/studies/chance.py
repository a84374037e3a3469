"""Chance in a verdict: intervals over the replicates of a study.

A rule holds where all of its margins are at least zero. Replicates say how far chance moves a
margin: each is left out in turn, all figures are made anew, and the spread of the margins gives
the error (the delete-one jackknife; B. Efron and C. Stein, 1981). For a mean it is the standard
error of the mean, so the interval is Student's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from mesonet.numbers import plain_number
from mesonet.studies.rules import Figures, Rule

LEAST = 3
"""Replicates without which nothing is said of chance."""
OUTSIDE = 0.05
"""Share of intervals that miss the true value."""


class Interval(NamedTuple):
    """A 95 % interval; NaN where a figure lacks data without one of the replicates."""

    lower: float
    upper: float


def jackknife(value: float, without: Sequence[float]) -> Interval:
    """The interval of a number, from the number without each of the replicates.

    Examples:
        >>> interval = jackknife(2.0, [2.5, 2.0, 1.5])  # the mean of 1, 2 and 3
        >>> round(interval.lower, 2), round(interval.upper, 2)
        (-0.48, 4.48)
    """
    # Workers know the rules of a study, too, and need not wait for scipy.
    from scipy.stats import t

    count = len(without)
    mean = fmean(without)
    variance = (count - 1) / count * sum((each - mean) ** 2 for each in without)
    distance = float(t.isf(OUTSIDE / 2, count - 1)) * math.sqrt(variance)
    return Interval(value - distance, value + distance)


def undecided(rule: Rule, figures: Figures, without: Sequence[Figures]) -> str:
    """Words on the interval of a rule that chance may turn; empty where it does not.

    A verdict is decided where the intervals of all margins lie above zero, or that of one below.
    `without` has the figures without each of the replicates.
    """
    margins = rule.margins(figures)
    if len(without) < LEAST or not margins:
        return ""
    others = zip(*(rule.margins(each) for each in without), strict=True)
    intervals = list(map(jackknife, margins, others))
    if all(each.lower >= 0 for each in intervals) or any(each.upper < 0 for each in intervals):
        return ""
    shown, what = min(intervals, key=lambda each: each.lower), "least margin "
    if len(rule.needs) == 1:
        (name,) = rule.needs
        shown, what = jackknife(figures[name], [each[name] for each in without]), ""
    ends = f"{plain_number(shown.lower)} to {plain_number(shown.upper)}"
    return f"{what}{ends} over {len(without)} replicates"
