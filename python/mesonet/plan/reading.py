"""Reading plans: from a file or plain data to a checked plan, or all that is wrong with it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from mesonet.errors import PlanError, Problem, ScenarioError, from_pydantic, join, show
from mesonet.numbers import plain
from mesonet.plan.checks import (
    analysis_problems,
    read_alternatives,
    read_factors,
    read_responses,
    same_columns,
    section_problems,
    spread_problems,
    table_problems,
)
from mesonet.plan.designs import build_design, with_stand_ins
from mesonet.plan.model import Plan
from mesonet.plan.stopping import read_stopping
from mesonet.plan.tables import Alternative, PlanTable
from mesonet.plan.variants import algorithm_problems, variant_problems
from mesonet.scenario import KINDS, load_scenario, scenario_beside
from mesonet.scenario.base import ScenarioBase
from mesonet.scenario.rate_changes import RateChange
from mesonet.scenario.toml import read_toml, with_lines
from mesonet.units import Rate, Size

if TYPE_CHECKING:
    from mesonet.scenario import Scenario

_ALGORITHMS_IN = ("factors", "alternatives", "scenario")
_NAMED = ("alternatives", "responses")
"""Parts of a plan whose entries others name."""


def load_plan(path: str | Path) -> Plan:
    """Reads a plan file."""
    file = Path(path)
    data = read_toml(file, PlanError)
    if "scenario" not in data and data.get("kind") in tuple(KINDS):
        message = (
            "is a scenario, expected a plan; `mesonet simulate` simulates a scenario, and a plan "
            f'names it: scenario = "{file.name}"'
        )
        raise PlanError([Problem(str(path), "kind", message)])
    with with_lines(file):
        return replace(_plan(data, file.parent), _file=file)


def plan_from_dict(data: Mapping[str, Any], *, folder: Path | None = None) -> Plan:
    """Builds a plan from the content of a plan file, or from a campaign's manifest.

    `scenario` may be a `Scenario`, too.

    Relative paths of the scenario and of a design's file start at `folder`.
    """
    return _plan(plain(data), folder or Path())


def _with_traces(data: Mapping[str, Any], folder: Path, problems: list[Problem]) -> dict[str, Any]:
    """The tables of a plan with the content of the traces that named levels have."""
    data = dict(data)
    factors = data.get("factors")
    if not isinstance(factors, Mapping) or "rate_trace" not in json.dumps(factors, default=str):
        return data
    from mesonet.scenario.rate_trace import with_named_traces

    data["factors"] = dict(factors)
    for name, table in factors.items():
        levels = table.get("levels") if isinstance(table, Mapping) else None
        if not isinstance(levels, Mapping) or "path" in table:
            continue
        data["factors"][name] = {**table, "levels": dict(levels)}
        for level, settings in levels.items():
            if not isinstance(settings, Mapping):
                continue
            wrong: list[Problem] = []
            data["factors"][name]["levels"][level] = with_named_traces(settings, folder, wrong)
            loc = f"factors.{name}.levels.{level}"
            problems += [it._replace(loc=join(loc, it.loc)) for it in wrong]
    return data


def _as_text(value: Any) -> Any:
    """Levels and settings as a plan's file has them; a manifest knows no infinity, either."""
    if isinstance(value, Rate | Size):
        return str(value)
    if isinstance(value, RateChange):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return {key: _as_text(it) for key, it in value.items()}
    if isinstance(value, list | tuple):
        return [_as_text(it) for it in value]
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def _plan(data: Mapping[str, Any], folder: Path) -> Plan:
    problems: list[Problem] = []
    data = _with_traces(data, folder, problems)
    data |= {key: _as_text(data[key]) for key in ("factors", "alternatives") if key in data}
    scenario = _scenario(data.pop("scenario", None), folder, problems)
    table, wrong = _tables(data, problems)
    whole_design = not any(problem.loc.startswith("design") for problem in problems)
    if table.spread is not None and scenario is not None:
        problems += spread_problems(table.spread, scenario)
    factors = read_factors(data.get("factors"), scenario, problems)
    problems += same_columns(factors)
    alternatives = read_alternatives(data.get("alternatives"), scenario, problems)
    responses = read_responses(data.get("responses"), problems)
    design = stopping = None
    factor_names = _keys(data.get("factors"))
    if whole_design and factor_names is not None:
        stand_ins = with_stand_ins(factors, factor_names)
        design = build_design(stand_ins, table.design, folder, problems)
    if wrong.isdisjoint(_NAMED):
        if table.stopping:
            stopping = read_stopping(
                table.stopping, replicates=table.replicates, kept=responses, problems=problems
            )
        conditions = design.runs if design else 1
        problems += table_problems(table, responses, conditions=conditions)
        problems += analysis_problems(table, responses, factor_names or ())
    problems += section_problems(table.report.sections)
    # Without a part that could not be read, an algorithm of it would seem to be misspelt.
    if scenario is not None and not any(it.loc.startswith(_ALGORITHMS_IN) for it in problems):
        compared = list(alternatives.values())
        problems += variant_problems(data.get("responses"), scenario, factors, compared)
    if problems:
        problems += algorithm_problems(scenario, factors, alternatives)
    if problems or scenario is None:
        raise PlanError(dict.fromkeys(problems))
    return Plan(
        name=table.name,
        title=table.title or table.name,
        question=table.question,
        scenario=scenario,
        factors=factors,
        design=design,
        alternatives=tuple(alternatives.values()) or (Alternative(label="base"),),
        # One replicate has no half-width for a rule to look at.
        replicates=max(table.replicates, 2 if stopping else 1),
        seed=table.seed,
        seed_per=table.seed_per,
        spread=table.spread,
        responses=responses,
        stopping=stopping,
        analysis=table.analysis,
        report=table.report,
        _table=table,
    )


def _tables(data: Mapping[str, Any], problems: list[Problem]) -> tuple[PlanTable, set[str]]:
    """The tables of a plan without parts that are wrong, and the names of these."""
    try:
        return PlanTable.model_validate(data), set()
    except ValidationError as error:
        problems += from_pydantic(error, PlanError, data=data).problems
        # What is wrong with a part alone must not hide what is wrong elsewhere.
        wrong = {str(it["loc"][0]) for it in error.errors()}
        rest = {key: value for key, value in data.items() if str(key) not in wrong}
        return PlanTable.model_validate({"name": "-"} | rest), wrong


def _keys(table: object) -> list[str] | None:
    """Keys of an optional table; None for something else."""
    entries = {} if table is None else table
    return [str(key) for key in entries] if isinstance(entries, Mapping) else None


def _scenario(value: object, folder: Path, problems: list[Problem]) -> Scenario | None:
    """The base scenario from a path, a table or itself; files it names by their full paths."""
    scenario = _read_scenario(value, folder, problems)
    if scenario is None or scenario.kind != "internet":
        return scenario
    from mesonet.scenario.topology import BUILT_IN

    if scenario.topology not in BUILT_IN:
        # Of a table in the plan, relative paths start at the plan; a campaign is resumed anywhere.
        start = folder if isinstance(value, Mapping) else Path()
        file = start / scenario.topology
        return scenario.replace({"topology": str(file.resolve())})
    return scenario


def _read_scenario(value: object, folder: Path, problems: list[Problem]) -> Scenario | None:
    try:
        if value is None:
            message = "missing; expected the path of a scenario file, or a table"
            problems.append(Problem("scenario", "missing", message))
        elif isinstance(value, str):
            return load_scenario(folder / value)
        elif isinstance(value, Mapping):
            return scenario_beside(folder, value)
        elif isinstance(value, ScenarioBase):
            return cast("Scenario", value)
        else:
            message = f"expected the path of a scenario file, or a table, got {show(value)}"
            problems.append(Problem("scenario", "type", message))
    except ScenarioError as error:
        for problem in error.problems:
            if isinstance(value, str) and problem.loc == str(folder / value):
                message = f"{value}: {problem.message}"
                problems.append(problem._replace(loc="scenario", message=message))
            else:
                problems.append(problem._replace(loc=join("scenario", problem.loc)))
    return None
