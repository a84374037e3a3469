"""Pictures of results: `*_chart` for the web (Altair), `*_figure` for papers (matplotlib).

Every function takes a `Result` of `mesonet.analysis` and returns something to show or save.
Nothing here estimates anything. `Look` fixes colours and marks of the alternatives and `Names`
what responses and factors are called, so that a set of figures reads as one.
"""

from mesonet.figures.condition_summary import condition_summary_chart, condition_summary_figure
from mesonet.figures.conditions import condition_response_chart, condition_response_figure
from mesonet.figures.congestion import congestion_chart, congestion_figure
from mesonet.figures.congestion_map import congestion_map_chart, congestion_map_figure
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
from mesonet.figures.network import has_map, network_chart, network_figure
from mesonet.figures.paired import forest_chart, forest_figure
from mesonet.figures.ranks import (
    rank_matrix_chart,
    rank_matrix_figure,
    rank_overview_chart,
    rank_scatter_chart,
    rank_scatter_figure,
)
from mesonet.figures.style import Look, Names, number, percent, probability
from mesonet.figures.traces import trace_chart, trace_figure

__all__ = [
    "Look",
    "Names",
    "biplot_chart",
    "biplot_figure",
    "condition_response_chart",
    "condition_response_figure",
    "condition_summary_chart",
    "condition_summary_figure",
    "congestion_chart",
    "congestion_figure",
    "congestion_map_chart",
    "congestion_map_figure",
    "difference_histogram_chart",
    "difference_histogram_figure",
    "forest_chart",
    "forest_figure",
    "goodput_bars_chart",
    "goodput_bars_figure",
    "has_map",
    "influence_chart",
    "influence_figure",
    "main_effects_chart",
    "main_effects_figure",
    "network_chart",
    "network_figure",
    "number",
    "percent",
    "probability",
    "rank_matrix_chart",
    "rank_matrix_figure",
    "rank_overview_chart",
    "rank_scatter_chart",
    "rank_scatter_figure",
    "rank_sheet_chart",
    "rank_sheet_figure",
    "trace_chart",
    "trace_figure",
]
