"""Processes that simulate for the page, within limits of time and memory."""

from __future__ import annotations

import itertools
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

from mesonet.errors import CampaignError, Problem
from mesonet.lab.job import Answer, Job, perform
from mesonet.machine import size
from mesonet.workers.local import LocalPool
from mesonet.workers.tasks import Budget, Lost, Outcome, Task

SECONDS = 10.0
"""Longest time of a run [s]."""
MEMORY = 1_500_000_000
"""Most memory of the process that makes it [bytes]."""
_LOOK_EVERY = 0.1
_starting = threading.Lock()
"""Held while a process begins, for which the environment and the signals are changed."""


class Bench:
    """Worker processes; each makes one run at a time and is ended where that is beyond a limit."""

    def __init__(self, workers: int) -> None:
        self._own = threading.local()
        self._pools: list[LocalPool] = []
        self._numbers = itertools.count()
        self._threads = ThreadPoolExecutor(workers, "bench")
        self._closed = threading.Event()

    def submit(self, job: Job) -> Future[Answer]:
        """Has a run made; a limit that it goes beyond is a problem in its answer."""
        return self._threads.submit(self._made, job)

    def close(self) -> None:
        """Ends all processes, whatever they do."""
        self._closed.set()
        # Pools belong to the threads, which look at them until then.
        self._threads.shutdown(cancel_futures=True)
        for pool in self._pools:
            pool.close()

    def _made(self, job: Job) -> Answer:
        pool, task = self._pool(), Task(str(next(self._numbers)), 0.0, job)
        try:
            with _starting:
                pool.submit(task)
            return self._answer(pool, task.id)
        except CampaignError as error:
            return _problem(str(error))

    def _pool(self) -> LocalPool:
        """The pool of this thread, which has one process."""
        if not hasattr(self._own, "pool"):
            self._own.pool = LocalPool(perform, 1, Budget())
            self._pools.append(self._own.pool)
        pool: LocalPool = self._own.pool
        return pool

    def _answer(self, pool: LocalPool, task: str) -> Answer:
        begun: float | None = None
        while True:
            for event in pool.poll(_LOOK_EVERY):
                if isinstance(event, Outcome):
                    return _problem(event.error) if event.error else Answer(*event.value)
                if isinstance(event, Lost):
                    return _problem(event.reason)
                # Its first sign of life: a process that has only just begun imports for a second.
                begun = begun or time.monotonic()
            held = pool.memory(task) or 0
            limit = ""
            if begun is not None and time.monotonic() - begun > SECONDS:
                limit = f"the run took more than {SECONDS:g} s and was ended"
            elif held > MEMORY:
                limit = f"the run held {size(held)}, more than {size(MEMORY)}, and was ended"
            elif self._closed.is_set():
                limit = "the laboratory was closed"
            if limit:
                pool.end(task)
                return _problem(limit)


def _problem(text: str) -> Answer:
    return Answer.refusal([Problem("", "failed", text.partition("\n")[0])])
