"""Entry of `principal_components`."""

from __future__ import annotations

from pydantic import Field

from mesonet.analysis import options as kinds
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import GROUPED, Options


class PrincipalComponentsOptions(Options):
    """Options of `principal_components`."""

    by: kinds.OptionalColumn = Field("alternative", description=GROUPED)
    keep: kinds.Count = Field(10, description="Most components.")


ENTRIES = (
    Analysis(
        folder="components",
        name="principal_components",
        summary="principal components, and what separates them",
        options=PrincipalComponentsOptions,
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
