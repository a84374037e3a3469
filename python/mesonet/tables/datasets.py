"""Frames as data sets of xarray, and what is known of their columns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from mesonet.errors import InputError, MesonetError, Problem

if TYPE_CHECKING:
    import polars as pl


class About(NamedTuple):
    """Unit and meaning of a column; the unit is empty for text and pure numbers."""

    unit: str
    meaning: str


def dataset(
    xarray: Any,
    frame: pl.DataFrame,
    *,
    dims: Sequence[str],
    about: Mapping[str, About],
    facts: Mapping[str, Any],
    prefix: str = "",
) -> Any:
    """Returns a frame as an `xarray.Dataset` with `dims` as dimensions; empty cells are NaN.

    Without `dims`, rows are numbered. `facts` are its attributes; `prefix` begins the names of its
    variables.
    """
    unknown = [name for name in dims if name not in frame.columns]
    if unknown:
        there = ", ".join(frame.columns)
        raise InputError(
            Problem("dims", "unknown_column", f'no column "{name}"; there are {there}')
            for name in unknown
        )
    if dims and frame.select(dims).is_duplicated().any():
        message = f"{', '.join(dims)} name several rows; add a column that tells them apart"
        raise InputError([Problem("dims", "several_rows", message)])
    if not dims:
        frame, dims = frame.with_row_index("row"), ["row"]
    table = needed("pandas", "xarray").DataFrame(
        {column.name: column.to_numpy() for column in flat(frame)}
    )
    data = xarray.Dataset.from_dataframe(table.set_index(list(dims)))
    for name, variable in data.variables.items():
        if name in about:
            named = {"units": about[name].unit, "long_name": about[name].meaning}
            variable.attrs = {key: text for key, text in named.items() if text}
    return data.rename({name: f"{prefix}{name}" for name in data.data_vars}).assign_attrs(facts)


def needed(module: str, extra: str) -> Any:
    """A module that an extra installs."""
    try:
        return import_module(module)
    except ModuleNotFoundError:
        message = f"{module} is not installed; pip install 'mesonet[{extra}]' installs it"
        raise MesonetError(message) from None


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame of plain values: elements of lists are one text, with blanks between.

    Lists in lists and structures are written as JSON.
    """
    return frame.with_columns(_flat(column) for column in frame if column.dtype.is_nested())


def _flat(column: pl.Series) -> pl.Series:
    import polars as pl

    if isinstance(column.dtype, pl.List) and not column.explode().dtype.is_nested():
        return column.cast(pl.List(pl.String)).list.join(" ")
    texts = [
        None if value is None else json.dumps(value, ensure_ascii=False, default=str)
        for value in column.to_list()
    ]
    return pl.Series(column.name, texts, dtype=pl.String)
