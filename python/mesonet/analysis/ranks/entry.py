"""Entry of `rank_matrix`."""

from __future__ import annotations

from pydantic import Field

from mesonet.analysis import options as kinds
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import ORDER, GroupedOptions


class RankMatrixOptions(GroupedOptions):
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


ENTRIES = (
    Analysis(
        folder="ranks",
        name="rank_matrix",
        summary="ranks of the alternatives under every condition",
        options=RankMatrixOptions,
        tables=(
            TableOf("rank_matrix", "a response, a condition and an alternative"),
            TableOf("rank_summary", "an alternative"),
            TableOf("rank_tests", "a response"),
        ),
        section="ranks",
        page="howto/rank-matrix.md",
        charts=(
            ChartOf(
                "rank_overview_chart",
                (
                    "Mean rank over conditions. Blue is good; a row without contrast means "
                    "that nobody leads."
                ),
            ),
            ChartOf(
                "rank_scatter_chart",
                (
                    "Mean and spread of all ranks. The ideal lies in the lower right corner: "
                    "high ranks everywhere."
                ),
            ),
            ChartOf(
                "rank_matrix_chart",
                (
                    "A row of one colour is an alternative that is always first or always "
                    "last; a change of colour along a row is a place where the answer depends "
                    "on the condition."
                ),
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
