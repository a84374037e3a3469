"""Workers: who executes runs, in which order, within which budget, and how long it will take."""

from mesonet.workers.execution import Listener, connected, execute_all
from mesonet.workers.process import report
from mesonet.workers.tasks import (
    SILENCE,
    Budget,
    Execute,
    Outcome,
    Pace,
    Progress,
    Running,
    Task,
)

__all__ = [
    "SILENCE",
    "Budget",
    "Execute",
    "Listener",
    "Outcome",
    "Pace",
    "Progress",
    "Running",
    "Task",
    "connected",
    "execute_all",
    "report",
]
