"""Columns of tables as arrays, of runs without a frame, and of frames.

Where a table has a row per interval and name, rows are in the order of time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mesonet.tables import Tables

if TYPE_CHECKING:
    import polars as pl

_KEYS = {"flows": "flow", "queues": "station", "classes": "pair"}


def numbers_of(tables: Mapping[str, pl.DataFrame], table: str, name: str) -> NDArray[Any]:
    """A column of numbers; empty if it was not recorded."""
    columns = tables.columns(table) if isinstance(tables, Tables) else {}
    if name in columns:
        return columns[name].reshape(-1)
    if name == "time" and columns and isinstance(tables, Tables):
        return np.repeat(tables.time, rows_in(tables, table) // max(len(tables.time), 1))
    frame = tables.get(table)
    if frame is None or name not in frame.columns:
        return np.empty(0)
    if "time" in frame.columns and not frame["time"].is_sorted():
        frame = frame.sort("time", maintain_order=True)
    return frame[name].to_numpy()


def rows_in(tables: Mapping[str, pl.DataFrame], table: str) -> int:
    """Rows of a table; 0 if it was not recorded."""
    columns = tables.columns(table) if isinstance(tables, Tables) else {}
    if columns:
        return int(next(iter(columns.values())).size)
    frame = tables.get(table)
    return 0 if frame is None else frame.height


def names_of(tables: Mapping[str, pl.DataFrame], table: str) -> tuple[str, ...]:
    """Flows, stations or pair classes that have a row each in every interval of a table."""
    if isinstance(tables, Tables):
        return tables.names(table)
    frame = tables.get(table)
    if frame is None or frame.is_empty():
        return ()
    return tuple(frame[_KEYS[table]].unique(maintain_order=True))
