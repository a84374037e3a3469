"""Progress as a line on standard error, or in a notebook."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn


def moving(console: Console) -> bool:
    """True where lines can be drawn over: at a terminal, but not in a cell of a notebook.

    Cells give commands a terminal, and show what moves the cursor as it is. Jupyter sets this
    variable for kernels, and so for what they start.
    """
    return console.is_terminal and "JPY_PARENT_PID" not in os.environ


@contextmanager
def progress_line(
    doing: str, unit: str, total: float | None = None
) -> Iterator[Callable[..., None]]:
    """Shows how far something is and the time left; call it with what is done, and the total.

    It shows nothing where there is neither a terminal nor a notebook.
    """
    console = Console(file=sys.stderr, highlight=False, markup=False)
    bar = Progress(
        TextColumn(doing),
        BarColumn(),
        TextColumn("{task.completed:.4g} of {task.total:g} " + f"{unit}, about"),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
        console=console,
        transient=True,
        disable=not (moving(console) or console.is_jupyter),
    )
    task = bar.add_task("", total=total or 1)
    with bar:
        yield lambda done, total=total: bar.update(task, completed=done, total=total)
