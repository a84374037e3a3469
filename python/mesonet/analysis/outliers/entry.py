"""Entry of `condition_summary`."""

from __future__ import annotations

from pydantic import Field

from mesonet.analysis import options as kinds
from mesonet.analysis.columns import columns
from mesonet.analysis.conditions.entry import ConditionResponseOptions
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf


class ConditionSummaryOptions(ConditionResponseOptions):
    """Options of `condition_summary`."""

    minimum_relative: kinds.Positive = Field(
        0.0, description="Smallest relative distance from the mean of an outlier."
    )
    adjust: kinds.Adjustment = Field("none", description="Correction for the number of tests.")


CONDITION_SUMMARY = columns("response condition alternative direction relative g p p_adjusted")

ENTRIES = (
    Analysis(
        folder="outliers",
        name="condition_summary",
        summary="outliers over all conditions and responses",
        options=ConditionSummaryOptions,
        tables=(TableOf("condition_summary", "an outlier", CONDITION_SUMMARY),),
        section="condition-response",
        page="howto/condition-response.md",
        corrected=True,
        charts=(
            ChartOf(
                "condition_summary_chart",
                "Which alternative is an outlier, for every response and condition, by "
                "Grubbs' test. Read along a row for where one alternative stands out, and "
                "down a column for conditions that distinguish alternatives.",
            ),
        ),
        needs="alternatives",
    ),
)
