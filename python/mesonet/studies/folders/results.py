"""Results of a study's code, checked where they come in: what does not fit names its line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import polars as pl

from mesonet.errors import Problem, show
from mesonet.page.tables import Table
from mesonet.studies.bench import Item
from mesonet.studies.folders.code import Code, Function
from mesonet.studies.folders.sources import StudyError
from mesonet.studies.study import Options, RunResults


def runs_of(code: Code, options: Options) -> list[Item]:
    """Runs one by one that the code asks for; none if it has no `runs`.

    Raises:
        StudyError: the code fails, or its runs are no items, or two have one name.
    """
    function = code.hooks.get("runs")
    if function is None:
        return []
    # A generator fails when it is gone through, not when it is called.
    made = code.call(lambda: _listed(function(options)))
    if made is None:
        raise _misfit(code, function, "runs() gives runs, each an Item; got no list of them")
    found: dict[str, Item] = {}
    for item in made:
        if not isinstance(item, Item):
            raise _misfit(code, function, f"runs() gives runs, each an Item; got {show(item)}")
        if item.name in found:
            message = f'two runs are called "{item.name}"; each run has a name of its own'
            raise _misfit(code, function, message)
        found[item.name] = item
    return [code.portable(item) for item in found.values()]


def figures_of(code: Code, run: RunResults) -> dict[str, float]:
    """Figures that the code makes of results; one that is None is not a number.

    Raises:
        StudyError: the code fails, or its figures are no numbers by name.
    """
    function = code.hooks.get("figures")
    if function is None:
        return {}
    made = code.call(function, run)
    if not isinstance(made, Mapping):
        raise _misfit(code, function, f"figures() gives numbers by name; got {show(made)}")
    faults = [
        f'the figure "{name}" is no number: {show(value)}'
        for name, value in made.items()
        if value is not None and not isinstance(value, Real)
    ]
    if faults:
        raise StudyError(Problem(code.place(function), "figures", fault) for fault in faults)
    return {str(name): math.nan if value is None else value for name, value in made.items()}


def check_part(code: Code, kind: str, name: str, function: Function, made: Any) -> None:
    """Refuses what a page cannot show in the place of a chart or a table.

    Raises:
        StudyError: it is neither what it should be nor None.
    """
    if made is None:
        return
    if kind == "chart" and not hasattr(made, "to_dict"):
        raise _misfit(code, function, f'the chart "{name}" is no Altair chart: {show(made)}')
    if kind == "table" and not isinstance(made, pl.DataFrame | Table):
        message = f'the table "{name}" is no polars frame and no table: {show(made)}'
        raise _misfit(code, function, message)


def _listed(made: Any) -> list[Any] | None:
    return list(made) if isinstance(made, Iterable) else None


def _misfit(code: Code, function: Function, message: str) -> StudyError:
    return StudyError([Problem(code.place(function), "code", message)])
