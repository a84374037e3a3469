"""Entry of `condition_response`."""

from __future__ import annotations

import polars as pl
from pydantic import Field

from mesonet.analysis import options as kinds
from mesonet.analysis.columns import OWN, Column, columns
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import Options


class ConditionResponseOptions(Options):
    """Options of `condition_response`."""

    alpha: kinds.Share = Field(0.05, description="Probability of a false alarm of a test.")
    critical: kinds.OptionalPositive = Field(
        None, description="Critical value of Grubbs' test; computed without it."
    )


CONDITION_RESPONSE = columns(
    "response condition position n mean sd range extreme residual magnitude relative g "
    "critical p outlier direction",
    Column("range", pl.Float64, OWN, "largest value less the smallest"),
    Column(
        "extreme", pl.String, "", "alternative with the largest residual; null where all are alike"
    ),
    Column("residual", pl.Float64, OWN, "value less the mean of the condition"),
    Column("magnitude", pl.Float64, "1", "decimal logarithm of the absolute residual"),
    Column("critical", pl.Float64, "1", "value that the statistic exceeds for an outlier"),
)

ENTRIES = (
    Analysis(
        folder="conditions",
        name="condition_response",
        responses="each",
        summary="the alternative that stands out in each condition (Grubbs' test)",
        options=ConditionResponseOptions,
        tables=(TableOf("condition_response", "a response and a condition", CONDITION_RESPONSE),),
        section="condition-response",
        page="howto/condition-response.md",
        charts=(
            ChartOf(
                "condition_response_chart",
                ("Numbers stand for the alternatives, in their order at the head of the page."),
            ),
        ),
        reading=(
            "Look for coloured columns, then read below them what these conditions have in "
            "common. For each condition: how far each alternative lies from the mean of all, "
            "with conditions ordered by the largest difference. Below each condition: its "
            "factor levels, the extreme alternative, the size of its residual (log₁₀), the "
            "residual as a percentage of the mean, and Grubbs' G. A column is coloured where G "
            "exceeds its critical value: green for a high outlier, red for a low one. The 2010 "
            "MesoNet study used 2.08 for seven algorithms; set `critical = 2.08` to follow it."
        ),
        needs="alternatives",
    ),
)
