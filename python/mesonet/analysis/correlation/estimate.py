"""Correlation of the responses, and the threshold above which a correlation counts as strong.

The first steps of correlation analysis and clustering, section 3.1.b of the methodology paper
(K. L. Mills et al.): the matrix of its figure 7 and the frequency distribution of its figure 8.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from mesonet.analysis.columns import Column, columns
from mesonet.analysis.correlation.entry import CORRELATIONS
from mesonet.analysis.frames import listed, replicate_notes, require
from mesonet.analysis.matrix import Matrix, cells, constant, named
from mesonet.analysis.result import Result

_BIN = 0.05

_ORDER = columns("response position mean_size")
_FREQUENCIES = columns(
    "low high count",
    Column("low", pl.Float64, "1", "lower bound of the bin"),
    Column("high", pl.Float64, "1", "upper bound of the bin"),
)


class Correlations(
    Result,
    chart="correlation_chart",
    frame=CORRELATIONS,
    order=_ORDER,  # type: ignore[literal-required]  # A frame; dataclasses have an `order`, too.
    frequencies=_FREQUENCIES,
    observations=columns("condition group"),
):
    """Correlations of responses.

    `frame` has a row for each pair of responses; `order` for each response; `frequencies` for each
    bin of `abs(r)`; `observations` for each observation.

    `suggestion` is the threshold that the distribution of `abs(r)` suggests, `why` says how it was
    found; None and the reason if it suggests none.
    """

    order: pl.DataFrame
    frequencies: pl.DataFrame
    observations: pl.DataFrame
    responses: tuple[str, ...]
    suggestion: float | None
    why: str


def correlations(
    frame: pl.DataFrame, *, responses: Sequence[str], by: str | None = None, ranks: bool = False
) -> Correlations:
    """Correlates every response with every other over the conditions.

    Args:
        ranks: True to correlate ranks (Spearman) in place of values (Pearson).
    """
    columns = listed(responses)
    require(frame, columns=columns, by=() if by is None else (by,))
    table = cells(frame, responses=columns, by=by)
    values = table.values.reshape(-1, len(columns))
    counts = (~np.isnan(values)).sum(axis=0)
    still = constant(values)
    kept = np.flatnonzero((counts > 1) & ~still)
    names = tuple(columns[k] for k in kept)
    values = values[:, kept]
    seen = int((~np.isnan(values)).any(axis=1).sum())
    r, n = _correlate(values, ranks=ranks)
    first, second = np.triu_indices(len(names), 1)
    pairs = pl.DataFrame(
        {
            "first": [names[k] for k in first],
            "second": [names[k] for k in second],
            "n": n[first, second],
            "r": r[first, second],
            "size": np.abs(r[first, second]),
        },
        schema=CORRELATIONS.schema(),
    )
    suggestion, why = suggest_threshold(pairs["size"].drop_nans().to_list())
    notes = [*replicate_notes(frame), *table.notes]
    if few := named(columns, counts < 2):
        notes.append(f"Fewer than two values, so left out: {few}.")
    if same := named(columns, still & (counts > 1)):
        notes.append(f"Did not vary, so left out: {same}.")
    if seen < 10 and len(names) > 1:
        notes.insert(0, f"{seen} observations: chance alone makes correlations of any size.")
    return Correlations(
        frame=pairs,
        notes=tuple(notes),
        order=_order(names, r),
        frequencies=_frequencies(pairs["size"]),
        observations=pl.DataFrame(
            {
                "condition": np.tile(table.conditions, len(table.groups)),
                "group": np.repeat(table.groups, len(table.conditions)),
            },
            schema={"condition": pl.Int64, "group": pl.String},
        ).with_columns(
            pl.Series(name, values[:, k], dtype=pl.Float64).fill_nan(None)
            for k, name in enumerate(names)
        ),
        responses=names,
        suggestion=suggestion,
        why=why,
    )


def suggest_threshold(sizes: Sequence[float]) -> tuple[float | None, str]:
    """Threshold of `abs(r)` that parts the strong correlations from the others.

    As the paper does by eye on its figure 8, it looks for the values that form a distribution of
    their own at the strong end: the last valley of the density of `abs(r)`. If the density has one
    hill only, it takes Otsu's threshold, which makes the two parts each as uniform as can be
    (N. Otsu, IEEE Trans. SMC 9(1), 1979).

    Args:
        sizes: `abs(r)` of the pairs.

    Returns:
        The threshold and how it was found; `None` and why, for fewer than ten pairs or equal ones.

    >>> suggest_threshold([0.1] * 9)
    (None, 'There are fewer than ten pairs of responses.')
    """
    values = np.sort(np.asarray(sizes, dtype=np.float64))
    if len(values) < 10:
        return None, "There are fewer than ten pairs of responses."
    if values[-1] - values[0] < 1e-9:
        return None, "All pairs are equally correlated."
    grid = np.arange(0.0, 1.005, 0.01)
    width = 0.9 * float(np.std(values)) * len(values) ** -0.2
    # Mirrored at both ends, since |r| has no values beyond them.
    density = sum(
        np.exp(-0.5 * ((grid[:, np.newaxis] - mirrored) / max(width, 0.02)) ** 2).sum(axis=1)
        for mirrored in (values, -values, 2.0 - values)
    )
    # Where no value is near, the density is exactly zero and neither falls nor rises.
    steps = np.sign(np.diff(np.asarray(density)))
    moving = np.flatnonzero(steps)
    valleys = moving[1:][(steps[moving[:-1]] < 0) & (steps[moving[1:]] > 0)]
    if len(valleys):
        value = float(grid[valleys[-1]])
        return value, f"The last valley of the distribution of |r| is at {value:.2f}."
    below = np.arange(1, len(values))
    sums = np.cumsum(values)
    means = sums[:-1] / below, (sums[-1] - sums[:-1]) / below[::-1]
    between = below * below[::-1] * (means[1] - means[0]) ** 2
    split = int(np.argmax(between))
    value = min(round(float(values[split] + values[split + 1]) / 2.0, 2), 0.99)
    return value, (
        "The distribution of |r| has one hill only; Otsu's threshold, which parts it into the two "
        f"most uniform halves, is {value:.2f}."
    )


def _frequencies(sizes: pl.Series) -> pl.DataFrame:
    edges = np.linspace(0.0, 1.0, round(1.0 / _BIN) + 1)
    counts, _ = np.histogram(np.clip(sizes.drop_nans().to_numpy(), 0.0, 1.0), edges)
    return pl.DataFrame({"low": edges[:-1], "high": edges[1:], "count": counts.astype(np.int64)})


def _correlate(values: Matrix, *, ranks: bool) -> tuple[Matrix, NDArray[np.int64]]:
    """Pairwise correlations over the rows that have both values, and how many those are."""
    present = ~np.isnan(values)
    n = present.T.astype(np.int64) @ present.astype(np.int64)
    if ranks and not present.all():
        # The ranks of a pair are among the rows that it has, so every pair has its own.
        r = np.full(n.shape, np.nan)
        for i in range(len(n)):
            for j in range(i):
                both = present[:, i] & present[:, j]
                own = scipy.stats.rankdata(values[both][:, [i, j]], axis=0)
                r[i, j] = r[j, i] = _correlate(own, ranks=False)[0][0, 1]
        return r, n
    if ranks:
        values = scipy.stats.rankdata(values, axis=0) if len(values) else values
    with np.errstate(invalid="ignore", divide="ignore"):
        filled = np.where(present, values, 0.0)
        mean = filled.sum(axis=0) / present.sum(axis=0)
        # Centred and scaled, so that the sums below do not cancel.
        z = np.where(present, values - mean, 0.0)
        z /= np.sqrt((z**2).sum(axis=0))
        defined = present.astype(np.float64)
        a, b = z.T @ defined, defined.T @ z
        covariance = z.T @ z - a * b / n
        spread = (z**2).T @ defined - a**2 / n
        r = covariance / np.sqrt(spread * spread.T)
        varying = (spread > 1e-12) & (spread.T > 1e-12) & (n > 1)
        clipped: Matrix = np.where(varying, np.clip(r, -1.0, 1.0), np.nan)
    return clipped, n


def _order(names: tuple[str, ...], r: Matrix) -> pl.DataFrame:
    sizes = np.abs(r)
    np.fill_diagonal(sizes, np.nan)
    counts = (~np.isnan(sizes)).sum(axis=0)
    mean = [
        float(np.nansum(sizes[:, k]) / counts[k]) if counts[k] else math.nan
        for k in range(len(names))
    ]
    table = pl.DataFrame(
        {"response": names, "mean_size": mean},
        schema={"response": pl.String, "mean_size": pl.Float64},
    ).sort("mean_size", descending=True, maintain_order=True, nulls_last=True)
    return table.select(
        "response", pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias("position"), "mean_size"
    )
