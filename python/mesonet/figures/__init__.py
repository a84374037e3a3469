"""Pictures of results: `*_chart` for the web (Altair), `*_figure` for papers (matplotlib).

Every function takes a `Result` of `mesonet.analysis` and returns something to show or save.
Nothing here estimates anything. `Look` fixes colours and marks of the alternatives and `Names`
what responses and factors are called, so that a set of figures reads as one.
"""

from mesonet.figures.blocks import block_chart, block_figure
from mesonet.figures.components import (
    components_chart,
    components_figure,
    loadings_chart,
    loadings_figure,
    scree_chart,
    scree_figure,
)
from mesonet.figures.condition_summary import condition_summary_chart, condition_summary_figure
from mesonet.figures.conditions import condition_response_chart, condition_response_figure
from mesonet.figures.congestion import congestion_chart, congestion_figure
from mesonet.figures.congestion_map import congestion_map_chart, congestion_map_figure
from mesonet.figures.contour import contour_chart, contour_figure
from mesonet.figures.correlation import (
    correlation_chart,
    correlation_figure,
    frequency_chart,
    frequency_figure,
    index_chart,
    index_figure,
)
from mesonet.figures.dendrograms import (
    dendrograms_chart,
    dendrograms_figure,
    stand_apart_chart,
    stand_apart_figure,
)
from mesonet.figures.effects import (
    influence_chart,
    influence_figure,
    main_effects_chart,
    main_effects_figure,
)
from mesonet.figures.flows import (
    biplot_chart,
    biplot_figure,
    difference_histogram_chart,
    difference_histogram_figure,
    goodput_bars_chart,
    goodput_bars_figure,
    rank_sheet_chart,
    rank_sheet_figure,
)
from mesonet.figures.harm import harm_chart, harm_figure
from mesonet.figures.interactions import interactions_chart, interactions_figure
from mesonet.figures.network import has_map, network_chart, network_figure
from mesonet.figures.ordered import (
    factor_scatter_chart,
    factor_scatter_figure,
    ordered_data_chart,
    ordered_data_figure,
)
from mesonet.figures.paired import forest_chart, forest_figure
from mesonet.figures.queues import queues_chart, queues_figure
from mesonet.figures.ranks import (
    rank_matrix_chart,
    rank_matrix_figure,
    rank_overview_chart,
    rank_scatter_chart,
    rank_scatter_figure,
)
from mesonet.figures.significance import (
    influence_sets_chart,
    influence_sets_figure,
    significance_chart,
    significance_figure,
)
from mesonet.figures.style import Look, Names, number, percent, probability
from mesonet.figures.ten_steps import ten_steps_charts, ten_steps_figures
from mesonet.figures.terms import (
    effect_sizes_chart,
    effect_sizes_figure,
    half_normal_chart,
    half_normal_figure,
    residual_sd_chart,
    residual_sd_figure,
    youden_chart,
    youden_figure,
)
from mesonet.figures.traces import trace_chart, trace_figure

__all__ = [
    "Look",
    "Names",
    "biplot_chart",
    "biplot_figure",
    "block_chart",
    "block_figure",
    "components_chart",
    "components_figure",
    "condition_response_chart",
    "condition_response_figure",
    "condition_summary_chart",
    "condition_summary_figure",
    "congestion_chart",
    "congestion_figure",
    "congestion_map_chart",
    "congestion_map_figure",
    "contour_chart",
    "contour_figure",
    "correlation_chart",
    "correlation_figure",
    "dendrograms_chart",
    "dendrograms_figure",
    "difference_histogram_chart",
    "difference_histogram_figure",
    "effect_sizes_chart",
    "effect_sizes_figure",
    "factor_scatter_chart",
    "factor_scatter_figure",
    "forest_chart",
    "forest_figure",
    "frequency_chart",
    "frequency_figure",
    "goodput_bars_chart",
    "goodput_bars_figure",
    "half_normal_chart",
    "half_normal_figure",
    "harm_chart",
    "harm_figure",
    "has_map",
    "index_chart",
    "index_figure",
    "influence_chart",
    "influence_figure",
    "influence_sets_chart",
    "influence_sets_figure",
    "interactions_chart",
    "interactions_figure",
    "loadings_chart",
    "loadings_figure",
    "main_effects_chart",
    "main_effects_figure",
    "network_chart",
    "network_figure",
    "number",
    "ordered_data_chart",
    "ordered_data_figure",
    "percent",
    "probability",
    "queues_chart",
    "queues_figure",
    "rank_matrix_chart",
    "rank_matrix_figure",
    "rank_overview_chart",
    "rank_scatter_chart",
    "rank_scatter_figure",
    "rank_sheet_chart",
    "rank_sheet_figure",
    "residual_sd_chart",
    "residual_sd_figure",
    "scree_chart",
    "scree_figure",
    "significance_chart",
    "significance_figure",
    "stand_apart_chart",
    "stand_apart_figure",
    "ten_steps_charts",
    "ten_steps_figures",
    "trace_chart",
    "trace_figure",
    "youden_chart",
    "youden_figure",
]
