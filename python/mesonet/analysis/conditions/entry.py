"""Entry of `condition_response`."""

from __future__ import annotations

from pydantic import Field

from mesonet.analysis import options as kinds
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import GroupedOptions


class ConditionResponseOptions(GroupedOptions):
    """Options of `condition_response`."""

    alpha: kinds.Share = Field(0.05, description="Probability of a false alarm of a test.")
    critical: kinds.OptionalPositive = Field(
        None, description="Critical value of Grubbs' test; computed without it."
    )


ENTRIES = (
    Analysis(
        folder="conditions",
        name="condition_response",
        summary="the alternative that stands out in each condition (Grubbs' test)",
        options=ConditionResponseOptions,
        tables=(TableOf("condition_response", "a response and a condition"),),
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
