"""Tables of a run as one data set of xarray."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from mesonet.responses.columns import COLUMNS
from mesonet.tables.datasets import dataset

_CUBES = {
    "series": ("", ["time"]),
    "flows": ("flow_", ["time", "flow"]),
    "queues": ("queue_", ["time", "station"]),
    "queue_states": ("state_", ["time", "station"]),
    "classes": ("class_", ["time", "pair"]),
    "stations": ("station_", ["station"]),
    "signals": ("signal_", ["station", "cause"]),
}


def cubes(xarray: Any, tables: Mapping[str, pl.DataFrame], facts: Mapping[str, Any]) -> Any:
    """Tables with a value per interval, flow or station, as an `xarray.Dataset`.

    Args:
        xarray: The module.
        tables: Tables of a run by name.
        facts: Attributes of the data set.
    """
    parts = [
        dataset(xarray, tables[name], dims=keys, about=COLUMNS[name], facts=facts, prefix=prefix)
        for name, (prefix, keys) in _CUBES.items()
        if name in tables
    ]
    return xarray.merge(parts, join="outer", combine_attrs="override")
