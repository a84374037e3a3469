"""Tables of a report: formatted for people, with the exact numbers as a CSV file to download."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from mesonet.numbers import finite, number, percent
from mesonet.tables.tabular import table_bytes

Format = Callable[[Any], str]

_LONGEST = 600
_SHOWN = 100


@dataclass(frozen=True)
class Column:
    """One column: its name in the frame, its heading, how values are written, what they mean."""

    name: str
    heading: str
    form: Format = str
    numeric: bool = True
    meaning: str = ""


@dataclass(frozen=True)
class Table:
    """A table of some columns, which can be downloaded with all columns under its identifier."""

    identifier: str
    columns: tuple[Column, ...]
    frame: pl.DataFrame
    caution: str = ""

    @cached_property
    def head(self) -> list[list[str]]:
        """The rows to lay out: all of them, or the first of a table that nobody reads through."""
        frame = self.frame.select([column.name for column in self.columns])
        frame = frame if frame.height <= _LONGEST else frame.head(_SHOWN)
        return [
            [
                "–" if value is None else column.form(value)
                for column, value in zip(self.columns, row, strict=True)
            ]
            for row in frame.iter_rows()
        ]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.frame.height

    @property
    def download(self) -> str:
        """All rows and columns, unformatted, as a data URI."""
        return csv_uri(self.frame)

    def condition_of(self, row: int) -> str:
        """The condition of a row as text, empty if it has none."""
        if "condition" not in self.frame.columns:
            return ""
        value = self.frame["condition"][row]
        return "" if value is None else str(value)


def table(identifier: str, frame: pl.DataFrame, columns: Sequence[Column]) -> Table:
    """A table of some columns of a frame; the download has all columns."""
    return Table(identifier, tuple(columns), frame)


def rows_table(
    identifier: str,
    rows: Sequence[Mapping[str, Any]],
    headings: Mapping[str, str],
    forms: Mapping[str, Format] | None = None,
) -> Table | None:
    """A table of rows with the columns under `headings`, in `forms`; None without rows."""
    if not rows:
        return None
    frame = pl.DataFrame(rows, infer_schema_length=None)
    frame = frame.select(*headings, pl.exclude(*headings))
    return table(identifier, frame, headed(frame, headings, forms))


def headed(
    frame: pl.DataFrame, headings: Mapping[str, str], forms: Mapping[str, Format] | None = None
) -> list[Column]:
    """Columns of a frame under headings: texts, and numbers in their forms, as in `rows_table`."""
    return [
        words(name, heading)
        if frame[name].dtype == pl.String
        else Column(name, heading, (forms or {}).get(name, number))
        for name, heading in headings.items()
    ]


def fixed(digits: int) -> Format:
    """Form of numbers with so many digits after the point."""
    return lambda value: f"{value:.{digits}f}"


def plain_table(identifier: str, frame: pl.DataFrame) -> Table:
    """A table of all columns of a frame, with their names as headings."""
    columns = [
        numbers(name, name) if kind.is_numeric() else words(name, name)
        for name, kind in frame.schema.items()
    ]
    return table(identifier, frame, columns)


def plain_columns(frame: pl.DataFrame) -> dict[str, list[Any]]:
    """A frame as lists of columns that JSON can hold: numbers that are not finite are null."""
    return {name: finite(frame[name].to_list()) for name in frame.columns}


def csv_uri(frame: pl.DataFrame) -> str:
    """A frame as a CSV file inside a URI."""
    content = base64.b64encode(table_bytes(frame, "csv")).decode()
    return f"data:text/csv;charset=utf-8;base64,{content}"


def words(name: str, heading: str) -> Column:
    """A column of text."""
    return Column(name, heading, numeric=False)


def numbers(name: str, heading: str) -> Column:
    """A column of measured values."""
    return Column(name, heading, number)


def counts(name: str, heading: str) -> Column:
    """A column of whole numbers."""
    return Column(name, heading, str)


def percents(name: str, heading: str) -> Column:
    """A column of fractions, shown as percentages."""
    return Column(name, heading, percent)
