"""Entry of `elementary_effects`."""

from __future__ import annotations

import polars as pl

from mesonet.analysis.columns import OWN, Column, columns
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import Options

ELEMENTARY_EFFECTS = columns(
    "response group factor n mean mean_absolute sd",
    Column("n", pl.Int64, "", "number of effects"),
    Column("mean", pl.Float64, OWN, "mean of the effects"),
    Column("mean_absolute", pl.Float64, OWN, "mean of the absolute effects"),
)

ENTRIES = (
    Analysis(
        folder="elementary",
        name="elementary_effects",
        summary="elementary effects of a Morris design",
        options=Options,
        tables=(TableOf("elementary_effects", "a response and a factor", ELEMENTARY_EFFECTS),),
        page="howto/designs.md",
        charts=(
            ChartOf(
                "elementary_effects_chart",
                "Standard deviation against mean of the effects: factors far to the right "
                "matter, high ones act with others.",
            ),
        ),
        section="elementary-effects",
        on_request=True,
    ),
)
