"""Columns of the tables of a run and of a campaign: unit and meaning of each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

import polars as pl

from mesonet.tables.datasets import About, dataset

_TABLE = json.loads((resources.files("mesonet") / "data" / "columns.json").read_text("utf-8"))


def _abouts(columns: Mapping[str, tuple[str, str]]) -> dict[str, About]:
    return {name: About(*about) for name, about in columns.items()}


COLUMNS: Mapping[str, Mapping[str, About]] = {
    name: _abouts(columns) for name, columns in _TABLE["run"].items()
}
"""Columns of the tables of a run, by table. Counts are of what happened during an interval."""
CAMPAIGN: Mapping[str, About] = _abouts(_TABLE["campaign"])
"""Columns of the tables of a campaign; those of factors and responses come from its plan."""

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
