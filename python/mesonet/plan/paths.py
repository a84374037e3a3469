"""Places in a scenario: whether changes fit there, and the nearest place that exists."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from mesonet.errors import Problem, ScenarioError, join
from mesonet.scenario.by_tier import ByTier
from mesonet.scenario.queues import Queue

if TYPE_CHECKING:
    from mesonet.scenario import Scenario

_NO_PLACE = ("unknown_key", "path")


def replace_problems(
    scenario: Scenario, changes: Mapping[str, object], loc: str, *, path_loc: str = ""
) -> list[Problem]:
    """Reasons why a scenario does not take `changes`, placed at `loc`.

    Args:
        scenario: the base scenario.
        changes: values by path.
        loc: where the values stand in the plan.
        path_loc: where the paths stand, for those that do not exist; `loc` if empty.
    """
    try:
        scenario.replace(dict(changes))
    except ScenarioError as error:
        return [_placed(problem, scenario, changes, loc, path_loc) for problem in error.problems]
    return []


def _placed(
    problem: Problem, scenario: Scenario, changes: Mapping[str, object], loc: str, path_loc: str
) -> Problem:
    message = f"{problem.loc}: {problem.message}" if problem.loc else problem.message
    missing = problem.kind in _NO_PLACE and any(path.startswith(problem.loc) for path in changes)
    if not missing:
        return Problem(loc, problem.kind, message)
    if "did you mean" not in message and (nearest := nearest_path(problem.loc, scenario)):
        message += f"; the nearest path is {nearest}"
    return Problem(path_loc or loc, problem.kind, message)


def nearest_path(path: str, scenario: Scenario) -> str | None:
    """The path of the scenario that is spelt most like `path`, if any is like it."""
    close = difflib.get_close_matches(path, dict.fromkeys(known_paths(scenario)), n=1, cutoff=0.5)
    return close[0] if close else None


def known_paths(scenario: Scenario) -> Iterator[str]:
    """Every path of a scenario, those of optional keys included."""
    yield from _within(scenario, "")


def _within(value: Any, prefix: str) -> Iterator[str]:
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            path = join(prefix, name)
            yield path
            yield from _within(getattr(value, name), path)
    elif isinstance(value, Queue | ByTier):
        yield from (join(prefix, path) for path in value.paths())
    elif isinstance(value, Mapping):
        for name, entry in value.items():
            path = join(prefix, str(name))
            yield path
            yield from _within(entry, path)
    elif isinstance(value, list | tuple):
        for position, entry in enumerate(value):
            path = f"{prefix}[{position}]"
            yield path
            yield from _within(entry, path)
