"""Least-squares fits of effects, their errors and their tests."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mesonet.analysis.frames import ROUNDING
from mesonet.analysis.matrix import Labels, Matrix
from mesonet.analysis.student import t_above


class Estimates(NamedTuple):
    """Each [factor, column]."""

    low: Matrix
    high: Matrix
    error: Matrix  # standard error of the effect high - low
    df: Matrix
    rarest: Matrix  # p of an effect that nothing is left to test against

    @classmethod
    def none(cls, factors: int, columns: int, *, df: float = np.nan) -> Estimates:
        """No estimate of any effect."""
        low, high, error, rarest = (np.full((factors, columns), np.nan) for _ in range(4))
        return cls(low, high, error, np.full((factors, columns), df), rarest)


def by_model(coded: Matrix, values: Matrix, same: Labels) -> Estimates:
    """Effects of all factors fitted together.

    Args:
        coded: Levels -1 and +1, [condition, factor].
        values: Responses, [condition, column].
        same: Labels of the conditions.
    """
    n, k = coded.shape
    model = np.column_stack([np.ones(n), coded])
    if np.linalg.matrix_rank(model) < k + 1:
        return Estimates.none(k, values.shape[1], df=n - k - 1)
    beta, error, df = _fit(model, values, same)
    shape = (k, values.shape[1])
    return Estimates(
        beta[0] - beta[1:],
        beta[0] + beta[1:],
        2.0 * error[1:],
        np.full(shape, df),
        np.broadcast_to(rarest_p(coded, same)[:, np.newaxis], shape),
    )


def by_two_samples(coded: Matrix, values: Matrix, same: Labels) -> Estimates:
    """Effects of each factor alone; the arguments are those of `by_model`."""
    estimates = Estimates.none(coded.shape[1], values.shape[1], df=len(values) - 2)
    for j, column in enumerate(coded.T):
        if (column == column[0]).all():
            continue
        alone = by_model(column[:, np.newaxis], values, same)
        for whole, part in zip(estimates, alone, strict=True):
            whole[j] = part[0]
    return estimates


def _fit(model: Matrix, values: Matrix, same: Labels) -> tuple[Matrix, Matrix, float]:
    """Ordinary least squares, where conditions of the same runs have the same error.

    Coefficients and their standard errors are [term, column]; degrees of freedom come with them.

    The means of a design with repeated runs are those of the design. But the covariance V of the
    errors has a block for each run, so the residuals, left by the projector M, have the mean square
    error² tr(MV) and, by F. E. Satterthwaite (Biometrics Bulletin 2(6), 1946), tr²(MV) / tr(MVMV)
    degrees of freedom.
    """
    inverse = np.linalg.inv(model.T @ model)
    beta = inverse @ (model.T @ values)
    residuals = values - model @ beta
    if len(np.unique(same)) == len(same):
        freedom = float(len(model) - model.shape[1])
        variance = residual_variance(residuals, values, freedom)
        return beta, np.sqrt(np.outer(np.diag(inverse), variance)), freedom
    shared = shared_errors(same)
    residual = np.eye(len(model)) - model @ inverse @ model.T
    trace, freedom = degrees_of_freedom(residual @ shared)
    variance = residual_variance(residuals, values, trace if freedom >= 1 else 0.0)
    spread = np.diag(inverse @ model.T @ shared @ model @ inverse)
    # An effect of a factor that changes no run has no error.
    spread = np.where(spread <= ROUNDING * np.diag(inverse), 0.0, spread)
    return beta, np.sqrt(np.outer(spread, variance)), freedom


def shared_errors(same: Labels) -> Matrix:
    """Covariance of errors of variance 1 that conditions of the same runs share."""
    shared: Matrix = (same[:, np.newaxis] == same).astype(np.float64)
    return shared


def degrees_of_freedom(product: Matrix) -> tuple[float, float]:
    """Expected sum of squares of residuals per variance, and Satterthwaite's degrees of freedom.

    The latter are rounded down.

    Args:
        product: Projector onto the residuals, times the covariance of the errors.
    """
    trace, square = float(np.trace(product)), float((product * product.T).sum())
    if trace <= ROUNDING * len(product):
        return 0.0, 0.0
    return trace, float(math.floor(trace**2 / square + 1e-6))


def residual_variance(residuals: Matrix, values: Matrix, df: float) -> Matrix:
    """The variance of residuals per column: NaN without degrees of freedom.

    What rounding leaves of an exact fit is not a variance, but 0.
    """
    if df <= 0:
        return np.full(values.shape[1], np.nan)
    total = (residuals**2).sum(axis=0)
    rounding = (ROUNDING * np.abs(values).max(axis=0)) ** 2 * len(values)
    return np.where(total <= rounding, 0.0, total / df)


def rarest_p(coded: Matrix, same: Labels) -> Matrix:
    """Smallest two-sided p that chance in the levels of each factor can give, [factor].

    Where an effect is all that is left of a response, Student's t finds it certain, however few the
    conditions. Levels given by chance to n conditions would sort them so, one way or the other,
    with probability 2 / C(n, high) (R. A. Fisher, The Design of Experiments, 1935, section 21).
    """
    values = []
    for column in coded.T:
        high, low = set(same[column > 0]), set(same[column < 0])
        # Runs of both levels say nothing of the factor.
        only_high, only_low = len(high - low), len(low - high)
        values.append(min(1.0, 2 / math.comb(only_high + only_low, only_high)))
    return np.array(values)


class Test(NamedTuple):
    """Statistics and two-sided p values."""

    t: Matrix
    p: Matrix


def tested(effect: Matrix, error: Matrix, df: Matrix | float, rarest: Matrix) -> Test:
    """Student's t of effects with standard errors; without an error, p is `rarest`."""
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(error > 0.0, effect / error, np.nan)
        t = np.where((error == 0.0) & (effect != 0.0), np.copysign(np.inf, effect), t)
        p = np.where(np.isinf(t), rarest, 2.0 * t_above(np.abs(t), df))
    return Test(t, np.where(np.isnan(t), np.nan, p))


def difference(high: Matrix, low: Matrix) -> Matrix:
    """High minus low, 0 where floating-point rounding is all there is."""
    effect = high - low
    scale = np.maximum(np.abs(high), np.abs(low))
    return np.where(np.abs(effect) <= ROUNDING * scale, 0.0, effect)
