"""Printed tables in CSV files beside the claims that need them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from mesonet.errors import from_pydantic
from mesonet.studies.folders.names import UnknownNameError, filled
from mesonet.studies.folders.sources import Key, Source, StudyError
from mesonet.system.reading import read_file


class PrintedTable(BaseModel):
    """Values of a printed table by the figures that they belong to.

    Attributes:
        file: CSV file beside the claims.
        figure: Name of the figure; names in braces are columns of the file.
        value: Column of the values; rows that leave it empty are left out.
        where: Rows that are taken: their entries by column; all by default.
        without: Patterns of figures that are left out.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, title="printed")

    file: str
    figure: str
    value: str
    where: dict[str, str | int | float] = {}
    without: tuple[str, ...] = ()


def read_printed(source: Source, key: tuple[Key, ...], table: Mapping[str, Any]) -> dict[str, Any]:
    """Values by figure of the table that an entry `printed` asks for.

    Raises:
        StudyError: every problem, with file and line.
    """
    try:
        asked = PrintedTable.model_validate(table)
    except ValidationError as error:
        problems = from_pydantic(error, StudyError).problems
        raise StudyError(
            [source.problem(key, p.kind, f"{p.loc}: {p.message}") for p in problems]
        ) from None
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
    try:
        found = {str(filled(asked.figure, row)): row[asked.value] for row in taken}
    except (UnknownNameError, ValueError) as error:
        raise StudyError([source.problem(key, "name", str(error))]) from None
    if len(found) < len(taken):
        message = f'{asked.file} has several rows for one figure "{asked.figure}"'
        raise StudyError([source.problem(key, "duplicate", message)])
    return {
        figure: value
        for figure, value in found.items()
        if not any(fnmatchcase(figure, pattern) for pattern in asked.without)
    }


def read_rows(source: Source, key: tuple[Key, ...], path: Path) -> list[dict[str, Any]]:
    """Rows of a CSV file by column; whole numbers and numbers are such.

    Raises:
        StudyError: it cannot be read.
    """
    try:
        text = io.StringIO(read_file(path).decode("utf-8-sig"), newline="")
        return [{name: _value(cell) for name, cell in row.items()} for row in csv.DictReader(text)]
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read: {error}"
        raise StudyError([source.problem(key, "missing_file", message)]) from None


def _value(text: str | None) -> Any:
    """A cell: a whole number, a number, or text."""
    text = (text or "").strip()
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text
