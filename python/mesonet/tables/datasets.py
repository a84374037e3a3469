"""What is known of columns, and frames of plain values."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import polars as pl


class About(NamedTuple):
    """Unit and meaning of a column; the unit is empty for text and pure numbers."""

    unit: str
    meaning: str


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
