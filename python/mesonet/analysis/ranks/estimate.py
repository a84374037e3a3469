"""Rank matrices: alternatives ranked against each other under every condition.

The rank matrices of NIST SP 500-282, chapter 8, and the plot of mean against standard deviation
of the ranks (the paper's figures 27 and 28): an ideal alternative has a high mean and a low
standard deviation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from mesonet.analysis.columns import columns
from mesonet.analysis.equal_replicates import repeated_conditions, repeated_notes
from mesonet.analysis.frames import (
    alternatives,
    cell_means,
    defined,
    listed,
    replicate_notes,
    require,
)
from mesonet.analysis.ranks.entry import RANK_MATRIX, RANK_SUMMARY, RANK_TESTS
from mesonet.analysis.result import Result
from mesonet.analysis.subject import Subject

_PER_RESPONSE = columns("response alternative n mean sd", *RANK_SUMMARY)


class RankMatrix(
    Result,
    chart="rank_matrix_chart",
    frame=RANK_MATRIX,
    summary=RANK_SUMMARY,
    per_response=_PER_RESPONSE,
    tests=RANK_TESTS,
):
    """Ranks of the alternatives.

    `frame` has a row for each response, condition and alternative; `summary` for each alternative;
    `tests` for each response, Friedman's test of whether the ranks differ by more than chance.
    """

    summary: pl.DataFrame
    per_response: pl.DataFrame
    tests: pl.DataFrame
    responses: tuple[str, ...]
    alternatives: tuple[str, ...]
    order_by: str | None


def rank_matrix(
    frame: pl.DataFrame,
    *,
    response: str | Sequence[str],
    order_by: str | None = None,
    better: Mapping[str, str] | None = None,
) -> RankMatrix:
    """Ranks the alternatives under every condition.

    Args:
        order_by: Response whose mean orders the conditions, smallest first (a loss rate puts
            the least congested condition first); `None` keeps their numbers.
        better: "higher" or "lower" per response; "higher" if not given. The best rank goes to
            the better end.
    """
    names = listed(response)
    require(frame, columns=(*names, *([order_by] if order_by else [])))
    labels = alternatives(frame)
    copies, conditions = repeated_conditions(frame), frame["condition"].n_unique()
    frame = frame.filter(~pl.col("condition").is_in(copies))
    order = condition_order(frame, response=order_by).select("condition", "position")
    shared = _of_shared_replicates(frame, names, labels)
    place = ["response", "condition", "alternative"]
    common = cell_means(shared, responses=names).select(*place, common="value")
    cells = cell_means(frame, responses=names).join(order, on="condition")
    cells = cells.join(common, on=place, how="left", maintain_order="left")
    ranks = _ranked(cells, labels, better or {})
    by_response = ranks.partition_by("response", as_dict=True, maintain_order=True)
    tests = [(name, *_tested(by_response.get((name,), ranks.clear()), labels)) for name in names]
    return RankMatrix(
        frame=ranks,
        notes=(
            *replicate_notes(frame, responses=names),
            *repeated_notes({"": copies}, conditions),
            *_notes(ranks, labels),
        ),
        summary=rank_summary(ranks, by=("alternative",)),
        per_response=rank_summary(ranks, by=("response", "alternative")),
        tests=RANK_TESTS.frame(tests),
        responses=names,
        alternatives=labels,
        order_by=order_by,
    )


def _of_shared_replicates(
    frame: pl.DataFrame, responses: Sequence[str], labels: Sequence[str]
) -> pl.DataFrame:
    """The frame with values of those replicates alone in which every alternative has one.

    Replicates share their random numbers. Where runs are missing, means over other replicates
    would be ordered by chance.
    """
    place = ["condition", "replicate"]
    kept = []
    for name in responses:
        present = pl.col("alternative").filter(defined(name).is_not_null()).n_unique()
        kept.append(pl.when(present.over(place) == len(labels)).then(defined(name)).alias(name))
    return frame.with_columns(kept)


def rank_summary(ranks: pl.DataFrame, *, by: Sequence[str]) -> pl.DataFrame:
    """Mean and standard deviation of ranks.

    Args:
        ranks: A column `rank`, null where undefined, and those of `by`.

    Returns:
        One row per group: the `by` columns, `n` (ranks), `mean`, `sd` (of the ranks at hand,
        divided by n as in the sources; null for a single rank).
    """
    rank = pl.col("rank")
    return ranks.group_by(list(by), maintain_order=True).agg(
        rank.count().alias("n"),
        rank.mean().alias("mean"),
        pl.when(rank.count() > 1).then(rank.std(ddof=0)).alias("sd"),
    )


def condition_order(frame: pl.DataFrame, *, response: str | None) -> pl.DataFrame:
    """Conditions in the order of their mean response over alternatives and replicates.

    Returns:
        Columns `condition`, `value` (null without a response) and `position` (1-based).
    """
    require(frame, columns=() if response is None else (response,))
    if response is None:
        order = frame.select(pl.col("condition").unique().sort()).with_columns(
            pl.lit(None, dtype=pl.Float64).alias("value")
        )
    else:
        order = (
            cell_means(frame, responses=(response,), by=None)
            .select("condition", "value")
            .sort("value", "condition", nulls_last=True)
        )
    return order.with_row_index("position", offset=1).select(
        pl.col("condition").cast(pl.Int64), "value", pl.col("position").cast(pl.Int64)
    )


def _notes(ranks: pl.DataFrame, labels: Sequence[str]) -> tuple[str, ...]:
    notes = []
    if len(labels) < 2:
        notes.append("A single alternative always has rank 1: there is nothing to compare.")
    else:
        notes.append(f"Rank {len(labels)} is the best, 1 the worst.")
    if len(labels) == 2:
        notes.append(
            "Friedman's test needs three alternatives; with two, use paired differences, whose "
            "signed-rank test asks the same."
        )
    conditions = ranks["condition"].n_unique()
    unranked = ranks.group_by("response", "condition", maintain_order=True).agg(
        pl.col("rank").is_null().all().alias("unranked")
    )
    counts = unranked.group_by("response", maintain_order=True).agg(pl.col("unranked").sum())
    left_out = [f"{name} in {n} of {conditions}" for name, n in counts.iter_rows() if n]
    if left_out:
        notes.append(
            "Conditions without a replicate of which every alternative has a value are not ranked: "
            f"{', '.join(left_out)}."
        )
    return tuple(notes)


def _ranked(cells: pl.DataFrame, labels: Sequence[str], better: Mapping[str, str]) -> pl.DataFrame:
    """One row per response, condition and label, with ranks where every label has a value."""
    lower = [name for name, end in better.items() if end == "lower"]
    # Values that agree to twelve digits are equal: their last bits are rounding, not behaviour.
    rounded = [None if v is None else float(f"{v:.12e}") for v in cells["common"]]
    group = ("response", "position")
    complete = pl.col("common").count().over(group) == len(labels)
    goodness = pl.when(pl.col("response").is_in(lower)).then(-pl.col("rounded"))
    ranked = cells.with_columns(pl.Series("rounded", rounded, dtype=pl.Float64)).select(
        "response",
        pl.col("condition").cast(pl.Int64),
        "position",
        pl.col("alternative").cast(pl.String),
        pl.coalesce("common", "value").cast(pl.Float64).alias("value"),
        pl.when(complete)
        .then(goodness.otherwise(pl.col("rounded")).rank("average").over(group))
        .alias("rank"),
    )
    # Every label has a row, also where it has no run.
    places = ranked.select("response", "condition", "position").unique(maintain_order=True)
    every = places.join(
        pl.DataFrame({"alternative": labels}, schema={"alternative": pl.String}), how="cross"
    )
    names = pl.Enum(ranked["response"].unique(maintain_order=True))
    return every.join(
        ranked,
        on=["response", "condition", "position", "alternative"],
        how="left",
        maintain_order="left",
    ).sort(pl.col("response").cast(names), "position", maintain_order=True)


def _tested(ranks: pl.DataFrame, labels: Sequence[str]) -> tuple[int, float, float, float]:
    """Number of ranked conditions of one response, and Friedman's test over them."""
    complete = ranks["rank"].drop_nulls().to_numpy().reshape(-1, max(len(labels), 1))
    return len(complete), *_friedman(complete)


def _friedman(matrix: NDArray[np.float64]) -> tuple[float, float, float]:
    # SciPy needs three alternatives; with ties everywhere the statistic is 0 / 0.
    if matrix.shape[0] < 2 or matrix.shape[1] < 3:
        return math.nan, math.nan, math.nan
    if bool(np.all(matrix == matrix[:, :1])):
        return 0.0, 1.0, 0.0
    statistic, p = scipy.stats.friedmanchisquare(*matrix.T)
    n, k = matrix.shape
    return float(statistic), float(p), float(statistic) / (n * (k - 1))


def tabled_rank_matrix(subject: Subject, options: dict[str, Any]) -> RankMatrix:
    """Ranks the alternatives on the responses to rank, in the order of congestion."""
    chosen = options.pop("responses", ()) or subject.ranked or subject.family
    better = {**subject.better, **options.pop("better", {})}
    return rank_matrix(
        subject.frame, response=chosen, better=better, **{"order_by": subject.order_by} | options
    )
