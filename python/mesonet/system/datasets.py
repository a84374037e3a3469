"""Frames as data sets of xarray, and what is known of their columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from mesonet.errors import InputError, MesonetError, Problem
from mesonet.system.cells import flat

if TYPE_CHECKING:
    import polars as pl

KEYS = (
    "time",
    "step",
    "response",
    "condition",
    "measure",
    "component",
    "group",
    "factor",
    "term",
    "alternative",
    "algorithm",
    "beside",
    "against",
    "baseline",
    "replicate",
    "repeat",
    "flow",
    "station",
    "pair",
    "cause",
    "condition_rate",
    "condition_rtt",
    "condition_buffer",
    "condition_loss",
    "condition_queue",
)
"""Columns that name a row, in the order of the dimensions that xarray gets from them."""


class About(NamedTuple):
    """Unit and meaning of a column; the unit is empty for text and pure numbers."""

    unit: str
    meaning: str


def abouts(rows: Iterable[tuple[str, str, str]]) -> dict[str, About]:
    """Units and meanings from rows of column, unit and meaning."""
    return {name: About(unit, meaning) for name, unit, meaning in rows}


def dataset(
    xarray: Any,
    frame: pl.DataFrame,
    *,
    dims: Sequence[str] | None,
    about: Mapping[str, About],
    facts: Mapping[str, Any],
    prefix: str = "",
) -> Any:
    """A frame as an `xarray.Dataset`; cells without a row are NaN, or empty text.

    Args:
        xarray: The module.
        frame: Frame with a row per cell.
        dims: Columns that become dimensions; those of `KEYS` that name rows if `None`.
        about: Units and meanings of columns.
        facts: Attributes of the data set.
        prefix: Begin of the names of its variables.

    Raises:
        InputError: `dims` are no columns, or name several rows.
    """
    import polars as pl

    chosen = _dimensions(frame) if dims is None else list(dims)
    unknown = [name for name in chosen if name not in frame.columns]
    if unknown:
        there = ", ".join(frame.columns)
        raise InputError(
            Problem("dims", "unknown_column", f'no column "{name}"; there are {there}')
            for name in unknown
        )
    if dims is not None and frame.select(chosen).is_duplicated().any():
        message = f"{', '.join(chosen)} name several rows; add a column that tells them apart"
        raise InputError([Problem("dims", "several_rows", message)])
    if not chosen:
        frame, chosen = frame.with_row_index("row"), ["row"]
    labels = {name: frame[name].unique(maintain_order=True) for name in chosen}
    grid = pl.DataFrame({chosen[0]: labels[chosen[0]]})
    for name in chosen[1:]:
        grid = grid.join(pl.DataFrame({name: labels[name]}), how="cross")
    whole = grid.join(frame, on=chosen, how="left", nulls_equal=True, maintain_order="left")
    shape = tuple(len(labels[name]) for name in chosen)
    variables = {}
    for name in frame.columns:
        if name not in chosen:
            attributes = _attributes_of(about.get(name))
            values = _values(whole[name]).reshape(shape)
            variables[f"{prefix}{name}"] = (tuple(chosen), values, attributes)
    coordinates = {
        name: (name, _values(column), _attributes_of(about.get(name)))
        for name, column in labels.items()
    }
    return xarray.Dataset(variables, coords=coordinates, attrs=dict(facts))


def needed(module: str, extra: str) -> Any:
    """A module that an extra installs.

    Raises:
        MesonetError: It is not installed; says what to type.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError:
        message = f"{module} is not installed; pip install 'mesonet[{extra}]' installs it"
        raise MesonetError(message) from None


def _dimensions(frame: pl.DataFrame) -> list[str]:
    """Columns that name the rows; none where no choice of them does."""
    found: list[str] = []
    for name in KEYS:
        if name in frame.columns and not frame[name].dtype.is_nested():
            found.append(name)
            if not frame.select(found).is_duplicated().any():
                return found
    return []


def _values(column: pl.Series) -> Any:
    import polars as pl

    if column.dtype == pl.String:
        return column.fill_null("").to_numpy().astype(str)
    if column.dtype.is_nested():
        return flat(column.to_frame()).to_series().fill_null("").to_numpy().astype(str)
    if column.null_count():
        return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return column.to_numpy()


def _attributes_of(about: About | None) -> dict[str, str]:
    if about is None:
        return {}
    named = {"units": about.unit, "long_name": about.meaning}
    return {name: text for name, text in named.items() if text}
