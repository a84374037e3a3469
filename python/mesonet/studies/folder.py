"""Studies: folders whose files are read at once, and those that come with mesonet, by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ConfigDict

from mesonet.controller import short
from mesonet.errors import PlanError, Problem, did_you_mean, gathered
from mesonet.plan import Plan, plan_from_dict
from mesonet.studies.campaigns import figure_keys
from mesonet.studies.claims import read_claims, unknown_figures
from mesonet.studies.code import Code, study_packages
from mesonet.studies.entries import (
    StudyError,
    extended,
    filled,
    filled_at,
    fits,
    over,
    placed,
    read_entry,
    read_lists,
    unknown_ids,
)
from mesonet.studies.scorecard import Claim
from mesonet.studies.study import Options
from mesonet.studies.tables import PlanChanges, StudyTable, VariantTable

if TYPE_CHECKING:
    from mesonet.studies.runs import Runs

STUDY = "study.toml"
"""File that makes a folder a study."""

_ALGORITHM = re.compile(r"(^|\.)algorithms?$")


class Study(StudyTable):
    """A published experiment: what `study.toml` says, and the files beside it.

    Plan files are by the names of the plans; claims have the rules that judge them, and variants
    other answers to what the source leaves open.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    folder: Path
    plans: dict[str, dict[str, Any]]
    claims: Sequence[Claim]
    variants: Sequence[VariantTable]
    code: Code

    @classmethod
    def read(cls, folder: Path, *, trust: bool = True) -> Study:
        """Reads a folder, whose code is loaded if it is trusted; StudyError has every problem."""
        file = folder / STUDY
        table = read_entry(StudyTable, extended(file), file)
        problems = list[Problem]()
        files: dict[str, Any] = {"plans": {}, "claims": [], "variants": [], "code": Code()}
        for plan in sorted(folder.glob("plan*.toml")):
            with gathered(problems):
                files["plans"][plan.stem.removeprefix("plan").removeprefix("-")] = extended(plan)
        with gathered(problems):
            if (folder / "variants.toml").exists():
                files["variants"] = read_variants(folder / "variants.toml")
        with gathered(problems):
            if (folder / "claims.toml").exists():
                files["claims"] = read_claims(folder / "claims.toml", table.values)
        with gathered(problems):
            files["code"] = Code.read(folder / table.measure, trust=trust)
        if "measure" in table.model_fields_set and files["code"].module is None:
            message = f'no file "{table.measure}"'
            problems.append(Problem(f"{file}: measure", "missing_file", message))
        study = cls.model_construct(**{**dict(table), **files, "folder": folder})
        problems += () if problems else study._problems()
        if problems:
            raise StudyError(problems)
        return study

    def prepare(self, options: Options) -> Runs:
        """The runs of a size, with the options; nothing is simulated."""
        from mesonet.studies.runs import prepare

        return prepare(self, options)

    def plan(self, name: str, options: Options) -> Plan:
        """A plan at a size, with the options."""
        size = self.sizes[options.size]
        values = {**self.values, **size.values, **options.values}
        place = self.folder / STUDY, f"sizes.{options.size}"
        table = dict(self.plans[name])
        for changes in size.of_plan(name):
            table = merged(table, filled_at(changes, values, *place))
        table |= options.plan_changes()
        if options.algorithms is not None:
            own = self.code.hooks.get("with_algorithms", self._with_algorithms)
            table = self.code.call(own, table, options.algorithms)
        try:
            return plan_from_dict(with_named_responses(table), folder=self.folder)
        except PlanError as error:
            if options.algorithms is not None or options.plan_changes():
                raise
            file = self.folder / (f"plan-{name}.toml" if name else "plan.toml")
            raise placed(error, file) from None

    def concerned(self, variant: VariantTable) -> Sequence[Claim]:
        """The claims that a variant concerns."""
        return [claim for claim in self.claims if fits(claim.id, variant.claims)]

    def _with_algorithms(self, table: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
        """A plan's table with an alternative for each algorithm; the first is the baseline.

        What the plan's own alternatives set to an algorithm, or give a name the meaning of, these
        set to theirs.
        """
        labels = [self.algorithms.labels.get(name, short(name)) for name in names]
        own = table.get("alternatives", [])
        kind, paths = "names", [name for entry in own for name in entry.get("names", {})]
        if not paths:
            paths = [path for entry in own for path in entry.get("set", {})]
            kind, paths = "set", list(filter(_ALGORITHM.search, paths)) or ["algorithms"]
        pairs = zip(labels, names, strict=True)
        table["alternatives"] = [
            {"label": label, kind: dict.fromkeys(paths, name)} for label, name in pairs
        ]
        analysis = table.get("analysis", {})
        if "baseline" in (paired := analysis.get("paired_differences", {})):
            paired = {**paired, "baseline": labels[0]}
            table["analysis"] = {**analysis, "paired_differences": paired}
        return table

    def _problems(self) -> Sequence[Problem]:
        """Faults between the files."""
        hooks, file = self.code.hooks, self.folder / STUDY
        problems = []
        if not self.plans and not {"runs", "plans"} & set(hooks):
            message = "expected plan.toml, or measure.py with a function `runs`; there is no run"
            problems.append(Problem(str(self.folder), "no_runs", message))
        changes: list[tuple[str, PlanChanges]] = [
            *((f"{file}: sizes.{size}", change) for size, change in self.sizes.items()),
            *((f'variant "{change.id}"', change) for change in self.variants),
        ]
        problems += [
            Problem(place, "unknown_plan", f'no plan "{name}"{did_you_mean(name, self.plans)}')
            for place, change in changes
            for name in change.plans
            if name not in self.plans and "plans" not in hooks
        ]
        ids = [claim.id for claim in self.claims]
        for variant in self.variants:
            patterns = [pattern for pattern in variant.claims if pattern != "*"]
            problems += unknown_ids(patterns, ids, f'variant "{variant.id}"')
        figures: dict[str, None] = {}
        for size, changes_of_size in self.sizes.items() if "plans" not in hooks else ():
            with gathered(problems):
                filled_at(
                    self.settings, {**self.values, **changes_of_size.values}, file, "settings"
                )
            for name in self.plans:
                with gathered(problems):
                    prefix = f"{name}." if name else ""
                    figures |= dict.fromkeys(figure_keys(self.plan(name, Options(size)), prefix))
        if not problems and not {"figures", "plans"} & set(hooks):
            problems += unknown_figures(self.claims, figures)
        return list(dict.fromkeys(problems))


def read_variants(path: Path) -> list[VariantTable]:
    """The variants of a file, those of the files that it includes first."""

    def variant(table: Mapping[str, Any], loc: str) -> list[VariantTable]:
        return [read_entry(VariantTable, table, path, loc)]

    return read_lists(path, {"variant": variant}, read_variants)


def merged(table: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """A plan's table with entries replaced; of scenario and factors, only those that are given."""
    levels = {"scenario": 1, "factors": 2}
    both = {
        name: over(table[name], value, levels[name])
        for name, value in changes.items()
        if name in levels and isinstance(value, Mapping) and isinstance(table.get(name), Mapping)
    }
    return {**table, **changes, **both}


def with_named_responses(table: Mapping[str, Any]) -> dict[str, Any]:
    """A plan's table whose responses with names in braces are there for every alternative.

    A name stands for what the `names` of an alternative say: "g1:{alternate}".
    """
    responses: Any = table.get("responses") or []
    texts = [text for text in responses if "{" in str(text)] if isinstance(responses, list) else []
    if not texts:
        return dict(table)
    try:
        named = [
            filled(text, alternative.get("names", {}))
            for alternative in table.get("alternatives", [])
            for text in texts
        ]
    except ValueError as error:
        raise PlanError([Problem("responses", "name", str(error))]) from None
    plain = [text for text in responses if text not in texts]
    return {**table, "responses": list(dict.fromkeys([*plain, *named]))}


class Listed(NamedTuple):
    """A study that can be asked for; its files are read when it is, for its code draws charts."""

    summary: str
    source: str
    folder: Path


def _catalogue() -> dict[str, Listed]:
    entries = []
    for path in (path for folder in study_packages().values() for path in folder.rglob(STUDY)):
        table = read_entry(StudyTable, extended(path), path)
        listed = Listed(table.list.summary, table.list.source or table.source, path.parent)
        entries.append((table.list.place, table.name, listed))
    return {name: listed for _, name, listed in sorted(entries)}


CATALOGUE: Mapping[str, Listed] = _catalogue()
"""Catalogue of all studies, in the order of lists."""


def find_study(name: str | Path, *, trust: bool = True) -> Study:
    """A study by name, or the one of a folder, whose code is loaded if it is trusted."""
    if str(name) in CATALOGUE:
        return _read(CATALOGUE[str(name)].folder)
    folder = Path(name)
    if not folder.is_dir():
        hint = did_you_mean(name, CATALOGUE) or f"; there are {', '.join(CATALOGUE)}"
        message = f'no study and no folder "{name}"{hint}'
        raise PlanError([Problem("study", "unknown_study", message)])
    if not (folder / STUDY).is_file():
        message = f"expected a study's folder: it has no {STUDY}"
        raise PlanError([Problem(str(folder), "no_study", message)])
    return Study.read(folder, trust=trust)


@cache
def _read(folder: Path) -> Study:
    """A study of the catalogue, whose files stay as they are; those of others may be edited."""
    return Study.read(folder)
