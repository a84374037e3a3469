"""Two-factor interactions: how the effect of one factor depends on the level of another.

The interaction effects matrix of NIST's ten-step analysis (NIST/SEMATECH e-Handbook of Statistical
Methods, section 5.5.9.5): main effects on the diagonal, products of two factors beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
import polars as pl

from mesonet.analysis.effects.estimate import MainEffects, exact_notes, main_effects, sign, stars
from mesonet.analysis.equal_replicates import repeated_conditions
from mesonet.analysis.fits import (
    degrees_of_freedom,
    difference,
    rarest_p,
    residual_variance,
    shared_errors,
    tested,
)
from mesonet.analysis.frames import listed, require
from mesonet.analysis.interaction.entry import INTERACTIONS
from mesonet.analysis.matrix import (
    Labels,
    Matrix,
    Transformation,
    cells,
    levels,
    mean_over,
    row_groups,
    same_runs,
)
from mesonet.analysis.result import Result
from mesonet.errors import InputError, Problem

CORNERS = ("low_low", "high_low", "low_high", "high_high")
_TINY = 1e-9
# Parts of other interactions below this share are what a few missing conditions do to any design.
_SHARE = 0.05


class Interactions(Result, chart="interactions_chart", frame=INTERACTIONS):
    """Two-factor interactions, with the main effects that they modify.

    `frame` has a row for each response, group and pair of factors.

    `main` is the result of `main_effects` on the same data.

    The effect is also the mean where the product of the levels is +1 less that where it is -1.
    Aliases have a minus if of opposite sign; behind them, as in "0.33 c*d", stand the shares of
    other interactions that go into the estimate. The test is of this pair in a model with all main
    effects, against what they leave unexplained.
    """

    main: MainEffects
    factors: tuple[str, ...]


def interactions(
    frame: pl.DataFrame,
    *,
    factors: Sequence[str],
    responses: str | Sequence[str],
    transformation: Transformation = "none",
) -> Interactions:
    """Estimates the interaction of every pair of factors on every response.

    The transformation "log" is that of `main_effects`: factors that multiply the response do not
    interact on its logarithm.
    """
    names, chosen = tuple(factors), listed(responses)
    if len(names) < 2:
        problem = f"expected at least two factors, got {len(names)}"
        raise InputError([Problem("factors", "too_few", problem)])
    require(frame, columns=(*names, *chosen))
    copies = repeated_conditions(frame, levels=names)
    distinct = frame.filter(~pl.col("condition").is_in(copies))
    coded = levels(distinct, names)
    block = cells(distinct, responses=chosen, by=None, transformation=transformation)
    values = block.values[0]
    pairs = list(combinations(range(len(names)), 2))
    columns = {
        name: np.full((len(pairs), values.shape[1]), np.nan)
        for name in (*CORNERS, "effect", "t", "p", "df")
    }
    for where, rows, same in row_groups(values, same_runs(distinct, block, by=None)):
        part = _estimates(coded[rows], values[np.ix_(rows, where)], pairs, same)
        for name, found_part in part.items():
            columns[name][:, where] = found_part
    mean = mean_over(values)[0] if len(values) else np.full(values.shape[1], np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        columns["relative"] = np.where(mean != 0.0, columns["effect"] / np.abs(mean), np.nan)
    if transformation == "log":
        columns["relative"] = 10.0 ** columns["effect"] - 1.0
    aliases = _aliases(coded, names, pairs)
    count = (~np.isnan(values)).sum(axis=0)
    table = pl.DataFrame(
        {
            "response": np.repeat(chosen, len(pairs)),
            "group": "all",
            "first": [names[a] for a, _ in pairs] * values.shape[1],
            "second": [names[b] for _, b in pairs] * values.shape[1],
            "n": np.repeat(count, len(pairs)),
            **{name: columns[name].T.ravel() for name in (*CORNERS, "effect", "relative", "t")},
            "df": columns["df"].T.ravel(),
            "p": columns["p"].T.ravel(),
            "aliases": aliases * values.shape[1],
        }
    ).with_columns(
        pl.col("df").fill_nan(None).cast(pl.Int64), stars(pl.col("p")), sign(pl.col("effect"))
    )
    main = main_effects(frame, factors=names, responses=chosen, transformation=transformation)
    notes = [*main.notes, *exact_notes(table, model="With an interaction, the factors explain")]
    first_of = [text[:1] for text in aliases]
    partly = sum(letter.isdigit() for letter in first_of)
    if shared := sum(letter != "" for letter in first_of) - partly:
        notes.append(
            f"The design cannot tell {shared} of {len(pairs)} interactions from other effects; the "
            "column `aliases` says which."
        )
    if partly:
        notes.append(
            f"In {partly} of {len(pairs)} interactions there are parts of others; the column "
            "`aliases` says which, with their shares."
        )
    without = np.isnan(columns["effect"]).any(axis=0) & (count > 0)
    if without.any():
        few = [chosen[column] for column in np.flatnonzero(without)]
        which = "all responses" if len(few) == len(chosen) else ", ".join(few)
        notes.append(
            "Interactions that are confounded with main effects in the conditions that have a "
            f"value have no estimate: some of {which}."
        )
    return Interactions(frame=table, notes=tuple(notes), main=main, factors=names)


def _estimates(
    coded: Matrix, values: Matrix, pairs: list[tuple[int, int]], same: Labels
) -> dict[str, Matrix]:
    first, second = (coded[:, [pair[k] for pair in pairs]] for k in (0, 1))
    estimates: dict[str, Matrix] = {}
    for corner, (b, a) in zip(CORNERS, product((-1, 1), repeat=2), strict=True):
        inside = ((first == a) & (second == b)).astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            estimates[corner] = (inside.T @ values) / inside.sum(axis=0)[:, np.newaxis]
    n = len(coded)
    basis = _basis(coded)
    residuals = values - basis @ (basis.T @ values)
    products = first * second
    own = products - basis @ (basis.T @ products)
    size = (own**2).sum(axis=0)[:, np.newaxis]
    trace, df, spread = _errors(basis, own, same)
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = np.where(size > _TINY * n, (own.T @ residuals) / size, np.nan)
        # Rounding, measured against the response.
        scale = np.abs(values).max(axis=0)
        effect = difference(scale + slope, scale - slope)
        effect = np.where(effect == 0.0, 0.0, 2.0 * slope)
        remainder = (residuals**2).sum(axis=0) - slope**2 * size
        rounding = residual_variance(residuals, values, 1) * 1e-12
        variance = np.where(remainder <= rounding, 0.0, remainder / trace)
        error = 2.0 * np.sqrt(np.where(df > 0, variance, np.nan) * spread)
    rarest = rarest_p(products, same)[:, np.newaxis]
    test = tested(effect, error, np.maximum(df, 1.0), rarest)
    freedom = np.where(np.isnan(slope), np.nan, df)
    return estimates | {"effect": effect, "t": test.t, "p": test.p, "df": freedom}


def _errors(basis: Matrix, own: Matrix, same: Labels) -> tuple[Matrix, Matrix, Matrix]:
    """Residuals beside each pair, and how its slope varies, [pair, 1].

    Returns:
        Sum of squares expected and degrees of freedom of the residuals, and the variance of the
        slope, for errors of variance 1.
    """
    n, pairs = own.shape
    size = (own**2).sum(axis=0)
    freedom = np.full((pairs, 1), float(n - basis.shape[1] - 1))
    with np.errstate(divide="ignore"):
        spread = 1.0 / size[:, np.newaxis]
    if len(np.unique(same)) == n:
        return freedom, freedom, spread
    shared, trace = shared_errors(same), freedom.copy()
    without = np.eye(n) - basis @ basis.T
    for pair in np.flatnonzero(size > _TINY * n):
        column = own[:, [pair]]
        residual = without - column @ column.T / size[pair]
        trace[pair], freedom[pair] = degrees_of_freedom(residual @ shared)
        spread[pair] = float((column.T @ shared @ column)[0, 0]) / size[pair] ** 2
    return trace, freedom, spread


def _aliases(coded: Matrix, names: tuple[str, ...], pairs: list[tuple[int, int]]) -> list[str]:
    """Aliases of each pair (equal column, up to sign), and effects partly confounded with it."""
    n = len(coded)
    if not n:
        return [""] * len(pairs)
    products = np.column_stack([coded[:, a] * coded[:, b] for a, b in pairs])
    labels = [*names, *(f"{names[a]}*{names[b]}" for a, b in pairs)]
    agreement = products.T @ np.column_stack([coded, products]) / n
    # Main effects are in the model, so nothing of them is left in the estimate of a pair.
    basis = _basis(coded)
    own = products - basis @ (basis.T @ products)
    size = (own**2).sum(axis=0)[:, np.newaxis]
    share = np.zeros_like(agreement)
    np.divide(own.T @ products, size, out=share[:, len(names) :], where=size > _TINY * n)
    texts = []
    for number, (row, parts) in enumerate(zip(agreement, share, strict=True)):
        row[len(names) + number] = parts[len(names) + number] = 0.0
        alike = np.abs(row) > 1.0 - _TINY
        whole = [("-" if row[k] < 0 else "") + labels[k] for k in np.flatnonzero(alike)]
        partly = np.flatnonzero(~alike & (np.abs(parts) > _SHARE))
        largest = sorted(partly, key=lambda k: -round(float(abs(parts[k])), 9))
        sign = ("-" if parts[k] < 0 else "" for k in largest)
        shares = [f"{abs(parts[k]):.2g} {s}{labels[k]}" for k, s in zip(largest, sign, strict=True)]
        texts.append(", ".join([*whole, *shares]))
    return texts


def _basis(coded: Matrix) -> Matrix:
    """Orthonormal columns that span a mean and main effects."""
    columns = np.column_stack([np.ones(len(coded)), coded])
    basis, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    # Rank-deficient main effects leave a projection all the same.
    spanning: Matrix = basis[:, sizes > _TINY * sizes[0]]
    return spanning
