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

from mesonet.analysis.equal_replicates import distinct_cells
from mesonet.analysis.frames import defined, require
from mesonet.analysis.student import t_exceeded

if TYPE_CHECKING:
    from mesonet.plan import Stopping

_PRECISION = {
    "response": pl.String,
    "condition": pl.Int64,
    "alternative": pl.String,
    "n": pl.Int64,
    "mean": pl.Float64,
    "half_width": pl.Float64,
    "wanted": pl.Float64,
    "enough": pl.Boolean,
}


@dataclass(frozen=True)
class StoppingState:
    """Answer of a stopping rule to the results of whole blocks.

    Attributes:
        replicates: Number of the last block.
        cells: Cells with a finished run; those of the same runs count as one.
        asking: Cells in which some response is not known precisely enough.
        content: True if no cell asks.
        at_most: True if the rule allows no further block.
        text: The state in words.
    """

    replicates: int
    cells: int
    asking: int
    content: bool
    at_most: bool
    text: str


def stopping_state(frame: pl.DataFrame, stopping: Stopping) -> StoppingState | None:
    """Why a stopping rule ends a campaign, or that it does not; None without any run."""
    if frame.is_empty():
        return None
    precisions = precision(frame, stopping)
    open_ones = precisions.filter(~pl.col("enough"))
    replicates = max(frame["replicate"].to_list())
    cells, asking = (
        cells_of.select("condition", "alternative").n_unique()
        for cells_of in (precisions, open_ones)
    )
    at_most = replicates >= stopping.max_replicates
    of = f"{replicates} of at most {stopping.max_replicates} replicates"
    if not asking:
        every = "the only cell is" if cells == 1 else f"all {cells} cells are"
        state = f"{every} known as precisely as the plan asks"
        text = f"After {of} {state}: {stopping.words()}."
        if replicates > 2:
            text += " Where it was asked more than once, intervals cover a little less than that."
    else:
        state = f"{asking} of {cells} cells {'is' if asking == 1 else 'are'} not known"
        rule = f"as precisely as the plan asks: {stopping.words()}"
        text = f"After {of} {state} {rule}{_widest(open_ones)}."
        if not at_most:
            text += " `mesonet run` goes on."
    without = (
        precisions.filter(pl.col("n") == 0)["response"].value_counts(sort=True).sort("response")
    )
    for name, count in without.iter_rows():
        have, ask = ("has", "asks") if count == 1 else ("have", "ask")
        text += f" {count} of the cells {have} no value of {name} and {ask} for nothing."
    return StoppingState(replicates, cells, asking, not asking, at_most, text)


def _widest(asking: pl.DataFrame) -> str:
    """The half-width that is farthest from what is wanted, in words; empty if none is known."""
    defined = asking.drop_nulls(["half_width", "wanted"])
    if defined.is_empty():
        return ""
    ratio = pl.col("half_width") / pl.col("wanted")
    row = defined.sort(ratio, descending=True, maintain_order=True).row(0, named=True)
    return (
        f". Farthest is {row['response']} under condition {row['condition']} with "
        f"{row['alternative']}: {row['mean']:.3g} ± {row['half_width']:.2g} instead of "
        f"± {row['wanted']:.2g}"
    )


def precision(frame: pl.DataFrame, stopping: Stopping) -> pl.DataFrame:
    """The half-widths that a stopping rule asks about.

    A response that is undefined in every run of a cell will not be defined by more of them, and
    counts as enough. Of cells that are the same runs the first alone has a row.

    Returns:
        A row for each response, condition and alternative: `n` and `mean` of the replicates,
        `half_width` of the confidence interval, the `wanted` one, and `enough` where it is reached.
    """
    names = tuple(stopping.responses)
    require(frame, columns=names)
    distinct = distinct_cells(frame)
    rows = []
    for name in names:
        cells = (
            distinct.sort("condition", maintain_order=True)
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
            needed = None if mean is None else stopping.responses[name].half_width(mean)
            hopeless = n == 0 and cell["runs"] > 1
            enough = hopeless or (width is not None and needed is not None and width <= needed)
            rows.append(
                (name, cell["condition"], cell["alternative"], n, mean, width, needed, enough)
            )
    return pl.DataFrame(rows, schema=_PRECISION, orient="row")
