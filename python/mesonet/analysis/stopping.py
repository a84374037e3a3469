"""Sequential stopping: whether replicates are enough, judged from the results so far.

Each cell, one condition with one alternative, has a mean over replicates and a t-interval around
it. Replicates are enough once the half-width of every named response is small enough in every cell
(Y. S. Chow and H. Robbins, "On the asymptotic theory of fixed-width sequential confidence intervals
for the mean", Annals of Mathematical Statistics 36 (1965)). Looking again after every block makes
the intervals at the end cover a little less than they say, the more so the fewer replicates they
started from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from mesonet.analysis.frames import defined, replicate_notes, require
from mesonet.analysis.result import Result
from mesonet.analysis.student import t_exceeded

if TYPE_CHECKING:
    from mesonet.plan import Stopping

_SCHEMA = {
    "response": pl.String,
    "condition": pl.Int64,
    "alternative": pl.String,
    "n": pl.Int64,
    "mean": pl.Float64,
    "half_width": pl.Float64,
    "wanted": pl.Float64,
    "enough": pl.Boolean,
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CellPrecision(Result):
    """Precision of the responses of a stopping rule.

    `frame` has one row per response, condition and alternative: `response`, `condition`,
    `alternative`, `n` (replicates with a value), `mean`, `half_width` of its confidence interval
    (unit of the response; null for fewer than two), `wanted` (the largest that is small enough),
    `enough`. A response that is undefined in every run of a cell will not be defined by more of
    them, and counts as enough.
    """

    confidence: float


def precision(frame: pl.DataFrame, stopping: Stopping) -> CellPrecision:
    """The half-widths that a stopping rule asks about.

    Args:
        frame: one row per run.
        stopping: the rule.

    Raises:
        InputError: columns are missing.
    """
    names = tuple(stopping.responses)
    require(frame, columns=names)
    rows = []
    for name in names:
        cells = (
            frame.sort("condition", maintain_order=True)
            .group_by("condition", "alternative", maintain_order=True)
            .agg(
                defined(name).count().alias("n"),
                defined(name).mean().alias("mean"),
                defined(name).std().alias("sd"),
                pl.len().alias("runs"),
            )
        )
        for cell in cells.iter_rows(named=True):
            n, mean = cell["n"], cell["mean"]
            width = None
            if n > 1:
                t = float(t_exceeded((1 - stopping.confidence) / 2, n - 1))
                width = t * cell["sd"] / math.sqrt(n)
            wanted = None if mean is None else stopping.responses[name].half_width(mean)
            hopeless = n == 0 and cell["runs"] >= stopping.min_replicates
            enough = hopeless or (width is not None and wanted is not None and width <= wanted)
            rows.append(
                (name, cell["condition"], cell["alternative"], n, mean, width, wanted, enough)
            )
    return CellPrecision(
        frame=pl.DataFrame(rows, schema=_SCHEMA, orient="row"),
        notes=replicate_notes(frame, responses=names),
        confidence=stopping.confidence,
    )


def needs_more(frame: pl.DataFrame, stopping: Stopping) -> pl.DataFrame:
    """The cells that ask for another block of replicates; empty once there are enough.

    A rule asks for nothing beyond its `max_replicates`, and is never content with fewer than its
    `min_replicates`, however equal they are.

    Args:
        frame: one row per run; all of the same number of replicates, but for failed runs.
        stopping: the rule.

    Returns:
        Rows of `precision` that are not known well enough.

    Raises:
        InputError: columns are missing.
    """
    found = precision(frame, stopping).frame
    replicates = max(frame["replicate"].to_list(), default=0)
    if replicates >= stopping.max_replicates:
        return found.clear()
    if replicates < stopping.min_replicates:
        return found
    return found.filter(~pl.col("enough"))
