"""Main effects: what changes when a factor goes from its low to its high level.

K. L. Mills et al., NIST Special Publication 500-282, and the paper's section 3.2.a: two means per
factor, the effect and the relative effect (percentage of the overall mean), one asterisk for
p < 0.05 and two for p < 0.01.

Half-normal plots of all effects are of C. Daniel, Use of half-normal plots in interpreting
factorial two-level experiments, Technometrics 1(4), 1959.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from mesonet.analysis.effects.entry import INFLUENCE, MAIN_EFFECTS, RESIDUALS
from mesonet.analysis.equal_replicates import repeated_conditions, repeated_notes
from mesonet.analysis.fits import Estimates, by_model, by_two_samples, difference, tested
from mesonet.analysis.frames import ROUNDING, comparisons_named, listed, replicate_notes, require
from mesonet.analysis.matrix import (
    Labels,
    Matrix,
    Transformation,
    cells,
    constant,
    levels,
    named,
    orthogonal,
    row_groups,
    same_runs,
)
from mesonet.analysis.result import Result
from mesonet.analysis.student import order_medians, t_exceeded
from mesonet.analysis.terms.estimate import TermEffects, term_effects

Method = Literal["model", "two-sample"]


class MainEffects(
    Result,
    chart="main_effects_chart",
    frame=MAIN_EFFECTS,
    influence=INFLUENCE,
    residuals=RESIDUALS,
):
    """Main effects of factors on responses.

    `frame` has a row for each response, group and factor; `influence` for each factor; `residuals`
    for each response, group and condition with a value, with the coded levels of the factors.

    With the transformation `log` all numbers are of log10 of the response, and `relative` is the
    change of the response that the effect stands for.

    Where the factors leave nothing of a response to test against, `t` is infinite and `p` that of
    `mesonet.analysis.fits.rarest_p`. Conditions that are the same runs at other levels are in the
    means of the design, and count once in errors, `df` and `p`. The influence of a factor is
    (at_1_percent + at_5_percent / 2) / responses, null without any.
    """

    influence: pl.DataFrame
    residuals: pl.DataFrame
    confidence: float
    transformation: Transformation

    def contrasts(self, response: str) -> TermEffects:
        """Effects of factors and of their products, with Lenth's margins."""
        seen = self.residuals.filter(response=response, group="all").select(
            "condition",
            *self.influence["factor"],
            (pl.col("fitted") + pl.col("residual")).alias(response),
            alternative=pl.lit("all"),
            replicate=1,
        )
        effects = term_effects(seen, factors=self.influence["factor"].to_list(), response=response)
        frame = effects.frame
        if self.transformation == "log":
            frame = frame.with_columns(relative=10.0 ** pl.col("effect") - 1.0)
        # The rows are means already, so what they say of replicates is not so.
        wrong = set(replicate_notes(seen)) - set(self.notes)
        notes = tuple(note for note in effects.notes if note not in wrong)
        return replace(effects, frame=frame, notes=notes)


def main_effects(
    frame: pl.DataFrame,
    *,
    factors: Sequence[str],
    responses: str | Sequence[str],
    by: str | None = None,
    method: Method = "model",
    confidence: float = 0.95,
    transformation: Transformation = "none",
) -> MainEffects:
    """Estimates the main effect of every factor on every response.

    The observations are condition means: over replicates, and over alternatives unless `by`
    asks for each alternative on its own. A condition in which an alternative has no value that
    has one elsewhere is left out: the mean over the others would differ for who is in it.
    Replicates share their random numbers across conditions, so they are not independent
    observations and do not add degrees of freedom.

    Args:
        method: "model" fits all factors together and tests each against what they leave
            unexplained; "two-sample" is the pooled t-test of the high against the low conditions,
            which counts the effects of the other factors as noise. In a balanced orthogonal
            design both give the same effects; "model" finds more of them.
        transformation: "log" takes log10 of the condition means, and the mean over alternatives is
            that of their logarithms; means that are not above zero are left out.
    """
    names, chosen = tuple(factors), listed(responses)
    require(frame, columns=(*names, *chosen), by=() if by is None else (by,))
    copies, of = repeated_conditions(frame, levels=names), frame["condition"].n_unique()
    frame = frame.filter(~pl.col("condition").is_in(copies))
    coded = levels(frame, names)
    table = cells(frame, responses=chosen, by=by, transformation=transformation)
    # One column per response and group, the groups of a response side by side.
    groups, conditions = len(table.groups), len(table.conditions)
    values = table.values.transpose(1, 2, 0).reshape(conditions, len(chosen) * groups)
    label = [
        f"{response} ({group})" if by else response for response in chosen for group in table.groups
    ]
    fitted = np.full(values.shape, np.nan)
    estimates = Estimates.none(len(names), values.shape[1])
    same = same_runs(frame, table, by=by)
    notes = [
        *replicate_notes(frame, responses=chosen),
        *repeated_notes({"": copies}, of),
        *_shared_notes(same, table.groups),
        *table.notes,
    ]
    unbalanced: list[str] = []
    estimate = by_model if method == "model" else by_two_samples
    for columns, rows, labels in row_groups(values, same):
        estimates_of_group = estimate(coded[rows], values[np.ix_(rows, columns)], labels)
        for whole, of_group in zip(estimates, estimates_of_group, strict=True):
            whole[:, columns] = of_group
        model = np.column_stack([np.ones(int(rows.sum())), coded[rows]])
        solution = np.linalg.lstsq(model, values[np.ix_(rows, columns)], rcond=None)[0]
        fitted[np.ix_(rows, columns)] = model @ solution
        if not orthogonal(coded[rows]):
            unbalanced += [label[column] for column in columns]
    present = ~np.isnan(values)
    if unbalanced:
        notes.append(
            "Without a value in every condition the design is not balanced, and level means are "
            f"least-squares means: {', '.join(unbalanced)}."
        )
    if undefined := named(label, ~present.any(axis=0)):
        notes.append(f"Never had a value, so has no effects: {undefined}.")
    if (estimates.df[:, present.any(axis=0)] < 1).any():
        notes.append("Some fits leave no degrees of freedom; their effects have no test.")
    if unmoved := named(label, constant(values)):
        notes.append(f"Did not vary, so no effect can be tested: {unmoved}.")
    effects = pl.concat(
        [
            pl.DataFrame(
                {
                    "response": np.repeat(chosen, groups * len(names)),
                    "group": np.tile(np.repeat(table.groups, len(names)), len(chosen)),
                    "factor": np.tile(names, values.shape[1]),
                },
                schema=dict.fromkeys(("response", "group", "factor"), pl.String),
            ),
            _table(coded, values, estimates, confidence, transformation),
        ],
        how="horizontal",
    )
    notes += exact_notes(effects)
    return MainEffects(
        frame=effects,
        notes=tuple(notes),
        influence=_influence(effects, names),
        residuals=_residuals(
            values,
            fitted,
            response=np.repeat(chosen, groups),
            group=np.tile(table.groups, len(chosen)),
            by_condition={
                "condition": np.array(table.conditions),
                **dict(zip(names, coded.T, strict=True)),
            },
        ),
        confidence=confidence,
        transformation=transformation,
    )


def _residuals(
    values: Matrix,
    fitted: Matrix,
    *,
    response: NDArray[np.str_],
    group: NDArray[np.str_],
    by_condition: Mapping[str, NDArray[Any]],
) -> pl.DataFrame:
    """Rows of every column of `values`, [condition, column], where it has a value."""
    residuals = values - fitted
    residuals[np.abs(residuals) <= ROUNDING * np.abs(values)] = 0.0
    quantiles = np.full(values.shape, np.nan)
    for column, order in enumerate(np.argsort(residuals, axis=0, kind="stable").T):
        n = int((~np.isnan(residuals[:, column])).sum())
        quantiles[order[:n], column] = scipy.special.ndtri(order_medians(n))
    conditions, columns = values.shape
    blocks = {"fitted": fitted, "residual": residuals, "quantile": quantiles}
    return pl.DataFrame(
        {
            "response": np.repeat(response, conditions),
            "group": np.repeat(group, conditions),
            **{name: np.tile(value, columns) for name, value in by_condition.items()},
            **{name: block.T.ravel() for name, block in blocks.items()},
        },
        schema_overrides={"response": pl.String, "group": pl.String, "condition": pl.Int64},
    ).filter(pl.col("residual").is_not_nan())


def _shared_notes(same: Labels, groups: Sequence[str]) -> tuple[str, ...]:
    """A note on conditions that are the same runs as others at other levels, by group."""
    conditions = same.shape[1]
    counts = {group: conditions - len(set(row)) for group, row in zip(groups, same, strict=True)}
    if not any(counts.values()):
        return ()
    of = f"of {conditions} conditions are the same runs as others at other levels"
    alike = len(set(counts.values())) == 1
    named = (
        f"{counts[groups[0]]} {of}"
        if alike
        else f"With {', '.join(f'{group} {n}' for group, n in counts.items() if n)} {of}"
    )
    return (f"{named}: they are in the means, and count once in intervals and tests.",)


def exact_notes(effects: pl.DataFrame, *, model: str = "The factors explain") -> tuple[str, ...]:
    """A note on effects that leave nothing of a response to test them against.

    Args:
        effects: `response`, `group` and `t`; infinite without an error.
        model: Subject and verb of the note.
    """
    certain = effects.filter(pl.col("t").is_infinite()).select("response", "group")
    if certain.is_empty():
        return ()
    every = effects["group"].n_unique()
    names = comparisons_named(certain.unique(maintain_order=True).iter_rows(), every=every)
    note = f"{model} everything but rounding, so no error is left to test effects against: {names}."
    rarest = "There p is how rarely levels given by chance would sort the conditions so"
    return (f"{note} {rarest}, and intervals have no width.",)


def _table(
    coded: Matrix,
    values: Matrix,
    estimates: Estimates,
    confidence: float,
    transformation: Transformation,
) -> pl.DataFrame:
    present = ~np.isnan(values)
    n_high = (coded > 0).T.astype(np.int64) @ present
    count = present.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(present, values, 0.0).sum(axis=0) / count
        effect = difference(estimates.high, estimates.low)
        relative = np.where(mean != 0.0, effect / np.abs(mean), np.nan)
    if transformation == "log":
        relative = 10.0**effect - 1.0
    test = tested(effect, estimates.error, estimates.df, estimates.rarest)
    with np.errstate(invalid="ignore"):
        margin = estimates.error * t_exceeded((1.0 - confidence) / 2.0, estimates.df)
    margin = np.where(np.isinf(test.t), 0.0, margin)
    # An error of 0 without an effect is a response that does not vary: nothing was estimated.
    margin = np.where(np.isnan(test.t), np.nan, margin)
    by_factor = {
        "n_low": count - n_high,
        "n_high": n_high,
        "mean": np.broadcast_to(mean, effect.shape),
        "low": estimates.low,
        "high": estimates.high,
        "effect": effect,
        "effect_lower": effect - margin,
        "effect_upper": effect + margin,
        "relative": relative,
        "t": test.t,
        "df": estimates.df,
        "p": test.p,
    }
    flat = pl.DataFrame({name: np.asarray(block).T.ravel() for name, block in by_factor.items()})
    df = pl.col("df").fill_nan(None).cast(pl.Int64)
    return flat.with_columns(df, stars(pl.col("p")), sign(pl.col("effect")))


def stars(p: pl.Expr) -> pl.Expr:
    """Two asterisks for p < 0.01, one for p < 0.05."""
    filled = p.fill_nan(1.0).fill_null(1.0)
    text = pl.when(filled < 0.01).then(pl.lit("**")).when(filled < 0.05).then(pl.lit("*"))
    return text.otherwise(pl.lit("")).alias("stars")


def sign(effect: pl.Expr) -> pl.Expr:
    """The level with the larger mean: "+", "-", or "" without a difference."""
    filled = effect.fill_nan(0.0).fill_null(0.0)
    text = pl.when(filled > 0).then(pl.lit("+")).when(filled < 0).then(pl.lit("-"))
    return text.otherwise(pl.lit("")).alias("sign")


def influence_fraction(at_1_percent: int, at_5_percent: int, responses: int) -> float:
    """Equation (5) of the paper's section 5.5: the fraction of responses that a factor influences.

    As printed, what has p < 0.01 also counts among p < 0.05, and a factor that influences every
    response would have a fraction of 1.5. So the second count is of 0.01 <= p < 0.05 alone.

    Args:
        at_1_percent: Responses with p < 0.01.
        at_5_percent: Responses with 0.01 <= p < 0.05.

    Returns:
        Between 0 and 1; NaN without responses.

    >>> influence_fraction(16, 2, 18)
    0.9444444444444444
    """
    return (at_1_percent + 0.5 * at_5_percent) / responses if responses else math.nan


def _influence(effects: pl.DataFrame, factors: Sequence[str]) -> pl.DataFrame:
    order = pl.DataFrame({"factor": list(factors)}, schema={"factor": pl.String})
    counts = effects.group_by("factor", maintain_order=True).agg(
        # A response that never had a value cannot be influenced, nor found not to be.
        pl.col("mean").is_finite().sum().alias("responses"),
        (pl.col("stars") == "**").sum().alias("at_1_percent"),
        (pl.col("stars") == "*").sum().alias("at_5_percent"),
    )
    table = order.join(counts, on="factor", how="left", maintain_order="left")
    fractions = [
        influence_fraction(row["at_1_percent"], row["at_5_percent"], row["responses"] or 0)
        for row in table.iter_rows(named=True)
    ]
    column = pl.Series("influence", fractions, dtype=pl.Float64).fill_nan(None)
    return table.with_columns(column)
