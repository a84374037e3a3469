"""Elementary effects of a Morris design: which factors matter, and whether always alike.

M. D. Morris, "Factorial sampling plans for preliminary computational experiments", Technometrics 33
(1991); the mean of absolute effects after F. Campolongo, J. Cariboni and A. Saltelli, Environmental
Modelling & Software 22 (2007).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from mesonet.analysis.elementary.entry import ELEMENTARY_EFFECTS
from mesonet.analysis.frames import cell_means, listed, partial_notes, replicate_notes, require
from mesonet.analysis.result import Result
from mesonet.analysis.subject import Subject
from mesonet.errors import InputError, Problem


class ElementaryEffects(Result, chart="elementary_effects_chart", frame=ELEMENTARY_EFFECTS):
    """Elementary effects of factors on responses.

    `frame` has a row for each response, group and factor.

    Effects are changes of the response per whole range of the factor. A large `sd` beside the mean
    says that the effect depends on where the other factors stand, or is not linear.
    """


def elementary_effects(
    frame: pl.DataFrame,
    *,
    factors: Sequence[str],
    responses: str | Sequence[str],
) -> ElementaryEffects:
    """Elementary effects along the trajectories of a Morris design."""
    names, columns = tuple(factors), listed(responses)
    require(frame, columns=(*names, *columns))
    coded = (
        frame.group_by("condition", maintain_order=True)
        .agg(pl.col(names).first())
        .sort("condition")
    )
    steps = _steps(coded, names)
    rows: list[tuple[object, ...]] = []
    cells = cell_means(frame, responses=columns, by=None)
    measured = cell_means(frame, responses=columns).drop_nulls("value")
    lost = cells.filter(pl.col("value").is_null()).join(
        measured, on=["response", "condition"], how="semi", maintain_order="left"
    )
    for (response,), means in cells.group_by("response", maintain_order=True):
        values = dict(zip(means["condition"], means["value"], strict=True))
        effects: dict[str, list[float]] = {name: [] for name in names}
        for before, after, name, change in steps:
            start, end = values.get(before), values.get(after)
            if start is not None and end is not None:
                effects[name].append(2.0 * (end - start) / change)
        rows += [(response, "all", name, *_summary(effects[name])) for name in names]
    return ElementaryEffects(
        frame=ELEMENTARY_EFFECTS.frame(rows),
        notes=(
            *replicate_notes(frame, responses=columns),
            *partial_notes(lost.select("response", "condition").iter_rows()),
        ),
    )


def _steps(coded: pl.DataFrame, names: Sequence[str]) -> list[tuple[int, int, str, float]]:
    """Conditions before and after, the factor that moved, and by how much its code changed."""
    conditions = coded["condition"].to_list()
    codes = coded.select(names).to_numpy().astype(np.float64)
    length = len(names) + 1
    steps = []
    for here, condition in enumerate(conditions[:-1]):
        if condition % length == 0 or conditions[here + 1] != condition + 1:
            continue
        change = codes[here + 1] - codes[here]
        moved = np.flatnonzero(np.abs(change) > 1e-9)
        if len(moved) != 1:
            message = (
                f"expected one factor to move from condition {condition} to {condition + 1}, as in "
                f'a design of kind "morris"; {len(moved)} did'
            )
            raise InputError([Problem("condition", "no_trajectory", message)])
        steps.append((condition, condition + 1, names[moved[0]], float(change[moved[0]])))
    return steps


def _summary(effects: Sequence[float]) -> tuple[int, float, float, float]:
    if not effects:
        return 0, math.nan, math.nan, math.nan
    values = np.array(effects)
    sd = float(values.std(ddof=1)) if len(values) > 1 else math.nan
    return len(values), float(values.mean()), float(np.abs(values).mean()), sd


def tabled_elementary_effects(subject: Subject, options: dict[str, Any]) -> ElementaryEffects:
    """Computes elementary effects on the responses that are asked for, if the design has any."""
    try:
        return elementary_effects(
            subject.frame, factors=subject.factors, responses=subject.family, **options
        )
    except InputError as error:
        if any(problem.kind != "no_trajectory" for problem in error.problems):
            raise
        # Other analyses of the same results still have something to say.
        note = "Not a Morris design, so there are no elementary effects."
        notes = (note, *replicate_notes(subject.frame))
        return ElementaryEffects(frame=ELEMENTARY_EFFECTS.frame(), notes=notes)
