"""Options that limit or place runs, as people write them."""

from __future__ import annotations

from mesonet.errors import PlanError, Problem, show
from mesonet.units import UnitError, parse_size, parse_time
from mesonet.workers import Budget


def read_budget(*, max_time: str | None, max_memory: str | None) -> Budget:
    """The budget of one run, from options such as `2 h` and `4 GB`.

    Raises:
        PlanError: an option cannot be read; both, if both cannot.
    """
    problems: list[Problem] = []
    seconds: float | None = None
    memory: int | None = None
    try:
        seconds = None if max_time is None else parse_time(max_time)
    except UnitError as error:
        problems.append(Problem("--max-time", "quantity", str(error)))
    try:
        if max_memory is not None:
            size = parse_size(max_memory, unit="B")
            if size.of != "bytes":
                raise UnitError(f'expected bytes, such as "4 GB", got {show(max_memory)}')
            memory = int(size.value)
    except UnitError as error:
        problems.append(Problem("--max-memory", "quantity", str(error)))
    for option, value in (("--max-time", seconds), ("--max-memory", memory)):
        if value is not None and value <= 0:
            problems.append(Problem(option, "range", "expected more than nothing"))
    if problems:
        raise PlanError(problems)
    return Budget(seconds, memory)


def refuse_both(*, workers: int | None, cluster: str | None) -> None:
    """Raises `PlanError` if processes and a cluster are both asked for."""
    if workers is not None and cluster is not None:
        message = "a cluster has as many workers as were begun there; expected no --workers"
        raise PlanError([Problem("--workers", "conflict", message)])
