"""From one row per run to one value per cell of the experiment.

A *cell* is one condition simulated with one alternative; its value is the mean over replicates.
Every analysis starts here, so that missing runs and undefined responses are treated alike.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Iterable, Sequence

import polars as pl

from mesonet.errors import InputError, Problem, did_you_mean, unknown

LEFT_OUT = "runs are missing and were left out."
"""End of the note on the runs that a frame lacks, where the frame alone is known."""

IDENTITY = ("condition", "alternative", "replicate")

# Below this fraction of the largest value, a difference is rounding error of the floating point.
ROUNDING = 1e-12


def require(frame: pl.DataFrame, *, columns: Iterable[str], by: Iterable[str] = ()) -> None:
    """Checks that a campaign frame can be analysed.

    Args:
        columns: Columns of numbers that are needed.
    """
    problems = []
    # Polars makes the schema anew each time.
    schema = frame.schema
    for name in dict.fromkeys((*IDENTITY, *by, *columns)):
        if name not in schema:
            hint = did_you_mean(name, list(schema))
            problems.append(Problem(name, "unknown_column", f"no such column in the frame{hint}"))
    for name in dict.fromkeys(columns):
        if name in schema and not schema[name].is_numeric():
            problem = f"expected a column of numbers, got {schema[name]}"
            problems.append(Problem(name, "not_numeric", problem))
    if not problems and frame.select(IDENTITY).is_duplicated().any():
        message = "the same condition, alternative and replicate occurs more than once"
        problems.append(Problem("run", "duplicate_run", message))
    if problems:
        raise InputError(problems)


def listed(names: str | Sequence[str]) -> tuple[str, ...]:
    """One name or several, as a tuple without repetitions."""
    return tuple(dict.fromkeys([names] if isinstance(names, str) else names))


def alternatives(frame: pl.DataFrame, *, by: str = "alternative") -> tuple[str, ...]:
    """The alternatives in the order in which the frame first names them."""
    return tuple(str(value) for value in frame[by].unique(maintain_order=True))


def refuse_unknown(labels: Sequence[str], **named: str | None) -> None:
    """Refuses alternatives, each by the name of its argument, that are not among the labels."""
    problems = [
        problem
        for name, label in named.items()
        if label is not None
        for problem in unknown(name, "unknown_alternative", label, labels)
    ]
    if problems:
        raise InputError(problems)


def cell_means(
    frame: pl.DataFrame, *, responses: Sequence[str], by: str | None = "alternative"
) -> pl.DataFrame:
    """Means over replicates, in long form.

    Returns:
        Columns `response`, `condition`, the `by` column (if any), `value` (null if undefined in
        every replicate, and with `by=None` also where an alternative that has the response
        elsewhere has no value) and `replicates` (runs with a defined value); conditions ascend, the
        alternatives keep the order of the frame.
    """
    splits = ["condition"] if by is None else ["condition", by]
    within = ["condition", "alternative"] if by is None else splits
    keys = list(dict.fromkeys(within))
    columns = [defined(name).alias(f"value {at}") for at, name in enumerate(responses)]
    # One grouping for all responses: a wide table of few rows is made long at the end.
    every = (
        frame.sort("condition", maintain_order=True)
        .select(*keys, *columns)
        .group_by(keys, maintain_order=True)
        .agg(
            pl.all().mean(),
            *(pl.col(f"value {at}").count().alias(f"n {at}") for at in range(len(columns))),
        )
    )
    parts = []
    for at, name in enumerate(responses):
        cells = every.select(
            *keys, pl.col(f"value {at}").alias("value"), pl.col(f"n {at}").alias("replicates")
        )
        if by is None:
            ever = cells.drop_nulls("value")["alternative"].n_unique()
            # A mean over other alternatives than elsewhere is another quantity.
            same = pl.col("value").count() == ever
            cells = cells.group_by("condition", maintain_order=True).agg(
                pl.when(same).then(pl.col("value").mean()), pl.col("replicates").sum()
            )
        parts.append(cells.select(pl.lit(name).alias("response"), *splits, "value", "replicates"))
    if parts:
        return pl.concat(parts)
    number = {"value": pl.Float64, "replicates": pl.UInt32}
    return pl.DataFrame(
        schema={"response": pl.String, **{k: frame.schema[k] for k in splits}, **number}
    )


def defined(name: str) -> pl.Expr:
    """The column as numbers, with null wherever it is not finite."""
    column = pl.col(name).cast(pl.Float64)
    return pl.when(column.is_finite()).then(column).otherwise(None)


def indistinguishable(values: Sequence[float]) -> bool:
    """Tests whether values differ by no more than floating-point rounding."""
    return max(values) - min(values) <= ROUNDING * max(abs(value) for value in values)


def replicate_notes(frame: pl.DataFrame, *, responses: Sequence[str] = ()) -> tuple[str, ...]:
    """The sentences that every result needs about replication and missing runs."""
    notes = []
    replicates = frame["replicate"].n_unique()
    if replicates == 1:
        notes.append(
            "n = 1: every condition was simulated once with each alternative. Chance within a "
            "condition cannot be told from a difference between alternatives; intervals and tests "
            "rest on the variation across conditions alone."
        )
    cells = frame["condition"].n_unique() * frame["alternative"].n_unique()
    missing = cells * replicates - frame.height
    if missing > 0:
        notes.append(f"{missing} of {cells * replicates} {LEFT_OUT}")
    return (*notes, *_equal_replicates(frame, responses))


def partial_notes(where: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """A sentence on means over alternatives that are not taken because some have no value.

    Args:
        where: Responses and conditions, in the order to be named.
    """
    conditions: dict[str, list[str]] = {}
    for name, number in where:
        conditions.setdefault(name, []).append(str(number))
    alike: dict[str, list[str]] = {}
    for name, numbers in conditions.items():
        plural = "s" if len(numbers) > 1 else ""
        alike.setdefault(f"condition{plural} {', '.join(numbers)}", []).append(name)
    if not alike:
        return ()
    what = "; ".join(f"{', '.join(names)} in {numbers}" for numbers, names in alike.items())
    why = "Not every alternative has a value, and a mean over the others is not the same quantity"
    return (f"{why}; left out: {what}.",)


def comparisons_named(comparisons: Iterable[tuple[str, str]], *, every: int) -> str:
    """Names of comparisons: the response, and the alternatives unless it is all of them.

    Args:
        comparisons: Response and alternative of each comparison, in the order to be named.
        every: Number of alternatives that each response is compared for.
    """
    labels: dict[str, list[str]] = {}
    for response, alternative in comparisons:
        labels.setdefault(response, []).append(alternative)
    return ", ".join(
        name if len(alternatives) == every else f"{name} ({', '.join(alternatives)})"
        for name, alternatives in labels.items()
    )


def _equal_replicates(frame: pl.DataFrame, responses: Sequence[str]) -> tuple[str, ...]:
    """Names responses that are the same number in all replicates of a cell, other than zero."""
    if not frame.select("condition", "alternative").is_duplicated().any():
        return ()
    texts = []
    for name in responses:
        cells = (
            frame.select("condition", "alternative", defined(name).alias("value"))
            .drop_nulls("value")
            .group_by("condition", "alternative", maintain_order=True)
            .agg(pl.col("value").n_unique().alias("values"), pl.col("value").first(), pl.len())
            .filter(pl.col("len") > 1)
        )
        # Nothing dropped in any replicate is no surprise; the same 0.8731 in all of them is.
        equal = cells.filter((pl.col("values") == 1) & (pl.col("value") != 0)).height
        if equal:
            texts.append(f"{name} (in {equal} of {cells.height} cells)")
    if not texts:
        return ()
    return (
        "Suspicious: no variance at all across replicates in "
        + ", ".join(texts)
        + ". Either chance does not reach it, as in a scenario that draws no random numbers, or it "
        "is at a limit; replicates then count as one, and intervals over them say nothing.",
    )


def digest(frame: pl.DataFrame, *, responses: Sequence[str]) -> str:
    """A fingerprint of what was measured, independent of machine, order of runs and wall time.

    Returns:
        SHA-256 in hexadecimal over condition, alternative, replicate, seed and the exact bits of
        every response, in sorted order.
    """
    total = hashlib.sha256()
    total.update("\n".join(responses).encode())
    identity = [*IDENTITY, *(["seed"] if "seed" in frame.columns else [])]
    for row in frame.sort(list(IDENTITY)).select(*identity, *responses).iter_rows():
        total.update("\t".join(str(value) for value in row[: len(identity)]).encode())
        for value in row[len(identity) :]:
            number = math.nan if value is None else float(value)
            # All NaNs are one: their payload bits differ between platforms.
            total.update(struct.pack("<d", math.nan if math.isnan(number) else number))
    return total.hexdigest()
