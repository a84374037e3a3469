"""What got worse than in an evaluation that was kept, for continuous integration."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from mesonet.errors import InputError, Problem, from_pydantic, unread
from mesonet.evaluation.chart import place
from mesonet.evaluation.result import Cell, Evaluation, ExperimentResult

_Key = tuple[str, str, tuple[tuple[str, str], ...], str, str]


def read_evaluation(file: Path) -> Evaluation:
    """Reads an `evaluation.json`."""
    try:
        data = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        problem = unread(file, error)
        raise InputError([problem._replace(loc="against", message=str(problem))]) from None
    try:
        return Evaluation.model_validate(data)
    except ValidationError as error:
        raise from_pydantic(error, InputError, f"against: {file}", data=data) from None


def worse(now: Evaluation, base: Evaluation) -> list[str]:
    """Cells that are worse than in the base, in sentences.

    A cell is worse if its interval lies wholly above that of the base, or if the candidate fails
    where it did not. Intervals hold together for a criterion, so disjoint ones are rare by chance.
    Cells that only one of them has are not compared; `InputError` if there are no others.
    """
    before = {key: cell for key, _, cell in _cells(base)}
    pairs = [(name, before[key], cell) for key, name, cell in _cells(now) if key in before]
    if not pairs:
        message = "expected an evaluation of the same criteria, conditions and baselines"
        raise InputError([Problem("against", "nothing_in_common", f"{message}, none is the same")])
    return [f"{name}: {why}" for name, was, cell in pairs if (why := _worse(was, cell))]


def _cells(evaluation: Evaluation) -> Iterator[tuple[_Key, str, Cell]]:
    for criterion in evaluation.criteria:
        for experiment in criterion.experiments:
            for cell in experiment.cells:
                levels = tuple(cell.levels.items())
                key = (criterion.section, experiment.folder, levels, cell.baseline, cell.words)
                yield key, f"{criterion.section} {_named(experiment, cell)}", cell


def _named(experiment: ExperimentResult, cell: Cell) -> str:
    profile = f", profile {experiment.profile}" if experiment.profile != "rfc" else ""
    return f"{experiment.title}, {place(cell)}{profile}: {cell.words}, {cell.baseline}"


def _worse(base: Cell, now: Cell) -> str:
    if now.errors and not base.errors:
        return f"the candidate fails: {now.errors[0]}"
    if base.excess is None or now.excess is None:
        return ""
    high = base.excess if base.high is None else base.high
    low = now.excess if now.low is None else now.low
    if low <= high:
        return ""
    return (
        f"excess {now.excess:.3g}, at least {low:.3g}; it was {base.excess:.3g}, at most {high:.3g}"
    )
