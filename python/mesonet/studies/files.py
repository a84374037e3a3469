"""The files of a study's folder, read at once, with every fault of theirs that shows then."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesonet.errors import PlanError, Problem, did_you_mean, gathered
from mesonet.plan import Plan, plan_from_dict
from mesonet.studies.campaigns import figure_keys
from mesonet.studies.claims import read_claims, unknown_figures
from mesonet.studies.code import Code
from mesonet.studies.entries import (
    StudyError,
    extended,
    filled,
    filled_at,
    placed,
    read_entry,
    unknown_ids,
)
from mesonet.studies.scorecard import Claim
from mesonet.studies.study import Options
from mesonet.studies.tables import StudyTable, VariantTable
from mesonet.studies.variants import merged, read_variants, values_under

STUDY = "study.toml"
"""File that makes a folder a study."""

_ALGORITHM = re.compile(r"(^|\.)algorithms?$")


@dataclass(frozen=True)
class StudyFiles:
    """The files of a study, read and checked.

    Attributes:
        path: The folder.
        table: Content of `study.toml`.
        plans: Content of the plan files, by the names of the plans.
        claims: Claims.
        variants: Variants.
        code: Content of `measure.py`.
        page: Path of `page.md`; None without one.
    """

    path: Path
    table: StudyTable
    plans: Mapping[str, dict[str, Any]]
    claims: Sequence[Claim]
    variants: Sequence[VariantTable]
    code: Code
    page: Path | None

    @classmethod
    def read(cls, path: Path, *, trust: bool = True) -> StudyFiles:
        """Reads a folder, whose code is loaded if it is trusted.

        Raises:
            StudyError: every problem of its files.
        """
        table = read_entry(StudyTable, extended(path / STUDY), path / STUDY)
        problems: list[Problem] = []
        plans: dict[str, dict[str, Any]] = {}
        claims: list[Claim] = []
        variants: list[VariantTable] = []
        code = Code()
        for file in sorted(path.glob("plan*.toml")):
            with gathered(problems):
                plans[file.stem.removeprefix("plan").removeprefix("-")] = extended(file)
        with gathered(problems):
            if (path / "variants.toml").exists():
                variants = read_variants(path / "variants.toml")
        with gathered(problems):
            if (path / "claims.toml").exists():
                claims = read_claims(path / "claims.toml", table.values)
        with gathered(problems):
            code = Code.read(path / table.measure, trust=trust)
        if "measure" in table.model_fields_set and code.path is None:
            message = f'no file "{table.measure}"'
            problems.append(Problem(f"{path / STUDY}: measure", "missing_file", message))
        page = path / "page.md"
        files = cls(path, table, plans, claims, variants, code, page if page.exists() else None)
        if problems := problems or files._problems():
            raise StudyError(problems)
        return files

    def plan(self, name: str, options: Options) -> Plan:
        """A plan at a size, with the options.

        Raises:
            PlanError: an option does not fit.
            StudyError: the file does not fit at this size, with file and line.
        """
        size = self.table.sizes[options.size]
        values = {**values_under(self.table.values, size), **options.values}
        table = merged(self.plans[name], {})
        for changes in size.of_plan(name):
            loc = f"sizes.{options.size}"
            table = merged(table, filled_at(changes, values, self.path / STUDY, loc))
        table |= options.plan_changes()
        if options.algorithms is not None:
            own = self.code.hooks.get("with_algorithms", self._with_algorithms)
            table = self.code.call(own, table, options.algorithms)
        try:
            return plan_from_dict(with_named_responses(table), folder=self.path)
        except PlanError as error:
            if options.algorithms is not None or options.plan_changes():
                raise
            file = self.path / (f"plan-{name}.toml" if name else "plan.toml")
            raise placed(error, file) from None

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

    def _problems(self) -> list[Problem]:
        """Faults between the files."""
        hooks, problems = self.code.hooks, list[Problem]()
        if not self.plans and not {"runs", "plans"} & set(hooks):
            message = "expected plan.toml, or measure.py with a function `runs`; there is no run"
            problems.append(Problem(str(self.path), "no_runs", message))
        for place, each in (
            *(
                (f"{self.path / STUDY}: sizes.{size}", each)
                for size, each in self.table.sizes.items()
            ),
            *((f'variant "{each.id}"', each) for each in self.variants),
        ):
            if "plans" not in hooks:
                problems += [
                    Problem(
                        place, "unknown_plan", f'no plan "{name}"{did_you_mean(name, self.plans)}'
                    )
                    for name in each.plans
                    if name not in self.plans
                ]
        ids = [each.id for each in self.claims]
        for variant in self.variants:
            problems += unknown_ids(variant.claims, ids, f'variant "{variant.id}"')
        figures: dict[str, None] = {}
        for size in self.table.sizes if "plans" not in hooks else ():
            with gathered(problems):
                filled_at(
                    self.table.settings,
                    values_under(self.table.values, self.table.sizes[size]),
                    self.path / STUDY,
                    "settings",
                )
            for name in self.plans:
                with gathered(problems):
                    prefix = f"{name}." if name else ""
                    figures |= dict.fromkeys(figure_keys(self.plan(name, Options(size)), prefix))
        if not problems and not {"figures", "plans"} & set(hooks):
            problems += unknown_figures(self.claims, figures)
        return list(dict.fromkeys(problems))


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
        named = [
            filled(text, alternative.get("names", {}))
            for alternative in table.get("alternatives", [])
            for text in texts
        ]
    except ValueError as error:
        raise PlanError([Problem("responses", "name", str(error))]) from None
    plain = [each for each in known if each not in texts]
    return {**table, "responses": list(dict.fromkeys([*plain, *named]))}
