"""Worker processes on this machine.

Each has a pipe of its own, so that a worker that dies takes its own task with it and nothing else,
and any of them can be ended by itself.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import ModuleType

from mesonet.controller.folders import folders
from mesonet.errors import CampaignError
from mesonet.machine import held
from mesonet.workers.process import Printed, serve
from mesonet.workers.tasks import Beat, Budget, Event, Execute, Lost, Outcome, Task

_STILLBORN = 5
"""So many workers in a row may die before their first sign of life."""


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection
    printed: Printed
    task: str | None = None
    ready: bool = False


class LocalPool:
    """Processes that live no longer than this one."""

    def __init__(self, execute: Execute, workers: int, budget: Budget) -> None:
        self._execute, self._most, self._budget = execute, workers, budget
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []
        self._stillborn = 0

    def workers(self) -> int:
        return self._most

    def lonely(self) -> str:
        return ""

    def free(self) -> int:
        return self._most - sum(worker.task is not None for worker in self._workers)

    def submit(self, task: Task) -> str:
        while True:
            idle = next((worker for worker in self._workers if worker.task is None), None)
            worker = idle or self._begin()
            try:
                worker.connection.send(task)
            except OSError:
                self._bury(worker)
                continue
            worker.task = task.id
            return f"process {worker.process.pid}"

    def poll(self, timeout: float) -> list[Event]:
        waiting = {worker.connection: worker for worker in self._workers}
        events: list[Event] = []
        for connection in wait(list(waiting), timeout):
            worker = waiting[connection]  # type: ignore[index]
            try:
                while worker.connection.poll():
                    events += self._received(worker, worker.connection.recv())
            except (EOFError, OSError):
                events += self._died(worker)
        return events

    def end(self, task: str) -> None:
        for worker in self._workers:
            if worker.task == task:
                self._bury(worker)
                return

    def memory(self, task: str) -> int | None:
        pids = [worker.process.pid for worker in self._workers if worker.task == task]
        return held(pids[0]) if pids and pids[0] is not None else None

    def close(self) -> None:
        for worker in self._workers:
            worker.process.kill()
        for worker in list(self._workers):
            self._bury(worker)

    def _begin(self) -> _Worker:
        printed = Printed.make()
        here, there = self._context.Pipe()
        arguments = (there, self._execute, self._budget, printed, folders())
        process = self._context.Process(target=serve, args=arguments, daemon=True)
        with _without_this_script(), _deaf_to_ctrl_c():
            process.start()
        # Held by the worker alone, the other end closes when it dies.
        there.close()
        worker = _Worker(process, here, printed)
        self._workers.append(worker)
        return worker

    def _received(self, worker: _Worker, message: object) -> list[Event]:
        if message is None:
            worker.ready = True
            self._stillborn = 0
        elif isinstance(message, CampaignError):
            raise message
        elif isinstance(message, Outcome):
            worker.task = None
            return [message]
        elif isinstance(message, Beat):
            return [message]
        return []

    def _died(self, worker: _Worker) -> list[Event]:
        printed = self._bury(worker)
        if not worker.ready:
            self._stillborn += 1
            if self._stillborn >= _STILLBORN:
                last = printed.strip().rpartition("\n")[2] or f"{_how(worker.process)}"
                raise CampaignError(f"worker processes cannot start: {last}")
        if worker.task is None:
            return []
        return [Lost(worker.task, _how(worker.process), printed, blame=worker.ready)]

    def _bury(self, worker: _Worker) -> str:
        """Ends a worker, if it lives; returns what it printed last."""
        with contextlib.suppress(OSError):
            worker.connection.close()
        worker.process.kill()
        worker.process.join()
        self._workers.remove(worker)
        text = worker.printed.text()
        worker.printed.close()
        return text


@contextlib.contextmanager
def _without_this_script() -> Iterator[None]:
    """Processes begun here do not run this script, nor import what lies beside it too early."""
    name, script = "PYTHONSAFEPATH", sys.modules["__main__"]
    before = os.environ.get(name)
    os.environ[name], sys.modules["__main__"] = "1", ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


@contextlib.contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Processes begun here do not hear Ctrl-C before they can say that they ignore it.

    `serve` says so, but only after its module has been imported, which takes a second.
    """
    # Begun with the first process otherwise, it would leave Ctrl-C unblocked.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _how(process: BaseProcess) -> str:
    code = process.exitcode
    if code is not None and code < 0:
        return f"the worker process was ended by signal {-code}"
    return f"the worker process exited with status {code}"
