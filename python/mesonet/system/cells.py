"""Cells of CSV files: no formulas, no lists and no structures."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_FORMULA = r"^[=+\-@\t\r]"
# A sign before a number, perhaps with a unit, is no formula, nor is a lone sign.
_HARMLESS = r"^[+-](?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?: ?[A-Za-zµ%/]+)*)?$"


def without_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame whose text and names of columns no spreadsheet takes for formulas.

    Text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return gets an apostrophe in
    front, as OWASP's page on CSV injection has it, unless it is a number, perhaps with a unit.
    """
    import polars as pl

    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    risky = [_guarded(pl.col(name)).alias(name) for name in texts]
    names = pl.DataFrame({"name": frame.columns}, schema={"name": pl.String})
    safe = names.select(name=_guarded(pl.col("name")))["name"].to_list()
    return frame.with_columns(risky).rename(dict(zip(frame.columns, safe, strict=True)))


def _guarded(text: pl.Expr) -> pl.Expr:
    import polars as pl

    is_formula = text.str.contains(_FORMULA) & ~text.str.contains(_HARMLESS)
    return pl.when(is_formula).then("'" + text).otherwise(text)


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame of plain values: elements of lists are one text, with blanks between.

    Lists in lists and structures are written as JSON.
    """
    return frame.with_columns(_flat(column) for column in frame if column.dtype.is_nested())


def _flat(column: pl.Series) -> pl.Series:
    import polars as pl

    if isinstance(column.dtype, pl.List) and not column.explode().dtype.is_nested():
        return column.cast(pl.List(pl.String)).list.join(" ")
    texts = [None if value is None else _json(value) for value in column.to_list()]
    return pl.Series(column.name, texts, dtype=pl.String)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
