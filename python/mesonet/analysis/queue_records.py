"""Queue management through time: sojourn times, signals by cause, control variables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt
import polars as pl

from mesonet.analysis.result import Result
from mesonet.errors import InputError, Problem, did_you_mean

if TYPE_CHECKING:
    from mesonet.scenario import Scenario

FloatArray = npt.NDArray[np.float64]

CLASSES = 60
"""Classes of a histogram of sojourn times."""
SIGNALS = ("marked", "dropped")
"""Signals of congestion that a queue gives."""


class QueuesRecorded(Protocol):
    """Recorded run with its queues: one that `simulate` returns."""

    @property
    def scenario(self) -> Scenario:
        """Scenario that was simulated."""

    @property
    def queues(self) -> pl.DataFrame:
        """The watched stations."""

    @property
    def queue_states(self) -> pl.DataFrame:
        """Queue management at the watched stations, interval by interval."""

    @property
    def sojourns(self) -> pl.DataFrame:
        """Histograms of sojourn times."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class QueueRecords(Result):
    """Queue management of a run through time.

    `frame` has one row per window and station: `time` (end of the window [s]), `station`,
    `packets` (mean waiting or in service), `sojourn_mean` and `sojourn_max` [ms] (null where no
    packet was counted), `control` (mean of the control variable).

    `signals` has one row per window, station, signal and cause that occurs in the run: `time`,
    `station`, `signal` ("marked" or "dropped"), `cause`, `rate` [packets/s].

    `sojourns` has one row per class of sojourn times, all of one width: `station`, `from` and
    `below` [ms], `share` of the packets; `percentiles` has a row per station with `p50`, `p95`,
    `p99` [ms].
    """

    signals: pl.DataFrame
    sojourns: pl.DataFrame
    percentiles: pl.DataFrame
    stations: tuple[str, ...]


def queue_records(
    run: QueuesRecorded, *, stations: Iterable[str] | None = None, points: int = 600
) -> QueueRecords:
    """Sojourn times, signals of congestion and control variable of recorded stations.

    Args:
        run: Run of a scenario that has `record_queues`.
        stations: Recorded stations; those with packets if `None`.
        points: Most windows: intervals are put together so that there are no more.

    Raises:
        InputError: A station is not recorded, or `points` is less than 1.
    """
    states = run.queue_states
    known = () if states.is_empty() else tuple(states["station"].unique(maintain_order=True))
    used = () if run.sojourns.is_empty() else tuple(run.sojourns["station"].unique())
    wanted = tuple(name for name in known if name in used) if stations is None else tuple(stations)
    problems = [
        Problem(
            "stations",
            "unknown_name",
            f'"{name}" is not a recorded station of the run{did_you_mean(name, known)}',
        )
        for name in wanted
        if name not in known
    ]
    if points < 1:
        problems.append(Problem("points", "out_of_range", f"expected at least 1, got {points}"))
    if problems:
        raise InputError(problems)
    if not wanted:
        note = "No queue was recorded; a scenario with record_queues records them."
        empty = pl.DataFrame()
        return QueueRecords(
            frame=empty,
            notes=(note,),
            signals=empty,
            sojourns=empty,
            percentiles=empty,
            stations=(),
        )
    interval = run.scenario.interval
    size = max(math.ceil(states["time"].n_unique() / points), 1)
    states = states.filter(pl.col("station").is_in(wanted)).join(
        run.queues.select("time", "station", "packets"), on=["time", "station"], how="left"
    )
    window = ((pl.col("time").rank("dense") - 1) // size).alias("window")
    grouped = states.with_columns(window).group_by("window", "station", maintain_order=True)
    frame = grouped.agg(
        pl.col("time").max(),
        pl.col("packets").mean(),
        (pl.col("sojourn_mean").fill_nan(None).mean() * 1e3).alias("sojourn_mean"),
        (pl.col("sojourn_max").max() * 1e3).alias("sojourn_max"),
        pl.col("control").mean(),
    ).drop("window")
    notes = []
    if size > 1:
        notes.append(f"Values are means over {size} measurement intervals, {interval * size:g} s.")
    return QueueRecords(
        frame=frame,
        notes=tuple(notes),
        signals=_signals(states.with_columns(window), interval * size),
        sojourns=_histogram(run.sojourns, wanted),
        percentiles=_percentiles(run.sojourns, wanted),
        stations=wanted,
    )


def _signals(states: pl.DataFrame, length: float) -> pl.DataFrame:
    counts = [
        name
        for name in states.columns
        if name.startswith(tuple(f"{signal}_" for signal in SIGNALS)) and states[name].sum() > 0
    ]
    sums = states.group_by("window", "station", maintain_order=True).agg(
        pl.col("time").max(), *(pl.col(name).sum() for name in counts)
    )
    long = sums.unpivot(counts, index=["time", "station"], value_name="packets")
    part = pl.col("variable").str.splitn("_", 2).struct
    return long.select(
        "time",
        "station",
        part.field("field_0").alias("signal"),
        part.field("field_1").alias("cause"),
        (pl.col("packets") / length).alias("rate"),
    )


def _cumulative(sojourns: pl.DataFrame, name: str) -> tuple[FloatArray, FloatArray]:
    """Ends of classes [ms], and the part of the packets below each."""
    mine = sojourns.filter(station=name).sort("below")
    ends = np.concatenate(([0.0], mine["below"].to_numpy() * 1e3))
    parts = np.concatenate(([0.0], mine["packets"].to_numpy().cumsum() / mine["packets"].sum()))
    return ends, parts


def _histogram(sojourns: pl.DataFrame, wanted: tuple[str, ...]) -> pl.DataFrame:
    longest = sojourns.filter(pl.col("station").is_in(wanted))["below"].max()
    edges = np.linspace(0.0, float(longest or 0.0) * 1e3, CLASSES + 1)  # type: ignore[arg-type]
    frames = []
    for name in wanted:
        ends, parts = _cumulative(sojourns, name)
        # Inside of a class, times are taken as spread evenly.
        below = np.interp(edges, ends, parts)
        columns = {"from": edges[:-1], "below": edges[1:], "share": np.diff(below)}
        frames.append(pl.DataFrame({"station": [name] * CLASSES, **columns}))
    return pl.concat(frames)


def _percentiles(sojourns: pl.DataFrame, wanted: tuple[str, ...]) -> pl.DataFrame:
    rows = []
    for name in wanted:
        ends, parts = _cumulative(sojourns, name)
        at = {f"p{q}": float(ends[np.searchsorted(parts, q / 100 - 1e-12)]) for q in (50, 95, 99)}
        rows.append({"station": name, **at})
    return pl.DataFrame(rows)
