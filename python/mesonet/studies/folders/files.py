"""The files of a study's folder, read at once, with every fault that shows without a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from mesonet.errors import InputError, PlanError, Problem, gathered
from mesonet.plan import Plan, plan_from_dict
from mesonet.studies.folders import stock
from mesonet.studies.folders.campaigns import figure_keys
from mesonet.studies.folders.claims import read_claims, unknown_figures
from mesonet.studies.folders.code import Code
from mesonet.studies.folders.entries import filled_at, unknown_ids
from mesonet.studies.folders.names import filled
from mesonet.studies.folders.page import PageSource
from mesonet.studies.folders.sources import Source, StudyError
from mesonet.studies.folders.tables import StudyTable, read_study, readable_study
from mesonet.studies.folders.variants import Variant, merged, read_variants, values_under
from mesonet.studies.scorecard import Claim
from mesonet.studies.study import SIZES, Options, Size

STUDY = "study.toml"
"""File that makes a folder a study."""

_OF_CODE = ("unknown_chart", "unknown_table", "unknown_name")
"""Kinds of faults of a page that may be those of code that cannot be read."""

T = TypeVar("T")
_ALGORITHM = re.compile(r"(^|\.)algorithms?$")


@dataclass(frozen=True)
class StudyFiles:
    """The files of a study, read and checked.

    Attributes:
        path: The folder.
        source: Content of `study.toml`, with the lines of its entries.
        table: Its model.
        plans: Tables of the plan files, by the names of the plans.
        claims: Claims.
        variants: Variants.
        code: Content of `measure.py`.
        page: Content of `page.md`; None without one.
    """

    path: Path
    source: Source
    table: StudyTable
    plans: Mapping[str, Source]
    claims: Sequence[Claim]
    variants: Sequence[Variant]
    code: Code
    page: PageSource | None

    @classmethod
    def read(cls, path: Path, *, trust: bool = True) -> StudyFiles:
        """Reads a folder, whose code is loaded if it is trusted.

        Raises:
            StudyError: every problem of its files, with file and line.
        """
        problems: list[Problem] = []
        faults: list[Problem] = []
        files = sorted(path.glob("plan*.toml"))
        plans = {
            _plan_name(file): each
            for file in files
            if (each := _tried(problems, partial(extended, file)))
        }
        variants: Sequence[Variant] = ()
        if (path / "variants.toml").exists():
            variants = _tried(faults, partial(read_variants, path / "variants.toml")) or ()
        source = _tried(problems, partial(extended, path / STUDY))
        table = None if source is None else _tried(problems, partial(read_study, source))
        if source is not None and table is None:
            # A fault in it must not hide those of the plans.
            table = readable_study(source)
        given = source.table.get("values") if source else None
        values = table.values if table else given if isinstance(given, dict) else {}
        claims: Sequence[Claim] = ()
        if (path / "claims.toml").exists():
            claims = read_claims(path / "claims.toml", values, problems=faults)
        measure = table.measure if table else "measure.py"
        code = _tried(problems, partial(Code.read, path / measure, trust=trust)) or Code()
        if source and "measure" in source.table and not (path / measure).exists():
            problems.append(source.problem(("measure",), "missing_file", f'no file "{measure}"'))
        page = None
        if (path / "page.md").exists():
            page = PageSource(path / "page.md", code, stock.PARTS)
        if source is None or table is None:
            seen = page.problems() if page else []
            raise StudyError(dict.fromkeys([*problems, *seen, *faults]))
        made = cls(path, source, table, plans, claims, variants, code, page)
        problems += made.problems(whole=not problems, claims=not faults) + faults
        if problems:
            raise StudyError(dict.fromkeys(problems))
        return made

    def plan(self, name: str, options: Options) -> Plan:
        """A plan at a size, with the options.

        Raises:
            PlanError: an option does not fit.
            StudyError: the file does not fit at this size, with file and line.
        """
        source = self.plans[name]
        size = self.table.sizes[options.size]
        values = {**values_under(self.table.values, size), **options.values}
        table = merged(source.table, {})
        for changes in size.of_plan(name):
            table = merged(table, filled_at(self.source, ("sizes", options.size), changes, values))
        table |= options.plan_changes()
        if options.algorithms is not None:
            own = self.code.hooks.get("with_algorithms", self._with_algorithms)
            table = self.code.call(own, table, options.algorithms)
        try:
            table = with_named_responses(table)
            return plan_from_dict(table, folder=source.path.parent)
        except PlanError as error:
            if options.algorithms is not None or options.plan_changes():
                raise
            raise StudyError(
                place
                for each in error.problems
                for place in self._placed(source, name, options.size, each).problems
            ) from None

    def _placed(self, source: Source, name: str, size: Size, problem: Problem) -> StudyError:
        """A fault of a plan with its place: in the file, or among the changes of the size."""
        path = [part.partition("[")[0] for part in problem.loc.split(".")]
        changes = self.table.sizes[size]
        for key, table in (
            (("plans", name), changes.plans.get(name, {})),
            (("plan",), changes.plan),
        ):
            if _says(table, path):
                return self.source.placed(StudyError([problem]), "sizes", size, *key)
        return source.placed(StudyError([problem]))

    def _with_algorithms(self, table: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
        """A plan's table with an alternative for each algorithm; the first is the baseline.

        What the plan's own alternatives set to an algorithm, or give a name the meaning of, these
        set to theirs.
        """
        labels = self.table.algorithms.labels
        known = table.get("alternatives", [])
        kind, paths = "names", [name for each in known for name in each.get("names", {})]
        if not paths:
            own = [path for each in known for path in each.get("set", {})]
            kind, paths = "set", [path for path in own if _ALGORITHM.search(path)] or ["algorithms"]
        alternatives = [
            {"label": labels.get(name, name), kind: dict.fromkeys(paths, name)} for name in names
        ]
        analysis = dict(table.get("analysis", {}))
        if "baseline" in (paired := analysis.get("paired_differences", {})):
            first = alternatives[0]["label"]
            analysis["paired_differences"] = {**paired, "baseline": first}
        more = {"analysis": analysis} if analysis else {}
        return {**table, "alternatives": alternatives, **more}

    def problems(self, *, whole: bool = True, claims: bool = True) -> list[Problem]:
        """Faults between the files that show without a run.

        Args:
            whole: all files could be read; without one its entries would seem to be unknown.
            claims: all claims could be read.
        """
        hooks, found = self.code.hooks, self._unfilled()
        if whole:
            if not self.plans and not {"runs", "plans"} & set(hooks):
                message = (
                    "expected plan.toml, or measure.py with a function `runs`; there is no run"
                )
                found.append(Problem(str(self.path), "no_runs", message))
            found += [*self._unknown_plans(), *(self._unknown_claims() if claims else ())]
        # Code that cannot be read may be what makes the plans.
        unread = self.code.path is None and (self.path / self.table.measure).exists()
        named = whole and "figures" not in hooks
        plans = None
        if "plans" not in hooks and (whole or not unread):
            plans = self._plans_at_sizes(found)
        figures = _figures_of(plans) if named and plans is not None else None
        found += unknown_figures(self.claims, figures) if figures is not None else []
        if self.page:
            ids = [each.id for each in self.claims] if claims else None
            seen = self.page.problems(figures, ids, plans if whole else None)
            # What the code would have made is not missing.
            found += [each for each in seen if not (unread and each.kind in _OF_CODE)]
        return found

    def _unfilled(self) -> list[Problem]:
        """Settings with names that stand for nothing at some size."""
        found: list[Problem] = []
        for size in self.table.sizes.values():
            values = values_under(self.table.values, size)
            for name, text in self.table.settings.items():
                with gathered(found):
                    filled_at(self.source, ("settings", name), text, values)
        return found

    def _unknown_plans(self) -> list[Problem]:
        if "plans" in self.code.hooks:
            return []
        places = [
            (self.source.place("sizes", size, "plans", name), name)
            for size, table in self.table.sizes.items()
            for name in table.plans
        ]
        places += [(each.place, name) for each in self.variants for name in each.table.plans]
        return [
            Problem(place, "unknown_plan", f'no plan "{name}"{stock.close(name, self.plans)}')
            for place, name in places
            if name not in self.plans
        ]

    def _unknown_claims(self) -> Iterator[Problem]:
        ids = [each.id for each in self.claims]
        for variant in self.variants:
            yield from unknown_ids(variant.table.claims, ids, "claim", variant.place)

    def _plans_at_sizes(self, problems: list[Problem]) -> dict[str, list[Plan]] | None:
        """The plans by name, each as it is at every size; None with faults."""
        made: dict[str, list[Plan]] = {name: [] for name in self.plans}
        faults: list[Problem] = []
        sizes: list[Size] = [size for size in SIZES if size in self.table.sizes]
        for size in sizes:
            for name, plans in made.items():
                plan = _tried(faults, partial(self.plan, name, Options(size)))
                plans += [] if plan is None else [plan]
        problems += dict.fromkeys(faults)
        return None if faults else made


def _figures_of(plans: Mapping[str, Sequence[Plan]]) -> dict[str, None]:
    """Names of the figures of the plans at every size.

    Large plans have a hundred thousand names, so they are made only if anyone asks.
    """
    return {
        key: None
        for name, each in plans.items()
        for plan in each
        for key in figure_keys(plan, f"{name}." if name else "")
    }


def with_named_responses(table: Mapping[str, Any]) -> dict[str, Any]:
    """A plan's table whose responses with names in braces are there for every alternative.

    A name stands for what the `names` of an alternative say: "g1:{alternate}".

    Raises:
        PlanError: a name stands for nothing.
    """
    known: Any = table.get("responses") or []
    texts = [each for each in known if "{" in str(each)] if isinstance(known, list) else []
    if not texts:
        return dict(table)
    try:
        made = [
            filled(text, alternative.get("names", {}))
            for alternative in table.get("alternatives", [])
            for text in texts
        ]
    except ValueError as error:
        raise PlanError([Problem("responses", "name", str(error))]) from None
    plain = [each for each in known if each not in texts]
    return {**table, "responses": list(dict.fromkeys([*plain, *made]))}


def extended(path: Path, above: tuple[Path, ...] = ()) -> Source:
    """The file of a study or plan, with the tables of the one that it extends underneath.

    Raises:
        StudyError: one of them cannot be read, or extends a file that extends it.
    """
    source = Source.read(path)
    above = (*above, path.resolve())
    base = source.table.pop("extends", None)
    if base is None:
        return source
    if not isinstance(base, str):
        message = f"expected the name of a file, got {base!r}"
        raise StudyError([source.problem(("extends",), "type", message)])
    if (path.parent / base).resolve() in above:
        raise StudyError([source.problem(("extends",), "circle", f"{base} extends this file")])
    below = extended(path.parent / base, above)
    return Source(path, _over(below.table, source.table), source.lines)


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(below)
    for name, value in above.items():
        mine = found.get(name)
        both = isinstance(mine, Mapping) and isinstance(value, Mapping)
        found[name] = _over(mine, value) if both else value  # type: ignore[arg-type]
    return found


def _says(table: Mapping[str, Any], path: Sequence[str]) -> bool:
    """Tests whether a table has an entry, or one that it is part of."""
    found: Any = table
    for part in path:
        if not isinstance(found, Mapping):
            return True
        if part not in found:
            return False
        found = found[part]
    return True


def _plan_name(path: Path) -> str:
    """Name of a plan: "a" of plan-a.toml, empty of plan.toml."""
    return path.stem.removeprefix("plan").removeprefix("-")


def _tried(problems: list[Problem], read: Callable[[], T]) -> T | None:
    """Content that is read, or None and its problems."""
    try:
        return read()
    except InputError as error:
        problems += error.problems
        return None
