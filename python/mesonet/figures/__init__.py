"""Pictures of results: charts for the web and, saved as SVG, PDF or PNG, for papers.

Every function `*_chart` takes a `Result` of `mesonet.analysis` and returns an Altair chart. `save`
writes it to a file for a paper.
Nothing here estimates anything. `Look` fixes colours and marks of the alternatives and `Names`
what responses and factors are called, so that a set of figures reads as one.
"""

from mesonet.figures.blocks import block_chart
from mesonet.figures.components import (
    components_chart,
    loadings_chart,
    scree_chart,
)
from mesonet.figures.condition_summary import condition_summary_chart
from mesonet.figures.conditions import condition_response_chart
from mesonet.figures.congestion import congestion_chart
from mesonet.figures.congestion_map import (
    congestion_map_chart,
    network_glance_chart,
)
from mesonet.figures.contour import contour_chart
from mesonet.figures.correlation import (
    correlation_chart,
    frequency_chart,
    index_chart,
)
from mesonet.figures.dendrograms import (
    dendrograms_chart,
    stand_apart_chart,
)
from mesonet.figures.describe import describe_chart
from mesonet.figures.design import design_chart
from mesonet.figures.effects import (
    influence_chart,
    main_effects_chart,
)
from mesonet.figures.elementary import elementary_effects_chart
from mesonet.figures.flows import (
    biplot_chart,
    difference_histogram_chart,
    goodput_bars_chart,
    rank_sheet_chart,
)
from mesonet.figures.harm import harm_chart, impact_chart
from mesonet.figures.interactions import interactions_chart
from mesonet.figures.ladder import signal_ladder_chart
from mesonet.figures.network import has_map, network_chart, router_name
from mesonet.figures.ordered import (
    factor_scatter_chart,
    ordered_data_chart,
)
from mesonet.figures.paired import answer_chart, forest_chart, judged_responses
from mesonet.figures.paper import COLUMN, PAGE, printed, save
from mesonet.figures.queues import queue_comparison_chart, queues_chart
from mesonet.figures.ranks import (
    rank_matrix_chart,
    rank_overview_chart,
    rank_scatter_chart,
)
from mesonet.figures.runs import run_chart
from mesonet.figures.significance import (
    influence_sets_chart,
    significance_chart,
)
from mesonet.figures.style import Look, Names
from mesonet.figures.ten_steps import ten_steps_charts
from mesonet.figures.terms import (
    effect_sizes_chart,
    half_normal_chart,
    residual_sd_chart,
    youden_chart,
)
from mesonet.figures.traces import trace_chart
from mesonet.figures.warmup import warm_up_chart
from mesonet.numbers import number, percent, probability

__all__ = [
    "COLUMN",
    "PAGE",
    "Look",
    "Names",
    "answer_chart",
    "biplot_chart",
    "block_chart",
    "components_chart",
    "condition_response_chart",
    "condition_summary_chart",
    "congestion_chart",
    "congestion_map_chart",
    "contour_chart",
    "correlation_chart",
    "dendrograms_chart",
    "describe_chart",
    "design_chart",
    "difference_histogram_chart",
    "effect_sizes_chart",
    "elementary_effects_chart",
    "factor_scatter_chart",
    "forest_chart",
    "frequency_chart",
    "goodput_bars_chart",
    "half_normal_chart",
    "harm_chart",
    "has_map",
    "impact_chart",
    "index_chart",
    "influence_chart",
    "influence_sets_chart",
    "interactions_chart",
    "judged_responses",
    "loadings_chart",
    "main_effects_chart",
    "network_chart",
    "network_glance_chart",
    "number",
    "ordered_data_chart",
    "percent",
    "printed",
    "probability",
    "queue_comparison_chart",
    "queues_chart",
    "rank_matrix_chart",
    "rank_overview_chart",
    "rank_scatter_chart",
    "rank_sheet_chart",
    "residual_sd_chart",
    "router_name",
    "run_chart",
    "save",
    "scree_chart",
    "signal_ladder_chart",
    "significance_chart",
    "stand_apart_chart",
    "ten_steps_charts",
    "trace_chart",
    "warm_up_chart",
    "youden_chart",
]
