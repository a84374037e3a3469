"""Measurements of one run, in the shape that responses are computed from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.responses.flow_series import FlowSeries, flow_series
from mesonet.tables import Table
from mesonet.tables.names import PAIRS

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Measurements:
    """Everything one run recorded; times in seconds, counters in packets (segments) or transfers.

    Rows of a series carry the time at the end of their measurement interval. A table that a run did
    not record is an empty frame.
    """

    interval: float
    """Measurement interval [s]."""
    duration: float
    """Length of the run [s]."""
    tables: Mapping[str, pl.DataFrame]
    """Tables of the run by name."""
    totals: dict[str, int] = field(default_factory=dict)
    """Counters of the whole run."""
    periods: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Measured periods in order, start and end [s]; what lies before the first is warm-up. Empty:
    the whole run is measured."""
    groups_from: float = 0.0
    """Time from which completed transfers count in `groups` [s]."""
    bottleneck: float | None = None
    """Capacity of a laboratory's bottleneck [segments/s]; None in a scenario without one."""
    forward_flows: tuple[str, ...] = ()
    """Named flows that cross the bottleneck in its forward direction."""
    flow_algorithms: dict[str, str] = field(default_factory=dict)
    """Congestion control by named flow."""
    base_rtts: dict[str, float] = field(default_factory=dict)
    """Round-trip propagation delay by named flow [s]."""
    congestion: tuple[float, float] | None = None
    """Begin and end of the larger files on very fast paths [s]; None if they never are."""

    series = Table()
    """One row per interval: `time`, sources by state, flows by phase, sums and counters."""
    classes = Table()
    """Columns time, pair, sending, acked; one row per interval and pair class."""
    queues = Table()
    """Columns time, station, packets, capacity (0: unlimited); one row per interval and watched
    station."""
    flows = Table()
    """Columns time, flow, acked, cwnd, srtt, phase, retransmitted, in_flight, ce_marked; one row
    per interval and named flow."""
    groups = Table()
    """Completed transfers by algorithm, pair, path_class, interface and file: transfers and the
    sums over them."""
    transfers = Table()
    """One row per completed transfer with algorithm, start [s], duration [s] and more; empty unless
    the scenario has `record_transfers`."""
    stations = Table()
    """Columns station, arrivals, drops, departures; one row per station, over the whole run."""
    signals = Table()
    """Packets dropped and marked by station and cause, over the whole run."""
    sojourns = Table()
    """Histogram of sojourn times after the warm-up: station, from, below [s], packets; empty unless
    the scenario has `record_queues`."""

    @cached_property
    def whole(self) -> Window:
        """The whole run, warm-up included."""
        return Window(self, ((0.0, math.inf),))

    @cached_property
    def windows(self) -> tuple[Window, ...]:
        """The window of all measured periods together, then that of each period."""
        bounds = list(self.periods.values()) or [(0.0, self.duration)]
        return (Window(self, tuple(bounds)), *(Window(self, (bound,)) for bound in bounds))


@dataclass(frozen=True)
class Window:
    """The part of a run's measurements that falls into some periods.

    An interval belongs to the period that its midpoint lies in, so that a boundary need not be a
    multiple of it.
    """

    run: Measurements
    bounds: tuple[tuple[float, float], ...]

    def _inside(self, frame: pl.DataFrame) -> pl.DataFrame:
        if frame.is_empty():
            return frame
        midpoint = frame["time"].to_numpy() - self.run.interval / 2
        inside = np.zeros(len(midpoint), dtype=bool)
        for start, end in self.bounds:
            inside |= (midpoint >= start) & (midpoint < end)
        # Periods side by side are one stretch of rows; a query would be planned for a millisecond.
        rows = np.flatnonzero(inside)
        first, length = (int(rows[0]), int(rows[-1]) + 1 - int(rows[0])) if rows.size else (0, 0)
        return frame.slice(first, length) if length == rows.size else frame.filter(inside)

    @cached_property
    def series(self) -> pl.DataFrame:
        """Rows of the series inside the window."""
        return self._inside(self.run.series)

    @cached_property
    def seconds(self) -> float:
        """Time measured: intervals inside the window times their length [s]."""
        return self.series.height * self.run.interval

    @cached_property
    def classes(self) -> pl.DataFrame:
        """Rows of the pair classes inside the window."""
        return self._inside(self.run.classes)

    @cached_property
    def queues(self) -> pl.DataFrame:
        """Rows of the watched queues inside the window."""
        return self._inside(self.run.queues)

    @cached_property
    def flows(self) -> pl.DataFrame:
        """Rows of the named flows inside the window."""
        return self._inside(self.run.flows)

    @cached_property
    def pairs(self) -> dict[str, tuple[float, float]]:
        """Segments acknowledged, and the sum over intervals of active flows, by pair class."""
        if self.classes.is_empty():
            return {}
        pair, acked, sending = (self.classes[name] for name in ("pair", "acked", "sending"))
        own = {name: pair == name for name in PAIRS}
        return {
            name: (float(acked.filter(rows).sum()), float(sending.filter(rows).sum()))
            for name, rows in own.items()
        }

    @cached_property
    def flow_series(self) -> FlowSeries | None:
        """The named flows inside the window as matrices; `None` without any."""
        return flow_series(self.flows, interval=self.run.interval)

    @cached_property
    def _columns(self) -> dict[str, FloatArray]:
        return {}

    def column(self, name: str) -> FloatArray:
        """A column of the series inside the window; empty if it was not recorded."""
        if name not in self._columns:
            there = name in self.series.columns
            column = self.series[name].cast(pl.Float64).to_numpy() if there else np.empty(0)
            self._columns[name] = column
        return self._columns[name]

    def mean(self, *names: str) -> float:
        """Mean over intervals of the sum of some columns; NaN without any interval."""
        columns = [self.column(name) for name in names]
        if any(column.size == 0 for column in columns):
            return float("nan")
        return float(sum(columns[1:], start=columns[0]).mean())

    def mean_of_sources(self, name: str) -> float:
        """Mean over intervals of a count of sources; NaN in a scenario without a population."""
        sources = sum(self.column(state).sum() for state in ("thinking", "connecting", "sending"))
        return self.mean(name) if sources else float("nan")

    def total(self, name: str) -> float:
        """Sum of a column over the window; NaN without any interval."""
        column = self.column(name)
        return float(column.sum()) if column.size else float("nan")

    def ratio(self, numerator: str, denominator: str) -> float:
        """Sum of one column over the sum of another; NaN where the latter is zero."""
        return divide(self.total(numerator), self.total(denominator))


def divide(numerator: float, denominator: float) -> float:
    """`numerator / denominator`, NaN where that is undefined."""
    return numerator / denominator if denominator else float("nan")
