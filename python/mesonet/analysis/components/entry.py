"""Entry of `principal_components`."""

from __future__ import annotations

import polars as pl
from pydantic import Field

from mesonet.analysis import options as kinds
from mesonet.analysis.columns import Column, columns
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import SPLIT, Options


class PrincipalComponentsOptions(Options):
    """Options of `principal_components`."""

    by: kinds.OptionalColumn = Field("alternative", description=SPLIT)


PRINCIPAL_COMPONENTS = columns(
    "component response weight loading",
    Column("component", pl.Int64, "", "principal component, from 1"),
    Column("loading", pl.Float64, "1", "correlation of the response with the component"),
)

COMPONENT_VARIANCES = columns(
    "component variance fraction cumulative",
    *PRINCIPAL_COMPONENTS,
    Column("variance", pl.Float64, "1", "variance of the component, of responses of variance 1"),
    Column("cumulative", pl.Float64, "1", "fraction of the variance up to this component"),
)

COMPONENT_SCORES = columns("condition group")

COMPONENT_SEPARATION = columns("component factor fraction", *COMPONENT_VARIANCES)

ENTRIES = (
    Analysis(
        folder="components",
        name="principal_components",
        responses="all",
        summary="principal components, and what separates them",
        options=PrincipalComponentsOptions,
        tables=(
            TableOf("principal_components", "a component and a response", PRINCIPAL_COMPONENTS),
            TableOf("component_variances", "a component", COMPONENT_VARIANCES, "scree"),
            TableOf(
                "component_scores", "a condition and an alternative", COMPONENT_SCORES, "scores"
            ),
            TableOf(
                "component_separation",
                "a component and a factor",
                COMPONENT_SEPARATION,
                "separation",
            ),
        ),
        section="components",
        page="howto/principal-components.md",
        charts=(
            ChartOf(
                "components_chart",
                "Colours and outlines are levels of factors: outlines that do not overlap "
                "are conditions of different kinds; algorithms that differ would part "
                "inside one outline.",
            ),
            ChartOf(
                "scree_chart",
                "Variance explained by each component, and by the first of them together.",
            ),
            ChartOf("loadings_chart", "How each response is correlated with the first components."),
        ),
        reading=(
            "Each mark is one algorithm under one condition, placed so that the first axis "
            "carries as much as possible of the variation of all responses, the second as much "
            "as possible of the rest. Marks that lie together behave alike. Components need no "
            "threshold and explain most variance with the fewest numbers, but none of them is "
            "a response."
        ),
        needs="responses",
        two_level=True,
    ),
)
