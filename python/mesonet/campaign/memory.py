"""Executes a small plan in this process, on all cores; what is finished at Ctrl-C is kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import polars as pl

from mesonet.campaign.manifest import cells_frame, conditions_frame
from mesonet.campaign.reading import results_frame
from mesonet.campaign.work import row_of
from mesonet.plan import Plan, RunSpec
from mesonet.run import Run
from mesonet.simulation import simulate
from mesonet.store import results_schema

_LOOK_EVERY = 0.2
"""Longest wait [s]. Libraries have the system begin a wait again that a signal interrupts."""


class Simulated(NamedTuple):
    """What came of a plan.

    Attributes:
        results: One row per finished cell, as `Campaign.results` has them.
        first: Runs of the first replicate, by condition and alternative.
        interrupted: True if Ctrl-C ended it; perhaps when the last run had ended.
    """

    results: pl.DataFrame
    first: dict[tuple[int, str], Run]
    interrupted: bool


class _StoppedError(Exception):
    """Raised inside a run that is not needed any more."""


def simulate_plan(
    plan: Plan, *, threads: int, progress: Callable[[int, int], None] | None = None
) -> Simulated:
    """Simulates all runs of a plan, the first replicate of everything first, and writes nothing.

    `threads` are the runs at a time. `progress` is called with the number of runs that are done,
    and of all.
    """
    specs = plan.runs()
    stopped = threading.Event()

    def look(_: float) -> None:
        if stopped.is_set():
            raise _StoppedError

    def row(spec: RunSpec) -> tuple[dict[str, Any], RunSpec, Run | None]:
        look(0.0)
        run = simulate(spec.scenario, seed=spec.seed, progress=look, partial=False)
        return row_of(spec.id, run, plan.responses), spec, run if spec.replicate == 1 else None

    # The engine leaves Python to other threads while it simulates.
    pool = ThreadPoolExecutor(threads)
    unique = {spec.id: spec for spec in sorted(specs, key=lambda spec: spec.replicate)}
    futures: list[Future[Any]] = []
    interrupted = False
    try:
        # Here, too, Ctrl-C comes: a thread that begins waits where a controller loops in another.
        futures.extend(pool.submit(row, spec) for spec in unique.values())
        _await(futures, progress)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        stopped.set()
        pool.shutdown(wait=False, cancel_futures=True)
        # A controller in Python may never come back; Ctrl-C once more leaves it behind.
        pending = {future for future in futures if not future.done()}
        while pending:
            pending = wait(pending, _LOOK_EVERY).not_done
    done = [f.result() for f in futures if not f.cancelled() and f.exception() is None]
    rows = pl.DataFrame([row for row, _, _ in done], schema=results_schema(plan.responses))
    return Simulated(
        results_frame(plan, cells_frame(plan, specs), conditions_frame(plan), rows),
        {(spec.condition, spec.alternative): run for _, spec, run in done if run is not None},
        interrupted,
    )


def _await(futures: Iterable[Future[Any]], progress: Callable[[int, int], None] | None) -> None:
    pending = set(futures)
    total = len(pending)
    while pending:
        ended, pending = wait(pending, _LOOK_EVERY, return_when=FIRST_COMPLETED)
        for future in ended:
            future.result()
        if progress is not None and ended:
            progress(total - len(pending), total)
