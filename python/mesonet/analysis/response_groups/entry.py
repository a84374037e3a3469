"""Entry of `response_clusters`."""

from __future__ import annotations

from pydantic import Field

from mesonet.analysis import options as kinds
from mesonet.analysis.correlation.entry import CorrelationsOptions
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf


class ResponseClustersOptions(CorrelationsOptions):
    """Options of `response_clusters`."""

    threshold: kinds.OptionalShare = Field(
        None, description="Correlation from which two responses go together; found without it."
    )


ENTRIES = (
    Analysis(
        folder="response_groups",
        name="response_clusters",
        summary="responses that say the same, in groups",
        options=ResponseClustersOptions,
        tables=(
            TableOf("response_clusters", "a group"),
            TableOf("response_cluster_members", "a response"),
        ),
        section="reduction",
        page="howto/response-reduction.md",
        charts=(
            ChartOf(
                "index_chart",
                (
                    "A dot for each pair of responses above the threshold, groups in squares. "
                    "A full square is one behaviour; a square with few dots is a chain whose "
                    "ends differ."
                ),
            ),
        ),
        reading=(
            "The threshold is that of `[analysis.response_clusters]` in the plan; without it, "
            "a suggestion."
        ),
        needs="responses",
    ),
)
