"""Benches: many small laboratories, each measured in a process of its own, into a folder.

A folder holds one JSON file per run, named after the run and a hash of everything that determines
it. The same command resumes what was stopped, and changed scenarios never meet old numbers.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesonet.controller import fingerprint
from mesonet.dumbbell import Dumbbell
from mesonet.errors import CampaignError
from mesonet.simulate import Run, check, result_version, simulate
from mesonet.workers import Listener, Outcome, Progress, Task, execute_all

Measure = Callable[[Run], dict[str, Any]]
"""Numbers and lists of a run that JSON can hold; a function of a module, so that other processes
find it."""


@dataclass(frozen=True)
class Item:
    """One run of a bench."""

    name: str
    """Unique in the bench, fit for a file's name."""
    scenario: Dumbbell
    """What is simulated."""
    measure: Measure
    """What is kept of it."""
    edition: int = 1
    """Of `measure`; a new one makes old results count no more."""
    seed: int = 1
    cost: float = 1.0
    """Expected packets, to begin with the longest."""


@dataclass(frozen=True)
class Measured:
    """What a bench gave: the numbers of every run that succeeded, the error of every other."""

    results: Mapping[str, dict[str, Any]]
    failures: Mapping[str, str]


def measure_all(
    items: Iterable[Item],
    *,
    out: str | Path,
    workers: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Measured:
    """Measures what the folder does not hold yet, and returns everything.

    Args:
        items: the runs.
        out: the folder; made if it does not exist.
        workers: processes; by default one per core that this process may use.
        progress: called with how far the bench is.

    Raises:
        ScenarioError: a scenario cannot be simulated; nothing is run then.
        CampaignError: the folder cannot be used.
    """
    folder = Path(out) / "runs"
    works = {item.name: _Work(item, folder / _file_name(item)) for item in items}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CampaignError(f"{out}: cannot be used as a folder: {error.strerror}") from error
    missing = [work for work in works.values() if not work.file.exists()]
    failures: dict[str, str] = {}

    def ended(outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            if outcome.error is not None:
                failures[outcome.id] = outcome.error

    execute_all(
        [Task(work.item.name, work.item.cost, work) for work in missing],
        _execute,
        workers=min(workers or _cores(), max(len(missing), 1)),
        before=Progress(total=len(works), done=len(works) - len(missing)),
        listener=Listener(finished=ended, progress=progress or (lambda _: None)),
    )
    results = {
        name: json.loads(work.file.read_text("utf-8"))
        for name, work in works.items()
        if name not in failures
    }
    return Measured(results, failures)


def stored(items: Iterable[Item], *, out: str | Path) -> dict[str, dict[str, Any]]:
    """What a folder already holds of these runs, by name; nothing is measured.

    Raises:
        ScenarioError: a scenario cannot be simulated.
    """
    files = {item.name: Path(out) / "runs" / _file_name(item) for item in items}
    return {
        name: json.loads(file.read_text("utf-8")) for name, file in files.items() if file.exists()
    }


@dataclass(frozen=True)
class _Work:
    item: Item
    file: Path


def _execute(work: _Work) -> None:
    """Simulates one run and writes what is kept of it; a file is there in full or not at all."""
    item = work.item
    numbers = item.measure(simulate(item.scenario, seed=item.seed))
    partial = work.file.with_name(f".{work.file.name}.{os.getpid()}.part")
    try:
        partial.write_text(json.dumps(numbers, separators=(",", ":")), "utf-8")
        partial.replace(work.file)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise CampaignError(f"{work.file}: cannot be written: {error.strerror}") from error


def _file_name(item: Item) -> str:
    spec = check(item.scenario)
    measure = f"{item.measure.__module__}.{item.measure.__qualname__}"
    rest = [measure, item.edition, item.seed, result_version()]
    digest = hashlib.sha256(json.dumps([spec, rest], sort_keys=True).encode())
    digest.update(fingerprint(spec["algorithms"]).encode())
    safe = "".join(letter if letter.isalnum() or letter in "-." else "_" for letter in item.name)
    return f"{safe}-{digest.hexdigest()[:16]}.json"


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
