"""Statistics of designed experiments: a campaign's frame goes in, answers come out.

Every function takes a frame with one row per run and returns a frozen `Result`: a frame of
estimates with their uncertainty, and notes that say what the estimates cannot carry. Nothing
here draws; see `mesonet.figures`.

Arguments mean the same everywhere: `frame` has a row for each run, `factors` are its columns of
codes, -1 and +1, `responses` or `response` its columns of values, `by` is the column that divides
the runs, and `confidence` the level of the intervals. Bad input
is one `InputError` that names every column, label and value that does not fit.
"""

from __future__ import annotations

from mesonet.lazy import lazily

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mesonet.analysis.blocks.estimate import *
    from mesonet.analysis.columns import described as described
    from mesonet.analysis.components.estimate import *
    from mesonet.analysis.conditions.estimate import *
    from mesonet.analysis.contours.estimate import *
    from mesonet.analysis.correlation.estimate import *
    from mesonet.analysis.declaration import *
    from mesonet.analysis.dendrograms.estimate import *
    from mesonet.analysis.description.estimate import *
    from mesonet.analysis.effects.estimate import *
    from mesonet.analysis.example import *
    from mesonet.analysis.fairness.estimate import *
    from mesonet.analysis.flows.estimate import *
    from mesonet.analysis.flows.histogram import *
    from mesonet.analysis.flows.ranks import *
    from mesonet.analysis.frames import *
    from mesonet.analysis.grubbs import *
    from mesonet.analysis.interaction.estimate import *
    from mesonet.analysis.levels.estimate import *
    from mesonet.analysis.missing import *
    from mesonet.analysis.mser import *
    from mesonet.analysis.network.estimate import *
    from mesonet.analysis.options import *
    from mesonet.analysis.ordered.estimate import *
    from mesonet.analysis.outliers.estimate import *
    from mesonet.analysis.paired.estimate import *
    from mesonet.analysis.queues.estimate import *
    from mesonet.analysis.ranks.estimate import *
    from mesonet.analysis.registry import *
    from mesonet.analysis.response_functions import *
    from mesonet.analysis.response_groups.estimate import *
    from mesonet.analysis.result import *
    from mesonet.analysis.sections import *
    from mesonet.analysis.significant.estimate import *
    from mesonet.analysis.steps.estimate import *
    from mesonet.analysis.stopping import *
    from mesonet.analysis.subject import *
    from mesonet.analysis.summary import *
    from mesonet.analysis.summary_builder import *
    from mesonet.analysis.table import *
    from mesonet.analysis.terms.estimate import *
    from mesonet.analysis.traces.estimate import *

__getattr__, __all__ = lazily(
    __name__,
    {
        "blocks.estimate": "BlockComparison block_comparison",
        "components.estimate": "Components principal_components",
        "columns": "described",
        "conditions.estimate": "ConditionResponse condition_response",
        "contours.estimate": "Contour contour",
        "correlation.estimate": "Correlations correlations suggest_threshold",
        "declaration": "Analysis ChartOf Section TableOf",
        "dendrograms.estimate": "AlgorithmClusters algorithm_clusters",
        "description.estimate": "Congestion Description congestion describe",
        "effects.estimate": "MainEffects influence_fraction main_effects",
        "example": "ExampleCampaign example_campaign",
        "fairness.estimate": "Harm harm relative_change",
        "flows.estimate": "FlowComparison compare_flows",
        "flows.histogram": "DifferenceHistogram difference_histogram",
        "flows.ranks": "FlowRanks flow_ranks",
        "frames": "alternatives digest",
        "grubbs": "Grubbs grubbs_critical grubbs_p grubbs_test",
        "interaction.estimate": "Interactions interactions",
        "levels.estimate": "LevelMeans level_means",
        "missing": "MissingRuns missing_runs",
        "options": "Known Options",
        "ordered.estimate": "FactorScatter OrderedData factor_scatter ordered_data",
        "outliers.estimate": "ConditionSummary condition_summary",
        "paired.estimate": "PairedDifferences paired_differences",
        "queues.estimate": "QueueRecords queue_records",
        "ranks.estimate": "RankMatrix condition_order rank_matrix rank_summary",
        "registry": "REGISTRY lookup option_problems read_options",
        "response_functions": "ResponseFunction published_response",
        "response_groups.estimate": "ResponseClusters response_clusters",
        "result": "Result",
        "sections": "SECTIONS",
        "significant.estimate": "Influence Significance influence significance",
        "steps.estimate": "TenSteps ten_steps",
        "stopping": "StoppingState precision stopping_state",
        "subject": "Subject TwoLevelPart two_level_part",
        "summary": "PlainSummary plain_summary",
        "summary_builder": "Sentence",
        "table": "Analyses Tables tables_of",
        "terms.estimate": "TermEffects lenth term_effects",
        "network.estimate": "NetworkCongestion network_congestion",
        "traces.estimate": "Trace trace",
        "mser": "WarmUp truncation warm_up",
    },
)
