"""Measurements of one run, in the shape that responses are computed from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.responses.flow_series import FlowSeries, laid_out
from mesonet.scenario.flows import NamedApplication
from mesonet.scenario.rate_changes import VaryingRate
from mesonet.tables import Tables, TablesByName
from mesonet.tables.names import PAIRS

FloatArray = NDArray[np.float64]

_KEYS = {"flows": "flow", "queues": "station", "classes": "pair"}


@dataclass(frozen=True)
class Measurements(TablesByName):
    """Everything one run recorded; times in seconds, counters in packets (segments) or transfers.

    Rows of a series carry the time at the end of their measurement interval. A table that a run did
    not record is an empty frame; columns are those of `mesonet.responses.columns`.
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
    varying: VaryingRate | None = None
    """Capacity over time, where it changes."""
    flow_algorithms: dict[str, str] = field(default_factory=dict)
    """Congestion control by named flow."""
    base_rtts: dict[str, float] = field(default_factory=dict)
    """Round-trip propagation delay by named flow [s]."""
    flow_starts: dict[str, float] = field(default_factory=dict)
    """Time at which a named flow connects [s]; infinite if its application asks nothing of it."""
    files: tuple[str, ...] = ()
    """Named flows that are over with their last segment."""
    applications: Mapping[str, NamedApplication] = field(default_factory=dict)
    """Applications by name."""
    congestion: tuple[float, float] | None = None
    """Begin and end of the larger files on very fast paths [s]; None if they never are."""

    def numbers(self, table: str, name: str) -> NDArray[Any]:
        """A column of numbers of a table, in the order of time; empty if it was not recorded.

        A frame costs more than all that is computed from it, so columns come without one.
        """
        columns, tables = self._engine_columns(table), self.tables
        if name in columns:
            return columns[name].reshape(-1)
        if name == "time" and columns and isinstance(tables, Tables):
            size = next(iter(columns.values())).size
            return np.repeat(tables.time, size // max(len(tables.time), 1))
        frame = tables.get(table)
        if frame is None or name not in frame.columns:
            return np.empty(0)
        if "time" in frame.columns and not frame["time"].is_sorted():
            frame = frame.sort("time", maintain_order=True)
        return frame[name].to_numpy()

    def has(self, table: str) -> bool:
        """Tells if a table has rows."""
        if columns := self._engine_columns(table):
            return next(iter(columns.values())).size > 0
        frame = self.tables.get(table)
        return frame is not None and not frame.is_empty()

    def names(self, table: str) -> tuple[str, ...]:
        """Flows, stations or pair classes that have a row each in every interval of a table."""
        if isinstance(self.tables, Tables):
            return self.tables.names(table)
        frame = self.tables.get(table)
        if frame is None or frame.is_empty():
            return ()
        return tuple(frame[_KEYS[table]].unique(maintain_order=True))

    def _engine_columns(self, table: str) -> Mapping[str, NDArray[Any]]:
        """Columns of a table as the engine gave them, as long as it has no frame."""
        return self.tables.columns(table) if isinstance(self.tables, Tables) else {}

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
    multiple of it. One at the end that is shorter than the others, as after 2.01 s in intervals of
    0.1 s, belongs to none: what is counted in it would be divided by a whole one.
    """

    run: Measurements
    bounds: tuple[tuple[float, float], ...]

    @cached_property
    def _chosen(self) -> dict[str, slice | NDArray[np.intp]]:
        return {}

    def _rows(self, table: str) -> slice | NDArray[np.intp]:
        """Rows of a table whose intervals are inside the window."""
        if table not in self._chosen:
            ends = self.run.numbers(table, "time")
            midpoint = ends - self.run.interval / 2
            inside = np.zeros(len(midpoint), dtype=bool)
            for start, end in self.bounds:
                inside |= (midpoint >= start) & (midpoint < end)
            inside &= ends < self._cut_off(ends)
            rows = np.flatnonzero(inside)
            # Periods side by side are one stretch of rows.
            stretch = slice(int(rows[0]), int(rows[-1]) + 1) if rows.size else slice(0, 0)
            self._chosen[table] = stretch if stretch.stop - stretch.start == rows.size else rows
        return self._chosen[table]

    def _cut_off(self, ends: FloatArray) -> float:
        """End of the last interval if it is shorter than the others, else infinity."""
        if not ends.size:
            return math.inf
        last = float(ends[-1])
        before = int(np.searchsorted(ends, last))
        length = last - (float(ends[before - 1]) if before else 0.0)
        return last if length < (1 - 1e-6) * self.run.interval else math.inf

    @cached_property
    def seconds(self) -> float:
        """Time measured: intervals inside the window times their length [s]."""
        return len(self.column("time")) * self.run.interval

    @cached_property
    def flows(self) -> pl.DataFrame:
        """Rows of the named flows inside the window."""
        flows = self.run.flows
        return flows if flows.is_empty() else flows[self._rows("flows")]

    @cached_property
    def pairs(self) -> dict[str, tuple[float, float]]:
        """Segments acknowledged, and the sum over intervals of active flows, by pair class."""
        return {
            name: (
                float(self.column_of(name, "acked", "classes").sum()),
                float(self.column_of(name, "sending", "classes").sum()),
            )
            for name in (PAIRS if self.run.has("classes") else ())
        }

    @cached_property
    def flow_series(self) -> FlowSeries | None:
        """The named flows inside the window as matrices; `None` without any."""
        names, column = self.run.names("flows"), partial(self.column, table="flows")
        return laid_out(names, column, interval=self.run.interval)

    @cached_property
    def _columns(self) -> dict[tuple[str, str], FloatArray]:
        return {}

    def column(self, name: str, table: str = "series") -> FloatArray:
        """A column of numbers inside the window, in the order of its rows.

        Empty if it was not recorded. The table is one with a row per interval, or per interval and
        flow, station or pair class.
        """
        if (table, name) not in self._columns:
            whole = self.run.numbers(table, name)
            chosen = whole[self._rows(table)] if whole.size else whole
            self._columns[table, name] = chosen.astype(np.float64, copy=False)
        return self._columns[table, name]

    def column_of(self, key: str, name: str, table: str) -> FloatArray:
        """A column of one flow, station or pair class inside the window; empty if there is none."""
        keys, column = self.run.names(table), self.column(name, table)
        if key not in keys or column.size % len(keys):
            return np.empty(0)
        return column.reshape(-1, len(keys))[:, keys.index(key)]

    def mean(self, name: str) -> float:
        """Mean of a column over intervals; NaN without any."""
        column = self.column(name)
        return float(column.mean()) if column.size else float("nan")

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


def mean_of(values: FloatArray) -> float:
    """Mean of the values; NaN without any."""
    return float(values.mean()) if values.size else float("nan")


def percentile_of(values: FloatArray, percent: float) -> float:
    """Percentile of the values that are finite; NaN where there is none."""
    finite = values[np.isfinite(values)]
    return float(np.percentile(finite, percent)) if finite.size else float("nan")
