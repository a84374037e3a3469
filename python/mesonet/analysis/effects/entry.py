"""Entry of `main_effects`."""

from __future__ import annotations

import polars as pl
from pydantic import Field

from mesonet.analysis import options as kinds
from mesonet.analysis.columns import OWN, Column, columns
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import CONFIDENCE, SplitOptions
from mesonet.analysis.significant.entry import SignificanceOptions


class MainEffectsOptions(SignificanceOptions, SplitOptions):
    """Options of `main_effects`."""

    confidence: kinds.Share = Field(0.95, description=CONFIDENCE)


MAIN_EFFECTS = columns(
    "response group factor n_low n_high mean low high effect effect_lower effect_upper "
    "relative t df p stars sign",
    Column("n_low", pl.Int64, "", "number of conditions at the low level"),
    Column("n_high", pl.Int64, "", "number of conditions at the high level"),
    Column("mean", pl.Float64, OWN, "mean over all conditions"),
    Column("effect_lower", pl.Float64, OWN, "lower end of the confidence interval of the effect"),
    Column("effect_upper", pl.Float64, OWN, "upper end of the confidence interval of the effect"),
)

RESIDUALS = columns(
    "response group condition",
    Column("fitted", pl.Float64, OWN, "value of the model of all main effects"),
    Column("residual", pl.Float64, OWN, "mean of the condition, less the fitted value"),
    Column("quantile", pl.Float64, "1", "median of that order statistic of normal draws"),
)

INFLUENCE = columns("factor responses at_1_percent at_5_percent influence")

ENTRIES = (
    Analysis(
        folder="effects",
        name="main_effects",
        responses="all",
        summary="main effect of every factor on every response, with interval and test",
        options=MainEffectsOptions,
        tables=(
            TableOf("main_effects", "a response and a factor", MAIN_EFFECTS),
            TableOf("influence", "a factor", INFLUENCE, "influence"),
        ),
        section="main-effects",
        page="howto/main-effects.md",
        charts=(
            ChartOf(
                "main_effects_chart",
                ("The heavy line is the mean over alternatives, thin lines are the alternatives."),
            ),
            ChartOf(
                "effects_half_normal_chart",
                "All effects that the design has, products of factors among them. Chance alone "
                "lies on the line; effects beyond Lenth's margins are more than chance.",
            ),
            ChartOf(
                "residuals_chart",
                "What main effects leave. Points on the line are normal; a spread that grows "
                "with the fitted value asks for the logarithm of the response.",
            ),
            ChartOf(
                "influence_chart", "The factors by the fraction of responses that they influence."
            ),
        ),
        reading=(
            "The steeper a heavy line, the more the factor matters. Each factor at its low and "
            "its high level: the mean of the response over all conditions with that level. "
            "Below: the effect (high minus low) and the effect as a percentage of the overall "
            "mean (dashed); of logarithms, the change of the response itself. ** marks p < 0.01 "
            "and * p < 0.05 in a t-test. The tests are not adjusted for their number: chance "
            "alone gives p < 0.05 in one of twenty. The influence of a factor is the fraction of "
            "responses that it influences, with p < 0.01 counted fully and p < 0.05 by half."
        ),
        needs="factors",
        two_level=True,
    ),
)
