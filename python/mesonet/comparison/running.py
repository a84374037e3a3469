"""Runs of a comparison, on all cores; what is finished when it is interrupted is kept."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from mesonet.comparison.question import Condition, Match, Question
from mesonet.errors import InputError, Problem
from mesonet.run import Run
from mesonet.simulation import simulate

_LOOK_EVERY = 0.2
"""Longest wait [s]. Libraries have the system begin a wait again that a signal interrupts."""


@dataclass(frozen=True)
class Finished:
    """A run that has ended."""

    condition: Condition
    match: Match
    repeat: int
    run: Run
    flows: tuple[tuple[str, ...], tuple[str, ...]]
    """Names of the flows of the two algorithms."""


class _StoppedError(Exception):
    """Raised inside a run that is not needed any more."""


def execute(
    question: Question,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[Finished], bool]:
    """All runs in their order, and `True` if the user interrupted them.

    Args:
        question: Question to be answered.
        threads: Runs at a time; the number of cores if `None`.
        progress: Called with the number of runs that are done, and of all.

    Raises:
        InputError: `threads` is no number of threads.
        MesonetError: A run fails.
    """
    if threads is None:
        threads = os.cpu_count() or 1
    elif isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        message = f"expected a whole number of at least 1, got {threads!r}"
        raise InputError([Problem("threads", "range", message)])
    stopped = threading.Event()

    def one(condition: Condition, match: Match, repeat: int) -> Finished:
        def look(_: float) -> None:
            if stopped.is_set():
                raise _StoppedError

        look(0.0)
        scenario = question.scenario(condition, match, repeat)
        run = simulate(scenario, seed=question.run_seed(repeat), progress=look, partial=False)
        return Finished(condition, match, repeat, run, question.flow_names(match))

    total = question.total()
    # The engine leaves Python to other threads while it simulates.
    pool = ThreadPoolExecutor(threads)
    futures = [pool.submit(one, *each) for each in question.runs()]
    interrupted = False
    try:
        left: set[Future[Finished]] = set(futures)
        while left:
            ended, left = wait(left, _LOOK_EVERY, return_when=FIRST_COMPLETED)
            for future in ended:
                future.result()
            if progress is not None and ended:
                progress(total - len(left), total)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        stopped.set()
        pool.shutdown(wait=False, cancel_futures=True)
        # A controller in Python may never come back; Ctrl-C once more leaves it behind.
        left = {future for future in futures if not future.done()}
        while left:
            left = wait(left, _LOOK_EVERY).not_done
    done = [f.result() for f in futures if not f.cancelled() and f.exception() is None]
    return done, interrupted
