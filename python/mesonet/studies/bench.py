"""Benches: many small laboratories, each measured in a process of its own, into a folder.

A folder holds one JSON file per run, named after the run and a hash of everything that determines
it. The same command resumes what was stopped, and changed scenarios never meet old numbers.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from mesonet.checked import checked
from mesonet.controller import fingerprint, outside_names
from mesonet.errors import CampaignError, ControllerError
from mesonet.machine import available_cores
from mesonet.run import Run
from mesonet.simulation import simulate
from mesonet.studies.study import Results, RunResults
from mesonet.tables import result_version
from mesonet.workers import (
    SILENCE,
    Budget,
    Listener,
    Outcome,
    Progress,
    Task,
    connected,
    execute_all,
)
from mesonet.writing import write_atomically

if TYPE_CHECKING:
    from distributed import Client

    from mesonet.scenario import Scenario

Measure = Callable[[Run], dict[str, Any]]
"""Numbers and lists of a run that JSON can hold; a function of a module, so that other processes
find it, or an object with a `key`, which takes the place of the function's name."""


@dataclass(frozen=True)
class Item:
    """One run of a bench."""

    name: str
    """Unique in the bench, fit for a file's name."""
    scenario: Scenario
    measure: Measure
    """Function that reduces the run to the numbers that are stored."""
    seed: int = 1
    cost: float = 1.0
    """Expected packets; the longest runs begin first."""

    @cached_property
    def file(self) -> str:
        """Name of the file of its numbers, with a hash of everything that determines them."""
        accepted = checked(self.scenario)
        measure = getattr(self.measure, "key", "")
        measure = measure or f"{self.measure.__module__}.{self.measure.__qualname__}"
        # The 1 keeps the names that stored results have.
        rest = [measure, 1, self.seed, result_version()]
        digest = hashlib.sha256(f"[{accepted.text}, {json.dumps(rest)}]".encode())
        digest.update(fingerprint(accepted.spec["algorithms"]).encode())
        safe = "".join(it if it.isalnum() or it in "-." else "_" for it in self.name)
        return f"{safe}-{digest.hexdigest()[:16]}.json"


class Means(TypedDict, total=False):
    """Who runs: a process per core by default, or a Dask scheduler, by its address or client."""

    workers: int | None
    cluster: str | Client | None
    progress: Callable[[Progress], None] | None


def measure_all(items: Iterable[Item], *, out: str | Path, **means: Unpack[Means]) -> RunResults:
    """Measures what the folder does not hold yet, and returns everything."""
    folder = Path(out) / "runs"
    items = list(items)
    files = {item.name: folder / item.file for item in items}
    kept = _read(files)
    missing = [item for item in items if item.name not in kept]
    failures: dict[str, str] = {}

    def ended(outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            if outcome.error is None:
                numbers = json.dumps(outcome.value, separators=(",", ":"))
                write_atomically(files[outcome.id], numbers.encode())
            else:
                failures[outcome.id] = outcome.error

    tasks = [_task(item) for item in missing]
    budget = Budget(silence=SILENCE if any(task.code for task in tasks) else None)
    with connected(means.get("cluster"), _execute, budget) as pool:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"{folder.parent}: cannot be used as a folder: {error.strerror}"
            raise CampaignError(message) from error
        if missing:
            execute_all(
                tasks,
                _execute,
                workers=min(means.get("workers") or available_cores(), len(missing)),
                before=Progress(total=len(files), done=len(files) - len(missing)),
                listener=Listener(
                    finished=ended, progress=means.get("progress") or (lambda _: None)
                ),
                budget=budget,
                pool=pool,
            )
    results = _read({name: file for name, file in files.items() if name not in failures})
    times = [files[name].stat().st_mtime for name in results]
    last = dt.datetime.fromtimestamp(max(times, default=0.0), dt.UTC)
    finished = last.isoformat(timespec="milliseconds") if times else ""
    return RunResults(results, {}, failures, Path(out), finished)


def _task(item: Item) -> Task:
    code = ", ".join(sorted(outside_names(list(item.scenario.algorithm_places()))))
    return Task(
        item.name,
        item.cost,
        (item, item.file if code else ""),
        group=type(item.scenario).__name__,
        simulated=float(item.scenario.duration),
        code=code,
    )


def stored(items: Iterable[Item], *, out: str | Path) -> Results:
    """Results of these runs that a folder already holds, by name; nothing is measured."""
    return _read({item.name: Path(out) / "runs" / item.file for item in items})


def _read(files: Mapping[str, Path]) -> Results:
    """Numbers of the runs that are kept; a damaged file is none, and its run is measured again."""
    kept: dict[str, Mapping[str, Any]] = {}
    for name, file in files.items():
        with contextlib.suppress(FileNotFoundError, ValueError):
            numbers = json.loads(file.read_text("utf-8"))
            if isinstance(numbers, dict):
                kept[name] = numbers
    return kept


def _execute(work: tuple[Item, str]) -> dict[str, Any]:
    """Simulates one run and returns its numbers."""
    item, file = work
    # A copy hashes its controller as it is here.
    if file and replace(item).file != file:
        raise ControllerError(f"{item.name}: its controller is not what it was; begin workers anew")
    return item.measure(simulate(item.scenario, seed=item.seed, partial=False))
