"""Demands that every controller has to meet, tried one by one without a network."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from mesonet import _core
from mesonet.controller.faults import fault
from mesonet.controller.loading import load_any
from mesonet.controller.names import algorithm_name, name_problems
from mesonet.errors import ControllerError


class Demand(NamedTuple):
    """Something a controller has to do, and what it did instead (None if nothing is wrong)."""

    name: str
    demand: str
    problem: str | None
    measured: tuple[Mapping[str, float], ...] = ()
    """The rows of a table, where the demand is about numbers."""


class Demands(tuple[Demand, ...]):
    """Demands that were tried. They are shown one to a line, with what is wrong below it."""

    def __repr__(self) -> str:
        width, lines, first = max(len(it.name) for it in self), list[str](), dict[str, str]()
        for demand in self:
            verdict = "FAILED" if demand.problem else "passed"
            lines.append(f"{verdict}  {demand.name:<{width}}  {demand.demand}")
            if demand.problem:
                name = first.setdefault(demand.problem, demand.name)
                problem = demand.problem if name == demand.name else f"as {name}"
                lines.append(f"{'':<{width + 10}}{problem}")
        failed = sum(demand.problem is not None for demand in self)
        lines.append(f"{failed} of {len(self)} checks failed" if failed else "all checks passed")
        return "\n".join(lines)


def demands(
    controller: str | type,
    *,
    seed: int,
    steps: int,
    parameters: Mapping[str, float] | None = None,
) -> Iterator[Demand]:
    """Plays a transport to a controller, without a network; `steps` random events from `seed`.

    Only the first demand is tried of one that cannot be made.
    """
    name, values = algorithm_name(controller), dict(parameters or {})
    problems = [str(problem) for problem in name_problems({name: [""]}, {name: values})]
    if problems:
        raise ControllerError("\n".join(problems))
    subject = load_any(name)
    maker = functools.partial(subject, **values) if isinstance(subject, type) else subject
    try:
        rows = _core.conformance(maker, seed, steps, {**values})
    except ValueError as refused:
        raise ControllerError(f"{name}: {refused}") from None
    for short, demand, problem, method, error in rows:
        if method is not None:
            problem = fault(subject, method, problem, error)
        yield Demand(short, demand, problem)
