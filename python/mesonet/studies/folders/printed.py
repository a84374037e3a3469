"""Printed tables in CSV files beside the claims that need them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field

from mesonet.errors import show
from mesonet.studies.folders.entries import Table, filled_at, fits, read_entry
from mesonet.studies.folders.sources import Key, Source, StudyError


class PrintedTable(Table):
    """Values of a printed table by the figures that they belong to.

    Attributes:
        file: CSV file beside the claims.
        figure: Name of the figure; names in braces are columns of the file.
        value: Column of the values; rows that leave it empty are left out.
        where: Rows that are taken: their entries by column; all by default.
        without: Patterns of figures that are left out.
    """

    model_config = ConfigDict(title="printed")

    file: str
    figure: str
    value: str
    where: dict[str, str | int | float] = Field(default_factory=dict)
    without: tuple[str, ...] = ()


def read_printed(source: Source, key: tuple[Key, ...], table: Mapping[str, Any]) -> dict[str, Any]:
    """Values by figure of the table that an entry `printed` asks for.

    Raises:
        StudyError: every problem, with file and line.
    """
    asked = read_entry(PrintedTable, source, table, *key)
    rows = read_rows(source, key, source.path.parent / asked.file)
    unknown = [name for name in (asked.value, *asked.where) if rows and name not in rows[0]]
    if unknown:
        message = f'{asked.file} has no column "{unknown[0]}"; there are {", ".join(rows[0])}'
        raise StudyError([source.problem(key, "unknown_column", message)])
    taken = [
        row
        for row in rows
        if row[asked.value] != "" and all(row[name] == each for name, each in asked.where.items())
    ]
    found = {str(filled_at(source, key, asked.figure, row)): row[asked.value] for row in taken}
    if len(found) < len(taken):
        message = f'{asked.file} has several rows for one figure "{asked.figure}"'
        raise StudyError([source.problem(key, "duplicate", message)])
    return {figure: value for figure, value in found.items() if not fits(figure, asked.without)}


def read_rows(source: Source, key: tuple[Key, ...], path: Path) -> list[dict[str, Any]]:
    """Rows of a CSV file by column; whole numbers and numbers are such.

    Raises:
        StudyError: it cannot be read.
    """
    try:
        rows = list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read: {error}"
        raise StudyError([source.problem(key, "missing_file", message)]) from None
    if longer := [each for each in rows if None in each]:
        message = f"{path.name} has more cells than columns in a row: {show(longer[0])}"
        raise StudyError([source.problem(key, "cells", message)])
    return [{name: _value(cell) for name, cell in row.items()} for row in rows]


def _value(text: str | None) -> Any:
    """A cell: a whole number, a number, or text."""
    text = (text or "").strip()
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text
