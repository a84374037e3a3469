"""Entries of `harm` and `impact`."""

from __future__ import annotations

from pydantic import Field

from mesonet.analysis import options as kinds
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import CONFIDENCE, Options


class HarmOptions(Options):
    """Options of `harm`."""

    solo: kinds.Label = Field(
        None, description="Alternative in which the flows are alone; the first without it."
    )
    own: kinds.Label = Field(
        None, description="Alternative in which the flows meet their own kind."
    )
    better: kinds.Sides = Field(
        None, description="Better end of responses; that of the reference without it."
    )
    confidence: kinds.Share = Field(0.95, description=CONFIDENCE)


class ImpactOptions(Options):
    """Options of `impact`."""

    baseline: kinds.Label = Field(
        None, description="Alternative without the newcomer; the first without it."
    )
    confidence: kinds.Share = Field(0.95, description=CONFIDENCE)


ENTRIES = (
    Analysis(
        folder="fairness",
        name="harm",
        summary="harm that flows take in the company of others",
        options=HarmOptions,
        tables=(
            TableOf("harm", "a response and an alternative"),
            TableOf("harm_blocks", "a response, an alternative and a condition"),
        ),
        section="harm",
        page="howto/fairness.md",
        corrected=True,
        charts=(
            ChartOf(
                "harm_chart",
                (
                    "Bars are confidence intervals. Filled marks do more harm than their own "
                    "kind, with p < 0.05 after Holm's adjustment for all rows of the table."
                ),
            ),
        ),
        reading=(
            "Harm is the fraction of their own performance that flows lose in company, of what "
            "is left to them where less is better. Zero is no harm; left of zero they do "
            "better in company. The bar to set against is what is done already by their own "
            "kind."
        ),
        asked=True,
    ),
    Analysis(
        folder="fairness",
        name="impact",
        summary="changes of responses where a newcomer is present",
        options=ImpactOptions,
        tables=(TableOf("impact", "a response and an alternative"),),
        section="harm",
        page="howto/fairness.md",
        corrected=True,
        charts=(
            ChartOf(
                "impact_chart",
                "Filled marks are changes with p < 0.05 after Holm's adjustment.",
            ),
        ),
        reading=(
            "Impact is the change of the mean against the baseline, as a fraction of it; its "
            "confidence interval carries the uncertainty of both means. An interval that spans "
            "zero shows no change, which is not the same as showing that there is none."
        ),
        asked=True,
    ),
)
