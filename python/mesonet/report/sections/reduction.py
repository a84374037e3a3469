"""Section on redundant responses: correlations, clusters, and principal components for contrast."""

from __future__ import annotations

from mesonet.figures import (
    correlation_chart,
    frequency_chart,
    index_chart,
    loadings_chart,
    number,
    scree_chart,
)
from mesonet.page.charts import picture
from mesonet.page.tables import counts, numbers, percents, table, words
from mesonet.report.results import Results
from mesonet.report.sections.common import Context, notes_of, response_names


def make(results: Results) -> Context | None:
    """Correlations, clusters and components of all responses over the conditions."""
    if len(results.every) < 3:
        return None
    related, groups, parts = results.correlations, results.response_clusters, results.components
    if related.frame["r"].drop_nulls().drop_nans().is_empty():
        return {"why": "There are not two responses that vary over the conditions, so none go "
                "together."}  # fmt: skip
    names = response_names(results)
    return {
        "pairs": related.frame.height,
        "threshold": number(groups.threshold, digits=3),
        "suggested": groups.suggested,
        "why_threshold": related.why,
        "groups": groups.clusters.height,
        "responses": groups.frame.height,
        "matrix": picture(
            "correlations", correlation_chart(related, names=results.names), "Correlation matrix"
        ),
        "frequencies": picture(
            "correlation-sizes",
            frequency_chart(related, threshold=None if groups.suggested else groups.threshold),
            "Distribution of the sizes of correlations",
        ),
        "index": picture(
            "index-index", index_chart(groups, names=results.names), "Pairs of correlated responses"
        ),
        "scree": picture("scree", scree_chart(parts), "Variance by component"),
        "loadings": picture("loadings", loadings_chart(parts, names=results.names), "Loadings"),
        "clusters_table": table(
            "response-clusters",
            groups.clusters,
            (
                counts("cluster", "Group"),
                counts("size", "Responses"),
                words("representative", "One to show", names),
                counts("pairs", "Correlated pairs"),
                counts("possible", "of"),
                words("responses", "Members"),
            ),
        ),
        "table": table(
            "correlations",
            related.frame,
            (
                words("first", "Response", names),
                words("second", "Response", names),
                numbers("r", "r", signed=True),
            ),
        ),
        "loadings_table": table(
            "loadings",
            parts.frame,
            (
                counts("component", "Component"),
                words("response", "Response", names),
                numbers("loading", "Loading", signed=True),
                numbers("weight", "Weight", signed=True),
            ),
        ),
        "scree_table": table(
            "component-variances",
            parts.scree,
            (
                counts("component", "Component"),
                numbers("variance", "Variance"),
                percents("fraction", "Of all"),
                percents("cumulative", "Together"),
            ),
        ),
        "notes": notes_of((*related.notes, *groups.notes, *parts.notes)),
    }
