"""Result of an analysis: a frozen object that keeps estimates and reservations together."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result:
    """The answer of an analysis.

    Attributes:
        frame: The estimates, one row per estimate; each analysis documents its columns.
        notes: Reservations that a reader must know before trusting the numbers: one replicate,
            missing runs, responses that do not vary. Whole sentences, most important first.
    """

    frame: pl.DataFrame
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pl.DataFrame:
        """The estimates, one row per estimate."""
        return self.frame

    def __repr__(self) -> str:
        lines = [type(self).__name__, *(f"  note: {note}" for note in self.notes)]
        return "\n".join([*lines, str(self.frame)])
