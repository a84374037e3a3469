"""The part of a campaign that a two-level analysis can use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl


class TwoLevelPart(NamedTuple):
    """The part of a campaign that has main effects in the sense of `main_effects`."""

    frame: pl.DataFrame
    factors: tuple[str, ...]
    notes: tuple[str, ...]
    """Factors and responses that were left out, with the reasons, as sentences."""


def two_level_part(
    frame: pl.DataFrame, *, factors: Sequence[str], centre: int | None = None
) -> TwoLevelPart:
    """Leaves out what has no main effects: the centre of a design, and factors of other levels.

    Args:
        centre: Condition that was added to the design as its centre. Codes do not tell: the middle
            level of a factor with three has the code 0, too.
    """
    notes = []
    rest = frame if centre is None else frame.filter(pl.col("condition") != centre)
    if rest.height < frame.height and not rest.is_empty():
        notes.append(
            f"Condition {centre} is the centre of the design and has no part in the effects."
        )
    else:
        rest = frame
    kept = tuple(name for name in factors if set(rest[name].unique().to_list()) <= {-1, 1})
    left_out = [name for name in factors if name not in kept]
    if left_out and not kept:
        notes.append(
            "Not a two-level design, so there are no main effects: no factor has just a low and a "
            "high level."
        )
    elif left_out:
        notes.append(
            "Not of two levels, so without a main effect here, and averaged over: "
            f"{', '.join(left_out)}."
        )
    return TwoLevelPart(rest, kept, tuple(notes))
