"""Replicates and conditions that are the same runs again, and so count as one.

Where no random number reaches a run, its replicates are copies. So are conditions that differ only
in what every alternative sets itself, or in points between whole numbers. Differences of copies do
not vary either; a test that takes copies for independent evidence finds any difference certain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from mesonet.analysis.frames import comparisons_named, indistinguishable


def are_equal(replicates: pl.DataFrame, columns: Sequence[str]) -> bool:
    """Tests whether two or more replicates have the same values, apart from rounding.

    Args:
        replicates: One row per replicate of one condition, without undefined values.
        columns: Columns of all values that enter a comparison, and not of their difference: it
            can be equal where chance moves both sides alike.
    """
    if replicates.height < 2:
        return False
    return all(indistinguishable(replicates[name].to_list()) for name in columns)


def independent(replicates: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Replicates that are evidence of their own: of equal ones only the first.

    Conditions are no replicates: they can give equal values and are different experiments still.

    Args:
        replicates: One row per replicate of one condition, without undefined values.
        columns: Columns of all values that enter a comparison.
    """
    return replicates.head(1) if are_equal(replicates, columns) else replicates


def distinct_conditions(frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The frame without conditions of which every run is that of an earlier one, and a note."""
    copies = repeated_conditions(frame)
    notes = repeated_notes({"": copies}, frame["condition"].n_unique())
    return frame.filter(~pl.col("condition").is_in(copies)), notes


def repeated_conditions(
    frame: pl.DataFrame,
    labels: Sequence[str] = (),
    levels: Sequence[str] = (),
) -> list[int]:
    """Conditions in which the runs of some alternatives are those of an earlier condition.

    Args:
        labels: The alternatives that are looked at; all without any.
        levels: Columns that have to agree, too.
    """
    firsts = first_conditions(frame, labels, levels=levels)
    return [condition for condition, first in firsts.items() if condition != first]


def first_conditions(
    frame: pl.DataFrame,
    labels: Sequence[str] = (),
    by: str = "alternative",
    levels: Sequence[str] = (),
) -> dict[int, int]:
    """The first condition that has the runs of each condition, by that condition.

    Without ids of runs all conditions differ. The arguments are those of `repeated_conditions`.
    """
    if "run" not in frame.columns:
        return {number: number for number in frame["condition"].unique().sort()}
    if labels:
        frame = frame.filter(pl.col(by).is_in(labels))
    first: dict[tuple[tuple[object, ...], ...], int] = {}
    firsts: dict[int, int] = {}
    ordered = frame.select("condition", by, "replicate", "run", *levels).sort(pl.all())
    for (condition,), rows in ordered.group_by("condition", maintain_order=True):
        runs = tuple(rows.drop("condition").iter_rows())
        firsts[condition] = first.setdefault(runs, condition)
    return firsts


def distinct_cells(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame without cells of which every run is that of a cell of an earlier condition."""
    if "run" not in frame.columns:
        return frame
    cell = ["condition", "alternative"]
    runs = pl.col("replicate", "run").sort_by("replicate").implode()
    sets = frame.group_by(cell, maintain_order=True).agg(runs).sort("condition")
    kept = sets.unique(["alternative", "replicate", "run"], keep="first", maintain_order=True)
    return frame.join(kept.select(cell), on=cell, how="semi", maintain_order="left")


def repeated_notes(copies: Mapping[str, Sequence[int]], conditions: int) -> tuple[str, ...]:
    """Notes on conditions that were left out since their runs are those of others.

    Args:
        copies: These conditions, by the alternative that was compared; of all, with an empty name.
        conditions: Number of all conditions.
    """
    alike: dict[tuple[int, ...], list[str]] = {}
    for label, repeated in copies.items():
        alike.setdefault(tuple(repeated), []).append(label)
    return tuple(
        f"{len(repeated)} of {conditions} conditions are the same runs as others and were left out"
        + ("" if len(labels) == len(copies) else f" for {', '.join(labels)}")
        + f": {_shortened(repeated)}."
        for repeated, labels in alike.items()
        if repeated
    )


def _shortened(conditions: Sequence[object]) -> str:
    named = ", ".join(map(str, conditions[:8]))
    return named if len(conditions) <= 8 else f"{named} and {len(conditions) - 8} more"


def single_pair_notes(
    counts: pl.DataFrame, equal: Sequence[tuple[str, str]], unit: str = "pair of runs"
) -> tuple[str, ...]:
    """Notes on comparisons that rest on a single pair of runs and so have no interval.

    Args:
        counts: `response`, `alternative` and `n` (blocks) of all comparisons.
        equal: Response and alternative of those of which all replicates are equal.
        unit: What a block is.
    """
    if not equal:
        alone = max(counts["n"].to_list(), default=0) == 1
        return (f"A single {unit} has no confidence interval.",) if alone else ()
    names = comparisons_named(equal, every=counts["alternative"].n_unique())
    note = f"All replicates are equal: {names}. They count as a single pair of runs, which has no "
    return (note + "confidence interval and no p.",)
