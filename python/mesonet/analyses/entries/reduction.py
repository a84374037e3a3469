"""Analyses of responses that go together."""

from __future__ import annotations

from mesonet.analyses import models
from mesonet.analyses.declaration import Analysis, ChartOf, TableOf

REDUCTION: tuple[Analysis, ...] = (
    Analysis(
        name="correlations",
        summary="correlations of all pairs of responses over the conditions",
        options=models.CorrelationsOptions,
        module="correlation",
        tables=(TableOf("correlations", "a pair of responses"),),
        section="reduction",
        page="howto/response-reduction.md",
        charts=(
            ChartOf(
                "frequency_chart",
                (
                    "How many pairs are how strongly correlated. A hill of its own at the "
                    "right end holds the pairs that say the same; the valley before it is "
                    "where to cut."
                ),
            ),
            ChartOf(
                "correlation_chart",
                (
                    "The responses most correlated with the others: scatter plots above the "
                    "diagonal, correlations × 100 below. Look at the plot before you trust a "
                    "number: 0.9 may be one far point."
                ),
            ),
        ),
        reading=(
            "Many responses rise and fall together and say one thing many times. Here all that "
            "vary are compared in pairs over the conditions. Show one response of each group, "
            "and do not let a group of twenty outvote the rest."
        ),
        needs="responses",
    ),
    Analysis(
        name="response_clusters",
        summary="responses that say the same, in groups",
        options=models.ResponseClustersOptions,
        module="response_clusters",
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
    Analysis(
        name="principal_components",
        summary="principal components, and what separates them",
        options=models.PrincipalComponentsOptions,
        module="components",
        tables=(
            TableOf("principal_components", "a component and a response"),
            TableOf("component_variances", "a component"),
            TableOf("component_scores", "a condition and an alternative"),
            TableOf("component_separation", "a component and a factor"),
        ),
        section="components",
        page="howto/principal-components.md",
        charts=(
            ChartOf(
                "components_chart",
                (
                    "Colours and outlines are levels of factors: outlines that do not overlap "
                    "are conditions of different kinds; algorithms that differ would part "
                    "inside one outline."
                ),
            ),
            ChartOf(
                "scree_chart",
                "Variance explained by each component, and by the first of them together.",
            ),
            ChartOf(
                "loadings_chart",
                "How each response is correlated with the first components.",
            ),
        ),
        reading=(
            "Each mark is one algorithm under one condition, placed so that the first axis "
            "carries as much as possible of the variation of all responses, the second as much "
            "as possible of the rest. Marks that lie together behave alike. Components need no "
            "threshold and explain most variance with the fewest numbers, but none of them is "
            "a response."
        ),
        needs="responses",
    ),
)
