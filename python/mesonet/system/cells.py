"""Cells of CSV files: no formulas, and no lists."""

from __future__ import annotations

import polars as pl

_FORMULA = r"^[=+\-@\t\r]"
# A sign before a number, perhaps with a unit, is no formula, nor is a lone sign.
_HARMLESS = r"^[+-](?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?: ?[A-Za-zµ%/]+)*)?$"


def without_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame whose text no spreadsheet takes for a formula.

    Text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return gets an apostrophe in
    front, as OWASP's page on CSV injection has it, unless it is a number, perhaps with a unit.
    """
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    risky = [
        pl.when(pl.col(name).str.contains(_FORMULA) & ~pl.col(name).str.contains(_HARMLESS))
        .then("'" + pl.col(name))
        .otherwise(pl.col(name))
        .alias(name)
        for name in texts
    ]
    return frame.with_columns(risky)


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame without lists: their elements as one text each, with blanks between."""
    lists = [name for name, kind in frame.schema.items() if kind.is_nested()]
    return frame.with_columns(
        pl.col(name).cast(pl.List(pl.String)).list.join(" ") for name in lists
    )
