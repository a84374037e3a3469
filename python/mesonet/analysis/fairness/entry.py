"""Entry of `harm`."""

from __future__ import annotations

import polars as pl
from pydantic import Field

from mesonet.analysis import options as kinds
from mesonet.analysis.columns import OWN, Column, columns
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


HARM = columns(
    "response alternative solo n harm lower upper worst worst_condition excess excess_lower "
    "excess_upper p p_holm",
    Column("solo", pl.String, "", "alternative in which the flows are by themselves"),
    Column(
        "harm", pl.Float64, "1", "harm, from 0 for none to 1 for everything; negative for a gain"
    ),
    Column("lower", pl.Float64, "1", "lower end of the confidence interval"),
    Column("upper", pl.Float64, "1", "upper end of the confidence interval"),
    Column("worst", pl.Float64, "1", "most harm in a block"),
    Column("worst_condition", pl.Int64, "", "condition of the block with the most harm"),
    Column("excess", pl.Float64, "1", "harm less that among their own kind"),
    Column("excess_lower", pl.Float64, "1", "lower end of the confidence interval of the excess"),
    Column("excess_upper", pl.Float64, "1", "upper end of the confidence interval of the excess"),
)

HARM_BLOCKS = columns(
    "response alternative condition replicate solo_value value harm",
    *HARM,
    Column("solo_value", pl.Float64, OWN, "value of the flows by themselves"),
)

ENTRIES = (
    Analysis(
        folder="fairness",
        name="harm",
        summary="harm that flows take in the company of others",
        options=HarmOptions,
        tables=(
            TableOf("harm", "a response and an alternative", HARM),
            TableOf(
                "harm_blocks", "a response, an alternative and a condition", HARM_BLOCKS, "blocks"
            ),
        ),
        section="harm",
        page="howto/fairness.md",
        corrected=True,
        charts=(
            ChartOf(
                "harm_chart",
                "Bars are confidence intervals. Filled marks do more harm than their own "
                "kind, with p < 0.05 after Holm's adjustment for all rows of the table.",
            ),
        ),
        reading=(
            "Harm is the fraction of their own performance that flows lose in company, of what "
            "is left to them where less is better. Zero is no harm; left of zero they do "
            "better in company. The bar to set against is what is done already by their own "
            "kind."
        ),
        on_request=True,
    ),
)
