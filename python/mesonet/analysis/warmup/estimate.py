"""Warm-up: how much of a series to leave out before averaging it.

The marginal standard error rule on means of five observations, MSER-5: K. P. White, "An effective
truncation heuristic for bias reduction in simulation output", Simulation 69 (1997), and K. P.
White, M. J. Cobb and S. C. Spratt, "A comparison of five steady-state truncation heuristics for
simulation", Winter Simulation Conference (2000). It cuts where the standard error of what remains
is smallest: cutting the transient lowers the variance, cutting more lowers the number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis.columns import OWN, Column, columns
from mesonet.analysis.frames import listed
from mesonet.analysis.result import Result
from mesonet.analysis.subject import Subject
from mesonet.analysis.warmup.entry import WARM_UP
from mesonet.errors import InputError, Problem, did_you_mean

BATCH = 5
"""Observations per batch mean, the 5 of MSER-5."""

_LEFT = 5
_DRAWN = 240
"""Points at most of the course of a series."""

_KEYS = ("run", "condition", "alternative", "replicate")
_COURSE = columns(
    "series time value running_mean",
    Column("series", pl.String, "", "series of measurement intervals"),
    Column("running_mean", pl.Float64, OWN, "mean from the beginning to here"),
)


class WarmUp(Result, chart="warm_up_chart", frame=WARM_UP, course=_COURSE):
    """Truncation points: the ends of the warm-up of series.

    `frame` has a row for each series; `course` the way of each, in at most 240 steps, with the mean
    of the step as `value`. It is empty for the runs of a campaign.
    """

    course: pl.DataFrame


def warm_up(frame: pl.DataFrame, *, series: str | Sequence[str] = ()) -> WarmUp:
    """Finds the end of the warm-up of each series by MSER-5.

    Examples:
        >>> import polars as pl
        >>> values = [0.0] * 20 + [8.0, 10.0, 9.0, 11.0, 12.0] * 20
        >>> found = warm_up(pl.DataFrame({"time": range(1, 121), "queue": values}))
        >>> found.frame["truncated"].item()
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
    table = WARM_UP.frame(rows, *_KEYS)
    ways = [_course(name, frame[name].cast(pl.Float64), frame["time"]) for name in selected]
    course = pl.concat(ways) if ways else _COURSE.frame()
    return WarmUp(frame=table, notes=_notes(table), course=course)


def _without_cut_off(frame: pl.DataFrame) -> pl.DataFrame:
    """The observations whose interval is as long as the first."""
    if frame.height < 3:
        return frame
    ends = frame["time"].cast(pl.Float64)
    whole = ends[1] - ends[0]
    return frame[:-1] if ends[-1] - ends[-2] < (1 - 1e-6) * whole else frame


def _course(name: str, values: pl.Series, times: pl.Series) -> pl.DataFrame:
    """Means of steps of a series, and its running mean; undefined values are left out of both."""
    finite = pl.col("value").is_finite().fill_null(value=False)
    sums = pl.when(finite).then("value").otherwise(0.0).cum_sum()
    counts = finite.cast(pl.Int64).cum_sum()
    step = max(math.ceil(len(values) / _DRAWN), 1)
    return (
        pl.DataFrame({"time": times.cast(pl.Float64), "value": values})
        .with_columns(
            pl.when(counts > 0).then(sums / counts).alias("running_mean"),
            pl.when(finite).then("value").alias("value"),
            (pl.int_range(pl.len()) // step).alias("step"),
        )
        .group_by("step", maintain_order=True)
        .agg(pl.col("time").last(), pl.col("value").mean(), pl.col("running_mean").last())
        .select(pl.lit(name).alias("series"), "time", "value", "running_mean")
    )


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


def warm_up_of_runs(
    frame: pl.DataFrame,
    *,
    read: Callable[[str], pl.DataFrame | None] | None,
    series: str | Sequence[str] = (),
) -> WarmUp:
    """Warm-up of every run of a campaign whose series were kept.

    Args:
        read: Gives the series of a run by its id; None where they were not kept.
        series: Columns to look at; all if empty.

    Returns:
        As `warm_up`, with `run`, `condition`, `alternative` and `replicate` before each row.
    """
    kinds: dict[str, Any] = dict(frame.select(_KEYS).schema)
    parts, missing = [], 0
    for row in frame.select(_KEYS).iter_rows(named=True):
        kept = None if read is None else read(row["run"])
        if kept is None:
            missing += 1
            continue
        estimates = warm_up(kept, series=series).frame
        labels = [pl.lit(row[key], dtype=kinds[key]).alias(key) for key in _KEYS]
        parts.append(estimates.select(*labels, pl.all()))
    table = pl.concat(parts) if parts else pl.DataFrame(schema=WARM_UP.schema() | kinds)
    notes = []
    if missing:
        notes.append(
            f"{missing} of {frame.height} runs kept no series, so nothing is known of their "
            "warm-up; execute the plan with --series, or replay a run."
        )
    unsettled = table.filter(~pl.col("settled")).height
    if unsettled:
        notes.append(
            f"{unsettled} of {table.height} series have not settled within half of their run, or "
            "are too short to tell; simulate longer before averaging them."
        )
    course = _COURSE.frame()
    return WarmUp(frame=table, notes=tuple(notes), course=course)


def tabled_warm_up(subject: Subject, options: dict[str, Any]) -> WarmUp:
    """Finds the end of the warm-up of every run whose series was kept."""
    return warm_up_of_runs(subject.frame, read=subject.read_series, **options)
