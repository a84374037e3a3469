"""Everything that is measured about speed, as one JSON document: `make bench`.

`python tools/performance/bench.py FILE` expects that `cargo bench` has run and that mesonet-bench
is built. It collects criterion's estimates, makes the whole runs, each in a process of its own,
counts instructions (instruction_counts.py), writes FILE and prints it. Exit status 1 where a count
has moved.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from instruction_counts import ACKS_CHARGED, ROOT, Standard, check, report

CRITERION = ROOT / "target" / "criterion"
WHOLE_RUNS = (
    Standard("internet-1b-moderate", 20.0),
    Standard("internet-1b-heavy", 20.0),
    Standard("internet-1b-heavy", 8.0, ACKS_CHARGED),
    Standard("internet-1b-heavy", 8.0),
    Standard("internet-1b-heavy", 8.0, threads=2),
    Standard("internet-1a", 1.0),
    Standard("dumbbell-mixed", 20.0),
)
"""Whole runs; heavy congestion for 8 s on one and on two threads gives their ratio."""


def estimates(folder: Path) -> list[dict[str, Any]]:
    """Latest estimates of criterion: time of an iteration and of an element [ns]."""
    rows = []
    for path in sorted(folder.glob("**/new/estimates.json")):
        bench = json.loads((path.parent / "benchmark.json").read_text("utf-8"))
        estimate = json.loads(path.read_text("utf-8"))
        elements = (bench.get("throughput") or {}).get("Elements", 1)
        interval = estimate["median"]["confidence_interval"]
        rows.append(
            {
                "bench": bench["full_id"],
                "elements": elements,
                "ns_per_element": estimate["median"]["point_estimate"] / elements,
                "low": interval["lower_bound"] / elements,
                "high": interval["upper_bound"] / elements,
            }
        )
    return rows


def whole_runs() -> list[dict[str, Any]]:
    """One row per run, one run after the other."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = (
            subprocess.run(run.command(Path(folder)), check=True, capture_output=True)
            for run in WHOLE_RUNS
        )
        return [json.loads(output.stdout)[0] for output in outputs]


def machine() -> dict[str, Any]:
    """Description of the machine."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": names[0] if names else platform.processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "system": f"{platform.system()} {platform.machine()}",
    }


def main(arguments: list[str]) -> int:
    """The exit status."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    document: dict[str, Any] = {"machine": machine()}
    document["parts"] = estimates(CRITERION)
    document["runs"] = whole_runs()
    document["instructions"], comparison = check()
    document["instructions_moved"] = comparison.failures
    text = json.dumps(document, indent=1)
    Path(arguments[0]).write_text(text + "\n", "utf-8")
    print(text)
    return report(comparison)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
