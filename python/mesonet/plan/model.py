"""A checked plan, and the runs it stands for."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w

from mesonet.checked import CheckedScenario, checked
from mesonet.controller import fingerprint
from mesonet.design import Design, Factor
from mesonet.errors import InputError, PlanError, Problem
from mesonet.plan.cost import Expected, expected
from mesonet.plan.designs import frozen
from mesonet.plan.paths import cause
from mesonet.plan.spread import Spread
from mesonet.plan.stopping import Stopping
from mesonet.plan.tables import (
    MAX_RUNS,
    Alternative,
    Analysis,
    PlanTable,
    ReportTable,
    SeedPer,
)
from mesonet.scenario.toml import lines_in
from mesonet.showing import Shown
from mesonet.tables import result_version

if TYPE_CHECKING:
    from mesonet.scenario import Scenario


@dataclass(frozen=True)
class RunSpec:
    """One run of a plan: where it stands in the design, and everything needed to simulate it."""

    id: str
    condition: int
    alternative: str
    replicate: int
    seed: int
    scenario: Scenario
    expected: Expected
    """Expected packets and events."""

    @property
    def cost(self) -> float:
        """Expected packets; for ordering runs and estimating time."""
        return self.expected.packets


@dataclass(frozen=True)
class Plan(Shown):
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
    seed_per: SeedPer = "replicate"
    """Unit that has a seed of its own: a replicate, or each condition of a replicate."""
    spread: Spread | None = None
    """Differences between replicates beside their seeds; None for none."""
    stopping: Stopping | None = None
    """Rule for further replicates; None for a fixed number, `replicates`."""
    analysis: Analysis = field(default_factory=Analysis)
    report: ReportTable = field(default_factory=ReportTable)
    _table: PlanTable | None = field(default=None, repr=False, compare=False)
    _file: Path | None = field(default=None, repr=False, compare=False)

    def plot(self) -> Any:
        """The conditions as an Altair chart; `None` for a plan without a design."""
        from mesonet.figures.design import plan_chart

        return plan_chart(self)

    def said(self) -> tuple[str, ...]:
        """Question and size, above the picture of the design."""
        runs = self.conditions * len(self.alternatives) * self.replicates
        labels = ", ".join(alternative.label for alternative in self.alternatives)
        question = (self.question,) if self.question else ()
        return (*question, f"{self.conditions} conditions, {runs} runs: {labels}.")

    @property
    def conditions(self) -> int:
        """Number of conditions."""
        return self.design.runs if self.design else 1

    @property
    def seeds(self) -> tuple[int, ...]:
        """All seeds, which follow one another; `seed_of` tells whose they are."""
        count = self.replicates * (self.conditions if self.seed_per == "condition" else 1)
        return tuple(range(self.seed, self.seed + count))

    def seed_of(self, condition: int, replicate: int) -> int:
        """Seed of a cell, both counted from 1; more replicates leave it as it is."""
        if self.seed_per == "condition":
            return self.seed + (replicate - 1) * self.conditions + condition - 1
        return self.seed + replicate - 1

    def with_replicates(self, replicates: int) -> Plan:
        """Copies the plan with another number of replicates; runs of both have the same ids."""
        maximum = self.stopping.max_replicates if self.stopping else MAX_RUNS
        if not 1 <= replicates <= maximum:
            message = f"expected a number from 1 to {maximum}, got {replicates}"
            raise PlanError([Problem("replicates", "range", message)])
        table = self._table and self._table.model_copy(update={"replicates": replicates})
        return replace(self, replicates=replicates, _table=table)

    @cached_property
    def _coded(self) -> list[dict[str, float]]:
        if self.design is None:
            return [{}]
        return self.design.matrix.select(self.design.factors).to_dicts()

    def coded(self, condition: int) -> dict[str, float]:
        """Code of each factor's level in a condition, counted from 1.

        In a two-level design the whole numbers -1 and +1; else numbers from -1 to +1.
        """
        return dict(self._coded[condition - 1])

    def scenario_of(self, condition: int, alternative: Alternative, replicate: int = 1) -> Scenario:
        """The scenario of one cell; what the alternative sets wins over the factors."""
        return self._in_replicate(self._cell(condition, alternative), replicate)

    def _cell(self, condition: int, alternative: Alternative) -> Scenario:
        changes: dict[str, object] = {}
        coded = self._coded[condition - 1]
        for factor in self.factors:
            changes |= factor.settings(coded[factor.name])
        return in_cell(self.scenario, changes, alternative)

    def _in_replicate(self, scenario: Scenario, replicate: int) -> Scenario:
        if self.spread is None or scenario.kind == "internet":
            return scenario
        return self.spread.drawn(scenario, seed=self.seed, replicate=replicate)

    def runs(self, places: Collection[tuple[int, int]] | None = None) -> list[RunSpec]:
        """All runs, by condition, alternative and replicate; nothing is simulated.

        With `places`, conditions and replicates, those there and all of the first replicate. Two
        cells that are the same scenario with the same seed have the same id.
        """
        return list(self._runs) if places is None else self._laid_out(places)

    @cached_property
    def _runs(self) -> list[RunSpec]:
        """Laid out once: a study asks for its runs before its campaign does."""
        return self._laid_out()

    def _laid_out(self, places: Collection[tuple[int, int]] | None = None) -> list[RunSpec]:
        version = result_version()
        runs: list[RunSpec] = []
        problems: dict[Problem, list[tuple[int, Alternative]]] = {}
        loads: dict[str, Any] = {}
        for condition in range(1, self.conditions + 1):
            replicates = [
                number
                for number in range(1, self.replicates + 1)
                if number == 1 or places is None or (condition, number) in places
            ]
            differing = replicates if self.spread else [1]
            for alternative in self.alternatives:
                try:
                    cell = self._cell(condition, alternative)
                    scenarios = {it: self._in_replicate(cell, it) for it in differing}
                    accepted = {it: checked(scenario) for it, scenario in scenarios.items()}
                except InputError as error:
                    for problem in error.problems:
                        problems.setdefault(problem, []).append((condition, alternative))
                    continue
                digests = {it: _digest(scenario) for it, scenario in accepted.items()}
                # Alternatives are mostly algorithms, and the estimate knows none.
                spec = accepted[1].spec
                rest = {key: part for key, part in spec.items() if key != "algorithms"}
                if rest != loads:
                    loads, cost = rest, expected(spec)
                for replicate in replicates:
                    here = replicate if self.spread else 1
                    seed = self.seed_of(condition, replicate)
                    run_id = _run_id(digests[here], seed, version)
                    place = (condition, alternative.label, replicate, seed)
                    runs.append(RunSpec(run_id, *place, scenarios[here], cost))
        if problems:
            raise PlanError(self._grouped(problems))
        return runs

    def _grouped(
        self, problems: Mapping[Problem, Sequence[tuple[int, Alternative]]]
    ) -> Iterator[Problem]:
        """One problem per cause, named by the first run that has it."""
        line = lines_in(self._file) if self._file else lambda _: ""
        for problem, cells in problems.items():
            condition, alternative = cells[0]
            others = len(cells) - 1
            noun = "cell" if others == 1 else "cells"
            elsewhere = f" (and in {others} other {noun})" if others else ""
            message = f"{problem}{elsewhere}{line(self._cause(problem.loc, *cells[0]))}"
            yield Problem(f"condition {condition}, {alternative.label}", problem.kind, message)

    def _cause(self, loc: str, condition: int, alternative: Alternative) -> str:
        """Place in the plan that sets what is at a place of the scenario of a cell."""
        coded = self._coded[condition - 1]
        settings = {
            f"alternatives[{self.alternatives.index(alternative)}]": alternative.paths(),
            **{f"factors.{it.name}": it.settings(coded[it.name]) for it in self.factors},
        }
        return cause(loc, settings)

    def to_dict(self) -> dict[str, Any]:
        """Plain data that `plan_from_dict` reads back: scenario and drawn conditions inline."""
        table = self._table.model_dump(mode="json", exclude_none=True) if self._table else {}
        if self._table and self.design is not None and self._table.design.drawn:
            table["design"] = frozen(self.design, table["design"])
        return {**table, "responses": list(self.responses), "scenario": self.scenario.to_dict()}

    def to_toml(self) -> str:
        """The plan as the text of a plan file, with scenario and drawn conditions inline.

        What is set to `None`, for which TOML has no word, is left out.
        """
        return tomli_w.dumps(_said(self.to_dict()))


def _said(data: Any) -> Any:
    if isinstance(data, Mapping):
        return {key: _said(value) for key, value in data.items() if value is not None}
    return [_said(value) for value in data] if isinstance(data, list) else data


def in_cell(
    scenario: Scenario, changes: Mapping[str, object], alternative: Alternative
) -> Scenario:
    """A base scenario with levels of factors, by path, and what an alternative makes of it."""
    scenario = scenario.replace({**changes, **alternative.before_names()})
    if not alternative.names or scenario.kind != "internet":
        return scenario
    algorithms = _renamed(scenario.algorithms, alternative.names)
    return scenario.replace({"algorithms": algorithms} | alternative.after_names())


def _renamed(shares: Mapping[str, float], names: Mapping[str, str]) -> dict[str, float]:
    """Shares by what their names stand for; of two that become one, the sum."""
    sums: Counter[str] = Counter()
    for name, share in shares.items():
        sums[names.get(name, name)] += share  # type: ignore[assignment]
    return dict(sums)


def run_id(scenario: Scenario, seed: int) -> str:
    """The id of a run with this engine, and with what controllers and defaults are now."""
    return _run_id(_digest(checked(scenario)), seed, result_version())


def _digest(scenario: CheckedScenario) -> Any:
    digest = hashlib.sha256(scenario.text.encode())
    digest.update(fingerprint(scenario.spec["algorithms"]).encode())
    return digest


def _run_id(scenario: Any, seed: int, version: str) -> str:
    digest = scenario.copy()
    digest.update(f"\n{seed}\n{version}".encode())
    return str(digest.hexdigest()[:16])
