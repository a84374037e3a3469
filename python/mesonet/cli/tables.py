"""Tables for a terminal of 80 columns: trimmed frames, and means of runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mesonet.cli.common import print_frame
from mesonet.numbers import number
from mesonet.text import table

if TYPE_CHECKING:
    import polars as pl

All = Annotated[bool, typer.Option("--all", help="Print all rows and columns.")]
_IMPORTANT = (
    "effect", "difference", "p_holm", "p", "stars", "lower", "upper", "effect_lower",
    "effect_upper", "mean", "sd", "minimum", "maximum", "relative", "low", "high", "n",
)  # fmt: skip
"""Columns that are kept first, where not all fit."""


def print_table(frame: pl.DataFrame, *, every: bool) -> None:
    """Prints a frame: every column, or as many as fit the terminal."""
    if every:
        print_frame(frame)
        return
    for text in _trimmed(frame) if frame.height else ["no rows"]:
        print(text)


def _trimmed(frame: pl.DataFrame) -> Iterator[str]:
    """A frame as wide as the terminal: names and the most important columns, in their order.

    What is the same in all rows stands above; columns that do not fit are named below.
    """
    first = frame.row(0, named=True)
    alike = {
        name: first[name]
        for name in frame.columns
        if frame.height > 1 and frame[name].n_unique() == 1
    }
    told = {name: value for name, value in alike.items() if value not in (None, "")}
    if told:
        yield "same in all rows: " + ", ".join(f"{it} {_cell(told[it])}" for it in told)
    columns = frame.drop(alike).to_dict(as_series=False)
    cells = {name: [name, *map(_cell, values)] for name, values in columns.items()}
    widths = {name: max(map(len, column)) + 2 for name, column in cells.items()}
    kept: list[str] = []
    room = get_terminal_size().columns
    for name in sorted(cells, key=lambda name: _importance(frame, name)):
        if widths[name] <= room + 2 or not kept:
            kept.append(name)
            room -= widths[name]
    shown = [name for name in cells if name in kept]
    rows = list(zip(*(cells[name] for name in shown), strict=True))
    yield table(rows, left=len(_leading(frame, shown)))
    if others := [name for name in cells if name not in kept]:
        yield f"more columns: {', '.join(others)}"


def _leading(frame: pl.DataFrame, names: Iterable[str]) -> list[str]:
    """Columns of text before the first number: what a row is about."""
    return list(takewhile(lambda name: not frame[name].dtype.is_numeric(), names))


def _importance(frame: pl.DataFrame, name: str) -> int:
    if name in ("condition", "replicate") or name in _leading(frame, frame.columns):
        return -1
    return _IMPORTANT.index(name) if name in _IMPORTANT else len(_IMPORTANT)


def _cell(value: Any) -> str:
    if value is None or value != value:
        return "–"
    return number(value, digits=4) if isinstance(value, float) else str(value)


def means(results: pl.DataFrame, responses: Sequence[str]) -> dict[str, dict[str, float]]:
    """Mean of each response over all runs, by alternative."""
    import polars as pl

    there = [name for name in responses if name in results.columns]
    grouped = results.group_by("alternative", maintain_order=True).agg(
        pl.col(name).drop_nans().mean() for name in there
    )
    return {
        str(row["alternative"]): {
            name: float("nan") if row[name] is None else row[name] for name in there
        }
        for row in grouped.iter_rows(named=True)
    }
