"""Campaigns of few conditions, which speak of these conditions and of no others."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from mesonet.analysis.frames import defined

FEW = 6
"""Conditions from which a mean over conditions like these is estimated.

With fewer, the interval over conditions says little: with two it is 12.7 standard errors wide to
either side, and the signed-rank test cannot find anything below six."""
LEAST = 3
"""Replicates without which chance between seeds is not measured well."""


def over_few_conditions(frame: pl.DataFrame, *, responses: Sequence[str]) -> pl.DataFrame | None:
    """Means over the conditions of a replicate, as the runs of one condition.

    Differences of these are judged by the variation between replicates, and so are about exactly
    these conditions.

    Returns:
        `None` for a single condition, for many, and with fewer than three replicates that every
        condition and alternative has.
    """
    conditions = frame["condition"].n_unique()
    if not 1 < conditions < FEW:
        return None
    means = frame.group_by("alternative", "replicate", maintain_order=True).agg(
        pl.lit(1, pl.Int64).alias("condition"),
        pl.len().alias("conditions"),
        *(pl.when(defined(name).count() == conditions).then(defined(name).mean()).alias(name)
          for name in responses),
    ).filter(conditions=conditions)  # fmt: skip
    full = (
        means.group_by("replicate", maintain_order=True)
        .len()
        .filter(len=frame["alternative"].n_unique())
    )
    return means.drop("conditions") if full.height >= LEAST else None
