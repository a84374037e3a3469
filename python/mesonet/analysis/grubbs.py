"""Grubbs' test for one outlying observation.

F. E. Grubbs, "Sample criteria for testing outlying observations", Annals of Mathematical
Statistics 21(1), 1950; the form used here is in the NIST/SEMATECH e-Handbook, section 1.3.5.17.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy

from mesonet.analysis.frames import indistinguishable
from mesonet.errors import InputError, Problem


class Grubbs(NamedTuple):
    """The outcome of one test.

    Attributes:
        extreme: Position of the observation farthest from the mean, -1 if all are the same.
        residual: Signed distance of that observation from the mean, in their unit.
        statistic: G, the absolute residual in standard deviations of the sample; NaN if undefined.
        critical: The value that G must exceed; NaN for fewer than three observations.
        outlier: True if the observation is an outlier.
        p: Bound on the probability of so large a G without an outlier; NaN if G is undefined.
    """

    extreme: int
    residual: float
    statistic: float
    critical: float
    outlier: bool
    p: float = math.nan


def grubbs_critical(n: int, *, alpha: float = 0.05) -> float:
    """The critical value of Grubbs' G for an outlier on either side.

    Args:
        n: Number of observations.
        alpha: Probability of declaring an outlier where there is none, 0 < alpha < 1.

    Returns:
        The critical value, NaN for n < 3, where G cannot vary.
    """
    if not 0.0 < alpha < 1.0:
        message = f"expected a probability between 0 and 1, got {alpha}"
        raise InputError([Problem("alpha", "out_of_range", message)])
    if n < 3:
        return math.nan
    t = -float(scipy.special.stdtrit(n - 2, alpha / (2 * n)))
    return (n - 1) / math.sqrt(n) * math.sqrt(t * t / (n - 2 + t * t))


def grubbs_p(statistic: float, n: int) -> float:
    """The p value of Grubbs' G of `n` observations: the `alpha` whose critical value it is.

    Returns:
        Bonferroni's bound over the observations, at most 1: exact where only one of them can be
        so far away, too large elsewhere. NaN for n < 3 or without a statistic.
    """
    if n < 3 or math.isnan(statistic):
        return math.nan
    # G is a monotone function of the t of one residual against the others; it has a largest value.
    rest = (n - 1) ** 2 - n * statistic * statistic
    if rest <= 0.0:
        return 0.0
    t = math.sqrt(n * (n - 2) * statistic * statistic / rest)
    return min(1.0, 2 * n * float(scipy.special.stdtr(n - 2, -t)))


def grubbs_test(
    values: Sequence[float], *, alpha: float = 0.05, critical: float | None = None
) -> Grubbs:
    """Two-sided test of whether the observation farthest from the mean is an outlier.

    Args:
        values: Finite observations. The first wins where two are equally far.
        alpha: Probability of a false alarm.
        critical: Overrides the computed critical value; 2.08 is what the 2010 MesoNet study
            used for seven algorithms.
    """
    limit = grubbs_critical(len(values), alpha=alpha) if critical is None else critical
    if len(values) == 0 or indistinguishable(values):
        return Grubbs(-1, 0.0, math.nan, limit, outlier=False)
    residuals = np.asarray(values, dtype=np.float64) - np.mean(values)
    # Ties are broken by position: without a tolerance they would be broken by rounding.
    distances = np.abs(residuals)
    extreme = int(np.argmax(distances >= distances.max() * (1.0 - 1e-9)))
    if len(values) < 3:
        return Grubbs(extreme, float(residuals[extreme]), math.nan, math.nan, outlier=False)
    statistic = float(distances[extreme] / np.std(residuals, ddof=1))
    p = grubbs_p(statistic, len(values))
    return Grubbs(extreme, float(residuals[extreme]), statistic, limit, statistic > limit, p)
