"""Entry of `paired_differences`."""

from __future__ import annotations

from pydantic import Field

from mesonet.analysis import options as kinds
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import CONFIDENCE, GroupedOptions


class PairedDifferencesOptions(GroupedOptions):
    """Options of `paired_differences`."""

    baseline: kinds.Label = Field(
        None,
        description="Alternative that the others are compared with; without it the first whose "
        "label names Reno, NewReno, TCP or CUBIC, in this order, or else the first.",
    )
    confidence: kinds.Share = Field(0.95, description=CONFIDENCE)


ENTRIES = (
    Analysis(
        folder="paired",
        name="paired_differences",
        summary="differences from a baseline within conditions, with intervals and tests",
        options=PairedDifferencesOptions,
        tables=(
            TableOf("paired_differences", "a response and an alternative"),
            TableOf("paired_blocks", "a response, an alternative and a condition"),
        ),
        section="paired",
        page="howto/paired-comparison.md",
        corrected=True,
        charts=(
            ChartOf(
                "forest_chart",
                "Differences from the baseline with their intervals; filled marks are verdicts.",
            ),
        ),
        needs="alternatives",
    ),
)
