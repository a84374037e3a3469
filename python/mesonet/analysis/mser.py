"""Warm-up: how much of a series to leave out before averaging it.

The marginal standard error rule on means of five observations, MSER-5: K. P. White, "An effective
truncation heuristic for bias reduction in simulation output", Simulation 69 (1997), and K. P.
White, M. J. Cobb and S. C. Spratt, "A comparison of five steady-state truncation heuristics for
simulation", Winter Simulation Conference (2000). It cuts where the standard error of what remains
is smallest: cutting the transient lowers the variance, cutting more lowers the number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis.columns import OWN, Column, columns
from mesonet.analysis.frames import listed
from mesonet.analysis.result import Result
from mesonet.errors import InputError, Problem, did_you_mean

BATCH = 5
"""Observations per batch mean, the 5 of MSER-5."""

_LEFT = 5
_COLUMNS = columns(
    "series observations truncated time fraction mean mean_after settled",
    Column("series", pl.String, "", "series of measurement intervals"),
    Column("observations", pl.Int64, "", "number of measurement intervals"),
    Column("truncated", pl.Int64, "", "number of intervals to leave out"),
    Column("mean_after", pl.Float64, OWN, "mean of what remains"),
    Column("settled", pl.Boolean, "", "true if the series is long enough to tell the end"),
)


class WarmUp(Result, frame=_COLUMNS):
    """Truncation points: the ends of the warm-up of series; `frame` has a row for each."""


def warm_up(frame: pl.DataFrame, *, series: str | Sequence[str] = ()) -> WarmUp:
    """Finds the end of the warm-up of each series by MSER-5.

    Examples:
        >>> import polars as pl
        >>> values = [0.0] * 20 + [8.0, 10.0, 9.0, 11.0, 12.0] * 20
        >>> period = warm_up(pl.DataFrame({"time": range(1, 121), "queue": values}))
        >>> period.frame["truncated"].item()
        20

    Args:
        series: Columns to look at; all columns of numbers if empty.
    """
    numeric = [name for name, kind in frame.schema.items() if kind.is_numeric() and name != "time"]
    selected = listed(series) or tuple(numeric)
    problems = [
        Problem(name, "unknown_column", f"no such series{did_you_mean(name, numeric)}")
        for name in selected
        if name not in numeric
    ]
    if "time" not in frame.columns:
        problems.append(Problem("time", "unknown_column", "no such column of times"))
    if problems:
        raise InputError(problems)
    frame = _without_cut_off(frame)
    times = frame["time"].cast(pl.Float64).to_numpy()
    rows = [_row(name, frame[name].cast(pl.Float64).to_numpy(), times) for name in selected]
    table = _COLUMNS.frame(rows)
    return WarmUp(frame=table, notes=_notes(table))


def _without_cut_off(frame: pl.DataFrame) -> pl.DataFrame:
    """The observations whose interval is as long as the first."""
    if frame.height < 3:
        return frame
    ends = frame["time"].cast(pl.Float64)
    whole = ends[1] - ends[0]
    return frame[:-1] if ends[-1] - ends[-2] < (1 - 1e-6) * whole else frame


def truncation(values: NDArray[np.float64]) -> int | None:
    """Number of first observations that MSER leaves out; None where that is more than half.

    Undefined values are left out of the batch means. A series of fewer than ten batches, or without
    any value, has no answer either.
    """
    batches = len(values) // BATCH
    if batches < 2 * _LEFT:
        return None
    blocks = values[: batches * BATCH].reshape(batches, BATCH)
    finite = np.isfinite(blocks)
    counts = finite.sum(axis=1)
    means = np.where(finite, blocks, 0.0).sum(axis=1) / np.maximum(counts, 1)
    errors = np.full(batches - _LEFT + 1, math.inf)
    for cut in range(len(errors)):
        rest = means[cut:][counts[cut:] > 0]
        if len(rest) >= _LEFT:
            errors[cut] = float(((rest - rest.mean()) ** 2).sum()) / len(rest) ** 2
    best = int(np.argmin(errors))
    return best * BATCH if math.isfinite(errors[best]) and 2 * best <= batches else None


def _row(name: str, values: NDArray[np.float64], times: NDArray[np.float64]) -> tuple[object, ...]:
    cut = truncation(values)
    mean = _mean(values)
    if cut is None:
        return (name, len(values), None, None, None, mean, None, False)
    ended = float(times[cut - 1]) if cut else 0.0
    return (name, len(values), cut, ended, cut / len(values), mean, _mean(values[cut:]), True)


def _mean(values: NDArray[np.float64]) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) else None


def _notes(table: pl.DataFrame) -> tuple[str, ...]:
    unsettled = table.filter(~pl.col("settled"))["series"].to_list()
    if not unsettled:
        return ()
    note = (
        f"Not settled within half of the run, or too short to tell: {', '.join(unsettled)}. "
        "Simulate longer before averaging these."
    )
    return (note,)
