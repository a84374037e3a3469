"""Tables of a report: formatted for people, with the exact numbers as a CSV file to download."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from mesonet.figures import number, percent, probability

Format = Callable[[Any], str]

_LONGEST = 1000
_SHOWN = 100


@dataclass(frozen=True)
class Column:
    """One column: its name in the frame, its heading, how its values are written."""

    name: str
    heading: str
    form: Format = str
    numeric: bool = True


@dataclass(frozen=True)
class Table:
    """A table ready to be laid out.

    Attributes:
        identifier: Name of the file it can be downloaded as, without `.csv`.
        columns: Headings and alignment.
        cells: Formatted values, row by row.
        download: The same rows, unformatted, as a data URI.
        caution: Said loudly beside its title.
    """

    identifier: str
    columns: tuple[Column, ...]
    cells: tuple[tuple[str, ...], ...]
    download: str
    caution: str = ""

    @property
    def head(self) -> tuple[tuple[str, ...], ...]:
        """The rows to lay out: all of them, or the first of a table that nobody reads through."""
        return self.cells if self.rows <= _LONGEST else self.cells[:_SHOWN]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.cells)


def table(identifier: str, frame: pl.DataFrame, columns: Sequence[Column]) -> Table:
    """A table of some columns of a frame; the download has all columns."""
    chosen = frame.select([column.name for column in columns])
    cells = tuple(
        tuple(
            "–" if value is None else column.form(value)
            for column, value in zip(columns, row, strict=True)
        )
        for row in chosen.iter_rows()
    )
    return Table(identifier, tuple(columns), cells, csv_uri(frame))


def csv_uri(frame: pl.DataFrame) -> str:
    """A frame as a CSV file inside a URI."""
    content = base64.b64encode(frame.write_csv().encode()).decode()
    return f"data:text/csv;charset=utf-8;base64,{content}"


def words(name: str, heading: str, names: Mapping[str, str] | None = None) -> Column:
    """A column of text, perhaps renamed."""
    return Column(name, heading, lambda value: (names or {}).get(value, str(value)), numeric=False)


def numbers(name: str, heading: str, *, signed: bool = False) -> Column:
    """A column of measured values."""
    return Column(name, heading, lambda value: number(value, signed=signed))


def counts(name: str, heading: str) -> Column:
    """A column of whole numbers."""
    return Column(name, heading, str)


def percents(name: str, heading: str) -> Column:
    """A column of fractions, shown as percentages."""
    return Column(name, heading, percent)


def probabilities(name: str, heading: str) -> Column:
    """A column of p values."""
    return Column(name, heading, probability)
