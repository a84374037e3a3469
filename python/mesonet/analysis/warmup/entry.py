"""Entry of `warm_up`."""

from __future__ import annotations

import polars as pl
from pydantic import Field

from mesonet.analysis import options as kinds
from mesonet.analysis.columns import OWN, Column, columns
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import Options


class WarmUpOptions(Options):
    """Options of `warm_up`."""

    series: kinds.Texts = Field(
        (), description="Columns of a run's series; all columns of numbers without it."
    )


WARM_UP = columns(
    "run condition alternative replicate series observations truncated time fraction mean "
    "mean_after settled",
    Column("series", pl.String, "", "series of measurement intervals"),
    Column("observations", pl.Int64, "", "number of measurement intervals"),
    Column("truncated", pl.Int64, "", "number of intervals to leave out"),
    Column("mean_after", pl.Float64, OWN, "mean of what remains"),
    Column(
        "settled",
        pl.Boolean,
        "",
        "true if the series is long enough to tell the end of its warm-up",
    ),
)

ENTRIES = (
    Analysis(
        folder="warmup",
        name="warm_up",
        summary="end of the warm-up of each series of each run (MSER-5)",
        options=WarmUpOptions,
        tables=(TableOf("warm_up", "a run and a series", WARM_UP),),
        charts=(
            ChartOf(
                "warm_up_chart", "The running mean of each series, and the end of its warm-up."
            ),
        ),
        section="warm-up",
        on_request=True,
    ),
)
