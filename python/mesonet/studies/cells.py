"""Runs of a study and of its variants; runs that are the same are run once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mesonet.controller import built_in
from mesonet.errors import InputError, PlanError, Problem
from mesonet.plan import Plan
from mesonet.studies.bench import Item
from mesonet.studies.entries import StudyError
from mesonet.studies.files import StudyFiles
from mesonet.studies.study import Options
from mesonet.studies.tables import VariantTable
from mesonet.studies.variants import asked_for, changed_item, changed_plan, values_under

_WORLD = {"scenario", "factors", "alternatives"}
"""Tables of a plan that say what is simulated, often in more ways than one."""


@dataclass(frozen=True)
class Cell:
    """Runs under one set of options: the scored ones, or those of a variant.

    Attributes:
        options: Options of the runs.
        items: Runs one by one.
        plans: Plans by name.
        stored: Names under which results are stored, by the names that the study gives.
        folders: Folders of campaigns, by the names of their plans.
    """

    options: Options
    items: Sequence[Item]
    plans: Mapping[str, Plan]
    stored: Mapping[str, str] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)

    def runs_as(self, other: Cell) -> bool:
        """Tests whether all runs are those of another cell."""
        return (self.stored, self.folders) == (other.stored, other.folders)


@dataclass(frozen=True)
class Cells:
    """The scored runs, and those of the variants that are run.

    Attributes:
        scored: The scored runs.
        variants: Variants that apply, with their runs; None for one that only replaces figures.
    """

    scored: Cell
    variants: Sequence[tuple[VariantTable, Cell | None]] = ()

    def items(self) -> list[Item]:
        """Every run one by one, once, under the name of its result."""
        found = {item.name: item for item in self.scored.items}
        for _, cell in self.variants:
            for item in cell.items if cell else ():
                name = cell.stored[item.name] if cell else item.name
                found.setdefault(name, replace(item, name=name))
        return list(found.values())

    def plans(self) -> tuple[dict[str, Plan], dict[str, str]]:
        """Every campaign by its folder, and the campaign that it shares runs with."""
        plans, like = dict(self.scored.plans), {}
        for _, cell in self.variants:
            for name, folder in (cell.folders if cell else {}).items():
                if folder not in plans and cell:
                    plans[folder] = cell.plans[name]
                    if name in self.scored.plans:
                        like[folder] = name
        return plans, like


def cells_of(files: StudyFiles, options: Options) -> Cells:
    """The runs of a study with the options.

    Raises:
        PlanError: an option does not fit, or a variant does not fit a plan.
        StudyError: the study's code fails, or a variant changes no run.
    """
    _refuse(files, options)
    scored = _cell(files, options)
    problems: list[Problem] = []
    varied: list[tuple[VariantTable, Cell | None]] = []
    for variant in asked_for(files.variants, options):
        try:
            cell = _varied(files, scored, variant)
        except InputError as error:
            problems += [
                Problem(f'variant "{variant.id}"', each.kind, str(each)) for each in error.problems
            ]
            continue
        if cell is not None or variant.figures:
            varied.append((variant, cell))
        elif options.algorithms is None and not _varies_already(scored, variant):
            message = "changes no run and no figure"
            problems.append(Problem(f'variant "{variant.id}"', "no_change", message))
    if problems:
        raise StudyError(problems)
    return Cells(scored, varied)


def _cell(files: StudyFiles, options: Options, variant: VariantTable | None = None) -> Cell:
    size = files.table.sizes[options.size]
    own = files.table.algorithms.own if size.algorithms is None else size.algorithms
    if own == "every":
        own = tuple(info.name for info in built_in())
    chosen = own if options.algorithms is None else options.algorithms
    values = values_under(files.table.values, size, *([variant] if variant else []))
    options = replace(
        options,
        study=files.table.name,
        chosen=tuple(dict.fromkeys(chosen)),
        values=_for_duration(values, options.duration, size.in_proportion),
        variant=variant.id if variant else "",
        words=size.words,
    )
    hooks, items = files.code.hooks, files.code.runs(options)
    if "plans" in hooks:
        plans = dict(files.code.call(hooks["plans"], options))
    else:
        plans = {name: files.plan(name, options) for name in files.plans}
    same = {item.name: item.name for item in items}
    return Cell(options, items, plans, same, {name: name for name in plans})


def _for_duration(
    values: dict[str, Any], duration: float | None, in_proportion: Sequence[str]
) -> dict[str, Any]:
    """Constants for a simulated time that was asked for; `duration` is one of them."""
    if duration is None:
        return values
    ratio = duration / values["duration"]
    longer = {name: _plain(values[name] * ratio) for name in in_proportion}
    return values | longer | {"duration": _plain(duration)}


def _plain(number: float) -> float:
    """A whole number without a fraction, as people write it."""
    return int(number) if float(number).is_integer() else number


def _varied(files: StudyFiles, scored: Cell, variant: VariantTable) -> Cell | None:
    """The runs under a variant; None if it changes none of them."""
    if not variant.runs or _varies_already(scored, variant):
        return None
    cell = _cell(files, scored.options, variant)
    values = cell.options.values
    plans = {name: changed_plan(plan, name, variant, values) for name, plan in cell.plans.items()}
    items = [changed_item(item, variant) for item in cell.items]
    mine = {item.name: item for item in scored.items}
    stored = {
        item.name: item.name if item == mine.get(item.name) else f"{item.name}, {variant.id}"
        for item in items
    }
    folders = {
        name: name if _same(plan, scored.plans.get(name)) else _folder(variant.id, name)
        for name, plan in plans.items()
    }
    cell = replace(cell, items=items, plans=plans, stored=stored, folders=folders)
    # Other values may change figures of the same runs.
    same = cell.runs_as(scored) and cell.options.values == scored.options.values
    return None if same else cell


def _folder(variant: str, plan: str) -> str:
    return "/".join(part for part in ("variants", variant, plan) if part)


def _same(plan: Plan, other: Plan | None) -> bool:
    """Tests whether plans have the same runs, whatever words say so."""
    if other is None:
        return False
    mine, theirs = plan.to_dict(), other.to_dict()
    if mine == theirs:
        return True
    kept = (mine.keys() | theirs.keys()) - _WORLD
    labels, wanted = ([one.label for one in each.alternatives] for each in (plan, other))
    if labels != wanted or any(mine.get(name) != theirs.get(name) for name in kept):
        return False
    # Most changes show in the first condition, and all conditions take long.
    first = (
        plan.scenario_of(1, one).resolve() == other.scenario_of(1, two).resolve()
        for one, two in zip(plan.alternatives, other.alternatives, strict=True)
    )
    return all(first) and [it.id for it in plan.runs()] == [it.id for it in other.runs()]


def _varies_already(scored: Cell, variant: VariantTable) -> bool:
    """Tests whether a factor of a plan varies what the variant changes."""
    return any(
        set(change.get("scenario", {})) & {path for f in plan.factors for path in f.paths}
        for name, plan in scored.plans.items()
        for change in variant.of_plan(name)
    )


def _refuse(files: StudyFiles, options: Options) -> None:
    """Refuses options that make no sense.

    Raises:
        PlanError: all of them, with the reasons.
    """
    asked: dict[str, Any] = {
        "algorithms": options.algorithms,
        "replicates": options.replicates,
        "seed": options.seed,
    }
    asked |= {"duration": options.duration, "conditions": options.conditions}
    reasons = {str(name): reason for name, reason in files.table.refuses.items()}
    if options.size != "population":
        reasons["duration"] = f"expected none: runs of size {options.size} have a fixed one"
    bench = not files.plans and "plans" not in files.code.hooks
    if bench:
        reasons["conditions"] = "expected none: a bench has no design, and so no conditions"
    if bench and options.replicates not in (None, 1):
        reasons.setdefault(
            "replicates",
            f"expected 1, got {options.replicates}: a bench has one run of each; "
            "use other seeds, each in a folder of its own",
        )
    problems = [
        Problem(name, "unsupported", reason)
        for name, reason in reasons.items()
        if reason and asked[name] is not None
    ]
    if options.algorithms == () and "algorithms" not in files.table.refuses:
        problems.append(Problem("algorithms", "empty", "expected at least one algorithm, got none"))
    if problems:
        raise PlanError(problems)
