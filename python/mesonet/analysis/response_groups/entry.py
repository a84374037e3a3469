"""Entry of `response_clusters`."""

from __future__ import annotations

import polars as pl
from pydantic import Field

from mesonet.analysis import options as kinds
from mesonet.analysis.columns import Column, columns
from mesonet.analysis.correlation.entry import CorrelationsOptions
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf


class ResponseClustersOptions(CorrelationsOptions):
    """Options of `response_clusters`."""

    threshold: kinds.OptionalShare = Field(
        None, description="Correlation from which two responses go together; found without it."
    )


RESPONSE_CLUSTER_MEMBERS = columns(
    "response index cluster partners mean_size representative",
    Column("index", pl.Int64, "", "place on the axes of the index-index plot"),
    Column("partners", pl.Int64, "", "number of responses that it is correlated with"),
    Column(
        "representative", pl.Boolean, "", "response that speaks for the cluster, or true for it"
    ),
)

RESPONSE_CLUSTERS = columns(
    "cluster size pairs possible representative responses threshold",
    Column("size", pl.Int64, "", "number of responses in the cluster"),
    Column("pairs", pl.Int64, "", "number of correlated pairs in the cluster"),
    Column("possible", pl.Int64, "", "number of all pairs in the cluster"),
    Column("representative", pl.String, "", "response that speaks for the cluster, or true for it"),
    Column("responses", pl.String, "", "names of the responses, with commas"),
    Column(
        "threshold", pl.Float64, "1", "absolute correlation from which responses count as alike"
    ),
)

ENTRIES = (
    Analysis(
        folder="response_groups",
        name="response_clusters",
        summary="responses that say the same, in groups",
        options=ResponseClustersOptions,
        tables=(
            TableOf("response_clusters", "a group", RESPONSE_CLUSTERS, "clusters"),
            TableOf("response_cluster_members", "a response", RESPONSE_CLUSTER_MEMBERS),
        ),
        section="reduction",
        page="howto/response-reduction.md",
        charts=(
            ChartOf(
                "index_chart",
                "A dot for each pair of responses above the threshold, groups in squares. "
                "A full square is one behaviour; a square with few dots is a chain whose "
                "ends differ.",
            ),
        ),
        reading=(
            "The threshold is that of `[analysis.response_clusters]` in the plan; without it, "
            "a suggestion."
        ),
        needs="responses",
    ),
)
