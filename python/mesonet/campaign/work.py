"""What a worker does with one run. It touches no folder: the executing process alone writes."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mesonet.responses import compute
from mesonet.scenario import Scenario
from mesonet.simulate import simulate
from mesonet.workers import report


@dataclass(frozen=True)
class Work:
    """What a worker needs to simulate one run; travels to other processes and machines."""

    run: str
    scenario: Scenario
    seed: int
    responses: tuple[str, ...]
    series: bool = False
    """Whether the time series are wanted, too."""


@dataclass(frozen=True)
class Kept:
    """What is kept of one run."""

    row: dict[str, Any]
    """Run, seed, responses (NaN where undefined) and packets."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Its time series, as files by name."""


def execute(work: Work) -> Kept:
    """Simulates one run."""
    run = simulate(work.scenario, seed=work.seed, progress=report)
    row: dict[str, Any] = {"run": work.run, "seed": work.seed}
    row |= {name: float(value) for name, value in compute(run.measurements, work.responses).items()}
    row["packets"] = int(run.totals["injected"])
    if not work.series:
        return Kept(row)
    with tempfile.TemporaryDirectory(prefix="mesonet-") as folder:
        run.write(folder)
        files = {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}
    return Kept(row, files)
