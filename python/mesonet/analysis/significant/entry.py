"""Entry of `significance`."""

from __future__ import annotations

from pydantic import Field

from mesonet.analysis import options as kinds
from mesonet.analysis.columns import columns
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import Options


class SignificanceOptions(Options):
    """Options of `significance`."""

    method: kinds.Method = Field(
        "model", description="Error from the residuals of the model, or of two samples."
    )
    transformation: kinds.Transformation = kinds.TRANSFORMED


SIGNIFICANCE = columns("response")

ENTRIES = (
    Analysis(
        folder="significant",
        name="significance",
        summary="factors that matter for each response, by sign and stars",
        options=SignificanceOptions,
        tables=(TableOf("significance", "a response", SIGNIFICANCE),),
        section="main-effects",
        page="howto/main-effects.md",
        charts=(
            ChartOf(
                "significance_chart",
                "The sign tells which level has the larger value. One asterisk alone is "
                "weak evidence.",
            ),
        ),
        needs="factors",
        two_level=True,
    ),
)
