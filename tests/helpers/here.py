"""Workers that are this process, in place of processes that first have to import mesonet."""

from __future__ import annotations

from mesonet.workers.process import perform
from mesonet.workers.tasks import Budget, Event, Execute, Task


class Here:
    """A `mesonet.workers.tasks.Pool` that executes its tasks itself."""

    def __init__(self, execute: Execute, workers: int, budget: Budget) -> None:
        self._execute, self._workers, self._budget = execute, workers, budget
        self._tasks: list[Task] = []

    def workers(self) -> int:
        return self._workers

    def lonely(self) -> str:
        return ""

    def free(self) -> int:
        return self._workers - len(self._tasks)

    def submit(self, task: Task) -> str:
        self._tasks.append(task)
        return "here"

    def poll(self, timeout: float) -> list[Event]:
        events: list[Event] = []
        for task in self._tasks:
            events.append(perform(self._execute, task, self._budget, events.append, "here"))
        self._tasks.clear()
        return events

    def end(self, task: str) -> None:
        raise AssertionError

    def memory(self, task: str) -> int | None:
        return None

    def close(self) -> None:
        self._tasks.clear()
