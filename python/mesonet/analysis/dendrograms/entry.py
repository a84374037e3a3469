"""Entry of `algorithm_clusters`."""

from __future__ import annotations

import polars as pl
from pydantic import Field

from mesonet.analysis import options as kinds
from mesonet.analysis.columns import Column, columns
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import Options


class AlgorithmClustersOptions(Options):
    """Options of `algorithm_clusters`."""

    cut: kinds.Share = Field(
        0.7, description="Share of the largest distance below which a join makes a cluster."
    )
    scale: kinds.DifferenceScale = Field(
        "condition", description="Variance that measures differences."
    )


ALGORITHM_CLUSTERS = columns(
    "condition alternative leaf cluster joins_at alone apart",
    Column("leaf", pl.Int64, "", "place in the dendrogram from left to right, from 0"),
    Column("joins_at", pl.Float64, "1", "linkage at which it first joins another"),
    Column("alone", pl.Boolean, "", "true, or how often, it has a cluster of its own at the cut"),
    Column("apart", pl.Boolean, "", "true, or how often, it joins the others last"),
)

STAND_APART = columns(
    "alternative conditions apart alone",
    Column("apart", pl.Int64, "", "true, or how often, it joins the others last"),
    Column("alone", pl.Int64, "", "true, or how often, it has a cluster of its own at the cut"),
)

ENTRIES = (
    Analysis(
        folder="dendrograms",
        name="algorithm_clusters",
        responses="all",
        summary="alternatives that respond alike, condition by condition",
        options=AlgorithmClustersOptions,
        tables=(
            TableOf("algorithm_clusters", "a condition and an alternative", ALGORITHM_CLUSTERS),
            TableOf("stand_apart", "an alternative", STAND_APART, "summary"),
        ),
        section="clusters",
        page="howto/algorithm-clusters.md",
        charts=(
            ChartOf(
                "stand_apart_chart",
                "In how many conditions each algorithm joins last, and in how many "
                "it has a cluster of its own.",
            ),
            ChartOf(
                "dendrograms_chart",
                ("One tree for each condition. Look for the same algorithm alone again and again."),
            ),
        ),
        reading=(
            "Under each condition the algorithms are compared on all responses together. Those "
            "that join low in a tree behave alike; one that joins last, at the top, is the "
            "outlier. Branches below the cut, by default 70 % of the largest distance, share a "
            "colour."
        ),
        needs="alternatives",
    ),
)
