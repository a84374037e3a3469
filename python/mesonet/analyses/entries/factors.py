"""Analyses of what factors do."""

from __future__ import annotations

from mesonet.analyses import models
from mesonet.analyses.declaration import Analysis, ChartOf, TableOf

FACTORS: tuple[Analysis, ...] = (
    Analysis(
        name="main_effects",
        summary="main effect of every factor on every response, with interval and test",
        options=models.MainEffectsOptions,
        module="effects",
        tables=(
            TableOf("main_effects", "a response and a factor"),
            TableOf("influence", "a factor"),
        ),
        section="main-effects",
        page="howto/main-effects.md",
        charts=(
            ChartOf(
                "main_effects_chart",
                ("The heavy line is the mean over alternatives, thin lines are the alternatives."),
            ),
            ChartOf(
                "influence_chart",
                "The factors by the fraction of responses that they influence.",
            ),
        ),
        reading=(
            "The steeper a heavy line, the more the factor matters. Each factor at its low and "
            "its high level: the mean of the response over all conditions with that level. "
            "Below: the effect (high minus low) and the effect as a percentage of the overall "
            "mean (dashed). ** marks p < 0.01 and * p < 0.05 in a t-test. The tests are not "
            "adjusted for their number: chance alone gives p < 0.05 in one of twenty. The "
            "influence of a factor is the fraction of responses that it influences, with p < "
            "0.01 counted fully and p < 0.05 by half."
        ),
        needs="factors",
    ),
    Analysis(
        name="significance",
        summary="factors that matter for each response, by sign and stars",
        options=models.SignificanceOptions,
        module="significance",
        tables=(TableOf("significance", "a response"),),
        section="main-effects",
        page="howto/main-effects.md",
        charts=(
            ChartOf(
                "significance_chart",
                (
                    "The sign tells which level has the larger value. One asterisk alone is "
                    "weak evidence."
                ),
            ),
        ),
        needs="factors",
    ),
    Analysis(
        name="interactions",
        summary="two-factor interactions and what they are confounded with",
        options=models.SplitOptions,
        module="interactions",
        tables=(TableOf("interactions", "a response and a pair of factors"),),
        section="main-effects",
        page="howto/main-effects.md",
        charts=(
            ChartOf(
                "interactions_chart",
                (
                    "On the diagonal the main effects; elsewhere pairs of factors. Parallel "
                    "lines: each factor acts by itself. Lines that cross or spread: what one "
                    "does depends on the other, or the design cannot tell (see what is "
                    "confounded under The experiment)."
                ),
            ),
        ),
        needs="factors",
    ),
    Analysis(
        name="term_effects",
        summary="effects of factors and their products, largest first, and how far they explain",
        options=models.TermEffectsOptions,
        module="terms",
        tables=(
            TableOf("term_effects", "a response and a term"),
            TableOf("term_models", "a response and a number of terms"),
        ),
        section="ten-steps",
        page="howto/ten-steps.md",
        charts=(
            ChartOf(
                "ordered_data_chart",
                (
                    "1. Ordered data. Conditions from the smallest to the largest value, with "
                    "their settings below. Look for jumps, and for a setting that stays on one "
                    "side."
                ),
                "ordered",
            ),
            ChartOf(
                "factor_scatter_chart",
                (
                    "2. The response against each factor. Every condition at the low and at "
                    "the high level. A factor may move all values, their spread, or one of "
                    "them."
                ),
                "scatter",
            ),
            ChartOf(
                "main_effects_chart",
                "3. Main effects. The steeper the line, the more the factor matters.",
                "interactions.main",
            ),
            ChartOf(
                "interactions_chart",
                (
                    "4. Interactions. Lines that are not parallel: what one factor does "
                    "depends on the other."
                ),
                "interactions",
            ),
            ChartOf(
                "block_chart",
                (
                    "5. Blocks. Each bar holds the other factors fixed; main effects of those "
                    "that a fraction cannot hold are taken off. A factor to trust moves the "
                    "response to the same side in nearly all of them."
                ),
                "blocks",
            ),
            ChartOf(
                "youden_chart",
                (
                    "6. Youden plot. Mean at the high level against the mean at the low level; "
                    "terms far from the diagonal matter."
                ),
                "terms",
            ),
            ChartOf(
                "effect_sizes_chart",
                ("7. Sizes of effects. Effects beyond the margins of error are more than chance."),
                "terms",
            ),
            ChartOf(
                "half_normal_chart",
                (
                    "8. Half-normal plot. Chance alone lies on a line through the origin; "
                    "effects that leave it are real."
                ),
                "terms",
            ),
            ChartOf(
                "residual_sd_chart",
                (
                    "9. What is left unexplained. Residual standard deviation as terms are "
                    "added; where the curve becomes flat, the model suffices."
                ),
                "terms",
            ),
            ChartOf(
                "contour_chart",
                (
                    "10. Contours of the two largest factors. Corners are simulated, between "
                    "them it is interpolated. Lines close together: a steep change."
                ),
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
    ),
    Analysis(
        name="elementary_effects",
        summary="elementary effects of a Morris design",
        options=models.SplitOptions,
        module="elementary",
        tables=(TableOf("elementary_effects", "a response and a factor"),),
        page="howto/designs.md",
        charts=(
            ChartOf(
                "elementary_effects_chart",
                (
                    "Standard deviation against mean of the effects: factors far to the right "
                    "matter, high ones act with others."
                ),
            ),
        ),
        section="elementary-effects",
        asked=True,
    ),
)
