"""Processor time per packet under queue disciplines, as ratios to drop-tail.

    cargo build --release -p sim --example mesonet-bench
    python tools/performance/discipline_speed.py [--pairs 8] [--seconds 60] [DISCIPLINE ...]

The world is a dumbbell of 100 Reno flows at 1 Gbit/s and 40 ms, whose ACKs travel through the
queue of the way back. A run of a discipline and one of drop-tail make a pair. They take turns in
going first, so that what else the machine does falls on both. Printed are median and quartiles of
the ratios, and where valgrind is found the ratio of instructions, which nothing disturbs.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from instruction_counts import BENCH, count

from mesonet.scenario import scenario_from_dict

BASE = "droptail"
DISCIPLINES: dict[str, Any] = {
    BASE: BASE,
    "codel": "codel",
    "pie": "pie",
    "red": "red",
    "red, adaptive": {"kind": "red", "adaptive": True},
    "fq_codel": "fq_codel",
    "dualpi2": "dualpi2",
}
RULE = "|---|---|---|---|---|"
COUNTED_SECONDS = 10.0
"""Simulated time of a run whose instructions are counted [s]."""


def world(queue: Any, seconds: float) -> dict[str, Any]:
    """Resolved scenario with this queue at both ends of the bottleneck."""
    starts = [{"algorithm": "reno", "start": f"{10 * at} ms"} for at in range(100)]
    return scenario_from_dict(
        {
            "kind": "dumbbell",
            "rate": "1 Gbit/s",
            "rtt": "40 ms",
            "buffer": "1 bdp",
            "access_rate": "10 Gbit/s",
            "interval": "200 ms",
            "duration": f"{seconds} s",
            "queue": queue,
            "flows": starts,
        }
    ).resolve()


def nanoseconds(command: list[str]) -> float:
    """Processor time per data packet of one run [ns]."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return 1e9 * seconds / float(json.loads(found.stdout)[0]["packets"])


def ratios(base: list[str], other: list[str], pairs: int) -> list[float]:
    """Ratios of pairs of runs; which one goes first changes from pair to pair."""
    found = []
    for pair in range(pairs):
        first, second = (base, other) if pair % 2 == 0 else (other, base)
        times = nanoseconds(first), nanoseconds(second)
        found.append(times[1] / times[0] if pair % 2 == 0 else times[0] / times[1])
    return found


def instructions(command: list[str], folder: Path) -> float:
    """Instructions per data packet of a short run."""
    short = [*command[:-1], f"{COUNTED_SECONDS:g}"]
    return float(count(short, folder / "callgrind.out")["per_packet"])


def main() -> None:
    """Print a row for each discipline."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("disciplines", nargs="*", metavar="DISCIPLINE", help="all unless given")
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=60.0, help="simulated time of a run")
    asked = parser.parse_args()
    names = asked.disciplines or [name for name in DISCIPLINES if name != BASE]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commands = {}
        for each in (BASE, *names):
            path = folder / f"{each}.json"
            spec = world(DISCIPLINES.get(each, each), asked.seconds)
            path.write_text(json.dumps(spec), "utf-8")
            commands[each] = [str(BENCH), str(path), "1", "1", f"{asked.seconds:g}"]
        counted = shutil.which("valgrind") is not None
        base = instructions(commands[BASE], folder) if counted else 0.0
        print("| Discipline | Time, median | Quartiles | Instructions | Load |", RULE, sep="\n")
        for each in names:
            low, middle, high = statistics.quantiles(
                ratios(commands[BASE], commands[each], asked.pairs), n=4
            )
            share = f"{instructions(commands[each], folder) / base:.2f}" if counted else ""
            times = f"{middle:.2f} | {low:.2f} to {high:.2f}"
            print(f"| `{each}` | {times} | {share} | {os.getloadavg()[0]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
