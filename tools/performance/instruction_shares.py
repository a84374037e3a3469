"""Share of controllers and of measurement in the cost of a run, by counts of instructions.

    python tools/performance/instruction_shares.py

Two ways, both by callgrind (instruction_counts.py). Shares: instructions of controllers, and
of lines that measure, with all that they call. Differences: the same run with something recorded
and without it. Prints JSON.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from instruction_counts import ROOT, RUNS, WORLDS, Standard, count

COUNTING = re.compile(r"\b(counters|totals)\.|\b(class_acked|thinking)\b")
"""Lines of the simulator that record measurements; the run would be the same without."""
MEASURING = re.compile(r"crates/sim/src/(measure/\w+|region/(recorder|sample|trace))\.rs$")
NAME = re.compile(r"\((\d+)\)(?: (.*))?")
SECONDS = 0.2


class LineCost(NamedTuple):
    """Instructions of a line, or of what it calls."""

    function: str
    file: str
    line: int
    callee: str | None
    instructions: int


def costs(profile: Path) -> Iterator[LineCost]:
    """The lines of a profile of callgrind.

    Format: <https://valgrind.org/docs/manual/cl-format.html>
    """
    names: dict[str, dict[str, str]] = {"file": {}, "function": {}}

    def name(kind: str, text: str) -> str:
        match = NAME.fullmatch(text)
        if match is None:
            return text
        number, written = match.groups()
        if written is not None:
            names[kind][number] = written
        return names[kind][number]

    file = function = ""
    callee: str | None = None
    line = 0
    calls = False
    for text in profile.read_text("utf-8").splitlines():
        key, equals, value = text.partition("=")
        if equals and key in ("fl", "fi", "fe"):
            file = name("file", value)
        elif equals and key == "fn":
            function = name("function", value)
        elif equals and key in ("cfi", "cfl"):
            name("file", value)
        elif equals and key == "cfn":
            callee = name("function", value)
        elif equals and key == "calls":
            calls = True
        elif text[:1].isdigit() or text[:1] in ("+", "-", "*"):
            place, cost = text.split()
            if place[0] in "+-":
                line += int(place)
            elif place != "*":
                line = int(place)
            yield LineCost(function, file, line, callee if calls else None, int(cost))
            calls, callee = False, None


@cache
def source(file: str) -> list[str]:
    """Lines of a file of the repository; none where it is not there."""
    at = file.find("crates/")
    path = ROOT / file[at:]
    return path.read_text("utf-8").splitlines() if at >= 0 and path.is_file() else []


def controls(function: str, file: str, _line: int) -> bool:
    """Tests whether a function belongs to a controller, or makes one."""
    return "congestion::" in function or "crates/congestion/" in file


def measures(_function: str, file: str, line: int) -> bool:
    """Tests whether a line records measurements."""
    if MEASURING.search(file):
        return True
    lines = source(file) if "crates/sim/src/" in file else []
    return 0 < line <= len(lines) and COUNTING.search(lines[line - 1]) is not None


def sends(function: str, file: str, _line: int) -> bool:
    """Tests whether a function belongs to the TCP sender, which calls the controllers."""
    return any(
        f"sim::tcp::{part}::" in function or f"crates/sim/src/tcp/{part}" in file
        for part in ("sender", "loss", "recovery")
    )


def share(profile: list[LineCost], belongs: Callable[[str, str, int], bool]) -> float:
    """Part of all instructions that belong, with what they call."""
    inside = 0
    total = 0
    for cost in profile:
        if cost.callee is None:
            total += cost.instructions
        # What is called and belongs itself is counted there.
        if belongs(cost.function, cost.file, cost.line) and not (
            cost.callee is not None and belongs(cost.callee, "", 0)
        ):
            inside += cost.instructions
    return inside / total


def one_region(record: str | None) -> Callable[[dict[str, Any]], None]:
    """Heavy congestion in a single region, which traces need, and a named flow."""

    def change(spec: dict[str, Any]) -> None:
        spec["regions"] = 1
        spec["population"]["receivers_in_other_regions"] = False
        for station in spec["stations"]:
            station["region"] = 0
        ends = [here for here, site in enumerate(spec["sites"]) if site["sources"]][:2]
        flow = {
            "name": "chosen",
            "source": ends[0],
            "receiver": ends[1],
            "algorithm": 0,
            "interface": 0,
            "start": 0.0,
            "size": 1000,
        }
        spec["flows"] = [] if record is None else [flow]
        spec["measure"]["segments"] = record == "segments"

    return change


def measured(**entries: Any) -> Callable[[dict[str, Any]], None]:
    """Heavy congestion with other entries of the table that says what is recorded."""
    return lambda spec: spec["measure"].update(entries)


DIFFERENCES = {
    "a sample every 200 ms": measured(stations=[]),
    "a sample every 10 ms": measured(stations=[], interval=0.01),
    "and the queues of all stations": None,
    "and every transfer": measured(stations=[], transfers=True),
    "one region": one_region(None),
    "one region and a named flow": one_region("series"),
    "one region, a named flow and its segments": one_region("segments"),
}


def difference(change: Callable[[dict[str, Any]], None] | None) -> dict[str, Any]:
    """Counts of heavy congestion with a change; None watches all queues."""
    spec = json.loads((WORLDS / "internet-1b-heavy.json").read_text("utf-8"))
    (change or measured(stations=list(range(len(spec["stations"])))))(spec)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "world.json")
        path.write_text(json.dumps(spec), "utf-8")
        command = [*Standard("", SECONDS).command(Path(folder))]
        command[1] = str(path)
        return count(command, Path(folder, "callgrind.out"))


def shares(standard: Standard) -> dict[str, float]:
    """Parts of a standard run."""
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder, "callgrind.out")
        count(standard.command(Path(folder)), profile)
        lines = list(costs(profile))
    return {
        "controllers": share(lines, controls),
        "sending end, controllers included": share(lines, sends),
        "measurement": share(lines, measures),
    }


def main() -> None:
    """Prints shares and counts."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = pool.map(shares, RUNS.values())
        counts = pool.map(difference, DIFFERENCES.values())
        document = {
            "shares": dict(zip(RUNS, parts, strict=True)),
            "counts": dict(zip(DIFFERENCES, counts, strict=True)),
        }
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
