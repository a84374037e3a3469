"""Executes tasks on local processes.

Longest first. A worker that dies takes nothing with it but its task, which is tried again. Ctrl-C
stops after the tasks that are running, Ctrl-C again and SIGTERM at once.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any

from mesonet.errors import CampaignError

MAX_DEATHS = 3
"""After this many workers died of the same task, it counts as failed."""
_TICK = 0.25


@dataclass(frozen=True)
class Task:
    """Something to execute; `cost` is an estimate in any unit, `work` what the worker is given."""

    id: str
    cost: float
    work: Any


@dataclass(frozen=True)
class Outcome:
    """How a task ended: the seconds it took, or the error it raised."""

    id: str
    seconds: float = 0.0
    error: str | None = None


@dataclass(frozen=True)
class Progress:
    """How far a campaign is."""

    total: int
    done: int = 0
    failed: int = 0
    running: int = 0
    eta_seconds: float | None = None
    """Estimate from the runs finished so far; None before the first."""
    stopping: bool = False
    """Asked to stop; waiting for the runs that are running."""


@dataclass
class Speed:
    """Seconds per unit of cost, from what has finished."""

    cost: float = 0.0
    seconds: float = 0.0

    def learn(self, cost: float, seconds: float) -> None:
        """Takes a finished task into account."""
        self.cost += cost
        self.seconds += seconds

    def remaining(
        self, pending: Iterable[float], running: Iterable[tuple[float, float]], workers: int
    ) -> float | None:
        """Seconds until all is done; None without experience.

        `running` has the cost of each running task and the seconds it took so far.
        """
        if self.cost <= 0:
            return None
        rate = self.seconds / self.cost
        left = [max(cost * rate - elapsed, 0.0) for cost, elapsed in running]
        waiting = [cost * rate for cost in pending]
        return max((sum(left) + sum(waiting)) / workers, max(left + waiting, default=0.0))


def execute_all(
    tasks: Iterable[Task],
    execute: Callable[[Any], float],
    *,
    workers: int,
    before: Progress,
    speed: Speed | None = None,
    started: Callable[[str], None],
    finished: Callable[[Outcome], None],
    progress: Callable[[Progress], None],
) -> None:
    """Executes tasks, longest first.

    Args:
        tasks: what to execute.
        execute: called in a worker with `task.work`; returns the seconds it took. Importable by
        name.
        workers: processes.
        before: counts before the first task.
        speed: experience with earlier tasks, for the estimate of the time left.
        started: called when a task is handed to a worker.
        finished: called when it has ended.
        progress: called after every change, and several times a second.

    Raises:
        CampaignError: results can no longer be kept, for instance on a full disk.
        KeyboardInterrupt: stopped by a signal, whose number is its argument.
    """
    with _Signals() as signals:
        run = _Execution(execute, workers, signals, speed or Speed(), before)
        run.report = progress
        run.started, run.finished = started, finished
        run.queue.extend(sorted(tasks, key=lambda task: (-task.cost, task.id)))
        run.until_done()


@dataclass
class _Execution:
    execute: Callable[[Any], float]
    workers: int
    signals: _Signals
    speed: Speed
    counts: Progress
    queue: deque[Task] = field(default_factory=deque)
    suspects: deque[Task] = field(default_factory=deque)
    """Tasks that were running when a worker died; tried again one at a time, so that the guilty is
    found."""
    deaths: Counter[str] = field(default_factory=Counter)
    running: dict[Future[Outcome], tuple[Task, float]] = field(default_factory=dict)
    report: Callable[[Progress], None] = lambda _: None
    started: Callable[[str], None] = lambda _: None
    finished: Callable[[Outcome], None] = lambda _: None

    def until_done(self) -> None:
        pool: _Pool | None = None
        try:
            while self.queue or self.suspects or self.running:
                if self.signals.at_once or (self.signals.received and not self.running):
                    raise KeyboardInterrupt(self.signals.received)
                try:
                    pool = pool or _Pool(self.workers)
                    self._hand_out(pool)
                    self._tell()
                    self._collect()
                except BrokenProcessPool:
                    if pool is not None:
                        pool.close()
                    pool = None
                    self._after_death()
        finally:
            if pool is not None:
                pool.close()
            self._tell()

    def _hand_out(self, pool: _Pool) -> None:
        if self.signals.received:
            return
        if self.suspects:
            if not self.running:
                self._submit(pool, self.suspects.popleft())
            return
        while self.queue and len(self.running) < self.workers:
            self._submit(pool, self.queue.popleft())

    def _submit(self, pool: _Pool, task: Task) -> None:
        try:
            future = pool.executor.submit(_in_worker, self.execute, task)
        except BrokenProcessPool:
            self.queue.appendleft(task)
            raise
        self.running[future] = (task, time.monotonic())
        self.started(task.id)

    def _collect(self) -> None:
        ended, _ = wait(self.running, timeout=_TICK, return_when=FIRST_COMPLETED)
        broken: BrokenProcessPool | None = None
        for future in ended:
            error = future.exception()
            if isinstance(error, BrokenProcessPool):
                broken = error
                continue
            task, _ = self.running.pop(future)
            if error is not None:
                raise error
            self._end(task, future.result())
        if broken is not None:
            raise broken

    def _end(self, task: Task, outcome: Outcome) -> None:
        if outcome.error is None:
            self.speed.learn(task.cost, outcome.seconds)
            self.counts = replace(self.counts, done=self.counts.done + 1)
        else:
            self.counts = replace(self.counts, failed=self.counts.failed + 1)
        self.finished(outcome)

    def _after_death(self) -> None:
        """Files the tasks that ran when a worker died; which one it died of is not known."""
        for future, (task, _) in self.running.items():
            if future.done() and future.exception() is None:
                self._end(task, future.result())
                continue
            self.deaths[task.id] += 1
            if self.deaths[task.id] >= MAX_DEATHS and not self.signals.received:
                reason = f"the worker process died {MAX_DEATHS} times; often the memory ran out"
                self._end(task, Outcome(task.id, error=reason))
            else:
                self.suspects.append(task)
        self.running.clear()

    def _tell(self) -> None:
        now = time.monotonic()
        pending = [task.cost for task in (*self.queue, *self.suspects)]
        running = [(task.cost, now - start) for task, start in self.running.values()]
        eta = self.speed.remaining(pending, running, self.workers)
        stopping = bool(self.signals.received) and not self.signals.at_once
        self.report(replace(self.counts, running=len(running), eta_seconds=eta, stopping=stopping))


class _Pool:
    """Worker processes that live no longer than this one.

    Every worker watches a pipe whose other end only this process holds. When that closes, on
    purpose or because this process was killed, the workers exit at once.
    """

    def __init__(self, workers: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._watched, self._held = context.Pipe(duplex=False)
        self.executor = ProcessPoolExecutor(
            workers, mp_context=context, initializer=_begin_worker, initargs=(self._watched,)
        )

    def close(self) -> None:
        """Ends the workers, whatever they do."""
        self._held.close()
        self.executor.shutdown(wait=True, cancel_futures=True)
        self._watched.close()


def _begin_worker(watched: Connection) -> None:
    # The terminal sends Ctrl-C to all its processes; what it means is the parent's decision.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, args=(watched,), daemon=True).start()


def _exit_with_parent(watched: Connection) -> None:
    with contextlib.suppress(EOFError, OSError):
        watched.recv_bytes()
    os._exit(1)


def _in_worker(execute: Callable[[Any], float], task: Task) -> Outcome:
    try:
        return Outcome(task.id, seconds=execute(task.work))
    except CampaignError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a run raises is its result
        summary = f"{type(error).__name__}: {error}"
        return Outcome(task.id, error=f"{summary}\n\n{traceback.format_exc()}")


class _Signals:
    """Turns Ctrl-C and SIGTERM into flags; only the main thread gets signals."""

    def __init__(self) -> None:
        self.received = 0
        self.at_once = False
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> _Signals:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._previous[number] = signal.signal(number, self._receive)
        return self

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        self.at_once = self.at_once or bool(self.received) or number == signal.SIGTERM
        self.received = number

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
