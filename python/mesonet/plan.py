"""Plans: a base scenario, the factors varied over it, a design, alternatives and replicates.

A plan file is TOML; `docs/reference/plan-file.md` describes it. Reading one finds all its problems
at once, those of the base scenario and of every level included.
"""

from __future__ import annotations

import hashlib
import json
import math
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mesonet.controller import fingerprint
from mesonet.design import Design, Factor, fractional_factorial, full_factorial
from mesonet.errors import (
    InputError,
    PlanError,
    Problem,
    ScenarioError,
    did_you_mean,
    from_pydantic,
    join,
    show,
)
from mesonet.internet import Internet
from mesonet.responses import lookup, registry
from mesonet.scenario import Scenario, load_scenario, scenario_from_dict
from mesonet.scenario_toml import to_toml
from mesonet.simulate import check, result_version
from mesonet.topology import BUILT_IN

MAX_RUNS = 1_000_000
"""Most runs of one plan."""
MAX_SEED = 2**63 - 1
"""Largest seed of any replicate."""
CONGESTION = "loss_rate"
"""Response by which conditions are ordered unless a plan names another."""


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FactorTable(_Table):
    """One factor of a plan file."""

    path: str | list[str]
    low: Any
    high: Any
    symbol: str = ""
    label: str = ""


class DesignTable(_Table):
    """The design of a plan file."""

    kind: Literal["full_factorial", "fractional_factorial"] = "full_factorial"
    generators: dict[str, str | list[str]] = Field(default_factory=dict)


class Alternative(_Table):
    """One of the things compared: what it sets in the scenario, by path."""

    label: str = Field(min_length=1)
    set: dict[str, Any] = Field(default_factory=dict)


class Analysis(_Table):
    """Which analyses to make: a table of options for each, named as in `mesonet.analysis`."""

    responses: tuple[str, ...] = ()
    """Responses to analyse; all of the plan when empty."""
    describe: dict[str, Any] | None = None
    congestion: dict[str, Any] | None = None
    main_effects: dict[str, Any] | None = None
    significance: dict[str, Any] | None = None
    interactions: dict[str, Any] | None = None
    term_effects: dict[str, Any] | None = None
    correlations: dict[str, Any] | None = None
    response_clusters: dict[str, Any] | None = None
    principal_components: dict[str, Any] | None = None
    algorithm_clusters: dict[str, Any] | None = None
    condition_response: dict[str, Any] | None = None
    condition_summary: dict[str, Any] | None = None
    rank_matrix: dict[str, Any] | None = None
    paired_differences: dict[str, Any] | None = None
    flow_comparison: dict[str, Any] | None = None
    harm: dict[str, Any] | None = None
    impact: dict[str, Any] | None = None

    def kinds(self) -> dict[str, dict[str, Any]]:
        """Options of the analyses that are asked for, by name; empty if none is named."""
        return {
            name: options
            for name in type(self).model_fields
            if name != "responses" and (options := getattr(self, name)) is not None
        }

    @property
    def congestion_response(self) -> str:
        """The response by which conditions are ordered."""
        return str((self.congestion or {}).get("response", CONGESTION))


class ReportTable(_Table):
    """What the report shows beyond the analyses."""

    notes: tuple[str, ...] = ()
    """Sentences printed at its head."""


class PlanTable(_Table):
    """A plan file but for its scenario."""

    name: str = Field(min_length=1, max_length=80)
    title: str = ""
    question: str = ""
    factors: dict[str, FactorTable] = Field(default_factory=dict)
    design: DesignTable = DesignTable()
    alternatives: list[Alternative] = Field(default_factory=list)
    replicates: int = Field(default=1, ge=1, le=MAX_RUNS)
    seed: int = Field(default=1, ge=0, le=MAX_SEED)
    responses: list[str] | None = None
    analysis: Analysis = Analysis()
    report: ReportTable = ReportTable()


@dataclass(frozen=True)
class RunSpec:
    """One run of a plan: where it stands in the design, and everything needed to simulate it."""

    id: str
    condition: int
    alternative: str
    replicate: int
    seed: int
    scenario: Scenario
    cost: float
    """Packets it is expected to send; for ordering runs and estimating time."""


@dataclass(frozen=True)
class Plan:
    """A checked plan; build one with `load_plan` or `plan_from_dict`."""

    name: str
    title: str
    question: str
    scenario: Scenario
    factors: tuple[Factor, ...]
    design: Design | None
    """None for a plan without factors, which has one condition."""
    alternatives: tuple[Alternative, ...]
    replicates: int
    seed: int
    responses: tuple[str, ...]
    analysis: Analysis = field(default_factory=Analysis)
    report: ReportTable = field(default_factory=ReportTable)
    _table: PlanTable | None = field(default=None, repr=False, compare=False)

    @property
    def conditions(self) -> int:
        """Number of conditions."""
        return self.design.runs if self.design else 1

    @property
    def seeds(self) -> tuple[int, ...]:
        """One seed per replicate, common to all conditions and alternatives."""
        return tuple(self.seed + number for number in range(self.replicates))

    def coded(self, condition: int) -> dict[str, int]:
        """Level (-1 or +1) of each factor in a condition, counted from 1."""
        if self.design is None:
            return {}
        row = self.design.matrix.row(condition - 1, named=True)
        return {factor.name: int(row[factor.name]) for factor in self.factors}

    def scenario_of(self, condition: int, alternative: Alternative) -> Scenario:
        """The scenario of one cell; what the alternative sets wins over the factors.

        Raises:
            ScenarioError: the combination cannot be simulated, though each part can.
        """
        changes: dict[str, object] = {}
        coded = self.coded(condition)
        for factor in self.factors:
            changes |= factor.settings(coded[factor.name])
        return self.scenario.replace(changes | alternative.set)

    def runs(self) -> list[RunSpec]:
        """All runs, by condition, alternative and replicate; nothing is simulated.

        Two cells that are the same scenario with the same seed have the same id.

        Raises:
            PlanError: a combination of levels and alternative cannot be simulated; all of them,
            with their places.
        """
        version = result_version()
        runs: list[RunSpec] = []
        problems: dict[Problem, list[str]] = {}
        for condition in range(1, self.conditions + 1):
            for alternative in self.alternatives:
                try:
                    scenario = self.scenario_of(condition, alternative)
                    spec = check(scenario)
                except InputError as error:
                    where = f"condition {condition}, {alternative.label}"
                    for problem in error.problems:
                        problems.setdefault(problem, []).append(where)
                    continue
                digest = hashlib.sha256(json.dumps(spec, sort_keys=True).encode())
                digest.update(fingerprint(spec["algorithms"]).encode())
                cost = expected_packets(spec)
                for replicate, seed in enumerate(self.seeds, start=1):
                    run_id = _run_id(digest, seed, version)
                    runs.append(
                        RunSpec(
                            run_id, condition, alternative.label, replicate, seed, scenario, cost
                        )
                    )
        if problems:
            raise PlanError(_grouped(problems))
        return runs

    def to_dict(self) -> dict[str, Any]:
        """Plain data that `plan_from_dict` reads back, with the scenario inline."""
        table = self._table.model_dump(mode="json", exclude_none=True) if self._table else {}
        return {**table, "responses": list(self.responses), "scenario": self.scenario.to_dict()}

    def to_toml(self) -> str:
        """The plan as the text of a plan file, with the scenario inline."""
        return to_toml(self.to_dict())


def _run_id(scenario: Any, seed: int, version: str) -> str:
    digest = scenario.copy()
    digest.update(f"\n{seed}\n{version}".encode())
    return str(digest.hexdigest()[:16])


def _grouped(problems: Mapping[Problem, Sequence[str]]) -> list[Problem]:
    """One problem per cause, named by the first run that has it."""
    grouped = []
    for (loc, kind, message), places in problems.items():
        others = f" (and in {len(places) - 1} other cells)" if len(places) > 1 else ""
        where = f"{loc}: " if loc else ""
        grouped.append(Problem(places[0], kind, f"{where}{message}{others}"))
    return grouped


def expected_packets(spec: Mapping[str, Any]) -> float:
    """Packets a resolved scenario is expected to send: what is offered, up to what fits.

    An estimate for ordering runs and for the time they take, nothing else.
    """
    packet = spec["packet"]
    packet_bits: float = 8.0 * (packet["smss"] + packet["header"])
    sites, duration = spec["sites"], float(spec["duration"])

    def speed(station: int) -> float:
        rate = spec["stations"][station]["rate"]
        if "packets_per_second" in rate:
            return float(rate["packets_per_second"])
        return float(rate["bits_per_second"]) / packet_bits

    def capacity(entries: Iterable[int]) -> float:
        return sum(speed(station) for station in set(entries))

    packets = 0.0
    if population := spec.get("population"):
        files = population["files"]
        shares = zip(files["probability"], files["factor"], strict=True)
        size = files["mean"] * (1 + sum(share * (factor - 1) for share, factor in shares))
        sources = sum(site["sources"] for site in sites)
        # A transfer takes some round trips besides the thinking; half a second is typical here.
        offered = sources * size / (population["think_mean"] + 0.5)
        # Every packet crosses two access routers.
        fits = capacity(site["station"] for site in sites) / 2
        packets += min(offered, fits) * duration
    if flows := spec.get("flows"):
        unlimited = capacity(sites[flow["source"]]["station"] for flow in flows) * duration
        sizes = (math.inf if flow["size"] is None else flow["size"] for flow in flows)
        packets += min(sum(sizes), unlimited)
    return float(max(packets, 1.0))


def load_plan(path: str | Path) -> Plan:
    """Reads a plan file.

    Raises:
        PlanError: the file is missing or no TOML, or the plan has problems; all of them, with their
        places.
    """
    file = Path(path)
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        problem = Problem(str(path), "missing_file", f"cannot be read: {error.strerror or error}")
        raise PlanError([problem]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PlanError([Problem(str(path), "bad_file", f"is not a TOML file: {error}")]) from None
    return plan_from_dict(data, folder=file.parent)


def plan_from_dict(data: Mapping[str, Any], *, folder: Path | None = None) -> Plan:
    """Builds a plan from the content of a plan file.

    Args:
        data: as in the file; `scenario` may be a path, a table or a `Scenario`.
        folder: where a relative path of the scenario starts; the working directory by default.

    Raises:
        PlanError: every problem, with its place.
    """
    data = dict(data)
    problems: list[Problem] = []
    scenario = _scenario(data.pop("scenario", None), folder or Path(), problems)
    table: PlanTable | None = None
    try:
        table = PlanTable.model_validate(data)
    except ValidationError as error:
        problems += from_pydantic(error, PlanError).problems
    factors = _factors(data.get("factors"), problems)
    _check_levels(scenario, factors, problems)
    alternatives = _alternatives(data.get("alternatives"), problems)
    if scenario is not None:
        for position, alternative in enumerate(alternatives):
            loc = f"alternatives[{position}].set"
            problems += _replace_problems(scenario, alternative.set, loc)
    design = _design(factors, table.design, problems) if table else None
    responses = _responses(data.get("responses"), problems)
    if table:
        problems += _table_problems(table, responses)
    if problems or table is None or scenario is None:
        raise PlanError(dict.fromkeys(problems))
    return Plan(
        name=table.name,
        title=table.title or table.name,
        question=table.question,
        scenario=scenario,
        factors=factors,
        design=design,
        alternatives=tuple(alternatives) or (Alternative(label="base"),),
        replicates=table.replicates,
        seed=table.seed,
        responses=responses,
        analysis=table.analysis,
        report=table.report,
        _table=table,
    )


def _scenario(value: object, folder: Path, problems: list[Problem]) -> Scenario | None:
    """The base scenario from a path, a table or itself; files it names by their full paths."""
    scenario = _read_scenario(value, folder, problems)
    if isinstance(scenario, Internet) and scenario.topology not in BUILT_IN:
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
            return scenario_from_dict(dict(value))
        elif isinstance(value, Scenario):
            return value
        else:
            message = f"expected the path of a scenario file, or a table, got {show(value)}"
            problems.append(Problem("scenario", "type", message))
    except ScenarioError as error:
        problems += [
            problem._replace(loc=join("scenario", problem.loc)) for problem in error.problems
        ]
    return None


def _factors(tables: object, problems: list[Problem]) -> tuple[Factor, ...]:
    """The factors that can be read; those that cannot are in the problems already."""
    factors = []
    for name, table in tables.items() if isinstance(tables, Mapping) else ():
        loc = f"factors.{name}"
        try:
            parsed = FactorTable.model_validate(table)
        except ValidationError:
            continue
        if not name.isidentifier() or name in _RESERVED or name in registry:
            message = f'"{name}" cannot name a factor; expected letters, digits and underscores'
            problems.append(Problem(loc, "name", f"{message}, and no name of a result column"))
        paths = (parsed.path,) if isinstance(parsed.path, str) else tuple(parsed.path)
        factor = Factor(name, paths, parsed.low, parsed.high, parsed.symbol, parsed.label or name)
        if len(paths) != 1:
            wrong = [
                level
                for level in ("low", "high")
                if not isinstance(getattr(parsed, level), list)
                or len(getattr(parsed, level)) != len(paths)
            ]
            for level in wrong:
                message = f"expected a list of {len(paths)} values, one for each path"
                problems.append(Problem(f"{loc}.{level}", "levels", message))
            if wrong:
                continue
        if parsed.low == parsed.high:
            message = f"low and high are both {show(parsed.low)}; expected two different levels"
            problems.append(Problem(loc, "levels", message))
        factors.append(factor)
    return tuple(factors)


_RESERVED = ("run", "condition", "alternative", "replicate", "seed", "packets", "wall_seconds")


def _check_levels(
    scenario: Scenario | None, factors: Iterable[Factor], problems: list[Problem]
) -> None:
    if scenario is None:
        return
    for factor in factors:
        for level, coded in (("low", -1), ("high", 1)):
            loc = f"factors.{factor.name}.{level}"
            problems += _replace_problems(scenario, factor.settings(coded), loc)


def _replace_problems(scenario: Scenario, changes: Mapping[str, object], loc: str) -> list[Problem]:
    try:
        scenario.replace(dict(changes))
    except ScenarioError as error:
        return [
            Problem(
                loc,
                problem.kind,
                f"{problem.loc}: {problem.message}" if problem.loc else problem.message,
            )
            for problem in error.problems
        ]
    return []


def _alternatives(tables: object, problems: list[Problem]) -> list[Alternative]:
    alternatives = []
    for table in tables if isinstance(tables, list) else ():
        try:
            alternatives.append(Alternative.model_validate(table))
        except ValidationError:
            continue
    labels = Counter(alternative.label for alternative in alternatives)
    problems += [
        Problem("alternatives", "duplicate", f'there are {n} alternatives labelled "{label}"')
        for label, n in labels.items()
        if n > 1
    ]
    return alternatives


def _design(
    factors: Sequence[Factor], table: DesignTable, problems: list[Problem]
) -> Design | None:
    names = [factor.name for factor in factors]
    if table.kind == "full_factorial" and table.generators:
        message = 'a full factorial has no generators; expected kind = "fractional_factorial"'
        problems.append(Problem("design.generators", "conflict", message))
        return None
    if table.kind == "fractional_factorial" and not table.generators:
        message = "missing; a fractional factorial needs at least one generator"
        problems.append(Problem("design.generators", "missing", message))
        return None
    if not names and not table.generators:
        return None
    try:
        if table.kind == "full_factorial":
            return full_factorial(names)
        return fractional_factorial(names, table.generators)
    except PlanError as error:
        problems += error.problems
    return None


def _responses(ids: object, problems: list[Problem]) -> tuple[str, ...]:
    """The responses kept of every run; all without a list, and always the measure of congestion."""
    if ids is None:
        return tuple(registry)
    kept: list[str] = []
    for position, response_id in enumerate(ids if isinstance(ids, list) else []):
        if not isinstance(response_id, str):
            continue
        problems += _response_problems(response_id, f"responses[{position}]")
        kept.append(response_id)
    return tuple(dict.fromkeys([*kept, CONGESTION]))


def _response_problems(response_id: str, loc: str) -> list[Problem]:
    try:
        lookup(response_id)
    except InputError as error:
        return [problem._replace(loc=loc) for problem in error.problems]
    return []


def _table_problems(table: PlanTable, responses: Sequence[str]) -> list[Problem]:
    problems = []
    wanted = {f"analysis.responses[{i}]": name for i, name in enumerate(table.analysis.responses)}
    if table.analysis.congestion and "response" in table.analysis.congestion:
        wanted["analysis.congestion.response"] = table.analysis.congestion_response
    for loc, name in wanted.items():
        if name not in responses:
            hint = did_you_mean(name, responses)
            problems.append(Problem(loc, "unknown_response", f'"{name}" is not in responses{hint}'))
    labels = [alternative.label for alternative in table.alternatives]
    baseline = (table.analysis.paired_differences or {}).get("baseline")
    if baseline is not None and baseline not in labels:
        message = f"expected the label of an alternative, got {show(baseline)}"
        hint = did_you_mean(baseline, labels)
        problems.append(
            Problem("analysis.paired_differences.baseline", "unknown_label", message + hint)
        )
    if table.seed + table.replicates - 1 > MAX_SEED:
        message = f"expected seed + replicates of at most {MAX_SEED + 1}"
        problems.append(Problem("seed", "too_large", message))
    return problems
