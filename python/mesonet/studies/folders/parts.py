"""Marks of functions that a page can name: charts, tables and values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

KIND = "__study_part__"
"""Attribute of marked functions: "chart", "table" or "value"."""

F = TypeVar("F", bound=Callable[..., Any])


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


def _marked(function: F, kind: str) -> F:
    setattr(function, KIND, kind)
    return function
