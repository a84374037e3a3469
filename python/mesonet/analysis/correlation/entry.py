"""Entry of `correlations`."""

from __future__ import annotations

import polars as pl
from pydantic import Field

from mesonet.analysis import options as kinds
from mesonet.analysis.columns import Column, columns
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import SplitOptions


class CorrelationsOptions(SplitOptions):
    """Options of `correlations`."""

    ranks: kinds.Truth = Field(
        False, description="True correlates ranks (Spearman) in place of values (Pearson)."
    )


CORRELATIONS = columns(
    "first second n r size",
    Column("first", pl.String, "", "first response"),
    Column("second", pl.String, "", "second response"),
    Column("size", pl.Float64, "1", "absolute correlation"),
)

ENTRIES = (
    Analysis(
        folder="correlation",
        name="correlations",
        responses="all",
        summary="correlations of all pairs of responses over the conditions",
        options=CorrelationsOptions,
        tables=(TableOf("correlations", "a pair of responses", CORRELATIONS),),
        section="reduction",
        page="howto/response-reduction.md",
        charts=(
            ChartOf(
                "frequency_chart",
                "How many pairs are how strongly correlated. A hill of its own at the "
                "right end holds the pairs that say the same; the valley before it is "
                "where to cut.",
            ),
            ChartOf(
                "correlation_chart",
                "The responses most correlated with the others: scatter plots above the "
                "diagonal, correlations × 100 below. Look at the plot before you trust a "
                "number: 0.9 may be one far point.",
            ),
        ),
        reading=(
            "Many responses rise and fall together and say one thing many times. Here all that "
            "vary are compared in pairs over the conditions. Show one response of each group, "
            "and do not let a group of twenty outvote the rest."
        ),
        needs="responses",
    ),
)
