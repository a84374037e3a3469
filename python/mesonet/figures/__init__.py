"""Pictures of results: charts for the web and, saved as SVG, PDF or PNG, for papers.

Every function `*_chart` takes a `Result` of `mesonet.analysis` and returns an Altair chart. `save`
writes it to a file for a paper.
Nothing here estimates anything. `Look` fixes colours and marks of the alternatives and `Names`
what responses and factors are called, so that a set of figures reads as one.

Arguments mean the same everywhere: `look` has colours and marks of the alternatives, `names` names
and units of responses and factors, `response` or `group` is the one to draw, `only` are those to
draw, `conditions` those to show, `order` their order, `levels` their coded levels, `better` the
better end of each response, and `alternatives` the result for each alternative.
"""

from __future__ import annotations

from mesonet.lazy import lazily

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mesonet.analysis.blocks.chart import *
    from mesonet.analysis.components.chart import *
    from mesonet.analysis.conditions.chart import *
    from mesonet.analysis.contours.chart import *
    from mesonet.analysis.correlation.chart import *
    from mesonet.analysis.dendrograms.chart import *
    from mesonet.analysis.description.chart import *
    from mesonet.analysis.effects.chart import *
    from mesonet.analysis.fairness.chart import *
    from mesonet.analysis.flows.chart import *
    from mesonet.analysis.interaction.chart import *
    from mesonet.analysis.levels.chart import *
    from mesonet.analysis.network.chart import *
    from mesonet.analysis.ordered.chart import *
    from mesonet.analysis.outliers.chart import *
    from mesonet.analysis.paired.chart import *
    from mesonet.analysis.queues.chart import *
    from mesonet.analysis.ranks.chart import *
    from mesonet.analysis.response_groups.chart import *
    from mesonet.analysis.significant.chart import *
    from mesonet.analysis.steps.chart import *
    from mesonet.analysis.terms.chart import *
    from mesonet.analysis.traces.chart import *
    from mesonet.figures.design import *
    from mesonet.figures.laboratory import *
    from mesonet.figures.ladder import *
    from mesonet.figures.network import *
    from mesonet.figures.paper import *
    from mesonet.figures.style import *
    from mesonet.numbers import *

__getattr__, __all__ = lazily(
    __name__,
    {
        ".analysis.blocks.chart": "block_chart",
        ".analysis.components.chart": "components_chart loadings_chart scree_chart",
        ".analysis.conditions.chart": "condition_response_chart",
        ".analysis.contours.chart": "contour_chart",
        ".analysis.correlation.chart": "correlation_chart frequency_chart",
        ".analysis.dendrograms.chart": "dendrograms_chart stand_apart_chart",
        ".analysis.description.chart": "congestion_chart describe_chart",
        ".analysis.effects.chart": "effects_half_normal_chart influence_chart main_effects_chart "
        "residuals_chart",
        ".analysis.fairness.chart": "harm_chart",
        ".analysis.flows.chart": "biplot_chart difference_histogram_chart goodput_bars_chart "
        "rank_sheet_chart",
        ".analysis.interaction.chart": "interactions_chart",
        ".analysis.levels.chart": "level_means_chart",
        ".analysis.ordered.chart": "factor_scatter_chart ordered_data_chart",
        ".analysis.outliers.chart": "condition_summary_chart",
        ".analysis.paired.chart": "answer_chart forest_chart judged_responses",
        ".analysis.queues.chart": "queues_chart",
        ".analysis.ranks.chart": "rank_matrix_chart rank_overview_chart rank_scatter_chart",
        ".analysis.significant.chart": "influence_sets_chart significance_chart",
        ".analysis.response_groups.chart": "index_chart",
        ".analysis.steps.chart": "ten_steps_charts",
        ".analysis.terms.chart": "effect_sizes_chart half_normal_chart residual_sd_chart "
        "youden_chart",
        ".analysis.traces.chart": "run_chart trace_chart",
        ".analysis.network.chart": "congestion_map_chart network_glance_chart",
        "design": "design_chart",
        "laboratory": "has_links laboratory_chart",
        "ladder": "signal_ladder_chart",
        "network": "has_map network_chart router_name",
        "paper": "printed save",
        "style": "Look Names",
        ".numbers": "number percent probability",
    },
)
