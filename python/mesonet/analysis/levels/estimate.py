"""Means by level: how responses go along factors, which may have more than two levels.

The test compares the additive model of all factors with the one that lacks the factor, by the
extra sum of squares: N. R. Draper and H. Smith, Applied Regression Analysis, chapter 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from mesonet.analysis.frames import ROUNDING, cell_means, listed, replicate_notes, require
from mesonet.analysis.levels.entry import LEVEL_MEANS, VARIANCE_EXPLAINED
from mesonet.analysis.result import Result
from mesonet.analysis.subject import Subject


class LevelMeans(
    Result, chart="level_means_chart", frame=LEVEL_MEANS, explained=VARIANCE_EXPLAINED
):
    """Means of responses at the levels of factors, by alternative.

    `frame` has a row for each response, factor, level and alternative; `explained` for each
    response, factor and alternative.
    """

    explained: pl.DataFrame


def level_means(
    frame: pl.DataFrame, *, factors: Sequence[str], responses: str | Sequence[str]
) -> LevelMeans:
    """Means of each response at each level of each factor, and the fraction that a factor explains.

    The observations are condition means over replicates, of one alternative at a time. Factors are
    fitted together, each level by itself. Where each level of a factor occurs with one level of
    another, as in a Latin hypercube, a straight line along its codes is fitted.

    Args:
        factors: Columns of codes; a column such as `rtt_level` beside it has the levels in words.
    """
    names, chosen = tuple(factors), listed(responses)
    require(frame, columns=(*names, *chosen))
    words = [
        pl.col(f"{name}_level" if f"{name}_level" in frame.columns else name)
        .cast(pl.String)
        .alias(f"level {name}")
        for name in names
    ]
    settings = frame.select("condition", *names, *words).unique("condition", maintain_order=True)
    cells = (
        cell_means(frame, responses=chosen)
        .drop_nulls("value")
        .join(settings, on="condition", maintain_order="left")
    )
    value = pl.col("value")
    means = [
        part.group_by(
            "response",
            pl.lit(name).alias("factor"),
            pl.col(name).cast(pl.Float64).alias("code"),
            pl.col(f"level {name}").alias("level"),
            "alternative",
            maintain_order=True,
        )
        .agg(
            value.count().cast(pl.Int64).alias("conditions"),
            value.mean().alias("mean"),
            value.min().alias("minimum"),
            value.max().alias("maximum"),
        )
        .sort("code", maintain_order=True)
        for part in cells.partition_by("response", maintain_order=True)
        for name in names
    ]
    lines = [name for name in names if _confounded(settings, name, names)]
    named = ", ".join(lines)
    note = f"Each level occurs with others of its own, so fitted by a straight line: {named}."
    return LevelMeans(
        frame=pl.concat([LEVEL_MEANS.frame(), *means]),
        notes=(
            *replicate_notes(frame, responses=chosen),
            *([note] if lines else []),
        ),
        explained=VARIANCE_EXPLAINED.frame(_explained(cells, names, lines)),
    )


def _explained(
    cells: pl.DataFrame, names: Sequence[str], lines: Sequence[str]
) -> Iterator[tuple[Any, ...]]:
    """Rows of the table of what each factor explains, of one response and alternative at a time."""
    parts = cells.partition_by("response", "alternative", maintain_order=True)
    for part in parts:
        values = part["value"].to_numpy()
        terms = {name: _columns(part[name], line=name in lines) for name in names}
        residual, freedom = _residual(values, terms.values())
        total = float(((values - values.mean()) ** 2).sum())
        varies = total > ROUNDING * float((values**2).sum())
        for name in names:
            others = [columns for other, columns in terms.items() if other != name]
            without, freedom_without = _residual(values, others)
            extra, lost = max(without - residual, 0.0), freedom_without - freedom
            f = p = None
            if varies and lost and freedom and residual > ROUNDING * total:
                f = (extra / lost) / (residual / freedom)
                p = float(scipy.stats.f.sf(f, lost, freedom))
            explained = extra / total if varies and lost else None
            levels = part[name].n_unique()
            yield part["response"][0], name, part["alternative"][0], levels, explained, f, p


def _confounded(settings: pl.DataFrame, name: str, names: Sequence[str]) -> bool:
    """Tests whether each of several levels occurs with one level of some other factor."""
    levels = settings[name].n_unique()
    others = (it for it in names if it != name and settings[it].n_unique() > 1)
    return levels > 2 and any(settings.select(name, it).n_unique() == levels for it in others)


def _columns(codes: pl.Series, *, line: bool) -> NDArray[np.float64]:
    """Columns of a factor in the matrix of the model: an indicator for each level but the first."""
    values = codes.cast(pl.Float64).to_numpy()[:, None]
    if line:
        return values
    indicators: NDArray[np.bool_] = values == np.unique(values)[1:]
    return indicators.astype(np.float64)


def _residual(values: NDArray[np.float64], terms: Any) -> tuple[float, int]:
    """Sum of squares that a model leaves of values, and its degrees of freedom."""
    matrix = np.hstack([np.ones((len(values), 1)), *terms])
    fitted, _, rank, _ = np.linalg.lstsq(matrix, values, rcond=None)
    return float(((values - matrix @ fitted) ** 2).sum()), len(values) - int(rank)


def tabled_level_means(subject: Subject, options: dict[str, Any]) -> LevelMeans:
    """Means at the levels of all factors of the design, on the responses asked for."""
    return level_means(subject.frame, factors=subject.factors, responses=subject.family, **options)
