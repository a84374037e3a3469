"""Factors, alternatives and responses of a plan file, and what is wrong with them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from mesonet.analysis import SECTIONS, Known, option_problems
from mesonet.design import Factor, between
from mesonet.errors import InputError, Problem, did_you_mean, show, unknown
from mesonet.plan.paths import replace_problems
from mesonet.plan.spread import Spread
from mesonet.plan.tables import (
    CONGESTION,
    MAX_RUNS,
    MAX_SEED,
    Alternative,
    FactorTable,
    PlanTable,
)
from mesonet.responses import lookup, registry
from mesonet.units import format_time

if TYPE_CHECKING:
    from mesonet.scenario import Scenario

_RESERVED = ("run", "condition", "alternative", "replicate", "seed", "packets", "wall_seconds")
_OF_TABLES = ("position", "cost", "response", "group")
"""Columns of the folder's other tables, and of those that analyses make of the results."""


def read_factors(
    tables: object, scenario: Scenario | None, problems: list[Problem]
) -> tuple[Factor, ...]:
    """The factors that can be read; why others cannot, and which levels do not fit, in `problems`.

    What a table alone tells to be wrong is in the problems already.
    """
    factors = []
    for name, table in tables.items() if isinstance(tables, Mapping) else ():
        if isinstance(table, Mapping):
            # A key that no table has hides nothing that is wrong with the others.
            table = {key: it for key, it in table.items() if key in FactorTable.model_fields}
        try:
            factor_table = FactorTable.model_validate(table)
        except ValidationError:
            continue
        factor_problems = _factor_problems(str(name), factor_table)
        problems += factor_problems
        if any(problem.kind == "levels" for problem in factor_problems):
            continue
        levels = tuple(_listed(factor_table))
        low, high = (levels[0], levels[-1]) if levels else (factor_table.low, factor_table.high)
        factor = Factor(
            name,
            _paths(factor_table),
            low,
            high,
            factor_table.symbol,
            factor_table.label or name,
            levels,
            factor_table.scale,
            tuple(factor_table.levels) if isinstance(factor_table.levels, dict) else (),
            bundles=factor_table.path is None,
        )
        factors.append(factor)
        if scenario is not None:
            problems += _level_problems(factor, scenario)
    problems += _shared_paths(factors)
    return tuple(factors)


def _paths(table: FactorTable) -> tuple[str, ...]:
    if table.path is None:
        return tuple(dict.fromkeys(path for level in _listed(table) for path in level))
    return (table.path,) if isinstance(table.path, str) else tuple(table.path)


def _listed(table: FactorTable) -> list[Any]:
    """The levels, without their names."""
    return list(table.levels.values() if isinstance(table.levels, dict) else table.levels or ())


def _places(table: FactorTable) -> dict[str, object]:
    """Levels by where they stand in the factor's table."""
    if table.levels is None:
        return {"low": table.low, "high": table.high}
    if isinstance(table.levels, dict):
        return {f"levels.{name}": level for name, level in table.levels.items()}
    return {f"levels[{position}]": level for position, level in enumerate(table.levels)}


def _factor_problems(name: str, table: FactorTable) -> list[Problem]:
    loc = f"factors.{name}"
    problems = []
    if not name.isidentifier() or name in _RESERVED or name in registry:
        problems.append(_name_problem(name))
    paths, places = _paths(table), _places(table)
    if not paths:
        problems.append(Problem(f"{loc}.path", "levels", "expected at least one path, got none"))
    elif len(paths) != 1 and table.path is not None:
        message = f"expected a list of {len(paths)} values, one for each path"
        problems += [
            Problem(f"{loc}.{place}", "levels", message)
            for place, level in places.items()
            if not isinstance(level, list) or len(level) != len(paths)
        ]
    if table.levels is None and table.low == table.high:
        message = f"low and high are both {show(table.low)}; expected two different levels"
        problems.append(Problem(loc, "levels", message))
    elif table.levels is not None:
        # Long levels are shortened where they are shown, so these texts cannot tell them apart.
        levels = _listed(table)
        whole = [json.dumps(level, sort_keys=True, default=str) for level in levels]
        problems += [
            Problem(f"{loc}.levels", "levels", f"{show(levels[at])} is there {n} times")
            for at, text in enumerate(whole)
            if (n := whole.count(text)) > 1 and whole.index(text) == at
        ]
    if table.scale == "log" and between(table.low, table.high, 0.5, scale="log") is None:
        message = "a logarithmic scale needs two positive numbers of the same unit as low and high"
        problems.append(Problem(f"{loc}.scale", "scale", message))
    return problems


def _level_problems(factor: Factor, scenario: Scenario) -> list[Problem]:
    """Levels that the base scenario does not take; a path that does not exist is said once."""
    problems: list[Problem] = []
    path_loc = f"factors.{factor.name}.path"
    for place, changes in level_settings(factor):
        problems += replace_problems(scenario, changes, place, path_loc=path_loc)
        if any(problem.loc == path_loc for problem in problems):
            break
        problems += _without_effect(scenario, changes, place)
    return problems


def _without_effect(
    scenario: Scenario, changes: Mapping[str, object], place: str
) -> Iterator[Problem]:
    """Rates of a level that the scenario changes from its beginning, as recorded links do."""
    for key in ("rate", "reverse_rate"):
        rates = getattr(scenario, f"{key}_changes", ())
        if key in changes and f"{key}_changes" not in changes and rates and not rates[0].at:
            message = f"has no effect: {key}_changes or {key}_trace of the scenario begin at 0"
            yield Problem(place, "conflict", f"{key} {message}; set these, too, or leave it out")


def level_settings(factor: Factor) -> Iterator[tuple[str, dict[str, object]]]:
    """Places of the levels in the plan, and what each sets, by path in the scenario."""
    for position, code in enumerate(factor.codes):
        place = f"levels[{position}]" if factor.levels else ("low", "high")[position]
        place = f"levels.{factor.names[position]}" if factor.names else place
        yield f"factors.{factor.name}.{place}", factor.settings(code)


def _name_problem(name: str) -> Problem:
    message = f'"{name}" cannot name a factor; expected letters, digits and underscores'
    return Problem(f"factors.{name}", "name", f"{message}, and no name of a result column")


def same_columns(factors: Iterable[Factor]) -> Iterator[Problem]:
    """Factors that are called as another column, whatever the case of their letters.

    Case tells no columns apart in SQL.
    """
    taken = {name.lower() for name in (*_RESERVED, *_OF_TABLES, *registry)}
    columns: dict[str, Factor] = {}
    for factor in factors:
        name = factor.name
        if name.lower() in taken and name not in (*_RESERVED, *registry):
            yield _name_problem(name)
        for column in (name, f"{name}_level"):
            owner = columns.setdefault(column.lower(), factor)
            if owner is not factor:
                message = f'expected another name: "{column}" is a column of "{owner.name}" already'
                yield Problem(f"factors.{name}", "name", message)


def _shared_paths(factors: Iterable[Factor]) -> list[Problem]:
    owners: dict[str, list[str]] = {}
    inside: dict[str, list[str]] = {}
    replaced = []
    for factor in factors:
        for path in factor.paths:
            replaced += [
                Problem(
                    f"factors.{factor.name}.path",
                    "shared_path",
                    f"{path} is set after {it} of {owners[it][0]}, which it replaces; "
                    f"put {owners[it][0]} after {factor.name}",
                )
                for it in inside.get(path, ())
            ]
            if path not in owners:
                for end in re.finditer(r"[.\[]", path):
                    inside.setdefault(path[: end.start()], []).append(path)
            owners.setdefault(path, []).append(factor.name)
    shared = [
        Problem(
            f"factors.{names[-1]}.path",
            "shared_path",
            f"{path} is set by {names[0]} already; two factors cannot move the same place",
        )
        for path, names in owners.items()
        if len(names) > 1
    ]
    return shared + replaced


def read_alternatives(
    tables: object, scenario: Scenario | None, problems: list[Problem]
) -> dict[str, Alternative]:
    """The alternatives that can be read, by place; what does not fit the scenario in `problems`."""
    alternatives: dict[str, Alternative] = {}
    for position, table in enumerate(tables if isinstance(tables, list) else ()):
        loc = f"alternatives[{position}]"
        try:
            alternatives[loc] = alternative = Alternative.model_validate(table)
        except ValidationError:
            continue
        if scenario is not None:
            problems += replace_problems(scenario, alternative.before_names(), f"{loc}.set")
            if alternative.names and scenario.kind != "internet":
                message = f"a scenario of kind {scenario.kind} has no shares of algorithms to name"
                problems.append(Problem(f"{loc}.names", "conflict", message))
    labels = Counter(alternative.label for alternative in alternatives.values())
    problems += [
        Problem("alternatives", "duplicate", f'there are {n} alternatives labelled "{label}"')
        for label, n in labels.items()
        if n > 1
    ]
    return alternatives


def read_responses(ids: object, problems: list[Problem]) -> tuple[str, ...]:
    """The responses kept of every run; all without a list, and always the measure of congestion."""
    if ids is None:
        return tuple(registry)
    kept: list[str] = []
    for position, response_id in enumerate(ids if isinstance(ids, list) else []):
        if not isinstance(response_id, str):
            continue
        try:
            lookup(response_id)
        except InputError as error:
            loc = f"responses[{position}]"
            problems += [problem._replace(loc=loc) for problem in error.problems]
        kept.append(response_id)
    problems += repeated(kept, "responses")
    return tuple(dict.fromkeys([*kept, CONGESTION]))


def repeated(names: Sequence[str], loc: str) -> Iterator[Problem]:
    """Entries of a list that are there before."""
    for position, name in enumerate(names):
        if name in names[:position]:
            yield Problem(f"{loc}[{position}]", "duplicate", f'"{name}" is there already')


def spread_problems(spread: Spread, scenario: Scenario) -> list[Problem]:
    """Reasons why replicates of a scenario cannot differ so."""
    if scenario.kind == "internet":
        message = f"a scenario of kind {scenario.kind} draws its round-trip times and starts itself"
        return [Problem("spread", "conflict", message)]
    if spread.start >= scenario.duration:
        message = f"expected less than the duration, got {format_time(spread.start)}"
        return [Problem("spread.start", "too_large", message)]
    return []


def table_problems(table: PlanTable, responses: Sequence[str], *, conditions: int) -> list[Problem]:
    """Problems between parts of a plan that are valid alone."""
    problems = []
    names = {f"analysis.responses[{i}]": name for i, name in enumerate(table.analysis.responses)}
    for loc, name in names.items():
        if name not in responses:
            hint = did_you_mean(name, responses)
            problems.append(Problem(loc, "unknown_response", f'"{name}" is not in responses{hint}'))
    problems += repeated(table.analysis.responses, "analysis.responses")
    problems += repeated(table.report.sections, "report.sections")
    labels = [alternative.label for alternative in table.alternatives]
    replicates = table.stopping.max_replicates if table.stopping else table.replicates
    seeds = replicates * (conditions if table.seed_per == "condition" else 1)
    if table.seed + seeds - 1 > MAX_SEED:
        what = "replicates times conditions" if table.seed_per == "condition" else "replicates"
        message = f"expected seed + {what} of at most {MAX_SEED + 1}"
        problems.append(Problem("seed", "too_large", message))
    runs = conditions * max(len(labels), 1) * table.replicates
    if runs > MAX_RUNS:
        message = f"{conditions} conditions, {max(len(labels), 1)} alternatives and this many make "
        message += f"{runs} runs; expected at most {MAX_RUNS}"
        problems.append(Problem("replicates", "too_many", message))
    return problems


def section_problems(names: Sequence[str]) -> Iterator[Problem]:
    """Identifiers that no section of a report has."""
    known = [section.identifier for section in SECTIONS]
    for place, name in enumerate(names):
        yield from unknown(f"report.sections[{place}]", "unknown_section", name, known)


def analysis_problems(
    table: PlanTable, responses: Sequence[str], factors: Sequence[str]
) -> list[Problem]:
    """Problems with the options of analyses, with their places in the plan."""
    columns = ("run", "condition", "alternative", "replicate", "seed", "packets", *factors)
    levels = (f"{name}_level" for name in factors)
    labels = [alternative.label for alternative in table.alternatives] or ["base"]
    campaign = Known(labels, responses, (*columns, *levels, *responses))
    return option_problems(table.analysis.kinds(), plan=campaign, prefix="analysis")
