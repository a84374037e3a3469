"""Instructions of five standard runs, compared with those kept in the repository.

    python tools/performance/instruction_counts.py check
    python tools/performance/instruction_counts.py write "why they moved"

`check` ends with status 1 where a count has moved by more than 3 %; `write` keeps what is counted
now, with the reason. Both print the counts. Unlike seconds, they do not depend on what else
the machine does: two counts of one program are equal. They do depend on the compiler and on what
the processor offers, so where these are others than were kept, counts are compared and nothing
fails. Needs valgrind; without it, `check` says so and ends well.

Mispredicted branches stand beside the instructions, for what costs time is often not the number of
instructions but how unlike each other those next to each other are. They are those of callgrind's
simple predictor: ratios, not counts of a processor. They are kept and printed, and fail nothing.

Only `sim::run` is counted: checks, building, the run, results; not reading the file.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "target" / "release" / "examples" / "mesonet-bench"
WORLDS = ROOT / "crates" / "sim" / "benches" / "worlds"
KEPT = ROOT / "crates" / "sim" / "benches" / "instructions.json"
TOLERANCE = 0.03
COUNTED = "mesonet_bench::simulate"
"""The function that counting begins and ends with; see crates/sim/examples/mesonet-bench.rs."""


class Standard(NamedTuple):
    """A scenario of the benches, run for some simulated time."""

    world: str
    seconds: float
    changes: Mapping[str, Mapping[str, Any]] = {}
    """Entries of the scenario's tables that differ."""
    threads: int = 1

    def command(self, folder: Path) -> list[str]:
        """Command of the run; changed scenarios are written into the folder."""
        path = WORLDS / f"{self.world}.json"
        if self.changes:
            spec = json.loads(path.read_text("utf-8"))
            for table, entries in self.changes.items():
                spec[table].update(entries)
            path = folder / path.name
            path.write_text(json.dumps(spec), "utf-8")
        return [str(BENCH), str(path), "1", str(self.threads), str(self.seconds)]


ACKS_CHARGED = {"transport": {"ack_cost": True}}
"""ACKs travel through the stations."""
RUNS = {
    "1b moderate": Standard("internet-1b-moderate", 1.0),
    "1b heavy": Standard("internet-1b-heavy", 1.0),
    "1b heavy, ACKs through the routers": Standard("internet-1b-heavy", 0.4, ACKS_CHARGED),
    "1a": Standard("internet-1a", 0.2),
    "dumbbell, 25 algorithms": Standard("dumbbell-mixed", 5.0),
}


class Comparison(NamedTuple):
    """Outcome of a comparison of counts with the stored ones."""

    failures: list[str]
    notes: list[str]


def compare(kept: Mapping[str, Any], present: Mapping[str, Any]) -> Comparison:
    """Counts that have moved by more than the tolerance, and runs that only one side has.

    They are failures under the circumstances that were kept, and notes under others.
    """
    moved = []
    for name in sorted(kept["runs"].keys() | present["runs"].keys()):
        old, new = (side["runs"].get(name) for side in (kept, present))
        if old is None or new is None:
            moved.append(f"{name}: {'not kept' if old is None else 'not counted'}")
            continue
        change = new["instructions"] / old["instructions"] - 1
        if abs(change) > TOLERANCE:
            moved.append(
                f"{name}: {new['instructions']:,} instructions, kept {old['instructions']:,} "
                f"({change:+.1%}, tolerance {TOLERANCE:.0%})"
            )
    other = [
        f"{what}: {present['circumstances'].get(what)!r}, kept counts are of {value!r}"
        for what, value in kept["circumstances"].items()
        if present["circumstances"].get(what) != value
    ]
    return Comparison([], other + moved) if other else Comparison(moved, [])


def circumstances() -> dict[str, str]:
    """Circumstances that counts depend on beside the program."""
    rustc = subprocess.run(["rustc", "--version"], check=True, capture_output=True, text=True)
    try:
        flags = Path("/proc/cpuinfo").read_text("utf-8").split()
    except OSError:
        flags = []
    # valgrind offers no wider vectors than these, whatever the processor has.
    vectors = next((name for name in ("avx2", "avx", "sse4_2") if name in flags), "baseline")
    return {
        "compiler": rustc.stdout.strip(),
        "flags": os.environ.get("RUSTFLAGS", ""),
        "target": f"{platform.system()} {platform.machine()}, {vectors}",
    }


def count(command: list[str], profile: Path) -> dict[str, Any]:
    """Counts of one run of mesonet-bench; callgrind's profile is left at the path."""
    valgrind = [
        "valgrind",
        "--quiet",
        "--tool=callgrind",
        "--branch-sim=yes",
        f"--toggle-collect={COUNTED}",
        f"--callgrind-out-file={profile}",
    ]
    done = subprocess.run([*valgrind, *command], check=True, capture_output=True, text=True)
    lines = profile.read_text("utf-8").splitlines()
    events = next(line for line in lines if line.startswith("events: ")).split()[1:]
    totals = next(line for line in lines if line.startswith("totals: ")).split()[1:]
    counted = dict(zip(events, map(int, totals), strict=True))
    row = json.loads(done.stdout)[0]
    instructions = counted["Ir"]
    mispredictions = counted["Bcm"] + counted["Bim"]
    if instructions < row["events"]:
        raise SystemExit(f"error: {COUNTED} was not found: {instructions} instructions counted")
    return {
        "instructions": instructions,
        "events": row["events"],
        "per_event": round(instructions / row["events"], 1),
        "per_packet": round(instructions / row["packets"]),
        "mispredictions": mispredictions,
        "mispredictions_per_packet": round(mispredictions / row["packets"], 2),
    }


def count_standard(standard: Standard) -> dict[str, Any]:
    """Counts of a standard run."""
    with tempfile.TemporaryDirectory() as folder:
        return count(standard.command(Path(folder)), Path(folder, "callgrind.out"))


def measure() -> dict[str, Any]:
    """Counts of all standard runs, and their circumstances."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = pool.map(count_standard, RUNS.values())
        return {"circumstances": circumstances(), "runs": dict(zip(RUNS, counts, strict=True))}


def check() -> tuple[dict[str, Any] | None, Comparison]:
    """Present counts, None without valgrind, and their comparison with the stored ones."""
    if shutil.which("valgrind") is None:
        return None, Comparison([], ["valgrind not found: no instructions counted"])
    present = measure()
    return present, compare(json.loads(KEPT.read_text("utf-8")), present)


def report(comparison: Comparison) -> int:
    """Prints it; the exit status."""
    for note in comparison.notes:
        print(f"note: {note}", file=sys.stderr)
    for failure in comparison.failures:
        print(f"error: {failure}", file=sys.stderr)
    if comparison.failures:
        keep = 'python tools/performance/instruction_counts.py write "why they moved"'
        print(f"error: if they are meant to have moved: {keep}", file=sys.stderr)
    return 1 if comparison.failures else 0


def main(arguments: list[str]) -> int:
    """The exit status."""
    if arguments == ["check"]:
        present, comparison = check()
        if present is not None:
            print(json.dumps(present, indent=2))
        return report(comparison)
    if arguments[:1] == ["write"] and len(arguments) == 2 and arguments[1].strip():
        text = json.dumps({"because": arguments[1], **measure()}, indent=2)
        KEPT.write_text(text + "\n", "utf-8")
        print(text)
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
