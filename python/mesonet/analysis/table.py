"""Analyses of a campaign by name, made once each and in the same way for everybody."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from inspect import signature
from typing import Any

import polars as pl

from mesonet.analysis.columns import units_of
from mesonet.analysis.declaration import Analysis
from mesonet.analysis.missing import missing_runs, with_missing
from mesonet.analysis.registry import COLUMNS, REGISTRY, read_options
from mesonet.analysis.subject import Subject
from mesonet.tables.datasets import About
from mesonet.tables.tabular import Tabular


class Tables(dict[str, pl.DataFrame], Tabular):
    """Frames by name; `notes` has for each name what to know before trusting the numbers."""

    def __init__(self, frames: Mapping[str, pl.DataFrame], notes: Iterable[str] = ()) -> None:
        super().__init__(frames)
        self.notes = dict.fromkeys(frames, tuple(notes))

    def table_names(self) -> tuple[str, ...]:
        """Names of the frames in order."""
        return tuple(self)

    def _table(self, name: str) -> pl.DataFrame:
        return self[name]

    def about(self, table: str | None = None) -> dict[str, About]:
        """Units and meanings of columns; of factors there are none."""
        name = self._named(table)
        return COLUMNS[name].about(self[name])

    def facts(self) -> dict[str, Any]:
        """Reservations of all tables, and units of the responses in them."""
        notes = list(dict.fromkeys(note for notes in self.notes.values() for note in notes))
        units: dict[str, str] = {}
        for frame in self.values():
            units |= units_of(frame)
        return {"notes": notes, "units": units}

    def add(self, tables: Tables) -> None:
        """Takes in other tables with their notes."""
        self.update(tables)
        self.notes |= tables.notes


class Analyses:
    """The analyses of one subject, each made when it is first asked for.

    `mesonet analyze` and the report take their numbers from here. So both make an analysis on the
    same responses, with the same options and defaults, and correct the same tests together.
    """

    def __init__(
        self, subject: Subject, options: Mapping[str, Mapping[str, Any]] | None = None
    ) -> None:
        """Keeps the options by analysis; those that are not named have defaults."""
        self.subject = subject
        self._options = read_options(options or {})
        self._results: dict[str, Any] = {}

    def result(self, name: str) -> Any:
        """Result of an analysis; a tuple where it looks at each response by itself."""
        if name not in self._results:
            declared = REGISTRY[name]
            module = import_module(f"mesonet.analysis.{declared.folder}.estimate")
            options = (self._options.get(name) or declared.options()).keywords()
            special = getattr(module, f"tabled_{name}", None)
            self._results[name] = (
                special(self.subject, options)
                if special
                else _called(declared, getattr(module, name), self.subject, options)
            )
        return self._results[name]

    def tables(self, name: str) -> Tables:
        """Tables of an analysis, with its notes."""
        declared, result = REGISTRY[name], self.result(name)
        results = result if isinstance(result, tuple) else (result,)
        before = self.subject.part.notes if declared.two_level else ()
        notes = dict.fromkeys(note for result in results for note in result.notes)
        frames = {
            table.name: pl.concat([table.of(result) for result in results])
            for table in declared.tables
        }
        return Tables(frames, (*before, *notes))


def _called(
    declared: Analysis, function: Callable[..., Any], subject: Subject, options: dict[str, Any]
) -> Any:
    """Result of a function that needs nothing but a subject and options."""
    named = signature(function).parameters
    frame = subject.frame
    if declared.two_level:
        frame, options = subject.part.frame, {"factors": subject.part.factors} | options
    if "baseline" in named:
        options = {"baseline": subject.baseline} | options
    if declared.responses == "each":
        return tuple(function(frame, response=name, **options) for name in subject.family)
    key = "responses" if "responses" in named else "response"
    every = subject.responses if declared.responses == "all" else subject.family
    return function(frame, **{key: every}, **options)


def tables_of(
    subject: Subject, *, kinds: Mapping[str, Mapping[str, Any]], planned: pl.DataFrame | None = None
) -> Tables:
    """Tables of analyses of a subject.

    Args:
        kinds: Options by analysis.
        planned: One row per planned run, as `missing_runs` takes it, so that the notes say what is
            missing as a whole; without it a condition that has no run is not known of.
    """
    analyses, tables = Analyses(subject, kinds), Tables({})
    for name in kinds:
        tables.add(analyses.tables(name))
    if planned is not None:
        missing = missing_runs(subject.frame, planned=planned)
        tables.notes = {name: with_missing(notes, missing) for name, notes in tables.notes.items()}
    return tables
