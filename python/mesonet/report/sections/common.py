"""Parts that the sections share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

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


def plain_table(
    results: Results, name: str, columns: Sequence[Column], identifier: str = ""
) -> Table | None:
    """A table of the plain summary."""
    if results.plain is None or name not in results.plain.tables:
        return None
    frame = results.plain.tables[name]
    return table(identifier or name, frame, columns)
