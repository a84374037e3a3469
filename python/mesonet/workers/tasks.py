"""Tasks that are handed to workers, and the events that come back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from mesonet.errors import MesonetError
from mesonet.text import plain


@dataclass(frozen=True)
class Task:
    """Something to execute."""

    id: str
    cost: float
    """An estimate in any unit, such as expected packets; the longest goes first."""
    work: Any
    """Argument of the function that the worker calls."""
    label: str = ""
    """Name for people, such as its condition."""
    group: str = ""
    """Tasks of one group take alike for the same cost, such as runs of one algorithm."""
    simulated: float = 0.0
    """Simulated time until its end [s]."""
    version: str = ""
    """Result version that the worker's engine must have; any if empty."""
    code: str = ""
    """Code of the user's that takes part, for people; empty if there is none."""


SILENCE = 600.0
"""A run in which code of the user's takes part may be silent for so long [s].

Runs tell how far they are twice a second, unless that code never comes back."""


@dataclass(frozen=True)
class Budget:
    """Limits of one run."""

    seconds: float | None = None
    """Longest time [s]."""
    memory: int | None = None
    """Most memory of the process that executes it [bytes]."""
    silence: float | None = None
    """Longest time without a sign of life [s]."""

    def exceeded(self, seconds: float, memory: int | None) -> str | None:
        """In which way a run is over its budget, in words; None if it is not."""
        if self.seconds is not None and seconds > self.seconds:
            return f"over its budget: took more than {self.seconds:g} s (--max-time)"
        if self.memory is not None and memory is not None and memory > self.memory:
            return (
                f"over its budget: its process held {memory / 1e6:.0f} MB of the "
                f"{self.memory / 1e6:.0f} MB allowed (--max-memory)"
            )
        return None


class OverBudgetError(MesonetError):
    """A run that takes more than it may."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of a task."""

    id: str
    value: Any = None
    """Value that the function returned."""
    error: str | None = None
    """Reason of the failure; the first line is a summary."""
    printed: str = ""
    """Text that it printed."""
    host: str = ""
    seconds: float = 0.0
    """Wall-clock time [s]."""
    cpu_seconds: float = 0.0
    """Processor time [s]."""
    memory: int = 0
    """The most that the process held until then [bytes]."""
    started: str = ""
    """UTC."""
    finished: str = ""
    """UTC."""

    def __post_init__(self) -> None:
        # Texts of a controller go to files, tables and terminals, which cannot take any.
        if self.error is not None:
            object.__setattr__(self, "error", plain(self.error))
        object.__setattr__(self, "printed", plain(self.printed))


class Beat(NamedTuple):
    """A sign of life of a task, with its simulated time [s]."""

    id: str
    simulated: float


class Lost(NamedTuple):
    """The worker of a task died or became unreachable."""

    id: str
    reason: str
    printed: str = ""
    blame: bool = True
    """True if the task may be the cause."""


Event = Outcome | Beat | Lost


class Pool(Protocol):
    """Workers, wherever they are."""

    def free(self) -> int:
        """Number of further tasks that can be handed out now."""

    def workers(self) -> int:
        """Number of tasks that can run at once."""

    def lonely(self) -> str:
        """Reason why no task can run now; empty while one can."""

    def submit(self, task: Task) -> str:
        """Hands out a task; returns where it goes."""

    def poll(self, timeout: float) -> list[Event]:
        """Events since the last call; waits up to `timeout` seconds for one."""

    def end(self, task: str) -> None:
        """Ends a running task without an event, whatever it takes."""

    def memory(self, task: str) -> int | None:
        """Memory of the process of a running task [bytes], if it can be seen from here."""

    def close(self) -> None:
        """Ends all workers that this pool began, whatever they do."""


@dataclass(frozen=True)
class Running:
    """A task that is running."""

    id: str
    label: str
    where: str
    seconds: float
    """Since it was handed out."""
    simulated: float
    """Simulated time it has reached [s]."""
    until: float
    """Simulated time at its end [s]."""


@dataclass(frozen=True)
class Progress:
    """Progress of a campaign."""

    total: int
    done: int = 0
    failed: int = 0
    running: tuple[Running, ...] = ()
    workers: int = 0
    eta: float | None = None
    """Time left [s], from the pace of the runs finished so far; None before the first."""
    stopping: bool = False
    """Asked to stop; waiting for the runs that are running."""
    notes: tuple[str, ...] = ()
    """Messages for the user, oldest first."""
    lonely: str = ""
    """Reason why nothing can run now, as where no worker has joined a cluster; empty otherwise."""


Execute = Callable[[Any], Any]


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
