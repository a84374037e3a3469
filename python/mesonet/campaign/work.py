"""Execution of one run by a worker. It writes nothing: the executing process alone does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mesonet.controller import fingerprint, is_outside
from mesonet.errors import ControllerError
from mesonet.responses import compute
from mesonet.simulation import simulate
from mesonet.workers import report

if TYPE_CHECKING:
    from mesonet.run import Run
    from mesonet.scenario import Scenario


@dataclass(frozen=True)
class Work:
    """Input of a worker for one run; sent to other processes and machines."""

    run: str
    scenario: Scenario
    seed: int
    responses: tuple[str, ...]
    series: bool = False
    """True to return the time series, too."""
    controllers: str = ""
    """`controllers_of` the scenario when the campaign began."""


@dataclass(frozen=True)
class RunRecord:
    """Record of one run for the store."""

    row: dict[str, Any]
    """Run, seed, responses (NaN where undefined) and packets."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Its time series, as files by name."""


def code_in(scenario: Scenario) -> str:
    """Names of the controllers that are not built in, for people."""
    return ", ".join(name for name in scenario.algorithm_places() if is_outside(name))


def controllers_of(scenario: Scenario) -> str:
    """Identifies the content of the controllers that are not built in; empty if there are none."""
    return fingerprint({"name": name, "params": {}} for name in scenario.algorithm_places())


def execute(work: Work) -> RunRecord:
    """Simulates one run."""
    if controllers_of(work.scenario) != work.controllers:
        raise ControllerError(
            f"{code_in(work.scenario)}: not what it was when the campaign began; if it was "
            "changed, start again; on a cluster every machine needs the same"
        )
    run = simulate(work.scenario, seed=work.seed, progress=report, partial=False)
    row = row_of(work.run, run, work.responses)
    if not work.series:
        return RunRecord(row)
    return RunRecord(row, dict(sorted(run.to_files().items())))


def row_of(run_id: str, run: Run, responses: Sequence[str]) -> dict[str, Any]:
    """The row of a run in the results of a campaign."""
    values = compute(run.measurements, responses)
    numbers = {name: float(value) for name, value in values.items()}
    return {"run": run_id, "seed": run.seed, **numbers, "packets": int(run.totals["injected"])}
