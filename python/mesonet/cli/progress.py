"""Progress on standard error: a live view on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from mesonet.cli.common import stderr
from mesonet.showing import moving
from mesonet.workers import Progress, Running

_LINE_EVERY = 15.0
"""Least seconds between two lines where there is no terminal."""
_SHOWN = 16
"""Most running runs that are shown one by one."""


class CampaignProgress:
    """Shows the progress of a campaign, with a word for its runs; call it with every `Progress`."""

    def __init__(self, runs: str = "runs") -> None:
        self._runs = runs
        self._live = Live(console=stderr, refresh_per_second=4, transient=True)
        self._last = Progress(total=0)
        self._printed, self._line = -_LINE_EVERY, ""
        self._notes = 0

    def __enter__(self) -> CampaignProgress:
        if moving(stderr):
            self._live.start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if moving(stderr):
            self._live.stop()
            # After Ctrl-C the one line is that of the command.
            if self._last.total and not isinstance(error, KeyboardInterrupt):
                stderr.print(headline(self._last))
        if isinstance(error, KeyboardInterrupt):
            last = self._last
            done = (
                f"{last.done} of {last.total} {self._runs} are done"
                if last.total
                else "no run had begun"
            )
            error.add_note(f"stopped: {done}; the same command resumes")

    def __call__(self, progress: Progress) -> None:
        """Shows the state of the campaign."""
        self._last = progress
        for note in progress.notes[self._notes :]:
            stderr.print(note)
        self._notes = len(progress.notes)
        if moving(stderr):
            self._live.update(view(progress))
            return
        now = time.monotonic()
        ended = progress.done + progress.failed == progress.total
        line = headline(progress)
        due = now - self._printed >= _LINE_EVERY or ended
        if due and line != self._line and not progress.stopping:
            self._printed, self._line = now, line
            stderr.print(line)


def view(progress: Progress) -> RenderableType:
    """Panel about a campaign that is being executed."""
    ended = progress.done + progress.failed
    table = Table.grid(padding=(0, 2))
    for run in progress.running[:_SHOWN]:
        table.add_row(run.id, run.label, _reached(run), duration(run.seconds), run.where)
    if len(progress.running) > _SHOWN:
        table.add_row("", f"and {len(progress.running) - _SHOWN} more")
    bar = ProgressBar(total=max(progress.total, 1), completed=ended, width=60)
    stopping = "stopping after the runs that are running; Ctrl-C again stops at once"
    return Group(headline(progress), bar, table, *([stopping] if progress.stopping else []))


def headline(progress: Progress) -> str:
    """Progress of a campaign in one line."""
    ended = progress.done + progress.failed
    return f"{ended}/{progress.total} runs, {describe(progress)}"


def describe(progress: Progress) -> str:
    """Failures, running tasks and the time left, in words."""
    parts = [f"{progress.failed} failed"] if progress.failed else []
    if progress.done + progress.failed == progress.total:
        return ", ".join([*parts, "finished"])
    if progress.lonely:
        return ", ".join([*parts, progress.lonely])
    if progress.running:
        parts.append(f"{len(progress.running)} running")
    if progress.eta is None:
        parts.append("time left not yet known")
    else:
        parts.append(f"about {duration(progress.eta)} left")
    return ", ".join(parts)


def _reached(run: Running) -> str:
    return f"{run.simulated:.4g} of {run.until:g} s simulated" if run.until else ""


def duration(seconds: float) -> str:
    """A duration as people say it: `45 s`, `3 min 20 s`, `2 h 05 min`, `3 d 04 h`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 86400} d {whole % 86400 // 3600:02d} h"


def describe_executing(reported: Mapping[str, Any] | None) -> list[str]:
    """Latest progress that the executing process reported, in lines; none if there is none."""
    if reported is None:
        return []
    progress = _from_reported(reported)
    lines = [f"executing: {describe(progress)}"]
    if progress.stopping:
        lines.append("stopping after the runs that are running")
    lines += [f"  {run.id}  {run.label}  {_reached(run)}" for run in progress.running[:_SHOWN]]
    return lines


def _from_reported(reported: Mapping[str, Any]) -> Progress:
    """Progress brought up to date: the time since the report has passed, too."""
    since = max(time.time() - reported["at"], 0.0)
    left = reported["eta"]
    eta = None if left is None else max(left - since, 0.0)
    running = tuple(
        Running(**run | {"seconds": run["seconds"] + since}) for run in reported["running"]
    )
    plain = ("total", "done", "failed", "workers", "stopping", "lonely")
    rest = {key: reported[key] for key in plain if key in reported}
    return Progress(**rest, running=running, eta=eta, notes=tuple(reported["notes"]))
