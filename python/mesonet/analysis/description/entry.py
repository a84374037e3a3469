"""Entries of `describe` and `congestion`."""

from __future__ import annotations

import polars as pl
from pydantic import Field

from mesonet.analysis import options as kinds
from mesonet.analysis.columns import Column, columns
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import Options


class CongestionOptions(Options):
    """Options of `congestion`."""

    response: kinds.ResponseName = Field(
        None, description="Response that measures congestion; `loss_rate` without it."
    )


DESCRIBE = columns(
    "response alternative conditions mean sd minimum median maximum",
    Column("conditions", pl.UInt32, "", "number of conditions with a value"),
)

CONGESTION = columns("condition position alternative value")

ENTRIES = (
    Analysis(
        folder="description",
        name="describe",
        responses="all",
        summary="mean, spread and extremes of every response by alternative",
        options=Options,
        tables=(TableOf("describe", "a response and an alternative", DESCRIBE),),
        section="responses",
        charts=(
            ChartOf(
                "describe_chart",
                "Lines go from the smallest to the largest condition mean; a bar is the "
                "median and a mark the mean. Mean ± standard deviation over conditions "
                "stands beside them.",
            ),
        ),
    ),
    Analysis(
        folder="description",
        name="congestion",
        summary="conditions from the least to the most congested",
        options=CongestionOptions,
        tables=(TableOf("congestion", "a condition and an alternative", CONGESTION),),
        section="congestion",
        charts=(
            ChartOf(
                "congestion_chart",
                "The response that measures congestion under every condition, from the "
                "least to the most congested. Marks in one column met the same condition. "
                "The shaded line at the foot holds exact zeros, which a log scale cannot.",
            ),
        ),
        needs="congestion",
    ),
)
