"""Marks of functions that a page can name: charts, tables and values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

from mesonet.studies.study import RunResults

KIND = "__study_part__"
"""Attribute of marked functions: "chart", "table" or "value"."""

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


@dataclass(frozen=True)
class Noted:
    """A chart or table with the reservations that stand below it.

    Attributes:
        shown: The chart, table or frame; None is left out, and the notes with it.
        notes: Sentences.
    """

    shown: Any
    notes: tuple[str, ...]


def chart(function: F) -> F:
    """Marks a function of `RunResults`, and perhaps more arguments, that returns an Altair chart.

    A page shows it by `{{ chart("name") }}`. None is left out.
    """
    return _marked(function, "chart")


def table(function: F) -> F:
    """Marks a function of `RunResults`, and perhaps more arguments, that returns a table or frame.

    A page shows it by `{{ table("name") }}`. None is left out.
    """
    return _marked(function, "table")


def value(function: F) -> F:
    """Marks a function of `RunResults` whose result is a variable of the page, under its name."""
    return _marked(function, "value")


def once(function: Callable[[RunResults], T]) -> Callable[[RunResults], T]:
    """Makes a function compute its result once for the same runs, as charts and tables share it.

    The result for the last runs is kept.
    """
    kept: list[tuple[RunResults, T]] = []

    @wraps(function)
    def shared(run: RunResults) -> T:
        if not kept or not _same_runs(run, kept[0][0]):
            kept[:] = [(run, function(run))]
        return kept[0][1]

    return shared


def _same_runs(run: RunResults, other: RunResults) -> bool:
    return run.results is other.results and run.campaigns is other.campaigns


def _marked(function: F, kind: str) -> F:
    setattr(function, KIND, kind)
    return function
