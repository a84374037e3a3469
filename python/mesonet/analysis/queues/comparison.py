"""Queue management of several runs of a campaign, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import polars as pl

from mesonet.analysis.columns import Column, Columns, columns
from mesonet.analysis.queues.estimate import QueueRecords, histogram, queue_records
from mesonet.analysis.result import Result
from mesonet.analysis.traces.estimate import Recorded

MOST_ROWS = 30_000
"""Rows of `frame` from which no further run is added."""


class QueueCell(NamedTuple):
    """A recorded run, and its place in the design."""

    condition: int
    alternative: str
    run: Recorded


def _placed(table: Columns, *own: Column) -> Columns:
    """Columns with their place in the design in front."""
    names = ("condition", "alternative", *table.schema(), *(column.name for column in own))
    return columns(" ".join(names), *table, *own)


class QueueComparison(
    Result,
    chart="queue_comparison_chart",
    frame=_placed(
        QueueRecords.columns["frame"],
        Column("meaning", pl.String, "", "meaning of the control variable; empty without one"),
    ),
    signals=_placed(QueueRecords.columns["signals"]),
    sojourns=_placed(QueueRecords.columns["sojourns"]),
    percentiles=_placed(QueueRecords.columns["percentiles"]),
):
    """Queue management by condition and alternative.

    Every frame begins with `condition` and `alternative` and goes on as that of `QueueRecords`;
    `sojourns` has the same classes for all alternatives.
    """

    signals: pl.DataFrame
    sojourns: pl.DataFrame
    percentiles: pl.DataFrame
    conditions: tuple[int, ...]
    alternatives: tuple[str, ...]
    stations: tuple[str, ...]


class _Cell(NamedTuple):
    condition: int
    alternative: str
    records: QueueRecords
    sojourns: pl.DataFrame


def compare_queues(cells: Iterable[QueueCell], *, points: int = 150) -> QueueComparison:
    """Sojourn times, signals and control variables of the runs of a campaign.

    Args:
        cells: Recorded runs, one per condition and alternative; read one by one.
    """
    watched: tuple[str, ...] | None = None
    queues: list[_Cell] = []
    notes: list[str] = []
    rows = left_out = 0
    for condition, alternative, run in cells:
        if rows >= MOST_ROWS:
            left_out += 1
            continue
        recorded = set() if run.queue_states.is_empty() else set(run.queue_states["station"])
        here = None if watched is None else tuple(name for name in watched if name in recorded)
        records = queue_records(run, stations=here, points=points)
        if not records.stations:
            continue
        watched = watched or records.stations
        rows += records.frame.height
        notes += records.notes
        queues.append(_Cell(condition, alternative, records, run.sojourns))
    if left_out:
        notes.append(f"{left_out} more runs recorded their queues; they are left out here.")
    if not queues:
        notes = ["No queue was recorded; a scenario with record_queues records them."]
    return QueueComparison(
        frame=_together(queues, [queue.records.with_meaning() for queue in queues]),
        notes=tuple(dict.fromkeys(notes)),
        signals=_together(queues, [queue.records.signals for queue in queues]),
        sojourns=_together(queues, list(_histograms(queues))),
        percentiles=_together(queues, [queue.records.percentiles for queue in queues]),
        conditions=tuple(dict.fromkeys(queue.condition for queue in queues)),
        alternatives=tuple(dict.fromkeys(queue.alternative for queue in queues)),
        stations=watched or () if queues else (),
    )


def _histograms(queues: Sequence[_Cell]) -> Iterator[pl.DataFrame]:
    """Histogram of each run; alternatives under one condition have the same classes."""
    longest: dict[tuple[int, str], float] = {}
    for queue in queues:
        ends = queue.sojourns.group_by("station", maintain_order=True).agg(pl.col("below").max())
        for station, end in ends.iter_rows():
            key = (queue.condition, station)
            longest[key] = max(longest.get(key, 0.0), end)
    for queue in queues:
        yield pl.concat(
            histogram(queue.sojourns, (name,), longest=longest.get((queue.condition, name), 0.0))
            for name in queue.records.stations
        )


def _together(queues: Sequence[_Cell], frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Frames of all runs below one another, with their places in front."""
    placed = [
        frame.select(
            pl.lit(queue.condition, dtype=pl.Int64).alias("condition"),
            pl.lit(queue.alternative).alias("alternative"),
            pl.all(),
        )
        for queue, frame in zip(queues, frames, strict=True)
        if not frame.is_empty()
    ]
    return pl.concat(placed) if placed else pl.DataFrame()
