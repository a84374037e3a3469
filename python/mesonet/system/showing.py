"""Progress of one simulation as a line on standard error, or in a notebook."""

from __future__ import annotations

import os
import sys

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn


def moving(console: Console) -> bool:
    """True where lines can be drawn over: at a terminal, but not in a cell of a notebook.

    Cells give commands a terminal, and show what moves the cursor as it is. Jupyter sets this
    variable for kernels, and so for what they start.
    """
    return console.is_terminal and "JPY_PARENT_PID" not in os.environ


class SimulationProgress:
    """Shows the simulated time and the time left; call it with the simulated time.

    It shows nothing where there is neither a terminal nor a notebook.
    """

    def __init__(self, duration: float) -> None:
        """Prepares a line for a run of some simulated time [s]."""
        console = Console(file=sys.stderr, highlight=False, markup=False)
        self._bar = Progress(
            TextColumn("simulating"),
            BarColumn(),
            TextColumn("{task.completed:.1f} of {task.total:g} s, about"),
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
            console=console,
            transient=True,
            disable=not (moving(console) or console.is_jupyter),
        )
        self._task = self._bar.add_task("", total=duration)

    def __enter__(self) -> SimulationProgress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, simulated: float) -> None:
        """Shows the simulated time [s]."""
        self._bar.update(self._task, completed=simulated)
