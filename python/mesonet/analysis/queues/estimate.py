"""Queue management through time: sojourn times, signals by cause, control variables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from mesonet.analysis.columns import Column, columns
from mesonet.analysis.result import Result
from mesonet.analysis.traces.estimate import Recorded, cut_off, one_or_several
from mesonet.errors import InputError, Problem, did_you_mean
from mesonet.scenario.mechanisms import queues as disciplines

if TYPE_CHECKING:
    from mesonet.scenario import Scenario

FloatArray = npt.NDArray[np.float64]

CLASSES = 60
"""Classes of a histogram of sojourn times."""
SIGNALS = ("marked", "dropped")
"""Signals of congestion that a queue gives."""
PERCENTILES = (50, 95, 99)
"""Percentiles of sojourn times."""
MOST_STATIONS = 6
"""Stations that are put together unless some are named."""


_QUEUE_RECORDS = columns("time station packets sojourn_mean sojourn_max control")
_SIGNALS = columns("time station signal cause rate")

_SOJOURNS = columns(
    "station from below share",
    Column("below", pl.Float64, "ms", "sojourn time that the class does not reach"),
)

_PERCENTILES = columns("station p50 p95 p99")


class QueueRecords(
    Result,
    chart="queues_chart",
    frame=_QUEUE_RECORDS,
    signals=_SIGNALS,
    sojourns=_SOJOURNS,
    percentiles=_PERCENTILES,
):
    """Queue management of a run through time.

    `frame` has a row for each window and station; `signals` for each window, station, signal and
    cause that occurs in the run; `sojourns` for each class of sojourn times, all of one width.

    `controls` has the meaning of the control variable by station, where there is one.
    """

    signals: pl.DataFrame
    sojourns: pl.DataFrame
    percentiles: pl.DataFrame
    stations: tuple[str, ...]
    controls: Mapping[str, str] = field(default_factory=dict)

    def with_meaning(self) -> pl.DataFrame:
        """`frame` with the `meaning` of the control variable, empty where there is none."""
        meaning = pl.col("station").replace_strict(
            dict(self.controls), default="", return_dtype=pl.String
        )
        return self.frame.with_columns(meaning.alias("meaning"))


def queue_records(
    run: Recorded, *, stations: Iterable[str] | None = None, points: int = 600
) -> QueueRecords:
    """Sojourn times, signals of congestion and control variable of recorded stations.

    Args:
        run: Run of a scenario that has `record_queues`, or the series that a campaign kept of one.
    """
    states = run.queue_states
    recorded = () if states.is_empty() else tuple(states["station"].unique(maintain_order=True))
    notes = []
    if stations is None:
        names, omission = busiest(run.sojourns, recorded)
        if omission:
            notes.append(omission)
    else:
        names = one_or_several(stations)
    problems = [
        Problem(
            "stations",
            "unknown_name",
            f'"{name}" is not a recorded station of the run{did_you_mean(name, recorded)}',
        )
        for name in names
        if name not in recorded
    ]
    if problems:
        raise InputError(problems)
    if not names:
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
    states = states.filter(pl.col("station").is_in(names)).join(
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
    if size > 1:
        notes.append(f"Values are means over {size} measurement intervals, {interval * size:g} s.")
    return QueueRecords(
        frame=frame,
        notes=tuple(notes),
        signals=_signals(states.with_columns(window), interval),
        sojourns=histogram(run.sojourns, names),
        percentiles=_percentiles(run.sojourns, names),
        stations=names,
        controls=_controls(run.scenario, names),
    )


def busiest(sojourns: pl.DataFrame, recorded: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """The stations with the longest sojourn times in their order, and a note on those left out."""
    used = () if sojourns.is_empty() else tuple(sojourns["station"].unique())
    candidates = tuple(name for name in recorded if name in used)
    if len(candidates) <= MOST_STATIONS:
        return candidates, ""
    percentiles = _percentiles(sojourns, candidates).sort(
        "p95", descending=True, maintain_order=True
    )
    chosen = set(percentiles["station"].head(MOST_STATIONS))
    note = (
        f"{MOST_STATIONS} of {len(candidates)} recorded stations with packets: those with the "
        "longest 95th percentile of sojourn times."
    )
    return tuple(name for name in candidates if name in chosen), note


def _controls(scenario: Scenario, names: Iterable[str]) -> dict[str, str]:
    """Meaning of the control variable by station, where its discipline has one."""
    meaning = {discipline.name: discipline.control for discipline in disciplines()}
    kinds = {
        station["name"]: meaning.get(station.get("discipline", {}).get("name", ""), "")
        for station in scenario.resolve()["stations"]
    }
    return {name: kinds[name] for name in names if kinds.get(name)}


def _signals(states: pl.DataFrame, interval: float) -> pl.DataFrame:
    counts = [
        name
        for name in states.columns
        if name.startswith(tuple(f"{signal}_" for signal in SIGNALS)) and states[name].sum() > 0
    ]
    # The last window may have fewer intervals than the others, and the last interval be shorter.
    grouped = states.with_columns(cut_off(interval).alias("cut_off")).group_by(
        "window", "station", maintain_order=True
    )
    sums = grouped.agg(
        pl.col("time").max(),
        (pl.len() * interval - pl.col("cut_off").sum()).alias("seconds"),
        *(pl.col(name).sum() for name in counts),
    )
    long = sums.unpivot(counts, index=["time", "station", "seconds"], value_name="packets")
    part = pl.col("variable").str.splitn("_", 2).struct
    return long.select(
        "time",
        "station",
        part.field("field_0").alias("signal"),
        part.field("field_1").alias("cause"),
        (pl.col("packets") / pl.col("seconds")).alias("rate"),
    )


def _cumulative(sojourns: pl.DataFrame, name: str) -> tuple[FloatArray, FloatArray]:
    """Both ends of classes in their order [ms], and the part of the packets below each."""
    rows = sojourns.filter(station=name).sort("below")
    # Classes without packets have no row: nothing lies between the ends of two neighbours.
    ends = rows.select("from", "below").to_numpy().ravel() * 1e3
    count = max(int(rows["packets"].sum()), 1)
    parts = rows["packets"].to_numpy().cumsum() / count
    before = np.concatenate(([0.0], parts[:-1]))
    return ends, np.column_stack((before, parts)).ravel() if len(parts) else parts


def histogram(sojourns: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """Shares of sojourn times in classes of one width."""
    kept = sojourns.filter(pl.col("station").is_in(list(names)))
    edges = np.linspace(0.0, float(kept["below"].max() or 0.0) * 1e3, CLASSES + 1)  # type: ignore[arg-type]
    frames = []
    for name in names:
        ends, parts = _cumulative(kept, name)
        # Inside of a class, times are taken as spread evenly.
        below = np.interp(edges, ends, parts) if len(ends) else np.zeros(len(edges))
        columns = {"from": edges[:-1], "below": edges[1:], "share": np.diff(below)}
        frames.append(pl.DataFrame({"station": [name] * CLASSES, **columns}))
    return pl.concat(frames)


def _percentiles(sojourns: pl.DataFrame, names: tuple[str, ...]) -> pl.DataFrame:
    rows = []
    for name in names:
        ends, parts = _cumulative(sojourns, name)
        places = [np.searchsorted(parts, q / 100 - 1e-12) for q in PERCENTILES]
        values = [float(ends[at]) if at < len(ends) else math.nan for at in places]
        rows.append(
            {"station": name, **{f"p{q}": x for q, x in zip(PERCENTILES, values, strict=True)}}
        )
    return pl.DataFrame(rows)
