"""Places in a scenario: whether changes fit there, and what of a plan sets them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from mesonet.errors import Problem, ScenarioError, join

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
        return [_placed(problem, changes, loc, path_loc) for problem in error.problems]
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


def _placed(problem: Problem, changes: Mapping[str, object], loc: str, path_loc: str) -> Problem:
    message = f"{problem.loc}: {problem.message}" if problem.loc else problem.message
    missing = problem.kind in _NO_PLACE and any(path.startswith(problem.loc) for path in changes)
    return Problem((missing and path_loc) or loc, problem.kind, message)
