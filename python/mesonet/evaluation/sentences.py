"""Sentences on where a candidate is worse or better, made of the cells of an evaluation."""

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
    """One sentence for each region of an experiment, with all measures that have a state there.

    Other profiles of the transport ask the same again, and have none.
    """
    for criterion in criteria:
        for experiment in criterion.experiments:
            if experiment.profile == "rfc":
                for region, cells in _merged(experiment, state).items():
                    yield Sentence(
                        section=criterion.section,
                        experiment=experiment.title,
                        others=experiment.arms == "mix",
                        state=state,
                        text=f"{_where(experiment, region)}: {_said(experiment, cells)}",
                        cells=len(cells),
                        excess=max((cell.excess or 0.0 for cell in cells), key=abs),
                    )


def foremost(
    listed: Iterable[Sentence], state: State, *, others: bool
) -> list[tuple[Sentence, int]]:
    """The sentence with the largest excess of each section, and how many more its section has.

    Of regions with the same excess it is the one with most cells.
    """
    sections: dict[str, list[Sentence]] = {}
    for it in listed:
        if it.state == state and it.others == others:
            sections.setdefault(it.section, []).append(it)
    return [
        (max(own, key=lambda it: (abs(it.excess), it.cells)), len(own) - 1)
        for own in sections.values()
    ]


def _merged(experiment: ExperimentResult, state: State) -> dict[Region, list[Cell]]:
    """Cells by region, of all measures and baselines that have a state in all of its conditions."""
    regions: dict[Region, list[Cell]] = {}
    for of_measure in by_measure(experiment.cells).values():
        own: dict[str, list[Cell]] = {}
        for cell in of_measure:
            own.setdefault(cell.baseline, []).append(cell)
        conditions = {
            region: inside
            for cells in own.values()
            for region, inside in covered(cells, state, experiment.factors)
        }
        for region, inside in conditions.items():
            for cells in own.values():
                there = [cell for cell in cells if cell.condition in inside]
                if all(cell.state == state for cell in there):
                    regions.setdefault(region, []).extend(there)
    return regions


def covered(
    cells: Sequence[Cell], state: State, factors: Mapping[str, tuple[str, str]]
) -> Iterator[tuple[Region, set[int]]]:
    """Regions, with their conditions, that cover all conditions in which a cell has a state.

    `cells` are those of one measure and one baseline. The regions have as few levels as can be, and
    each of their conditions has the state. A region of a single condition has all its levels: of a
    fraction, the others were not looked at.
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
    """Measures with the two values of the largest excess, and their baseline."""
    whose = "others' " if experiment.arms == "mix" else ""
    parts = []
    for words, of_measure in by_measure(cells).items():
        far = max(of_measure, key=lambda cell: abs(cell.excess or 0.0))
        versus = f"{_versus(experiment, of_measure, far)}: " if far.statistic != "line" else ""
        parts.append(f"{whose}{words} ({versus}{values(far)})")
    return ", ".join(parts)


def _versus(experiment: ExperimentResult, cells: Sequence[Cell], far: Cell) -> str:
    """The baseline of a cell, and whether the others, too, have its state in these conditions."""
    named, conditions = {it.baseline for it in cells}, {it.condition for it in cells}
    rest = [
        it.state == far.state
        for it in experiment.cells
        if it.words == far.words and it.condition in conditions and it.baseline not in named
    ]
    if not rest:
        return far.baseline
    return f"versus {far.baseline}" if any(rest) else f"{far.baseline} only"


def values(cell: Cell) -> str:
    """Both values of a cell in its unit: of the baseline and of the candidate, or of a limit."""
    harm = cell.statistic == "harm"
    unit, factor = ("%", 100.0) if harm else (cell.unit, cell.factor)
    both = [None if it is None else factor * it for it in (cell.reference, cell.candidate)]
    reference, candidate = _apart(both)
    if cell.statistic == "line":
        beyond = number(None if cell.excess is None else 100 * cell.excess, digits=2)
        return f"limit {reference}, mean {candidate} {unit}, beyond it in {beyond} % of the runs"
    return f"{'harm ' if harm else ''}{reference} → {candidate} {unit}".strip()


def _apart(values: Sequence[float | None]) -> list[str]:
    """Two digits of each value, and more where two do not tell them apart."""
    for digits in (2, 3, 4):
        texts = [number(it, digits=digits) for it in values]
        if len({*texts}) > 1:
            break
    return texts
