"""Tables of a run, from the columns of numbers that the engine returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mesonet import _core
from mesonet.tables.names import PAIRS

if TYPE_CHECKING:
    import polars as pl


def result_version() -> str:
    """Version of the engine's results; it changes whenever they may."""
    return str(_core.RESULT_VERSION)


class Table:
    """A table as an attribute of its name; a frame without columns where there is none."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, owner: Any, kind: type) -> pl.DataFrame:
        if owner is None:
            return self  # type: ignore[return-value]  # The class's attribute is the table itself.
        table: pl.DataFrame | None = owner.tables.get(self._name)
        if table is None:
            from polars import DataFrame

            return DataFrame()
        return table


class TablesByName:
    """Something whose `tables` are attributes, too."""

    series = Table()
    classes = Table()
    queues = Table()
    flows = Table()
    groups = Table()
    transfers = Table()
    requests = Table()
    segments = Table()
    stations = Table()
    signals = Table()
    queue_states = Table()
    sojourns = Table()
    packets = Table()
    senders = Table()


TABLES = tuple(name for name, it in vars(TablesByName).items() if isinstance(it, Table))
"""Tables of a run, by name."""


class Tables(Mapping[str, "pl.DataFrame"]):
    """Tables of a run by name, each made of the engine's columns when it is first asked for.

    A frame takes longer than the simulation of a second, and few runs are asked for all of them.
    A table that was not recorded is a frame without columns.
    """

    def __init__(self, spec: Mapping[str, Any], raw: Mapping[str, Any]) -> None:
        """Keeps the columns that the engine returned for a resolved scenario."""
        self._spec = spec
        self.time: NDArray[np.float64] = raw["series"]["time"]
        """Ends of the measurement intervals [s]."""
        self._columns: dict[str, Mapping[str, NDArray[Any]] | _core.Rows] = {
            name: raw[name] for name in TABLES if raw.get(name) is not None
        }
        if queues := raw.get("queues"):
            shape = queues["packets"].shape
            capacity = np.broadcast_to(queues["capacity"], shape)
            self._columns["queues"] = {**queues, "capacity": capacity}
        self._frames: dict[str, pl.DataFrame] = {}

    def __getitem__(self, name: str) -> pl.DataFrame:
        if name not in self._frames:
            # Its import takes as long as that of everything else here.
            from mesonet.tables.frames import frame

            if name not in TABLES:
                raise KeyError(name)
            # Where two threads make it, both get the first.
            table = frame(name, self.columns(name) or None, self._spec, self.time)
            self._frames.setdefault(name, table)
            self._columns.pop(name, None)
        return self._frames[name]

    def columns(self, name: str) -> Mapping[str, NDArray[Any]]:
        """Columns of a table as the engine gave them, until its frame has been made.

        Matrices (interval, name) where a table has a row per interval and name.
        """
        columns = self._columns.get(name, {})
        if not isinstance(columns, Mapping):
            columns = self._columns[name] = columns.columns()
        return columns

    def names(self, name: str) -> tuple[str, ...]:
        """Flows, stations or pair classes that have a row each in every interval of a table."""
        match name:
            case "flows":
                return tuple(flow["name"] for flow in self._spec["flows"])
            case "queues":
                stations = self._spec["stations"]
                return tuple(stations[at]["name"] for at in self._spec["measure"]["stations"])
            case "classes":
                return PAIRS
        return ()

    def __iter__(self) -> Iterator[str]:
        return iter(TABLES)

    def __len__(self) -> int:
        return len(TABLES)
