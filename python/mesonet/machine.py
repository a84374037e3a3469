"""What this machine has: cores, and memory beside what a scenario needs at least."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from mesonet.errors import Problem, ScenarioError

_WORDS = {
    "sources": "sources",
    "receivers": "receivers",
    "routes": "routes",
    "series": "counters at every interval",
    "flows": "named flows at every interval",
    "queues": "queues at every interval",
}
_NEGLIGIBLE = 16_000_000
"""Need about which the system is not asked [bytes]: asking takes longer than a small run."""
_OWN_GROUP, _GROUPS = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")


def available() -> int:
    """Memory that a new process may take [bytes], also by limits of a container or batch job."""
    import psutil

    return max(min([int(psutil.virtual_memory().available), *_left_in_groups()]), 0)


def available_cores() -> int:
    """Cores that a new process may use, also by limits of a container or batch job."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min([cores or 1, *_cores_of_groups()])


def _groups() -> Iterator[Path]:
    """Control groups (version 2) that this process is in, the outermost first."""
    try:
        own = _OWN_GROUP.read_text("utf-8").rpartition("0::/")[2].strip()
    except OSError:
        return
    levels = Path(own).parts
    for depth in range(len(levels) + 1):
        yield _GROUPS.joinpath(*levels[:depth])


def _left_in_groups() -> Iterator[int]:
    """Memory that control groups leave [bytes]."""
    for folder in _groups():
        try:
            limit, used = (int((folder / f"memory.{it}").read_text()) for it in ("max", "current"))
            parts = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        except (OSError, ValueError):
            continue
        # Files that were read or written count as used, and make room for what needs it.
        yield limit - used + int(parts["inactive_file"])


def _cores_of_groups() -> Iterator[int]:
    """Cores that the quotas of control groups come to; a part of a core counts as one."""
    for folder in _groups():
        try:
            quota, period = map(int, (folder / "cpu.max").read_text().split())
        except (OSError, ValueError):
            continue
        yield math.ceil(quota / period)


def held(pid: int) -> int | None:
    """Memory that a process holds now [bytes]; None where the system does not say."""
    import psutil

    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return None


def refuse_unless_fits(need: Mapping[str, int]) -> None:
    """Refuses a scenario that needs more memory than there is [bytes], by part, at least."""
    total = sum(need.values())
    if total <= _NEGLIGIBLE:
        return
    room = available()
    if total <= room:
        return
    part = max(need, key=lambda name: need[name])
    smaller = "fewer hosts" if part in ("sources", "receivers", "routes") else "longer intervals"
    message = (
        f"expected at most {size(room)}, which is what this machine has left; needs at least "
        f"{size(total)}, of which {_WORDS[part]} take {size(need[part])}: {smaller} would help"
    )
    raise ScenarioError([Problem("memory", "memory", message)])


def watched(
    measure: Mapping[str, Any], progress: Callable[[float], None] | None
) -> Callable[[float], None] | None:
    """Progress of a run that ends it once recorded packets and segments would not fit.

    How many there will be is not known before, so `refuse_unless_fits` counts none. Their tables
    take as much again as what is recorded.
    """
    recorded = [name for name in ("segments", "packets") if measure.get(name)]
    if not recorded:
        return progress
    before = held(os.getpid()) or 0
    what, options = " and ".join(recorded), " or ".join(f"record_{name}" for name in recorded)

    def watch(simulated: float) -> None:
        taken, room = (held(os.getpid()) or 0) - before, available()
        if taken > room:
            message = (
                f"expected at most {size(room)}, which is what this machine has left; {what} "
                f"recorded in the first {simulated:.3g} s take {size(taken)}, and tables of them "
                f"as much again: a shorter duration would help, or no {options}"
            )
            raise ScenarioError([Problem("memory", "memory", message)])
        if progress is not None:
            progress(simulated)

    return watch


def size(bytes_: int) -> str:
    """A size for people.

    Examples:
        >>> size(1_500_000), size(48_000_000_000)
        ('1.5 MB', '48 GB')
    """
    unit, factor = ("GB", 1e9) if bytes_ >= 1e9 else ("MB", 1e6)
    return f"{bytes_ / factor:.3g} {unit}"
