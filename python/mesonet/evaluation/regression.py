"""What got worse than in an evaluation that was kept, for continuous integration."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from mesonet.errors import InputError, Problem, from_pydantic, unread
from mesonet.evaluation.chart import place
from mesonet.evaluation.result import Cell, Evaluation

_Key = tuple[str, str, str, tuple[tuple[str, str], ...], str, str]


def read_evaluation(file: Path, place: str = "against") -> Evaluation:
    """Reads an `evaluation.json`; what is wrong with it is told of `place`."""
    try:
        data = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        problem = unread(file, error)
        raise InputError([problem._replace(loc=place, message=str(problem))]) from None
    try:
        return Evaluation.model_validate(data)
    except ValidationError as error:
        raise from_pydantic(error, InputError, f"{place}: {file}", data=data) from None


def worse(now: Evaluation, base: Evaluation) -> dict[str, list[str]]:
    """Cells that are worse than in the base, in sentences by criterion and measure, worst first.

    A cell is worse if its interval lies wholly above that of the base, or if the candidate fails
    or has no value where it had. Each interval has 95 % or more, so disjoint ones are rare by
    chance.
    Cells that only one of them has are not compared; `InputError` if there are no others.
    """
    pairs = in_both(now, base)
    if not pairs:
        message = "expected an evaluation of the same size, criteria, conditions and baselines"
        raise InputError([Problem("against", "nothing_in_common", f"{message}, none is the same")])
    groups: dict[str, list[tuple[float, str]]] = {}
    for (section, *_, words), name, was, cell in pairs:
        distance, why = _rise(was, cell)
        if distance > 0:
            groups.setdefault(f"{section} {words}", []).append((distance, f"{name}: {why}"))
    return {
        group: [text for _, text in sorted(cells, key=lambda it: -it[0])]
        for group, cells in groups.items()
    }


def in_both(now: Evaluation, base: Evaluation) -> list[tuple[_Key, str, Cell, Cell]]:
    """Cells that both have: what they are, their name, and the cell in the base and now."""
    before = {key: cell for key, _, cell in _cells(base)}
    return [(key, name, before[key], cell) for key, name, cell in _cells(now) if key in before]


def _cells(evaluation: Evaluation) -> Iterator[tuple[_Key, str, Cell]]:
    for criterion in evaluation.criteria:
        for experiment in criterion.experiments:
            profile = f", profile {experiment.profile}" if experiment.profile != "rfc" else ""
            for cell in experiment.cells:
                levels = tuple(cell.levels.items())
                where = (criterion.section, evaluation.size, experiment.folder, levels)
                key = (*where, cell.baseline, cell.words)
                name = f"{experiment.title}, {place(cell)}, versus {cell.versus}{profile}"
                yield key, name, cell


def _rise(base: Cell, now: Cell) -> tuple[float, str]:
    """Distance of the intervals, above zero if the cell is worse, and what to say of it."""
    if now.errors and not base.errors:
        return math.inf, f"the candidate fails: {now.errors[0]}"
    if base.excess is None:
        return 0.0, ""
    if now.excess is None:
        return math.inf, f"has no value any more; it was {base.excess:.2g}"
    high = base.excess if base.high is None else base.high
    low = now.excess if now.low is None else now.low
    change = f"excess {now.excess:.2g}, at least {low:.2g}"
    return low - high, f"{change}; it was {base.excess:.2g}, at most {high:.2g}"
