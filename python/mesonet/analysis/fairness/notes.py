"""Notes on harm: what is undefined or left out, and why."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from mesonet.analysis.equal_replicates import single_pair_notes


def harm_notes(
    table: pl.DataFrame, own: str | None, equal: Sequence[tuple[str, str]]
) -> tuple[str, ...]:
    """Notes on what cannot be said of harm, and on the bar that it is held against."""
    notes = []
    if table.is_empty():
        notes.append("There is only the solo alternative, so nobody does harm.")
    notes += [
        f"Harm of {label} to {', '.join(names)} is undefined: there is no pair of runs with a "
        "value other than zero to divide by."
        for label, names in responses_by_alternative(table.filter(pl.col("n") == 0))
    ]
    if own is None:
        notes.append(
            "Harm alone sets no bar: give `own`, the alternative in which the flows meet their own "
            "kind, to see whether an algorithm does more harm than is done already."
        )
    return (*notes, *single_pair_notes(table, equal))


def undefined_notes(blocks: pl.DataFrame, table: pl.DataFrame, unit: str) -> list[str]:
    """Notes on blocks without harm, as what it is divided by is zero there."""
    zero = (
        blocks.filter(pl.col("harm").is_nan())
        .group_by("response", "alternative", maintain_order=True)
        .len("zero")
        .join(table.filter(pl.col("n") > 0), on=["response", "alternative"], how="semi")
    )
    return [
        f"Harm of {label} to {response} leaves out {count} {unit}{'s' * (count > 1)} in which "
        "there is a zero to divide by."
        for response, label, count in zero.iter_rows()
    ]


def responses_by_alternative(table: pl.DataFrame) -> list[tuple[str, list[str]]]:
    """Responses of the rows of a table, by alternative."""
    grouped = table.group_by("alternative", maintain_order=True).agg("response")
    return list(grouped.iter_rows())
