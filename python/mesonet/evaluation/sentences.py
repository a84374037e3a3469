"""Sentences on where a candidate does more or less harm, made of the cells of an evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from mesonet.evaluation.result import (
    Cell,
    CriterionResult,
    ExperimentResult,
    Sentence,
    by_measure,
)
from mesonet.evaluation.statistics import State
from mesonet.numbers import number

_CENTRE = (("", "centre"),)
Region = tuple[tuple[str, str], ...]
"""Levels of factors that tell conditions from the others; empty for all of them."""


def sentences(criteria: Iterable[CriterionResult], state: State) -> Iterator[Sentence]:
    """One sentence for each region of an experiment, with all that is more (or less) there.

    Other profiles of the transport ask the same again, and have none.
    """
    for criterion in criteria:
        for experiment in criterion.experiments:
            if experiment.profile == "rfc":
                for region, cells in _merged(experiment, state).items():
                    yield Sentence(
                        section=criterion.section,
                        experiment=experiment.title,
                        state=state,
                        text=f"{_where(experiment, region)}: {_said(experiment, cells)}",
                        cells=len(cells),
                    )


def _merged(experiment: ExperimentResult, state: State) -> dict[Region, list[Cell]]:
    """Cells of a state by region, those of all measures together."""
    regions: dict[Region, list[Cell]] = {}
    for cells in by_measure(experiment.cells).values():
        for region, there in covered(cells, state, experiment.factors):
            in_state = [it for it in cells if it.state == state and it.condition in there]
            regions.setdefault(region, []).extend(in_state)
    return regions


def covered(
    cells: Sequence[Cell], state: State, factors: Mapping[str, tuple[str, str]]
) -> Iterator[tuple[Region, set[int]]]:
    """Regions, with their conditions, that cover all conditions in which a cell has a state.

    They have as few levels as can be. Each condition of a region has the state, versus one
    baseline or more. A region of a single condition has all its levels: of a fraction, the others
    were not looked at.
    """
    conditions = {cell.condition: cell for cell in cells}
    left = {cell.condition for cell in cells if cell.state == state}
    there = frozenset(left)
    corners = [it for it in conditions.values() if _is_corner(it, factors)]
    for size in range(len(factors) + 1):
        for names in combinations(factors, size):
            regions: dict[Region, set[int]] = {}
            for cell in corners:
                region = tuple((name, cell.levels[name]) for name in names)
                regions.setdefault(region, set()).add(cell.condition)
            if not size and len(corners) < len(conditions):
                regions[()] |= conditions.keys()
            for region, inside in regions.items():
                whole = len(inside) > 1 or size == len(factors)
                if whole and inside <= there and inside & left:
                    yield region, inside
                    left -= inside
    if left:
        yield _CENTRE, left


def _is_corner(cell: Cell, factors: Mapping[str, tuple[str, str]]) -> bool:
    return all(cell.levels[name] in ends for name, ends in factors.items())


def _where(experiment: ExperimentResult, region: Region) -> str:
    if region == _CENTRE:
        return "at the centre of all factors"
    if not region:
        return "under all conditions" if experiment.factors else "in its only condition"
    return "where " + ", ".join(f"{name} = {level}" for name, level in region)


def _said(experiment: ExperimentResult, cells: Sequence[Cell]) -> str:
    """Measures with their largest excess, and the baselines where it is not over all of them."""
    every = {cell.baseline for cell in experiment.cells}
    whose = "others' " if experiment.arms == "mix" else ""
    parts = []
    for words, of_measure in by_measure(cells).items():
        far = max((cell.excess or 0.0 for cell in of_measure), key=abs)
        over = list(dict.fromkeys(cell.baseline for cell in of_measure))
        some = len(over) < len(every) and of_measure[0].statistic != "line"
        versus = f" over {' and '.join(over)} only" if some else ""
        parts.append(f"{whose}{words} ({number(far, digits=2)}{versus})")
    return ", ".join(parts)
