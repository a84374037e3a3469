"""Analyses of a campaign by name, made once each and in the same way for everybody."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, TypeVar

import polars as pl

from mesonet.analysis.columns import described, units_of
from mesonet.analysis.declaration import Analysis
from mesonet.analysis.missing import missing_runs, with_missing
from mesonet.analysis.reading import read_options
from mesonet.analysis.registry import COLUMNS, REGISTRY
from mesonet.analysis.subject import ReadSeries, Subject
from mesonet.analysis.tabled import Tabled
from mesonet.system.datasets import About
from mesonet.system.tabular import Tabular

R = TypeVar("R")


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
        notes = list(dict.fromkeys(one for notes in self.notes.values() for one in notes))
        units: dict[str, str] = {}
        for frame in self.values():
            units |= units_of(frame)
        return {"notes": notes, "units": units}

    def add(self, other: Tables) -> None:
        """Takes in other tables with their notes."""
        self.update(other)
        self.notes |= other.notes


class Analyses:
    """The analyses of one subject, each made when it is first asked for.

    `mesonet analyze` and the report take their numbers from here. So both make an analysis on the
    same responses, with the same options and defaults, and correct the same tests together.
    """

    def __init__(
        self, subject: Subject, options: Mapping[str, Mapping[str, Any]] | None = None
    ) -> None:
        """Prepares the analyses.

        Args:
            subject: Campaign to analyse.
            options: Options by analysis; defaults for those that are not named.
        """
        self.subject = subject
        self._options = read_options(options or {})
        self._made: dict[str, Tabled] = {}

    def tabled(self, name: str) -> Tabled:
        """An analysis with its tables."""
        if name not in self._made:
            declared = REGISTRY[name]
            module = import_module(f"mesonet.analysis.{declared.folder}.estimate")
            options = self._options.get(name) or declared.options()
            made = getattr(module, f"tabled_{name}")(self.subject, options.given())
            self._made[name] = made if isinstance(made, Tabled) else self._tabled(declared, made)
        return self._made[name]

    def _tabled(self, declared: Analysis, made: Any) -> Tabled:
        results = made if isinstance(made, tuple) else (made,)
        notes = dict.fromkeys(note for result in results for note in result.notes)
        before = self.subject.part.notes if declared.two_level else ()
        tables = {one.name: pl.concat([one.of(it) for it in results]) for one in declared.tables}
        return Tabled(made, tables, (*before, *notes))

    def result(self, name: str, kind: type[R]) -> R | None:
        """Result of this kind of an analysis; `None` where there is nothing to analyse."""
        result = self.tabled(name).result
        assert result is None or isinstance(result, kind)
        return result


def analyze(
    frame: pl.DataFrame,
    *,
    factors: Sequence[str],
    centre: int | None = None,
    responses: Sequence[str],
    kinds: Iterable[str] | Mapping[str, Mapping[str, Any]],
    read_series: ReadSeries | None = None,
    planned: pl.DataFrame | None = None,
    asked: Sequence[str] = (),
    order_by: str | None = None,
) -> Tables:
    """Runs analyses by name.

    Args:
        centre: Condition that is the centre of the design; `None` without.
        kinds: Names out of `mesonet.analysis.REGISTRY`, or a mapping from name to options, for
            instance `{"paired_differences": {"baseline": "reno"}}`. `mesonet list analyses`
            prints the names, and the manual has options and defaults.
        read_series: Gives the series of a run, for `warm_up`; without it there are none.
        planned: One row per planned run, as `missing_runs` takes it, so that the notes say what is
            missing as a whole; without it a condition that has no run is not known of.
        asked: Responses that are tested, and corrected together; all without it.
        order_by: Response that orders the conditions; their numbers do without it.

    Returns:
        One frame per table of the registry, and notes on each.
    """
    chosen = dict(kinds) if isinstance(kinds, Mapping) else {name: {} for name in kinds}
    about = {name: described(name) for name in dict.fromkeys((*responses, *asked))}
    subject = Subject(
        frame=frame,
        factors=factors,
        centre=centre,
        responses=responses,
        asked=asked,
        about={name: facts for name, facts in about.items() if "source" in facts},
        order_by=order_by,
        read_series=read_series,
    )
    return tables_of(subject, kinds=chosen, planned=planned)


def tables_of(
    subject: Subject, *, kinds: Mapping[str, Mapping[str, Any]], planned: pl.DataFrame | None = None
) -> Tables:
    """Tables of analyses of a subject.

    Args:
        subject: Campaign to analyse.
        kinds: Options by analysis.
        planned: One row per planned run, as for `analyze`.
    """
    analyses, tables = Analyses(subject, kinds), Tables({})
    for name in kinds:
        tabled = analyses.tabled(name)
        tables.add(Tables(tabled.tables, tabled.notes))
    if planned is not None:
        missing = missing_runs(subject.frame, planned=planned)
        tables.notes = {name: with_missing(notes, missing) for name, notes in tables.notes.items()}
    return tables
