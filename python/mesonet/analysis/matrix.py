"""The cells of an experiment as one block of numbers, for statistics of many responses at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis.equal_replicates import first_conditions
from mesonet.analysis.frames import (
    ROUNDING,
    alternatives,
    defined,
    partial_notes,
    replicate_notes,
    require,
)
from mesonet.errors import InputError, Problem

Matrix = NDArray[np.float64]
Transformation = Literal["none", "log"]
Labels = NDArray[np.int64]
"""A number per condition; conditions that are the same runs have the same."""


@dataclass(frozen=True)
class Cells:
    """Condition means of many responses.

    Attributes:
        values: Means over replicates, indexed [group, condition, response]; NaN where undefined
            in every replicate or not simulated, and of the mean over alternatives also where one
            that has the response elsewhere has no value.
        groups: Labels of the alternatives, or ("all",) for the mean over them.
        conditions: Numbers of the conditions, ascending.
        responses: Identifiers of the responses.
        notes: Responses without some logarithms, and conditions without a mean over alternatives,
            because some have no value.
    """

    values: Matrix
    groups: tuple[str, ...]
    conditions: tuple[int, ...]
    responses: tuple[str, ...]
    notes: tuple[str, ...] = ()


def cells(
    frame: pl.DataFrame,
    *,
    responses: Sequence[str],
    by: str | None = "alternative",
    transformation: Transformation = "none",
) -> Cells:
    """Averages every response over replicates.

    Logarithms are those of these means, and the mean over alternatives is that of logarithms. What
    is not above zero has none.
    """
    if transformation not in ("none", "log"):
        message = f"expected 'none' or 'log', got {transformation!r}"
        raise InputError([Problem("transformation", "unknown_name", message)])
    split = by or "alternative"
    names = list(responses)
    conditions = frame["condition"].unique().sort()
    labels = alternatives(frame, by=split)
    grouped = frame.group_by("condition", split, maintain_order=True).agg(
        *(defined(name).mean().alias(f"mean of {name}") for name in names)
    )
    values = np.full((len(labels), len(conditions), len(names)), np.nan)
    place = {label: index for index, label in enumerate(labels)}
    rows = np.searchsorted(conditions.to_numpy(), grouped["condition"].to_numpy())
    groups = np.array([place[str(label)] for label in grouped[split]], dtype=np.intp)
    if names and grouped.height:
        block = grouped.select(f"mean of {name}" for name in names).to_numpy()
        values[groups, rows] = block.astype(np.float64)
    numbers, notes = tuple(conditions.to_list()), tuple[str, ...]()
    if transformation == "log":
        without = ~np.isnan(values) & (values <= 0)
        values = np.log10(values, out=np.full(values.shape, np.nan), where=values > 0)
        if lacking := named(names, without.any(axis=(0, 1))):
            notes = (f"Conditions whose mean is not above zero have no logarithm: {lacking}.",)
        notes += ("Means and effects are of log10 of the condition means.",)
    if by is not None:
        return Cells(values, labels, numbers, tuple(names), notes)
    present = ~np.isnan(values)
    count, ever = present.sum(axis=0), present.any(axis=1).sum(axis=0)
    partial = (count > 0) & (count < ever)
    means = np.where(partial, np.nan, mean_over(values))
    notes += partial_notes(
        (name, number)
        for column, name in enumerate(names)
        for row, number in enumerate(numbers)
        if partial[row, column]
    )
    return Cells(means, ("all",), numbers, tuple(names), notes)


def mean_over(values: Matrix) -> Matrix:
    """The mean over the first axis of what is defined; the axis stays, with length 1."""
    present = ~np.isnan(values)
    count = present.sum(axis=0, keepdims=True)
    total = np.where(present, values, 0.0).sum(axis=0, keepdims=True)
    means: Matrix = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return means


def levels(frame: pl.DataFrame, factors: Sequence[str]) -> Matrix:
    """The coded levels of every condition, [condition, factor], conditions ascending."""
    problems = [
        Problem(name, "not_coded", f"expected the levels -1 and +1, got {values}")
        for name in factors
        if not set(values := frame[name].unique().sort().to_list()) <= {-1, 1}
    ]
    spread = frame.group_by("condition", maintain_order=True).agg(pl.col(list(factors)).n_unique())
    problems += [
        Problem(name, "not_constant", "has both levels within one condition")
        for name in factors
        if spread.height and spread[name].max() != 1
    ]
    if problems:
        raise InputError(problems)
    coded = (
        frame.group_by("condition", maintain_order=True)
        .agg(pl.col(list(factors)).first())
        .sort("condition")
    )
    if not factors:
        return np.empty((coded.height, 0))
    return coded.select(list(factors)).to_numpy().astype(np.float64)


def orthogonal(coded: Matrix) -> bool:
    """Tests whether the factors are orthogonal to each other and to the mean.

    Args:
        coded: [condition, factor].
    """
    model = np.column_stack([np.ones(len(coded)), coded])
    products = model.T @ model
    return bool(np.all(products == np.diag(np.diag(products))))


def patterns(values: Matrix) -> list[tuple[NDArray[np.intp], NDArray[np.bool_]]]:
    """Columns grouped by the rows in which they have a value.

    Args:
        values: [row, column].

    Returns:
        Pairs of column numbers and a mask of rows.
    """
    present = ~np.isnan(values)
    masks, kind = np.unique(present, axis=1, return_inverse=True)
    return [
        (np.flatnonzero(kind.reshape(-1) == number), masks[:, number])
        for number in range(masks.shape[1])
    ]


def same_runs(frame: pl.DataFrame, block: Cells, *, by: str | None) -> Labels:
    """The first condition that has the runs of each condition, [group, condition].

    Args:
        block: Its cells.
    """
    chosen = [()] if by is None else [(group,) for group in block.groups]
    firsts = [first_conditions(frame, labels, by or "alternative") for labels in chosen]
    rows = [[first.get(number, number) for number in block.conditions] for first in firsts]
    return np.array(rows, dtype=np.int64).reshape(len(rows), len(block.conditions))


def row_groups(
    values: Matrix, same: Labels
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.bool_], Labels]]:
    """Columns grouped by the rows in which they have a value, and which of these are the same runs.

    Args:
        values: [row, column], the groups of a response side by side.
        same: [group, row].

    Yields:
        Column numbers, a mask of rows with at least one, and the labels of these rows.
    """
    if not values.size:
        return
    kinds, kind = np.unique(same, axis=0, return_inverse=True)
    kind_of = kind.reshape(-1)[np.arange(values.shape[1]) % len(same)]
    for number, labels in enumerate(kinds):
        columns_of_kind = np.flatnonzero(kind_of == number)
        for columns, rows in patterns(values[:, columns_of_kind]):
            if rows.any():
                yield columns_of_kind[columns], rows, labels[rows]


def named(names: Sequence[str], chosen: Any) -> str:
    """The names that a mask chooses, with commas between."""
    return ", ".join(name for name, it in zip(names, chosen, strict=True) if it)


def constant(values: Matrix) -> NDArray[np.bool_]:
    """Columns whose values differ by no more than floating-point rounding; NaN is left out.

    A column without a value is not constant.
    """
    if not len(values):
        return np.zeros(values.shape[1], dtype=np.bool_)
    filled = np.isnan(values)
    high = np.where(filled, -np.inf, values).max(axis=0)
    low = np.where(filled, np.inf, values).min(axis=0)
    size = np.where(filled, 0.0, np.abs(values)).max(axis=0)
    with np.errstate(invalid="ignore"):
        same: NDArray[np.bool_] = (high - low <= ROUNDING * size) & ~filled.all(axis=0)
    return same


@dataclass(frozen=True)
class Observations:
    """One response as the condition means that have a value.

    Attributes:
        conditions: Numbers of the conditions, ascending.
        coded: Levels of the factors, [condition, factor].
        values: One per condition.
        factors: Columns of the factors.
        notes: Reservations: replicates, missing runs and undefined values.
    """

    conditions: NDArray[np.int64]
    coded: Matrix
    values: Matrix
    factors: tuple[str, ...]
    notes: tuple[str, ...]

    def sizes(self) -> list[float]:
        """Distance between the means at the two levels of each factor; -1 without one of them."""
        sizes = []
        for column in self.coded.T:
            high, low = self.values[column > 0], self.values[column < 0]
            sizes.append(abs(float(high.mean() - low.mean())) if len(high) and len(low) else -1.0)
        return sizes


def observations(frame: pl.DataFrame, *, factors: Sequence[str], response: str) -> Observations:
    """The means of a response over replicates and alternatives, per condition."""
    names = tuple(factors)
    require(frame, columns=(*names, response))
    table = cells(frame, responses=(response,), by=None)
    values = table.values[0, :, 0] if len(table.groups) and table.values.size else np.empty(0)
    coded = levels(frame, names)
    present = ~np.isnan(values)
    notes = [*replicate_notes(frame), *table.notes]
    if not present.any():
        notes.insert(0, f"{response} has no value in any condition.")
    elif not present.all():
        notes.append(
            f"{response} has a value in {int(present.sum())} of {len(values)} conditions: the "
            "design is not balanced, and effects are not free of each other."
        )
    values = values[present]
    if len(values) == 1:
        notes.insert(0, f"{response} has a value in one condition only.")
    elif constant(values[:, np.newaxis])[0]:
        notes.insert(0, f"{response} does not vary.")
    conditions = np.asarray(table.conditions, dtype=np.int64)[present]
    return Observations(conditions, coded[present], values, names, tuple(notes))
