"""Runs of a study and of its variants, ready to run; runs that are the same are run once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import ne
from typing import TYPE_CHECKING, Any

from mesonet.controller import built_in
from mesonet.errors import InputError, PlanError, Problem, did_you_mean
from mesonet.plan import Plan, plan_from_dict
from mesonet.plan.tables import MAX_SEED
from mesonet.simulation import beyond
from mesonet.studies.bench import Item
from mesonet.studies.entries import StudyError, filled
from mesonet.studies.folder import Study, merged
from mesonet.studies.study import Options, RunResults
from mesonet.studies.tables import VariantTable

if TYPE_CHECKING:
    from mesonet.studies.page import StudyPage

_WORLD = {"scenario", "factors", "alternatives"}
"""Tables of a plan that say what is simulated, often in more ways than one."""


@dataclass(frozen=True)
class Cell:
    """Runs under one set of options: the scored ones, or those of a variant.

    Items are by the names that the study gives, their own names are those of their results; plans
    have the folder of their campaign. `replicates` is one where the study repeats runs by itself.
    """

    options: Options
    items: Mapping[str, Item]
    plans: Mapping[str, tuple[str, Plan]]
    variant: VariantTable | None = None
    replicates: int = 1


@dataclass(frozen=True)
class Runs:
    """The runs of a study at one size: the scored ones, and those of each variant.

    `items` are measured by themselves. `plans` are by folders below the study's own, for which the
    empty name stands; those in `like` take over the runs that they share with another, and get no
    report. `settings` are what is needed to set the study up again, for the page.
    """

    study: Study
    cells: Sequence[Cell]
    items: Sequence[Item]
    plans: Mapping[str, Plan]
    like: Mapping[str, str]
    settings: Mapping[str, str]

    @property
    def options(self) -> Options:
        """Options of the scored runs."""
        return self.cells[0].options

    @property
    def has_page(self) -> bool:
        """False where the report of the only plan is the page."""
        page = (self.study.folder / "page.md").exists()
        return bool(page or self.study.claims or self.items or len(self.plans) != 1)

    def evaluate(self, results: RunResults) -> StudyPage:
        """The page of finished runs, with their figures and verdicts."""
        from mesonet.studies.evaluation import evaluate

        return evaluate(self, results)


def prepare(study: Study, options: Options) -> Runs:
    """The runs of a study with the options."""
    _refuse(study, options)
    scored = _cell(study, options)
    cells, problems = [scored], list[Problem]()
    for variant in _chosen(study.variants, options):
        try:
            cell = _varied(study, scored, variant)
        except InputError as error:
            place = f'variant "{variant.id}"'
            problems += [Problem(place, problem.kind, str(problem)) for problem in error.problems]
            continue
        # Elsewhere the runs are those that are scored, as where a factor has the other answer.
        if cell.items is not scored.items or variant.figures:
            cells.append(cell)
    if problems:
        raise StudyError(problems)
    items, plans, like = dict[str, Item](), dict[str, Plan](), dict[str, str]()
    for cell in cells:
        for item in cell.items.values():
            items.setdefault(item.name, item)
        for name, (folder, plan) in cell.plans.items():
            if folder not in plans and folder != name and name in scored.plans:
                like[folder] = name
            plans.setdefault(folder, plan)
    values = scored.options.values
    settings = {name: str(filled(text, values)) for name, text in study.settings.items()}
    settings |= study.code.hook("settings", scored.options)
    return Runs(study, cells, list(items.values()), plans, like, settings)


def _cell(study: Study, options: Options, variant: VariantTable | None = None) -> Cell:
    size = study.sizes[options.size]
    own = study.algorithms.own if size.algorithms is None else size.algorithms
    if own == "every":
        own = tuple(info.name for info in built_in())
    chosen = own if options.algorithms is None else options.algorithms
    values = {**study.values, **size.values, **(variant.values if variant else {})}
    if options.duration is not None:
        ratio = options.duration / values["duration"]
        values |= {name: _plain(values[name] * ratio) for name in size.in_proportion}
        values["duration"] = _plain(options.duration)
    names, identifier = tuple(dict.fromkeys(chosen)), variant.id if variant else ""
    options = replace(options, study=study.name, chosen=names, variant=identifier)
    options = replace(options, values=values, words=size.words)
    replicates = options.replicates or size.replicates if size.replicates > 1 else 1
    items = _repeated(study.code.runs(options), replicates)
    if "plans" in study.code.hooks:
        plans = dict(study.code.hook("plans", options))
    else:
        plans = {name: study.plan(name, options) for name in study.plans}
    folders = {name: (name, plan) for name, plan in plans.items()}
    return Cell(options, items, folders, variant, replicates)


def _repeated(items: Iterable[Item], replicates: int) -> dict[str, Item]:
    """Runs by name, each with so many seeds and the number of the replicate behind its name."""
    if replicates == 1:
        return {item.name: item for item in items}
    every = ((f"{item.name}-{at + 1}", item, at) for item in items for at in range(replicates))
    return {name: replace(item, name=name, seed=item.seed + at) for name, item, at in every}


def _plain(number: float) -> float:
    """A whole number without a fraction, as people write it."""
    return int(number) if float(number).is_integer() else number


def _chosen(variants: Sequence[VariantTable], options: Options) -> list[VariantTable]:
    """The variants that run: those asked for, or those of the size."""
    names = options.variants
    if names is None or names == ("all",):
        return [variant for variant in variants if names or options.size in variant.sizes]
    ids = [variant.id for variant in variants]
    if unknown := [name for name in names if name not in ids]:
        raise PlanError(
            Problem("variants", "unknown_variant", f'no variant "{name}"{did_you_mean(name, ids)}')
            for name in unknown
        )
    return [variant for variant in variants if variant.id in names]


def _varied(study: Study, scored: Cell, variant: VariantTable) -> Cell:
    """The runs under a variant; those that are scored if it changes none of them."""
    cell = _cell(study, scored.options, variant)
    items, plans = dict[str, Item](), dict[str, tuple[str, Plan]]()
    for name, item in cell.items.items():
        items[name] = _changed_item(item, variant)
        if items[name] != scored.items.get(name):
            items[name] = replace(items[name], name=f"{name}, {variant.id}")
    for name, (_, plan) in cell.plans.items():
        changed = _changed_plan(plan, name, variant, cell.options.values)
        plans[name] = ("/".join(filter(None, ("variants", variant.id, name))), changed)
        if name in scored.plans and _same(changed, scored.plans[name][1]):
            plans[name] = scored.plans[name]
    # Other values may change figures of the same runs.
    if (items, plans, cell.options.values) == (scored.items, scored.plans, scored.options.values):
        return replace(scored, variant=variant)
    return replace(cell, items=items, plans=plans)


def _changed_plan(plan: Plan, name: str, variant: VariantTable, values: Mapping[str, Any]) -> Plan:
    """A plan under a variant, with constants in the place of names in braces."""
    content = plan.to_dict()
    try:
        for changes in variant.of_plan(name):
            content = merged(content, filled(changes, values))
    except ValueError as error:
        raise PlanError([Problem(name or "plan", "name", str(error))]) from None
    content["seed"] = plan.seed + variant.seed
    tables = content.get("alternatives") or [content]
    for table, alternative in zip(tables, plan.alternatives, strict=True):
        scenario = plan.scenario_of(1, alternative)
        if own := _own_parameters(variant, scenario.algorithm_places()):
            place = "scenario" if table is content else "set"
            changed = {**scenario.parameters, **own}
            table[place] = {**table.get(place, {}), "parameters": changed}
    return plan_from_dict(content)


def _changed_item(item: Item, variant: VariantTable) -> Item:
    """A run under the parameters and the seed of a variant."""
    if own := _own_parameters(variant, item.scenario.algorithm_places()):
        parameters = {**item.scenario.parameters, **own}
        item = replace(item, scenario=item.scenario.replace({"parameters": parameters}))
    return replace(item, seed=item.seed + variant.seed)


def _own_parameters(variant: VariantTable, used: Iterable[str]) -> dict[str, dict[str, float]]:
    names = set(used)
    return {name: values for name, values in variant.parameters.items() if name in names}


def _same(plan: Plan, second: Plan) -> bool:
    """Tests whether plans have the same runs, whatever words say so."""
    ours, others = plan.to_dict(), second.to_dict()
    if ours == others:
        return True
    rests = ({key: it[key] for key in it.keys() - _WORLD} for it in (ours, others))
    labels = ([alternative.label for alternative in it.alternatives] for it in (plan, second))
    if ne(*rests) or ne(*labels):
        return False
    # Most changes show in the first condition, and all conditions take long.
    first = (
        plan.scenario_of(1, alternative).resolve() == second.scenario_of(1, two).resolve()
        for alternative, two in zip(plan.alternatives, second.alternatives, strict=True)
    )
    return all(first) and [it.id for it in plan.runs()] == [it.id for it in second.runs()]


def _refuse(study: Study, options: Options) -> None:
    """Refuses options that make no sense, with the reasons of all."""
    reasons: dict[str, str] = {str(name): reason for name, reason in study.refuses.items()}
    if options.size != "population":
        reasons["duration"] = f"expected none: runs of size {options.size} have a fixed one"
    if not study.plans and "plans" not in study.code.hooks:
        reasons["conditions"] = "expected none: a bench has no design, and so no conditions"
        if study.sizes[options.size].replicates == 1 and options.replicates not in (None, 1):
            reason = "a bench has one run of each; use other seeds, each in a folder of its own"
            reasons.setdefault("replicates", f"expected 1, got {options.replicates}: {reason}")
    problems = [
        Problem(name, "unsupported", reason)
        for name, reason in reasons.items()
        if reason and getattr(options, name) is not None
    ]
    if options.seed is not None:
        problems += beyond(seed=(options.seed, 0, MAX_SEED))
    if options.algorithms == () and "algorithms" not in study.refuses:
        problems.append(Problem("algorithms", "empty", "expected at least one algorithm, got none"))
    if problems:
        raise PlanError(problems)
