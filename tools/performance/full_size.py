"""Costs of the largest networks: full-size conditions of two experiments, a million sources.

Run `python tools/performance/full_size.py [SECONDS [NAME ...]]` in an environment with `mesonet`,
after `cargo build --release -p sim --example mesonet-bench`. It prints one JSON object for each
scenario, from a process of its own, so that `peak_resident_mb` is that of the scenario. By default,
ten seconds of all three, it takes some ten minutes of processor time.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from mesonet.plan.cost import expected
from mesonet.scenario import Scenario
from mesonet.studies import Options, find_study

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "target" / "release" / "examples" / "mesonet-bench"
ALGORITHM = "HTCP"
"""Algorithm of both experiments whose flows hold most memory."""
MILLION = 1_000_000


def sources(spec: dict[str, Any]) -> int:
    """Members of the population."""
    return sum(site["sources"] for site in spec["sites"])


def room(spec: dict[str, Any]) -> int:
    """Packets that fit into all buffers."""
    return sum((station["buffer"] or {}).get("packets", 0) for station in spec["stations"])


def largest(name: str) -> Scenario:
    """The condition of an experiment that should send most; of equals, that with most to hold."""
    (plan,) = find_study(name).prepare(Options("full")).plans.values()
    alternative = next(each for each in plan.alternatives if each.label == ALGORITHM)

    def size(scenario: Scenario) -> tuple[float, ...]:
        spec = scenario.resolve()
        return (expected(spec).packets / spec["duration"], sources(spec), room(spec))

    cells = (plan.scenario_of(here, alternative) for here in range(1, plan.conditions + 1))
    return max(cells, key=size)


def scenario_of(name: str) -> Scenario:
    """The scenario of a name; a million sources come from the condition of 1a, network and all."""
    if name != "million":
        return largest(f"nist-{name}")
    condition = largest("nist-1a")
    return condition.replace({"scale": MILLION / sources(condition.resolve())})


def main(arguments: list[str]) -> None:
    """Prints a row per scenario."""
    seconds = arguments[0] if arguments else "10"
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments[1:] or ("1a", "2c", "million"):
            path = Path(folder, f"full-size-{name}.json")
            spec = scenario_of(name).resolve()
            path.write_text(json.dumps(spec, sort_keys=True), "utf-8")
            command = [str(BENCH), str(path), "1", "1", seconds]
            rows = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            receivers = sum(site["receivers"] for site in spec["sites"])
            hosts = {"sources": sources(spec), "receivers": receivers}
            print(json.dumps(rows[0] | hosts), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
