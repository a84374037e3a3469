"""Entry of `term_effects`."""

from __future__ import annotations

import polars as pl

from mesonet.analysis.columns import OWN, Column, columns
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import Options

TERM_EFFECTS = columns(
    "response position term order low high effect absolute relative quantile aliases",
    Column("term", pl.String, "", "factor, or product of factors"),
    Column("order", pl.Int64, "", "number of factors in the term"),
    Column("absolute", pl.Float64, OWN, "absolute value of the effect"),
    Column("quantile", pl.Float64, "1", "median of that order statistic of half-normal draws"),
)

TERM_MODELS = columns(
    "response parameters added coefficient residual_sd explained",
    Column("parameters", pl.Int64, "", "number of terms in the model, with the mean"),
    Column("added", pl.String, "", "term that the model has more than the one before"),
    Column(
        "coefficient", pl.Float64, OWN, "coefficient of the term that is added, half its effect"
    ),
    Column("residual_sd", pl.Float64, OWN, "standard deviation of what the model leaves"),
    Column("explained", pl.Float64, "1", "fraction of the variance that the model explains"),
)

ENTRIES = (
    Analysis(
        folder="terms",
        name="term_effects",
        responses="each",
        summary="effects of factors and their products, largest first, and how far they explain",
        options=Options,
        tables=(
            TableOf("term_effects", "a response and a term", TERM_EFFECTS),
            TableOf("term_models", "a response and a number of terms", TERM_MODELS, "models"),
        ),
        section="ten-steps",
        page="howto/ten-steps.md",
        charts=(
            ChartOf(
                "ordered_data_chart",
                "1. Ordered data. Conditions from the smallest to the largest value, with "
                "their settings below. Look for jumps, and for a setting that stays on one "
                "side.",
                "ordered",
            ),
            ChartOf(
                "factor_scatter_chart",
                "2. The response against each factor. Every condition at the low and at "
                "the high level. A factor may move all values, their spread, or one of "
                "them.",
                "scatter",
            ),
            ChartOf(
                "main_effects_chart",
                "3. Main effects. The steeper the line, the more the factor matters.",
                "interactions.main",
            ),
            ChartOf(
                "interactions_chart",
                "4. Interactions. Lines that are not parallel: what one factor does "
                "depends on the other.",
                "interactions",
            ),
            ChartOf(
                "block_chart",
                "5. Blocks. Each bar holds the other factors fixed; main effects of those "
                "that a fraction cannot hold are taken off. A factor to trust moves the "
                "response to the same side in nearly all of them.",
                "blocks",
            ),
            ChartOf(
                "youden_chart",
                "6. Youden plot. Mean at the high level against the mean at the low level; "
                "terms far from the diagonal matter.",
                "terms",
            ),
            ChartOf(
                "effect_sizes_chart",
                ("7. Sizes of effects. Effects beyond the margins of error are more than chance."),
                "terms",
            ),
            ChartOf(
                "half_normal_chart",
                "8. Half-normal plot. Chance alone lies on a line through the origin; "
                "effects that leave it are real.",
                "terms",
            ),
            ChartOf(
                "residual_sd_chart",
                "9. What is left unexplained. Residual standard deviation as terms are "
                "added; where the curve becomes flat, the model suffices.",
                "terms",
            ),
            ChartOf(
                "contour_chart",
                "10. Contours of the two largest factors. Corners are simulated, between "
                "them it is interpolated. Lines close together: a steep change.",
                "contour",
            ),
        ),
        reading=(
            "Ten looks at one response, from raw numbers to a model; each says what to look "
            "for. They show whether a few conditions make an effect, whether factors act "
            "together, and how much no factor explains. Values are means over algorithms and "
            "replicates of a condition. Shown for the first three responses of the plan."
        ),
        needs="factors",
        two_level=True,
    ),
)
