"""Parts that the sections share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl
from markupsafe import Markup, escape

from mesonet.page.tables import Column, Table, table
from mesonet.report.results import Results

Context = dict[str, Any]


def response_names(results: Results) -> dict[str, str]:
    """Name of each response in charts and tables."""
    return {name: results.names.response(name) for name in results.inputs.responses}


def notes_of(notes: Iterable[str]) -> list[str]:
    """Notes without repetitions; what concerns replication stands at the head of the page."""
    return [note for note in dict.fromkeys(notes) if not note.startswith("n = 1")]


def symbol_text(symbol: object) -> str:
    """A symbol, or what each study calls it."""
    if isinstance(symbol, dict):
        return ", ".join(f"{study}: {value}" for study, value in symbol.items())
    return str(symbol or "")


def with_code(text: str) -> Markup:
    """Text for a page, with what stands between backticks as code."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def anchors(results: Results, name: str) -> dict[tuple[int, str], str]:
    """Ids of the cells of a table that the sentences of the front page rest on."""
    if results.plain is None:
        return {}
    found = results.plain.frame.filter(pl.col("table") == name)
    pairs = found.select("row", "column").unique(maintain_order=True).iter_rows()
    return {(row, column): anchor(name, row, column) for row, column in pairs}


def anchor(name: str, row: int, column: str) -> str:
    """The id of a cell."""
    return f"n-{name}-{row}-{column}"


def plain_table(
    results: Results, name: str, columns: Sequence[Column], identifier: str = ""
) -> Table | None:
    """A table of the plain summary with the ids that sentences lead to."""
    if results.plain is None or name not in results.plain.tables:
        return None
    frame = results.plain.tables[name]
    return table(identifier or name, frame, columns, anchors=anchors(results, name))
