"""Main effects: what changes when a factor goes from its low to its high level.

K. L. Mills et al., NIST Special Publication 500-282, and the paper's section 3.2.a: two means per
factor, the effect and the relative effect (percentage of the overall mean), one asterisk for
p < 0.05 and two for p < 0.01; the influence fraction is equation (5) of section 5.5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from mesonet.analysis.frames import cell_means, indistinguishable, listed, replicate_notes, require
from mesonet.analysis.result import Result
from mesonet.errors import InputError, Problem

Method = Literal["model", "two-sample"]

_SCHEMA = {
    "response": pl.String,
    "group": pl.String,
    "factor": pl.String,
    "n_low": pl.Int64,
    "n_high": pl.Int64,
    "mean": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "effect": pl.Float64,
    "effect_lower": pl.Float64,
    "effect_upper": pl.Float64,
    "relative": pl.Float64,
    "t": pl.Float64,
    "df": pl.Int64,
    "p": pl.Float64,
    "stars": pl.String,
    "sign": pl.String,
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MainEffects(Result):
    """Main effects of factors on responses.

    `frame` has one row per response, group and factor: `response`, `group` ("all" or the
    alternative), `factor`, `n_low`, `n_high` (conditions at each level), `mean` (over all
    conditions), `low`, `high` (mean response at each level), `effect` (high - low, unit of the
    response), `effect_lower`, `effect_upper` (confidence interval), `relative`
    (effect / |mean|), `t`, `df`, `p`, `stars` ("", "*" or "**") and `sign` ("+" if the high level
    has the larger mean, "-" if the low one, "" without a difference).

    `influence` has one row per factor: `factor`, `responses` (those that had a value),
    `at_1_percent`, `at_5_percent` (responses with p < 0.01, and with 0.01 <= p < 0.05) and
    `influence`, the fraction of responses influenced: (at_1_percent + at_5_percent / 2) /
    responses, null without any.
    """

    influence: pl.DataFrame
    method: Method
    confidence: float


def main_effects(
    frame: pl.DataFrame,
    *,
    factors: Sequence[str],
    responses: str | Sequence[str],
    by: str | None = None,
    method: Method = "model",
    confidence: float = 0.95,
) -> MainEffects:
    """Estimates the main effect of every factor on every response.

    The observations are condition means: over replicates, and over alternatives unless `by`
    asks for each alternative on its own. Replicates share their random numbers across
    conditions, so they are not independent observations and do not add degrees of freedom.

    Args:
        frame: One row per run, with a column of -1/+1 per factor.
        factors: Columns of the factors.
        responses: Columns of the responses.
        by: `None` averages over alternatives; "alternative" gives each its own effects.
        method: "model" fits all factors together and tests each against what they leave
            unexplained; "two-sample" is the pooled t-test of the high against the low conditions,
            which counts the effects of the other factors as noise. In a balanced orthogonal
            design both give the same effects; "model" finds more of them.
        confidence: Of the intervals.

    Raises:
        InputError: Columns are missing, or a factor has other values than -1 and +1; see
            `two_level_part`.
    """
    names, wanted = tuple(factors), listed(responses)
    require(frame, columns=(*names, *wanted), by=() if by is None else (by,))
    _require_two_levels(frame, names)
    coded = frame.group_by("condition", maintain_order=True).agg(pl.col(names).first())
    rows: list[tuple[object, ...]] = []
    constant: list[str] = []
    unbalanced: list[str] = []
    undefined: list[str] = []
    saturated = False
    for (response, *group), cells in cell_means(frame, responses=wanted, by=by).group_by(
        ["response", *([] if by is None else [by])], maintain_order=True
    ):
        label = str(group[0]) if group else "all"
        data = cells.join(coded, on="condition", how="inner", maintain_order="left")
        data = data.drop_nulls("value")
        levels = data.select(names).to_numpy().astype(np.float64)
        values = data["value"].to_numpy()
        if len(values) == 0:
            undefined.append(f"{response} ({label})" if group else str(response))
        elif indistinguishable(values.tolist()):
            constant.append(f"{response} ({label})" if group else str(response))
        if len(values) and not _orthogonal(levels):
            unbalanced.append(f"{response} ({label})" if group else str(response))
        estimate = _by_model if method == "model" else _by_two_samples
        for name, column, found in zip(names, levels.T, estimate(levels, values), strict=True):
            saturated = saturated or (len(values) > 0 and found.df < 1)
            n_high = int((column > 0).sum())
            counts = (len(values) - n_high, n_high)
            mean = float(values.mean()) if len(values) else math.nan
            rows.append((response, label, name, *counts, mean, *_row(found, mean, confidence)))
    effects = pl.DataFrame(rows, schema=_SCHEMA, orient="row")
    notes = list(replicate_notes(frame, responses=wanted))
    if unbalanced:
        notes.append(
            "Without a value in every condition the design is not balanced, and level means are "
            f"least-squares means: {', '.join(unbalanced)}."
        )
    if undefined:
        notes.append("Never had a value, so left out: " + ", ".join(undefined) + ".")
    if saturated:
        notes.append("Some fits leave no degrees of freedom; their effects have no test.")
    if constant:
        notes.append("Did not vary, so no effect can be tested: " + ", ".join(constant) + ".")
    return MainEffects(
        frame=effects,
        notes=tuple(notes),
        influence=_influence(effects, names),
        method=method,
        confidence=confidence,
    )


class _Estimate(NamedTuple):
    low: float
    high: float
    error: float  # standard error of the effect high - low
    df: int


def _by_model(levels: NDArray[np.float64], values: NDArray[np.float64]) -> list[_Estimate]:
    n, k = levels.shape
    model = np.column_stack([np.ones(n), levels])
    if n == 0 or np.linalg.matrix_rank(model) < k + 1:
        return [_Estimate(math.nan, math.nan, math.nan, n - k - 1)] * k
    inverse = np.linalg.inv(model.T @ model)
    beta = inverse @ (model.T @ values)
    residuals = values - model @ beta
    df = n - k - 1
    variance = _variance(residuals, values, df)
    return [
        _Estimate(
            float(beta[0] - beta[j]),
            float(beta[0] + beta[j]),
            2.0 * math.sqrt(variance * inverse[j, j]) if df > 0 else math.nan,
            df,
        )
        for j in range(1, k + 1)
    ]


def _by_two_samples(levels: NDArray[np.float64], values: NDArray[np.float64]) -> list[_Estimate]:
    found = []
    for column in levels.T:
        low, high = values[column < 0], values[column > 0]
        df = len(values) - 2
        if len(low) == 0 or len(high) == 0:
            found.append(_Estimate(math.nan, math.nan, math.nan, df))
            continue
        residuals = np.concatenate([low - low.mean(), high - high.mean()])
        error = math.nan
        if df > 0:
            pooled = _variance(residuals, values, df)
            error = math.sqrt(pooled * (1 / len(low) + 1 / len(high)))
        found.append(_Estimate(float(low.mean()), float(high.mean()), error, df))
    return found


def _variance(residuals: NDArray[np.float64], values: NDArray[np.float64], df: int) -> float:
    if df < 1:
        return math.nan
    # What rounding leaves of an exact fit is not a variance.
    rounding = (1e-12 * float(np.abs(values).max())) ** 2 * len(values)
    total = float(residuals @ residuals)
    return 0.0 if total <= rounding else total / df


def _row(found: _Estimate, mean: float, confidence: float) -> tuple[object, ...]:
    effect = found.high - found.low
    scale = max(abs(found.high), abs(found.low))
    if abs(effect) <= 1e-12 * scale:
        effect = 0.0
    relative = effect / abs(mean) if mean else math.nan
    t = p = math.nan
    margin = math.nan
    if found.error > 0:
        t = effect / found.error
        p = float(2.0 * stats.t.sf(abs(t), found.df))
        margin = found.error * float(stats.t.isf((1.0 - confidence) / 2.0, found.df))
    elif found.error == 0.0 and effect:
        t, p, margin = math.copysign(math.inf, effect), 0.0, 0.0
    stars = "**" if p < 0.01 else "*" if p < 0.05 else ""
    sign = "+" if effect > 0 else "-" if effect < 0 else ""
    interval = (effect - margin, effect + margin)
    return (found.low, found.high, effect, *interval, relative, t, found.df, p, stars, sign)


def _influence(effects: pl.DataFrame, factors: Sequence[str]) -> pl.DataFrame:
    order = pl.DataFrame({"factor": list(factors)}, schema={"factor": pl.String})
    counts = effects.group_by("factor").agg(
        # A response that never had a value cannot be influenced, nor found not to be.
        pl.col("mean").is_finite().sum().alias("responses"),
        (pl.col("stars") == "**").sum().alias("at_1_percent"),
        (pl.col("stars") == "*").sum().alias("at_5_percent"),
    )
    share = (pl.col("at_1_percent") + 0.5 * pl.col("at_5_percent")) / pl.col("responses")
    return order.join(counts, on="factor", how="left", maintain_order="left").with_columns(
        pl.when(pl.col("responses") > 0).then(share).alias("influence")
    )


def _orthogonal(levels: NDArray[np.float64]) -> bool:
    model = np.column_stack([np.ones(len(levels)), levels])
    products = model.T @ model
    return bool(np.all(products == np.diag(np.diag(products))))


class TwoLevelPart(NamedTuple):
    """The part of a campaign that has main effects in the sense of `main_effects`."""

    frame: pl.DataFrame
    factors: tuple[str, ...]
    notes: tuple[str, ...]
    """What was left out and why, as sentences."""


def two_level_part(frame: pl.DataFrame, *, factors: Sequence[str]) -> TwoLevelPart:
    """Leaves out what has no main effects: the centre of a design, and factors of other levels.

    Args:
        frame: One row per run, with a column of codes from -1 to +1 per factor.
        factors: Columns of the factors.
    """
    notes = []
    centre = pl.all_horizontal(pl.col(name) == 0 for name in factors) if factors else pl.lit(False)
    rest = frame.filter(~centre)
    if rest.height < frame.height and not rest.is_empty():
        numbers = ", ".join(map(str, frame.filter(centre)["condition"].unique().sort()))
        notes.append(
            f"Condition {numbers} is the centre of the design and has no part in the effects."
        )
    else:
        rest = frame
    kept = tuple(name for name in factors if set(rest[name].unique().to_list()) <= {-1, 1})
    left_out = [name for name in factors if name not in kept]
    if left_out and not kept:
        notes.append(
            "Not a two-level design, so there are no main effects: no factor has just a low and a "
            "high level."
        )
    elif left_out:
        notes.append(
            "Not of two levels, so without a main effect here, and averaged over: "
            f"{', '.join(left_out)}."
        )
    return TwoLevelPart(rest, kept, tuple(notes))


def _require_two_levels(frame: pl.DataFrame, factors: Sequence[str]) -> None:
    problems = [
        Problem(name, "not_coded", f"expected the levels -1 and +1, got {found}")
        for name in factors
        if not set(found := frame[name].unique().sort().to_list()) <= {-1, 1}
    ]
    if problems:
        raise InputError(problems)
