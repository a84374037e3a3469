"""Time that runs take, from what was planned for them and how long finished ones took."""

from __future__ import annotations

from collections import Counter

from mesonet.workers.tasks import Task


class Pace:
    """Seconds by the clock for a unit of planned cost, for each group of tasks.

    A group of which no task has finished goes at the pace of all.
    """

    def __init__(self) -> None:
        self._seconds: Counter[str] = Counter()
        self._cost: Counter[str] = Counter()

    def learn(self, task: Task, seconds: float) -> bool:
        """Counts a finished task [s]; true for the first of its group."""
        is_first = task.group not in self._cost
        self._seconds[task.group] += seconds  # type: ignore[assignment]
        self._cost[task.group] += task.cost  # type: ignore[assignment]
        return is_first

    def seconds(self, group: str, cost: float) -> float | None:
        """Seconds that tasks of a group take with so much cost in all; None before any finished."""
        seconds, planned = self._seconds[group], self._cost[group]
        if planned <= 0:
            seconds, planned = self._seconds.total(), self._cost.total()
        return seconds / planned * cost if planned > 0 else None
