"""Many cells at once: whose interval excludes zero, and which of them chance does not explain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from mesonet.analysis.multiplicity import adjusted

ALPHA = 0.05
"""Significance level of every interval, and of the adjusted p for a certain effect."""


@dataclass(frozen=True)
class Family:
    """Cells that are tested together.

    Attributes:
        cells: One row each: `mean`, `lower` and `upper` of an effect that is zero where there is
            none, `n` (replicates), `p` (of no effect; NaN with one replicate), and whatever tells
            the cells apart.
    """

    cells: pl.DataFrame

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The cells with `p_holm`: p adjusted for the number of cells (Holm 1979)."""
        holm = adjusted(self.cells["p"].to_list(), method="holm")
        return self.cells.with_columns(pl.Series("p_holm", holm, dtype=pl.Float64))

    @property
    def size(self) -> int:
        """Number of cells."""
        return self.cells.height

    @property
    def tested(self) -> int:
        """Number of cells with an interval."""
        return int(self.cells["p"].is_finite().sum())

    @property
    def chance(self) -> float:
        """Intervals expected on either side of zero if no cell had any effect."""
        return ALPHA / 2 * self.tested

    def above(self, *, certain: bool = False) -> pl.DataFrame:
        """Cells whose interval lies above zero; if asked, those only that are certain."""
        return self._where(pl.col("lower") > 0, certain)

    def below(self, *, certain: bool = False) -> pl.DataFrame:
        """Cells whose interval lies below zero; if asked, those only that are certain."""
        return self._where(pl.col("upper") < 0, certain)

    def thinner_than(self, replicates: int) -> int:
        """Number of cells with fewer replicates."""
        return int((self.cells["n"] < replicates).sum())

    def _where(self, side: pl.Expr, certain: bool) -> pl.DataFrame:
        rows = self.frame.filter(side)
        return rows.filter(pl.col("p_holm") < ALPHA) if certain else rows
