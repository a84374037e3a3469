"""Precision of a mean over conditions and seeds, where every condition meets the same seeds.

Conditions of one replicate share a seed, and with it chance that moves all of them to the same
side. Taken as independent they make the mean look surer than it is. So two things count as
chance: which conditions were chosen, and which seeds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from mesonet.analysis.frames import ROUNDING
from mesonet.analysis.student import t_above, t_exceeded

Values = NDArray[np.float64]


class MeanError(NamedTuple):
    """A mean and how sure it is.

    Attributes:
        mean: Mean over conditions, each the mean over its seeds.
        error: Standard error of the mean, in its unit; NaN with a single condition.
        df: Degrees of freedom of the error.
    """

    mean: float
    error: float
    df: float


def two_way(values: Values, conditions: NDArray[np.int64], seeds: NDArray[np.int64]) -> MeanError:
    """The mean over conditions, with an error that counts conditions and seeds as chance.

    In a complete cross of C conditions and S seeds the variance of the mean is that of the model
    of two random effects, (MS_conditions + max(0, MS_seeds - MS_error)) / (C S), its degrees of
    freedom are Satterthwaite's (F. E. Satterthwaite, An approximate distribution of estimates of
    variance components, Biometrics Bulletin 2(6), 1946). Where pairs are missing, the effect of
    the seeds is estimated within conditions (Henderson's method 3). What seeds do not show to be
    shared is not counted: without it, and with one seed, this is the t interval over conditions.
    """
    _, row = np.unique(conditions, return_inverse=True)
    count = np.bincount(row)
    means = np.bincount(row, weights=values) / count
    c, mean = len(means), float(means.mean())
    if c < 2:
        return MeanError(mean, math.nan, math.nan)
    of_conditions = float(means.var(ddof=1)) / c
    plain = MeanError(mean, math.sqrt(of_conditions), c - 1.0)
    labels, column = np.unique(seeds, return_inverse=True)
    member = np.zeros((len(values), len(labels)))
    member[np.arange(len(values)), column] = 1.0
    share = np.zeros((c, len(labels)))
    np.add.at(share, row, member)
    within = member - (share / count[:, np.newaxis])[row]
    freedom = int(np.linalg.matrix_rank(within))
    if freedom < 1:
        return plain
    residual = values - means[row]
    fitted = within @ np.linalg.lstsq(within, residual, rcond=None)[0]
    # What rounding leaves of replicates without variance is not chance.
    scale = (ROUNDING * float(np.abs(values).max())) ** 2 * len(values)
    by_seed, rest = (
        0.0 if total <= scale else total
        for total in (float(fitted @ fitted), float(((residual - fitted) ** 2).sum()))
    )
    rest_df = len(values) - c - freedom
    noise = rest / rest_df if rest_df else 0.0
    # The expected mean square of seeds is the noise, and so many times the variance of a seed.
    times = (len(values) - c) / freedom
    weight = float(((share / count[:, np.newaxis]).mean(axis=0) ** 2).sum()) / times
    of_seeds, of_noise = weight * by_seed / freedom, weight * noise
    if of_seeds <= of_noise:
        return plain
    variance = of_conditions + of_seeds - of_noise
    parts = [(of_conditions, c - 1), (of_seeds, freedom), (of_noise, max(rest_df, 1))]
    df = variance**2 / sum(part**2 / own for part, own in parts)
    return MeanError(mean, math.sqrt(variance), df)


def interval(
    estimate: MeanError, confidence: float, *, rounding: float = 0.0
) -> tuple[float, float, float, float, float]:
    """Mean, its confidence interval, t and p; all but the mean NaN without an error.

    Args:
        rounding: Largest error that rounding alone makes, in the unit of the mean; it counts as
            none. Rounding goes with the values that differences are taken of.
    """
    mean, error, df = estimate
    t, p = t_test(mean, error, df, rounding=rounding)
    margin = error * float(t_exceeded((1.0 - confidence) / 2.0, df)) if math.isfinite(t) else 0.0
    margin = math.nan if math.isnan(t) else margin
    return mean, mean - margin, mean + margin, t, p


def mean_interval(
    values: Values, confidence: float, *, rounding: float = 0.0
) -> tuple[float, float, float, float, float]:
    """Mean, its confidence interval, t and p; all but the mean NaN for a single value.

    `rounding` is that of `interval`.
    """
    return interval(over_blocks(values), confidence, rounding=rounding)


def over_blocks(values: Values) -> MeanError:
    """The mean of independent values; its error is NaN for a single one."""
    n, mean = len(values), float(values.mean())
    if n < 2:
        return MeanError(mean, math.nan, math.nan)
    return MeanError(mean, float(values.std(ddof=1)) / math.sqrt(n), n - 1.0)


def t_test(mean: float, error: float, df: float, *, rounding: float = 0.0) -> tuple[float, float]:
    """Student's t and its two-sided p; NaN without an error.

    Where n = df + 1 values are all alike and not zero, their variance says nothing of chance, and
    a t-test would find any two of them certain. If signs were due to chance, all of them would be
    alike with a probability of 2^(1 - n), which is p then (R. A. Fisher, The Design of
    Experiments, 1935, section 21).

    Args:
        rounding: Largest error that rounding alone makes, which counts as none.
    """
    if math.isnan(error):
        return math.nan, math.nan
    if error > max(ROUNDING * abs(mean), rounding):
        t = mean / error
        return t, float(2.0 * t_above(abs(t), df))
    if abs(mean) <= rounding:
        return 0.0, 1.0
    return math.copysign(math.inf, mean), 2.0 ** -round(df)


def signed_ranks(values: Values) -> Values:
    """The ranks of the absolute values with the signs of the values; zeros stay 0."""
    ranks = np.zeros(len(values))
    nonzero = values != 0.0
    ranks[nonzero] = scipy.stats.rankdata(np.abs(values[nonzero])) * np.sign(values[nonzero])
    return ranks
