"""Condition-response analysis: which alternative is an outlier, where, and by how much.

NIST SP 500-282 and the paper's section 3.2.d, figures 14 to 16: residuals around the mean of each
condition, the extreme alternative, its relative effect, and Grubbs' test for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

import polars as pl

from mesonet.analysis.columns import OWN, Column, columns
from mesonet.analysis.conditions.entry import CONDITION_RESPONSE
from mesonet.analysis.frames import (
    alternatives,
    cell_means,
    indistinguishable,
    replicate_notes,
    require,
)
from mesonet.analysis.grubbs import grubbs_critical, grubbs_test
from mesonet.analysis.result import Result

Rows = list[dict[str, object]]
"""Rows of a table that is to be made, by column."""

_RESIDUALS = columns(
    "condition position alternative value residual",
    Column("residual", pl.Float64, OWN, "value less the mean of the condition"),
)


class ConditionResponse(
    Result, chart="condition_response_chart", frame=CONDITION_RESPONSE, residuals=_RESIDUALS
):
    """One response under every condition.

    `frame` has a row for each condition, ordered by increasing range; `residuals` for each
    condition and alternative.
    """

    residuals: pl.DataFrame
    response: str
    alternatives: tuple[str, ...]
    alpha: float


def condition_response(
    frame: pl.DataFrame,
    *,
    response: str,
    alpha: float = 0.05,
    critical: float | None = None,
) -> ConditionResponse:
    """Compares the alternatives condition by condition.

    Args:
        alpha: Probability of a false alarm in each condition.
        critical: Overrides the critical value of Grubbs' test for all conditions. The 2010
            MesoNet study used 2.08 for seven algorithms; the two-sided value is 2.02.
    """
    require(frame, columns=(response,))
    labels = alternatives(frame)
    results = compared(frame, responses=(response,), labels=labels, alpha=alpha, critical=critical)
    table, points = _positions(*results[response])
    return ConditionResponse(
        frame=table,
        notes=(
            *replicate_notes(frame, responses=(response,)),
            *outlier_notes(table, labels, alpha=alpha, critical=critical),
        ),
        residuals=points,
        response=response,
        alternatives=labels,
        alpha=alpha,
    )


def compared(
    frame: pl.DataFrame,
    *,
    responses: Sequence[str],
    labels: Sequence[str],
    alpha: float,
    critical: float | None,
) -> dict[str, tuple[Rows, Rows]]:
    """Rows of the table and the residuals of a `ConditionResponse`, but for the positions."""
    results: dict[str, tuple[Rows, Rows]] = {name: ([], []) for name in responses}
    cells = cell_means(frame, responses=responses).drop_nulls("value")
    ordered = cells.select("response", "condition", "alternative", "value").iter_rows()
    for (response, condition), group in groupby(ordered, itemgetter(0, 1)):
        rows, residuals = results[response]
        cell = {str(name): value for *_, name, value in group}
        names = [name for name in labels if name in cell]
        values = [cell[name] for name in names]
        mean = math.fsum(values) / len(values)
        same = indistinguishable(values)
        test = grubbs_test(values, alpha=alpha, critical=critical)
        away = 0.0 if same else test.residual
        rows.append(
            {
                "response": response,
                "condition": condition,
                "n": len(values),
                "mean": mean,
                "sd": _sd(values) if len(values) > 1 else math.nan,
                "range": 0.0 if same else max(values) - min(values),
                "extreme": None if same else names[test.extreme],
                "residual": away,
                "magnitude": math.log10(abs(away)) if away else math.nan,
                "relative": away / abs(mean) if mean else 0.0 if same else math.nan,
                "g": test.statistic,
                "critical": test.critical,
                "p": test.p,
                "outlier": test.outlier,
                "direction": "same" if same else "high" if away > 0 else "low",
            }
        )
        residuals += [
            {
                "condition": condition,
                "alternative": name,
                "value": value,
                "residual": 0.0 if same else value - mean,
            }
            for name, value in zip(names, values, strict=True)
        ]
    return results


def _sd(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    # The squares of large values are larger than any float.
    return math.hypot(*(value - mean for value in values)) / math.sqrt(len(values) - 1)


def ordered_table(rows: Rows) -> pl.DataFrame:
    """Rows of `compared`, response by response, as a table by increasing range."""
    return (
        CONDITION_RESPONSE.frame(rows, "position")
        .with_columns(place=pl.col("response").rle_id())
        .sort("place", "range", "condition")
        .drop("place")
    )


def _positions(rows: Rows, residuals: Rows) -> tuple[pl.DataFrame, pl.DataFrame]:
    table = (
        ordered_table(rows)
        .with_row_index("position", offset=1)
        .cast({"position": pl.Int64})
        .select(list(CONDITION_RESPONSE.schema()))
    )
    points = _RESIDUALS.frame(residuals, "position").join(
        table.select("condition", "position"), on="condition", maintain_order="left"
    )
    points = points.sort("position", maintain_order=True)
    return table, points.select("condition", "position", "alternative", "value", "residual")


def outlier_notes(
    table: pl.DataFrame, labels: Sequence[str], *, alpha: float, critical: float | None
) -> tuple[str, ...]:
    """Notes on the power of Grubbs' test with so many alternatives, as sentences."""
    notes = []
    if len(labels) < 3:
        notes.append(
            f"Grubbs' test needs three alternatives; there "
            f"{'is one' if len(labels) == 1 else 'are two'}, so no outlier is declared."
        )
    elif len(labels) < 5:
        largest = (len(labels) - 1) / math.sqrt(len(labels))
        least = f"{grubbs_critical(len(labels), alpha=alpha):.4f} at alpha = {alpha:g}"
        notes.append(
            f"With {len(labels)} alternatives G cannot exceed {largest:.4f} and must exceed "
            f"{least if critical is None else critical}: the test speaks only where all but one "
            "alternative nearly coincide, however large the difference."
        )
    short = table.filter(pl.col("n") < len(labels)).height
    if short:
        cells = f"{table.height} cells of condition and response"
        notes.append(f"In {short} of {cells} not every alternative has a value.")
    return tuple(notes)
