"""Workers: who executes runs, in which order, within which budget, and how long it will take."""

from mesonet.workers.execution import MAX_DEATHS, Listener, connected, execute_all
from mesonet.workers.process import report
from mesonet.workers.tasks import (
    SILENCE,
    Budget,
    Execute,
    Outcome,
    OverBudgetError,
    Pace,
    Pool,
    Progress,
    Running,
    Task,
)

__all__ = [
    "MAX_DEATHS",
    "SILENCE",
    "Budget",
    "Execute",
    "Listener",
    "Outcome",
    "OverBudgetError",
    "Pace",
    "Pool",
    "Progress",
    "Running",
    "Task",
    "connected",
    "execute_all",
    "report",
]
