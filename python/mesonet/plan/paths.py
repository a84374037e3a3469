"""Places in a scenario: whether changes fit there, and the nearest place that exists."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
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
    """Reasons why a scenario does not take `changes`, values by path.

    They are placed at `loc`, those of paths that do not exist at `path_loc`, if there is one.
    """
    try:
        scenario.replace(dict(changes))
    except ScenarioError as error:
        return [_placed(problem, scenario, changes, loc, path_loc) for problem in error.problems]
    return []


def cause(loc: str, settings: Mapping[str, Iterable[str]]) -> str:
    """The place in a plan that sets what is at a place of the scenario.

    Args:
        loc: Place in the scenario.
        settings: Paths in the scenario that are set, by the place in the plan that does.
    """
    # `rate` sets what is at `rate`, and not what is at `rate_changes`.
    causes = (
        place
        for place, paths in settings.items()
        if any(f"{loc}.".startswith((f"{path}.", f"{path}[")) for path in paths)
    )
    return next(causes, join("scenario", loc))


def _placed(
    problem: Problem, scenario: Scenario, changes: Mapping[str, object], loc: str, path_loc: str
) -> Problem:
    message = f"{problem.loc}: {problem.message}" if problem.loc else problem.message
    missing = problem.kind in _NO_PLACE and any(path.startswith(problem.loc) for path in changes)
    if not missing:
        return Problem(loc, problem.kind, message)
    if "did you mean" not in message:
        paths = dict.fromkeys(_paths(scenario, ""))
        nearest = difflib.get_close_matches(problem.loc, paths, n=1, cutoff=0.5)
        message += f"; the nearest path is {nearest[0]}" if nearest else ""
    return Problem(path_loc or loc, problem.kind, message)


def _paths(value: Any, prefix: str) -> Iterator[str]:
    """Every path of a scenario, those of optional keys included."""
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            path = join(prefix, name)
            yield path
            yield from _paths(getattr(value, name), path)
    elif isinstance(value, Queue | ByTier):
        yield from (join(prefix, path) for path in value.paths())
    elif isinstance(value, Mapping):
        for name, entry in value.items():
            path = join(prefix, str(name))
            yield path
            yield from _paths(entry, path)
    elif isinstance(value, list | tuple):
        for position, entry in enumerate(value):
            path = f"{prefix}[{position}]"
            yield path
            yield from _paths(entry, path)
