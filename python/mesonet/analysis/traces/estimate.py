"""One run through time: its flows and queues."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import polars as pl

from mesonet.analysis.columns import Column, columns
from mesonet.analysis.result import Result
from mesonet.checked import varying_rate
from mesonet.errors import InputError, Problem, show, unknown

if TYPE_CHECKING:
    from mesonet.scenario import Scenario
    from mesonet.scenario.rate_changes import VaryingRate

_PHASES = {-1: "idle", 0: "slow start", 1: "standard", 2: "alternate"}


class Recorded(Protocol):
    """Recorded run: one that `simulate` returns, or the series of a campaign."""

    @property
    def scenario(self) -> Scenario:
        """Scenario that was simulated."""

    @property
    def seed(self) -> int:
        """Its seed."""

    @property
    def series(self) -> pl.DataFrame:
        """The network, interval by interval."""

    @property
    def flows(self) -> pl.DataFrame:
        """The named flows."""

    @property
    def queues(self) -> pl.DataFrame:
        """The watched stations."""

    @property
    def queue_states(self) -> pl.DataFrame:
        """Queue management at the watched stations, interval by interval."""

    @property
    def sojourns(self) -> pl.DataFrame:
        """Histograms of sojourn times."""


_TRACE = columns(
    "time flow sequence rate cwnd cwnd_low cwnd_high srtt in_flight retransmitted marked phase",
    Column("flow", pl.String, "", "name of the flow"),
    Column("sequence", pl.Float64, "segments", "segments acknowledged since the start of the flow"),
    Column("rate", pl.Float64, "segments/s", "rate that is acknowledged"),
    Column("cwnd", pl.Float64, "segments", "mean congestion window"),
    Column("cwnd_low", pl.Float64, "segments", "smallest congestion window"),
    Column("cwnd_high", pl.Float64, "segments", "largest congestion window"),
    Column("srtt", pl.Float64, "s", "mean smoothed round-trip time"),
    Column("in_flight", pl.Float64, "segments", "mean number of segments in flight"),
    Column("retransmitted", pl.Int64, "segments", "segments retransmitted"),
    Column("marked", pl.Int64, "segments", "segments that arrived marked"),
    Column("phase", pl.String, "", "phase of the flow at the end of the window"),
)

_QUEUES = columns(
    "time station packets low high capacity",
    Column("low", pl.Float64, "packets", "smallest number of packets"),
    Column("high", pl.Float64, "packets", "largest number"),
)


class Trace(Result, chart="trace_chart", frame=_TRACE, queues=_QUEUES):
    """Flows and queues of a run through time.

    `frame` has a row for each window and flow; `queues` for each window and watched station.

    `window` is the length of a window [s]. `payload` is that of a segment [bit], `None` where
    rates are in packets. `link` has the mean capacity of a bottleneck whose rate changes: `time`
    (end of the window [s]) and `rate` [segments/s]; it is `None` where the rate stays.
    """

    queues: pl.DataFrame
    flows: tuple[str, ...]
    stations: tuple[str, ...]
    window: float
    payload: int | None = None
    link: pl.DataFrame | None = None


def trace(
    run: Recorded,
    *,
    flows: Iterable[str] | None = None,
    stations: Iterable[str] | None = None,
    start: float = 0.0,
    end: float = math.inf,
    points: int = 1000,
) -> Trace:
    """Time sequence, window, rate and queues of any named flow and watched station.

    Args:
        run: Run from `simulate`, or series that a campaign kept.
    """
    named, watched = _names(run.flows, "flow"), _names(run.queues, "station")
    # Connections that are made for one request after the other would hide the rest.
    brief = _brief(run.scenario, named) if flows is None else set[str]()
    lasting = tuple(name for name in named if name not in brief)
    selected = lasting if flows is None else one_or_several(flows)
    places = watched if stations is None else one_or_several(stations)
    problems = [
        *_stretch_problems(start, end),
        *(it for name in selected for it in unknown("flows", "unknown_name", name, named)),
        *(it for name in places for it in unknown("stations", "unknown_name", name, watched)),
    ]
    if problems:
        raise InputError(problems)
    interval = run.scenario.interval
    # An interval belongs to the part that its midpoint lies in.
    middle = run.series["time"] - interval / 2
    count = int(((middle >= start) & (middle < end)).sum())
    size = max(math.ceil(count / points), 1)
    windows = Windows(interval, size, start, end)
    acknowledged = pl.col("acked").cum_sum().over("flow").alias("sequence")
    rows = run.flows if run.flows.is_empty() else run.flows.with_columns(acknowledged)
    table = _flow_rows(windows.of(rows), selected, interval)
    queues = _queue_rows(windows.of(run.queues), places)
    notes = [f"{len(brief)} connections of one request at a time are left out."] if brief else []
    if not selected:
        notes.append("The run has no named flows to draw.")
    if not places:
        notes.append("No station is watched in the run.")
    silent = [name for name in selected if table.filter(flow=name)["cwnd"].is_null().all()]
    if silent:
        notes.append(f"{', '.join(silent)}: not sending in this part of the run.")
    if size > 1:
        notes.append(f"Values are means over {size} measurement intervals, {windows.length:g} s.")
    return Trace(
        frame=table,
        notes=tuple(notes),
        queues=queues,
        flows=selected,
        stations=places,
        window=windows.length,
        payload=run.scenario.payload(),
        link=_link(
            varying_rate(run.scenario, run.seed), table["time"].unique().sort(), windows.length
        ),
    )


def _link(varying: VaryingRate | None, ends: pl.Series, length: float) -> pl.DataFrame | None:
    if varying is None:
        return None
    return pl.DataFrame({"time": ends, "rate": varying.within(ends.to_numpy(), length) / length})


@dataclass(frozen=True)
class Windows:
    """Measurement intervals put together: `size` of them make a window."""

    interval: float
    size: int
    start: float
    end: float

    @property
    def length(self) -> float:
        """Length of a window [s]."""
        return self.interval * self.size

    def of(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows of this part, with the number of their window."""
        if frame.is_empty():
            return frame
        middle = pl.col("time") - self.interval / 2
        place = (pl.col("time").rank("dense") - 1).cast(pl.Int64)
        frame = frame.with_columns(cut_off(self.interval).alias("cut_off"))
        inside = frame.filter((middle >= self.start) & (middle < self.end))
        return inside.with_columns((place // self.size).alias("window"))


def cut_off(interval: float) -> pl.Expr:
    """Time that measurement intervals lack of a whole one [s]: zero, but at the end of a run.

    A run of 2.01 s has 21 intervals of 0.1 s, and the last is 0.01 s long.

    Args:
        interval: Length of a whole one [s].
    """
    lacking = pl.col("time").rank("dense") * interval - pl.col("time")
    return pl.when(lacking > 1e-6 * interval).then(lacking).otherwise(0.0)


def _names(frame: pl.DataFrame, column: str) -> tuple[str, ...]:
    return () if frame.is_empty() else tuple(frame[column].unique(maintain_order=True))


def _brief(scenario: Scenario, named: Sequence[str]) -> set[str]:
    """Connections that are made for one request after the other, several at a time."""
    applications = scenario.applications().values()
    places = [it.places for it in applications if it.settings.separate and len(it.places) > 1]
    return {named[place] for several in places for place in several}


def one_or_several(names: Iterable[str]) -> tuple[str, ...]:
    """Names as a tuple; a text, which is its letters, too, is one."""
    return (names,) if isinstance(names, str) else tuple(names)


def _stretch_problems(start: object, end: object) -> Iterable[Problem]:
    """Problems with the ends of a stretch of time."""
    for name, value in (("start", start), ("end", end)):
        if isinstance(value, bool) or not isinstance(value, int | float):
            yield Problem(name, "type", f"expected a number of seconds, got {show(value)}")
            return
    if not start < end:  # type: ignore[operator]  # They are numbers.
        message = f"expected a time after start ({start:g} s), got {end:g} s"
        yield Problem("end", "order", message)


def _flow_rows(flows: pl.DataFrame, names: Sequence[str], interval: float) -> pl.DataFrame:
    if flows.is_empty() or not names:
        return _TRACE.frame()
    sending = pl.col("phase") >= 0

    def while_sending(name: str) -> pl.Expr:
        return pl.when(sending).then(pl.col(name).cast(pl.Float64))

    measured = pl.when(sending & (pl.col("srtt") > 0)).then(pl.col("srtt"))
    rows = (
        flows.filter(pl.col("flow").is_in(list(names)))
        .group_by("window", "flow", maintain_order=True)
        .agg(
            pl.col("time").last(),
            pl.col("sequence").last().cast(pl.Float64),
            (pl.col("acked").sum() / (pl.len() * interval - pl.col("cut_off").sum())).alias("rate"),
            while_sending("cwnd").mean().alias("cwnd"),
            while_sending("cwnd").min().alias("cwnd_low"),
            while_sending("cwnd").max().alias("cwnd_high"),
            measured.mean().alias("srtt"),
            while_sending("in_flight").mean().alias("in_flight"),
            pl.col("retransmitted").sum().cast(pl.Int64),
            pl.col("ce_marked").sum().cast(pl.Int64).alias("marked"),
            pl.col("phase").last().replace_strict(_PHASES, return_dtype=pl.String),
        )
    )
    return rows.select(list(_TRACE.schema())).cast(_TRACE.schema())  # type: ignore[arg-type]


def _queue_rows(queues: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    if queues.is_empty() or not names:
        return _QUEUES.frame()
    packets = pl.col("packets").cast(pl.Float64)
    capacity = pl.col("capacity").cast(pl.Float64)
    rows = (
        queues.filter(pl.col("station").is_in(list(names)))
        .group_by("window", "station", maintain_order=True)
        .agg(
            pl.col("time").last(),
            packets.mean().alias("packets"),
            packets.min().alias("low"),
            packets.max().alias("high"),
            pl.when(capacity.first() > 0).then(capacity.first()).alias("capacity"),
        )
    )
    return rows.select(list(_QUEUES.schema()))
