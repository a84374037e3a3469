"""A screen of a plan: means of the fluid model in the place of runs, with their known errors.

So factors that change nothing are found before packets are paid for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from mesonet.errors import PlanError, Problem
from mesonet.fluid import path_of, unsupported
from mesonet.fluid.known import Means, known_error, means
from mesonet.plan.model import Plan, RunSpec
from mesonet.scenario.dumbbell import Dumbbell

SCREENED = ("share", "rate", "window", "queueing_delay")
"""Part of the capacity [1], rate of a flow [bit/s], its window [segments], queueing delay [s]."""
_ERRORS = tuple(f"{name}_error" for name in SCREENED)


class Screen(NamedTuple):
    """What the fluid model says of a plan; a column `X_error` is null where no error is known."""

    runs: tuple[RunSpec, ...]
    """The first replicate of the cells that were solved."""
    cells: pl.DataFrame
    """A row per condition, alternative and algorithm, with the means of `SCREENED`."""
    effects: pl.DataFrame
    """A row per factor, alternative and algorithm, with the change of `SCREENED` by the factor."""
    left_out: dict[str, dict[str, list[int]]]
    """Conditions that the model cannot have, by reason and alternative."""


def screen(plan: Plan, through: Callable[[list[RunSpec]], Iterable[RunSpec]] = iter) -> Screen:
    """Solves the fluid model in every cell of a plan that it may stand in for.

    Args:
        plan: The plan, of which one replicate is laid out.
        through: Goes through the cells, and may show how far it is.
    """
    solved: list[RunSpec] = []
    rows: list[dict[str, Any]] = []
    left_out: dict[str, dict[str, list[int]]] = {}
    for run in through(plan.with_replicates(1).runs()):
        problems = list(unsupported(run.scenario))
        if not isinstance(run.scenario, Dumbbell):
            problems = [Problem("kind", "unsupported", "expected a dumbbell")]
        for problem in problems:
            where = left_out.setdefault(str(problem), {})
            where.setdefault(run.alternative, []).append(run.condition)
        if not problems and isinstance(run.scenario, Dumbbell):
            solved.append(run)
            cell = {"condition": run.condition, "alternative": run.alternative}
            rows += [cell | row for row in _means(run.scenario)]
    if not rows:
        message = f"the fluid model has none of the cells; {next(iter(left_out))}"
        raise PlanError([Problem("--screen", "unsupported", message)])
    cells = pl.DataFrame(rows, infer_schema_length=None)
    return Screen(tuple(solved), cells, _effects(plan, cells), left_out)


def _means(scenario: Dumbbell) -> Iterator[dict[str, Any]]:
    """Means of a cell and their known errors, by algorithm."""
    path = path_of(scenario)
    for name, it in means(scenario).items():
        rate, wait = path.rate * scenario.packet.bits / path.flows[name], path.room / path.rate
        known: Sequence[float | None] = [None] * len(SCREENED)
        if error := known_error(scenario, name):
            known = _scaled(error._replace(window=error.window * it.window), rate, wait)
        yield {
            "algorithm": name,
            **dict(zip(SCREENED, _scaled(it, rate, wait), strict=True)),
            **dict(zip(_ERRORS, known, strict=True)),
        }


def _scaled(it: Means, rate: float, wait: float) -> tuple[float, ...]:
    return it.share, it.share * rate, it.window, it.queue * wait


def _effects(plan: Plan, cells: pl.DataFrame) -> pl.DataFrame:
    """Effects of the factors, and the sums of the errors that they can have."""
    rows = []
    for factor in plan.factors:
        for key, own in cells.group_by("alternative", "algorithm", maintain_order=True):
            codes = np.array([plan.coded(it)[factor.name] for it in own["condition"]])
            if codes.min() == codes.max():
                continue
            row = {"factor": factor.name, "alternative": key[0], "algorithm": key[1]}
            for name, error in zip(SCREENED, _ERRORS, strict=True):
                values = own[name].to_numpy()
                weights = _weights(codes, values)
                unknown = own[error].has_nulls()
                row[name] = float(weights @ values)
                row[error] = None if unknown else float(abs(weights) @ own[error].to_numpy())
            rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


def _weights(codes: Any, values: Any) -> Any:
    """Weights of cells in the effect of a factor.

    From one level's mean to that of a later level, the two that are farthest apart. Where no level
    is there twice, as in space-filling designs, the linear trend from one end to the other.
    """
    levels = np.unique(codes)
    if len(levels) == len(codes) > 2:
        around = codes - codes.mean()
        return around * (levels[-1] - levels[0]) / (around**2).sum()
    at = [codes == level for level in levels]
    averages = [values[it].mean() for it in at]
    first, last = sorted((int(np.argmin(averages)), int(np.argmax(averages))))
    first, last = (first, last) if first < last else (0, -1)
    return at[last] / at[last].sum() - at[first] / at[first].sum()
