"""Algorithms that do not exist, in plans that are refused before their runs are made."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from mesonet.controller import unknown_names
from mesonet.design import Factor
from mesonet.errors import InputError, Problem, join
from mesonet.plan.checks import level_settings
from mesonet.plan.model import in_cell
from mesonet.plan.tables import Alternative

if TYPE_CHECKING:
    from mesonet.scenario import Scenario


def unknown_algorithms(
    scenario: Scenario,
    factors: Sequence[Factor],
    alternatives: Mapping[str, Alternative],
    meant: Collection[str],
    *,
    whole: bool,
) -> Iterator[Problem]:
    """Algorithms and parameters of these parts that do not exist; nothing is loaded.

    Args:
        scenario: The base scenario.
        factors: Factors that could be read.
        alternatives: Alternatives that could be read, by their places in the plan.
        meant: Names that alternatives, also those that could not be read, say the meaning of.
        whole: True if these are all; another part may replace a name of the base scenario.
    """
    base = Alternative(label="base")
    parts = [
        *((f"{loc}.set", {}, each) for loc, each in alternatives.items()),
        *((loc, each, base) for factor in factors for loc, each in level_settings(factor)),
    ]
    old = _unknown(scenario, meant)
    kept = old
    for loc, changes, alternative in parts:
        try:
            found = _unknown(in_cell(scenario, changes, alternative), meant)
        except InputError:
            continue  # Said of the level or the alternative.
        kept = [problem for problem in kept if problem in found]
        for problem in found:
            if problem not in old:
                yield Problem(loc, problem.kind, f"{problem.loc}: {problem.message}")
    if whole:
        yield from (problem._replace(loc=join("scenario", problem.loc)) for problem in kept)


def _unknown(scenario: Scenario, meant: Collection[str]) -> list[Problem]:
    """Unknown names and parameters, but for names that stand for others."""
    named = {name: at for name, at in scenario.algorithm_places().items() if name not in meant}
    return list(unknown_names(named, scenario.parameters))
