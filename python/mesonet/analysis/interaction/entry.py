"""Entry of `interactions`."""

from __future__ import annotations

import polars as pl

from mesonet.analysis import options as kinds
from mesonet.analysis.columns import OWN, Column, columns
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import Options

INTERACTIONS = columns(
    "response group first second n low_low high_low low_high high_high effect relative t df p "
    "aliases stars sign",
    Column("first", pl.String, "", "first factor"),
    Column("second", pl.String, "", "second factor"),
    Column("low_low", pl.Float64, OWN, "mean with both factors at their low levels"),
    Column("high_low", pl.Float64, OWN, "mean with the first factor high and the second low"),
    Column("low_high", pl.Float64, OWN, "mean with the first factor low and the second high"),
    Column("high_high", pl.Float64, OWN, "mean with both factors at their high levels"),
    Column("effect", pl.Float64, OWN, "half the change in the effect of the first, by the second"),
)


class InteractionsOptions(Options):
    """Options of `interactions`."""

    transformation: kinds.Transformation = kinds.TRANSFORMED


ENTRIES = (
    Analysis(
        folder="interaction",
        name="interactions",
        summary="two-factor interactions and what they are confounded with",
        options=InteractionsOptions,
        tables=(TableOf("interactions", "a response and a pair of factors", INTERACTIONS),),
        section="main-effects",
        page="howto/main-effects.md",
        charts=(
            ChartOf(
                "interactions_chart",
                "On the diagonal the main effects; elsewhere pairs of factors. Parallel "
                "lines: each factor acts by itself. Lines that cross or spread: what one "
                "does depends on the other, or the design cannot tell (see what is "
                "confounded under The experiment).",
            ),
        ),
        needs="factors",
        two_level=True,
    ),
)
