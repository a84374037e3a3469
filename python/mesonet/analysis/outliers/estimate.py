"""Outliers over all responses and conditions: the paper's condition-response summary.

Section 3.2.d, figures 15 and 16, of the paper on the MesoNet study (NIST SP 500-282).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from mesonet.analysis.columns import Column, columns
from mesonet.analysis.conditions.estimate import compared, ordered_table, outlier_notes
from mesonet.analysis.frames import alternatives, listed, replicate_notes, require
from mesonet.analysis.multiplicity import Adjustment, adjusted, multiplicity_note
from mesonet.analysis.outliers.entry import CONDITION_SUMMARY
from mesonet.analysis.result import Result
from mesonet.errors import InputError, Problem

_CELLS = columns(
    "response condition alternative direction relative g p p_adjusted n outlier kept",
    Column("kept", pl.Boolean, "", "true if the outlier passes all filters"),
)

_COUNTS = columns(
    "alternative outliers high low",
    Column("outliers", pl.UInt32, "", "number of outliers"),
    Column("high", pl.UInt32, "", "number of high outliers"),
    Column("low", pl.UInt32, "", "number of low ones"),
)


class ConditionSummary(
    Result, chart="condition_summary_chart", frame=CONDITION_SUMMARY, cells=_CELLS, counts=_COUNTS
):
    """Outliers over all responses and conditions.

    `frame` has a row for each response and condition with an outlier that passes the filters;
    `cells` for each with a value, outlier or not.
    """

    cells: pl.DataFrame
    counts: pl.DataFrame
    responses: tuple[str, ...]
    conditions: tuple[int, ...]
    tested: int
    expected: float
    alpha: float
    adjust: Adjustment


def condition_summary(
    frame: pl.DataFrame,
    *,
    responses: str | Sequence[str],
    alpha: float = 0.05,
    critical: float | None = None,
    minimum_relative: float = 0.0,
    adjust: Adjustment = "none",
) -> ConditionSummary:
    """Collects the outliers of many condition-response analyses.

    Args:
        alpha: Probability of a false alarm in each cell or, with `adjust`, what that controls.
        minimum_relative: Keeps outliers that are at least this fraction of the mean away from
            it; 0.1 is the filter of the paper's figure 16. Cells with a mean of zero have no
            relative effect and are kept.
        adjust: "holm" keeps the probability of any false alarm, over all cells together, at
            `alpha`; "fdr_bh" (Benjamini and Hochberg) the expected share of false ones.
    """
    if adjust != "none" and critical is not None:
        message = "a critical value of one's own has no p value to adjust; give one of the two"
        raise InputError([Problem("adjust", "conflict", message)])
    columns = listed(responses)
    require(frame, columns=columns)
    labels = alternatives(frame)
    results = compared(frame, responses=columns, labels=labels, alpha=alpha, critical=critical)
    table = ordered_table([row for rows, _ in results.values() for row in rows])
    cells = _judged(table, alpha, minimum_relative, adjust)
    kept = cells.filter("kept").drop("n", "outlier", "kept")
    tested = cells.filter(pl.col("p").is_finite()).height
    # A critical value of one's own has no level.
    chance = [multiplicity_note(tested, alpha=alpha, method=adjust, what="cell")]
    if critical is not None:
        chance = []
    return ConditionSummary(
        frame=kept,
        notes=(
            *replicate_notes(frame, responses=columns),
            *outlier_notes(table, labels, alpha=alpha, critical=critical),
            *_notes(table, len(columns), tested),
            *chance,
        ),
        cells=cells,
        counts=_counts(kept, labels),
        responses=columns,
        conditions=tuple(frame["condition"].unique().sort().to_list()),
        tested=tested,
        expected=alpha * tested if adjust == "none" and critical is None else math.nan,
        alpha=alpha,
        adjust=adjust,
    )


def _judged(
    cells: pl.DataFrame, alpha: float, minimum_relative: float, adjust: Adjustment
) -> pl.DataFrame:
    probabilities = pl.Series("p_adjusted", adjusted(cells["p"].to_list(), method=adjust))
    cells = cells.with_columns(probabilities.cast(pl.Float64))
    # Without an adjustment the critical value decides: it may be one that the caller gave.
    outlier = pl.col("outlier") if adjust == "none" else pl.col("p_adjusted").lt(alpha)
    large = (pl.col("relative").abs() >= minimum_relative) | pl.col("relative").is_nan()
    return cells.with_columns(outlier.alias("outlier")).select(
        "response", "condition", pl.col("extreme").alias("alternative"), "direction", "relative",
        "g", "p", "p_adjusted", "n", "outlier", (pl.col("outlier") & large).alias("kept"),
    )  # fmt: skip


def _counts(kept: pl.DataFrame, labels: Sequence[str]) -> pl.DataFrame:
    return (
        pl.DataFrame({"alternative": list(labels)}, schema={"alternative": pl.String})
        .join(
            kept.group_by("alternative", maintain_order=True).agg(
                pl.len().alias("outliers"),
                (pl.col("direction") == "high").sum().alias("high"),
                (pl.col("direction") == "low").sum().alias("low"),
            ),
            on="alternative",
            how="left",
            maintain_order="left",
        )
        .fill_null(0)
    )


def _notes(table: pl.DataFrame, responses: int, tested: int) -> tuple[str, ...]:
    # A cell with a value of one alternative alone has nothing to be told apart.
    single = table.filter(n=1).height
    same = table.filter(pl.col("n") > 1, direction="same").height
    notes = []
    if same:
        notes.append(
            f"Cells in which the alternatives do not differ: {same}; they were not tested."
        )
    if single:
        notes.append(
            f"Cells in which one alternative alone has a value: {single}; they were not tested."
        )
    empty = responses - table["response"].n_unique()
    if empty:
        notes.append(f"{empty} of {responses} responses are undefined in every run.")
    if not tested:
        notes.append("No cell could be tested.")
    return tuple(notes)
