"""Executes tasks on a pool of workers: longest first, within budgets, until done or told to stop.

A worker that dies takes nothing with it but its task, which is tried again. Ctrl-C stops after the
tasks that are running, Ctrl-C again and SIGTERM at once.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import TYPE_CHECKING, Any

from mesonet.workers.local import LocalPool
from mesonet.workers.tasks import (
    Beat,
    Budget,
    Event,
    Execute,
    Lost,
    Outcome,
    Pace,
    Pool,
    Progress,
    Running,
    Task,
)

if TYPE_CHECKING:
    from distributed import Client

MAX_DEATHS = 3
"""After this many workers died of the same task, it counts as failed."""
_TICK = 0.25
_KEEP_EVERY = 0.5
_KEEP_AT_LEAST_EVERY = 2.0
_KEEP_PAUSE = 5.0
"""Between two times of keeping results lie so many times what the last one took, within these."""
_TELL_EVERY = 0.1
_GRACE = 5.0
"""A run that is over its time has so many seconds to end by itself before its process is killed."""


@dataclass(frozen=True)
class Listener:
    """Callbacks for the events of an execution."""

    started: Callable[[Sequence[str]], None] = lambda _: None
    """Called with tasks that workers have begun."""
    finished: Callable[[Sequence[Outcome]], None] = lambda _: None
    """Called with tasks that have ended, in batches; what it cannot keep, it raises."""
    progress: Callable[[Progress], None] = lambda _: None
    """Called several times a second."""


def execute_all(
    tasks: Iterable[Task],
    execute: Execute,
    *,
    workers: int,
    before: Progress,
    listener: Listener,
    pace: Pace | None = None,
    budget: Budget | None = None,
    pool: Pool | None = None,
) -> None:
    """Executes tasks, longest first.

    Args:
        tasks: tasks to execute.
        execute: called in a worker with `task.work`, importable by name; gives the outcome's value.
        workers: processes on this machine, unless there is a pool.
        before: counts before the first task.
        listener: callbacks for the events.
        pace: pace of earlier tasks.
        budget: limits of one task.
        pool: workers elsewhere; closed at the end.

    Raises:
        CampaignError: the campaign cannot go on, for instance on a full disk.
        KeyboardInterrupt: stopped by a signal, whose number is its argument.
    """
    limits = budget or Budget()
    waiting = list(tasks)
    with Signals() as signals:
        run = _Execution(
            pool or LocalPool(execute, workers, limits),
            signals,
            pace or Pace(),
            limits,
            listener,
            before,
        )
        run.until_done(waiting)
    # It came while the last tasks were running, or while workers were sent home.
    if signals.received:
        raise KeyboardInterrupt(signals.received)


@contextlib.contextmanager
def connected(
    cluster: str | Client | None, execute: Execute, budget: Budget
) -> Iterator[Pool | None]:
    """The workers of a cluster, which are let go at the end; None without a cluster."""
    if cluster is None:
        yield None
        return
    # The library takes longer to import than most campaigns to begin.
    from mesonet.workers.cluster import ClusterPool

    with contextlib.closing(ClusterPool(cluster, execute, budget)) as pool:
        yield pool


@dataclass
class _Handed:
    task: Task
    where: str
    since: float
    simulated: float = 0.0
    begun: float | None = None
    """Instant at which its worker had started and took it up, or the last of them did."""
    heard: float = 0.0
    """Instant of its last sign of life."""


@dataclass
class _Execution:
    pool: Pool
    signals: Signals
    pace: Pace
    budget: Budget
    listener: Listener
    counts: Progress
    queue: deque[Task] = field(default_factory=deque)
    waiting: Counter[str] = field(default_factory=Counter)
    """Cost of the tasks that wait, by group."""
    running: dict[str, _Handed] = field(default_factory=dict)
    deaths: Counter[str] = field(default_factory=Counter)
    begun: list[str] = field(default_factory=list)
    ended: list[Outcome] = field(default_factory=list)
    kept: float = 0.0
    keep_every: float = _KEEP_EVERY
    shown: float = 0.0

    def until_done(self, tasks: list[Task]) -> None:
        for task in tasks:
            self.waiting[task.group] += task.cost  # type: ignore[assignment]
        self.queue.extend(tasks)
        self._sort()
        try:
            while self.queue or self.running:
                if self.signals.at_once or (self.signals.received and not self.running):
                    raise KeyboardInterrupt(self.signals.received)
                self._hand_out()
                for event in self.pool.poll(_TICK):
                    self._take(event)
                # Workers first: they are busy again while results go to the disk.
                self._hand_out()
                self._enforce()
                self._keep()
                self._tell()
        finally:
            self.pool.close()
            self._keep(force=True)
            self.running.clear()
            self._tell(force=True)

    def _sort(self) -> None:
        def longest(task: Task) -> tuple[float, float, str]:
            seconds = self.pace.seconds(task.group, task.cost) or 0.0
            return (-seconds, -task.cost, task.id)

        self.queue = deque(sorted(self.queue, key=longest))

    def _hand_out(self) -> None:
        if self.signals.received:
            return
        while self.queue and self.pool.free() > 0:
            task = self.queue.popleft()
            self.waiting[task.group] -= task.cost  # type: ignore[assignment]
            where = self.pool.submit(task)
            self.running[task.id] = _Handed(task, where, time.monotonic())

    def _take(self, event: Event) -> None:
        handed = self.running.get(event.id)
        if handed is None:
            return
        match event:
            case Beat():
                handed.heard = time.monotonic()
                if handed.begun is None:
                    self.begun.append(event.id)
                if handed.begun is None or event.simulated < handed.simulated:
                    handed.begun = handed.heard
                handed.simulated = event.simulated
            case Outcome():
                self._end(event)
            case Lost():
                self._lost(handed.task, event)

    def _lost(self, task: Task, event: Lost) -> None:
        self.deaths[task.id] += event.blame
        if self.deaths[task.id] < MAX_DEATHS or self.signals.received:
            self._again(task)
            return
        reason = f"{event.reason}, {MAX_DEATHS} times; often the memory ran out"
        if task.code:
            reason = f"{task.code}: {event.reason}, {MAX_DEATHS} times"
        self._end(Outcome(task.id, error=reason, printed=event.printed))

    def _again(self, task: Task) -> None:
        del self.running[task.id]
        self.queue.appendleft(task)
        self.waiting[task.group] += task.cost  # type: ignore[assignment]

    def _end(self, outcome: Outcome) -> None:
        task = self.running.pop(outcome.id).task
        self.ended.append(outcome)
        if outcome.error is not None:
            self.counts = replace(self.counts, failed=self.counts.failed + 1)
            return
        self.counts = replace(self.counts, done=self.counts.done + 1)
        if self.pace.learn(task, outcome.seconds):
            self._sort()

    def _enforce(self) -> None:
        """Ends what is over its budget and does not notice, for instance as it hangs."""
        if self.budget == Budget():
            return
        now = time.monotonic()
        for run, handed in list(self.running.items()):
            memory = self.pool.memory(run)
            if memory is None or handed.begun is None:
                continue
            over = self.budget.exceeded(now - handed.begun - _GRACE, memory)
            over = over or self._silent(handed, now)
            if over is not None:
                self.pool.end(run)
                code = f"{handed.task.code}: " if handed.task.code else ""
                self._end(Outcome(run, error=code + over, seconds=now - handed.since))

    def _silent(self, handed: _Handed, now: float) -> str | None:
        silence = self.budget.silence
        if silence is None or now - handed.heard <= silence:
            return None
        return f"no sign of life for {silence:g} s, at {handed.simulated:.4g} simulated seconds"

    def _keep(self, *, force: bool = False) -> None:
        now = time.monotonic()
        is_early = now - self.kept < self.keep_every
        if not force and is_early and self.pool.free() < self.pool.workers():
            return
        self.kept = now
        begun, self.begun = self.begun, []
        ended, self.ended = self.ended, []
        if begun:
            self.listener.started(begun)
        if ended:
            self.listener.finished(ended)
            took = time.monotonic() - now
            self.keep_every = min(max(_KEEP_PAUSE * took, _KEEP_EVERY), _KEEP_AT_LEAST_EVERY)

    def _tell(self, *, force: bool = False) -> None:
        now = time.monotonic()
        if not force and now - self.shown < _TELL_EVERY:
            return
        self.shown = now
        lonely = self.pool.lonely()
        # A cluster is handed more than it has places for, so that none waits for work.
        running = tuple(
            Running(
                run,
                handed.task.label,
                handed.where,
                now - handed.since,
                handed.simulated,
                handed.task.simulated,
            )
            for run, handed in self.running.items()
            if handed.begun is not None and not lonely
        )
        self.listener.progress(
            replace(
                self.counts,
                running=running,
                workers=self.pool.workers(),
                eta=self._eta(now),
                stopping=bool(self.signals.received) and not self.signals.at_once,
                lonely=lonely,
            )
        )

    def _eta(self, now: float) -> float | None:
        """Time left [s]: the work over the workers, and at least the longest of the rest."""
        left = []
        for handed in self.running.values():
            whole = self.pace.seconds(handed.task.group, handed.task.cost)
            if whole is None:
                return None
            # A cluster may let it wait, and begins it again elsewhere when its worker dies.
            spent = 0.0 if handed.begun is None else now - handed.begun
            left.append(max(whole - spent, 0.0))
        waiting = [self.pace.seconds(group, cost) for group, cost in self.waiting.items()]
        if not waiting or waiting[0] is None:
            return None
        longest = self.queue[0] if self.queue else None
        last = self.pace.seconds(longest.group, longest.cost) if longest else None
        total = sum(seconds or 0.0 for seconds in waiting) + sum(left)
        return max(total / max(self.pool.workers(), 1), last or 0.0, *left, 0.0)


class Signals:
    """Turns Ctrl-C and SIGTERM into flags while it is entered; the main thread alone gets them."""

    def __init__(self) -> None:
        self.received = 0
        """Number of the last signal, or 0."""
        self.at_once = False
        """True to stop without waiting for running tasks."""
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> Signals:
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
