"""Entry of `rank_matrix`."""

from __future__ import annotations

import polars as pl
from pydantic import Field

from mesonet.analysis import options as kinds
from mesonet.analysis.columns import Column, columns
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import ORDER, Options


class RankMatrixOptions(Options):
    """Options of `rank_matrix`."""

    responses: kinds.ResponseNames = Field(
        (),
        description="Responses to rank; the goodputs and throughputs without it, or all that have "
        "a better end.",
    )
    order_by: kinds.ResponseName = Field(None, description=ORDER)
    better: kinds.SidesByResponse = Field(
        None, description="Better end of responses; that of the reference without it."
    )


RANK_MATRIX = columns(
    "response condition position alternative value rank",
    Column("rank", pl.Float64, "", "rank: the number of alternatives is the best, 1 the worst"),
)

RANK_SUMMARY = columns(
    "alternative n mean sd",
    Column("n", pl.UInt32, "", "number of values"),
    Column("mean", pl.Float64, "1", "mean rank"),
    Column("sd", pl.Float64, "1", "standard deviation of ranks"),
)

RANK_TESTS = columns(
    "response conditions statistic p concordance",
    Column("statistic", pl.Float64, "1", "statistic of the test"),
    Column("concordance", pl.Float64, "1", "Kendall's W, from 0 to 1"),
)

ENTRIES = (
    Analysis(
        folder="ranks",
        name="rank_matrix",
        summary="ranks of the alternatives under every condition",
        options=RankMatrixOptions,
        tables=(
            TableOf("rank_matrix", "a response, a condition and an alternative", RANK_MATRIX),
            TableOf("rank_summary", "an alternative", RANK_SUMMARY, "summary"),
            TableOf("rank_tests", "a response", RANK_TESTS, "tests"),
        ),
        section="ranks",
        page="howto/rank-matrix.md",
        charts=(
            ChartOf(
                "rank_overview_chart",
                "Mean rank over conditions. Blue is good; a row without contrast means "
                "that nobody leads.",
            ),
            ChartOf(
                "rank_scatter_chart",
                "Mean and spread of all ranks. The ideal lies in the lower right corner: "
                "high ranks everywhere.",
            ),
            ChartOf(
                "rank_matrix_chart",
                "A row of one colour is an alternative that is always first or always "
                "last; a change of colour along a row is a place where the answer depends "
                "on the condition.",
            ),
        ),
        reading=(
            "Under every condition the alternatives are ranked: their number is the best, 1 "
            "the worst, ties share their mean rank. Ranks forget sizes: first by a hair counts "
            "as much as first by far, and responses that move together count several times. "
            "Read them beside the differences."
        ),
        needs="alternatives",
    ),
)
