"""Progress on standard error: a bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import time
from types import TracebackType

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from mesonet.cli.common import stderr
from mesonet.workers import Progress

_LINE_EVERY = 15.0
"""Least seconds between two lines where there is no terminal."""


class CampaignProgress:
    """Shows how far a campaign is; call it with every `Progress`."""

    def __init__(self) -> None:
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[state]}"),
            console=stderr,
            disable=not stderr.is_terminal,
        )
        self._task = self._bar.add_task("runs", total=None, state="")
        self._last = Progress(total=0)
        self._printed = -_LINE_EVERY
        self._stopping = False

    def __enter__(self) -> CampaignProgress:
        self._bar.start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._bar.stop()
        if isinstance(error, KeyboardInterrupt):
            last = self._last
            stderr.print(
                f"stopped: {last.done} of {last.total} runs are done; the same command resumes"
            )

    def __call__(self, progress: Progress) -> None:
        """Shows the state of the campaign."""
        self._last = progress
        if progress.stopping and not self._stopping:
            self._stopping = True
            stderr.print("stopping after the runs that are running; Ctrl-C again stops at once")
        ended = progress.done + progress.failed
        self._bar.update(
            self._task, total=progress.total, completed=ended, state=describe(progress)
        )
        now = time.monotonic()
        due = now - self._printed >= _LINE_EVERY or ended == progress.total
        if not stderr.is_terminal and due:
            self._printed = now
            stderr.print(f"{ended}/{progress.total} runs, {describe(progress)}")


def describe(progress: Progress) -> str:
    """Failures and the time left, in words."""
    parts = [f"{progress.failed} failed"] if progress.failed else []
    ended = progress.done + progress.failed
    if ended == progress.total:
        parts.append("finished")
    elif progress.eta_seconds is None:
        parts.append("time left not yet known")
    else:
        parts.append(f"about {duration(progress.eta_seconds)} left")
    return ", ".join(parts)


def duration(seconds: float) -> str:
    """A duration as people say it: `45 s`, `3 min 20 s`, `2 h 05 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


class SimulationProgress:
    """Shows how far one simulation is; call it with the simulated time."""

    def __init__(self, duration: float) -> None:
        self._bar = Bar(
            TextColumn("simulating"),
            BarColumn(),
            TextColumn("{task.completed:.1f} of {task.total:g} s"),
            console=stderr,
            transient=True,
            disable=not stderr.is_terminal,
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
