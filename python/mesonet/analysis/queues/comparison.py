"""Queue management of several runs of a campaign, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import polars as pl

from mesonet.analysis.columns import Column, Columns, columns
from mesonet.analysis.queues.estimate import QueueRecords, QueuesRecorded, histogram, queue_records
from mesonet.analysis.result import Result

MOST_ROWS = 30_000
"""Rows of `frame` from which no further run is added."""


class QueueCell(NamedTuple):
    """A recorded run, and its place in the design."""

    condition: int
    alternative: str
    run: QueuesRecorded


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

    Every frame begins with `condition` and `alternative` and goes on as that of `QueueRecords`:
    `frame` (with `meaning` of the control variable, empty where there is none), `signals`,
    `sojourns`, with the same classes for all alternatives, and `percentiles`.
    """

    signals: pl.DataFrame
    sojourns: pl.DataFrame
    percentiles: pl.DataFrame
    conditions: tuple[int, ...]
    alternatives: tuple[str, ...]
    stations: tuple[str, ...]


class _Found(NamedTuple):
    condition: int
    alternative: str
    records: QueueRecords
    sojourns: pl.DataFrame


def compare_queues(cells: Iterable[QueueCell], *, points: int = 150) -> QueueComparison:
    """Sojourn times, signals and control variables of the runs of a campaign.

    Args:
        cells: Recorded runs, one per condition and alternative; read one by one.
    """
    wanted: tuple[str, ...] | None = None
    found: list[_Found] = []
    notes: list[str] = []
    rows = left_out = 0
    for condition, alternative, run in cells:
        if rows >= MOST_ROWS:
            left_out += 1
            continue
        known = set() if run.queue_states.is_empty() else set(run.queue_states["station"])
        here = None if wanted is None else tuple(name for name in wanted if name in known)
        records = queue_records(run, stations=here, points=points)
        if not records.stations:
            continue
        wanted = wanted or records.stations
        rows += records.frame.height
        notes += records.notes
        found.append(_Found(condition, alternative, records, run.sojourns))
    if left_out:
        notes.append(f"{left_out} more runs recorded their queues; they are left out here.")
    if not found:
        notes = ["No queue was recorded; a scenario with record_queues records them."]
    return QueueComparison(
        frame=_together(found, [_with_meaning(one.records) for one in found]),
        notes=tuple(dict.fromkeys(notes)),
        signals=_together(found, [one.records.signals for one in found]),
        sojourns=_together(found, list(_histograms(found))),
        percentiles=_together(found, [one.records.percentiles for one in found]),
        conditions=tuple(dict.fromkeys(one.condition for one in found)),
        alternatives=tuple(dict.fromkeys(one.alternative for one in found)),
        stations=wanted or () if found else (),
    )


def _with_meaning(records: QueueRecords) -> pl.DataFrame:
    meaning = pl.col("station").replace_strict(
        dict(records.controls), default="", return_dtype=pl.String
    )
    return records.frame.with_columns(meaning.alias("meaning"))


def _histograms(found: Sequence[_Found]) -> Iterator[pl.DataFrame]:
    """Histogram of each run; alternatives under one condition have the same classes."""
    longest: dict[tuple[int, str], float] = {}
    for one in found:
        ends = one.sojourns.group_by("station", maintain_order=True).agg(pl.col("below").max())
        for station, end in ends.iter_rows():
            key = (one.condition, station)
            longest[key] = max(longest.get(key, 0.0), end)
    for one in found:
        yield pl.concat(
            histogram(one.sojourns, (name,), longest=longest.get((one.condition, name), 0.0))
            for name in one.records.stations
        )


def _together(found: Sequence[_Found], frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Frames of all runs below one another, with their places in front."""
    placed = [
        frame.select(
            pl.lit(one.condition, dtype=pl.Int64).alias("condition"),
            pl.lit(one.alternative).alias("alternative"),
            pl.all(),
        )
        for one, frame in zip(found, frames, strict=True)
        if not frame.is_empty()
    ]
    return pl.concat(placed) if placed else pl.DataFrame()
