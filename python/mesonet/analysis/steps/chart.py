"""All ten plots of the ten-step analysis, by name and in order."""

from __future__ import annotations

from typing import Any

from mesonet.analysis import TenSteps
from mesonet.analysis.blocks.chart import block_chart
from mesonet.analysis.contours.chart import contour_chart
from mesonet.analysis.effects.chart import main_effects_chart
from mesonet.analysis.interaction.chart import interactions_chart
from mesonet.analysis.ordered.chart import factor_scatter_chart, ordered_data_chart
from mesonet.analysis.terms.chart import (
    effect_sizes_chart,
    half_normal_chart,
    residual_sd_chart,
    youden_chart,
)
from mesonet.figures.style import Look, Names


def ten_steps_charts(result: TenSteps, *, names: Names) -> dict[str, Any]:
    """The ten charts: `ordered`, `scatter`, `effects`, `interactions`, `blocks`, `youden`, `sizes`,
    `half_normal`, `residual_sd` and `contour`.
    """  # noqa: D205
    response, pairs = result.response, result.interactions
    return {
        "ordered": ordered_data_chart(result.ordered, names=names),
        "scatter": factor_scatter_chart(result.scatter, names=names),
        "effects": main_effects_chart(pairs.main, response=response, look=Look.of(()), names=names),
        "interactions": interactions_chart(pairs, response=response, names=names),
        "blocks": block_chart(result.blocks, names=names),
        "youden": youden_chart(result.terms, names=names),
        "sizes": effect_sizes_chart(result.terms, names=names),
        "half_normal": half_normal_chart(result.terms, names=names),
        "residual_sd": residual_sd_chart(result.terms, names=names),
        "contour": contour_chart(result.contour, names=names),
    }
