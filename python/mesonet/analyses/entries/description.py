"""Analyses of responses as they are."""

from __future__ import annotations

from mesonet.analyses import models
from mesonet.analyses.declaration import Analysis, ChartOf, TableOf

DESCRIPTION: tuple[Analysis, ...] = (
    Analysis(
        name="describe",
        summary="mean, spread and extremes of every response by alternative",
        options=models.GroupedOptions,
        module="describe",
        tables=(TableOf("describe", "a response and an alternative"),),
        section="responses",
        charts=(
            ChartOf(
                "describe_chart",
                (
                    "Lines go from the smallest to the largest condition mean; a bar is the "
                    "median and a mark the mean. Mean ± standard deviation over conditions "
                    "stands beside them."
                ),
            ),
        ),
    ),
    Analysis(
        name="congestion",
        summary="conditions from the least to the most congested",
        options=models.CongestionOptions,
        module="describe",
        tables=(TableOf("congestion", "a condition and an alternative"),),
        section="congestion",
        charts=(
            ChartOf(
                "congestion_chart",
                (
                    "The response that measures congestion under every condition, from the "
                    "least to the most congested. Marks in one column met the same condition. "
                    "The shaded line at the foot holds exact zeros, which a log scale cannot."
                ),
            ),
        ),
        needs="congestion",
    ),
)

WARM_UP = Analysis(
    name="warm_up",
    summary="end of the warm-up of each series of each run (MSER-5)",
    options=models.WarmUpOptions,
    module="warmup",
    tables=(TableOf("warm_up", "a run and a series"),),
    charts=(
        ChartOf(
            "warm_up_chart",
            "The running mean of each series, and the end of its warm-up.",
        ),
    ),
    section="warm-up",
    asked=True,
)
