"""Statistics of designed experiments: a campaign's frame goes in, answers come out.

Every function takes a frame with one row per run and returns a frozen `Result`: a frame of
estimates with their uncertainty, and notes that say what the estimates cannot carry. Nothing
here draws; see `mesonet.figures`.
"""

from mesonet.analysis.algorithm_clusters import AlgorithmClusters, algorithm_clusters
from mesonet.analysis.blocks import BlockComparison, block_comparison
from mesonet.analysis.components import Components, principal_components
from mesonet.analysis.condition_summary import ConditionSummary, condition_summary
from mesonet.analysis.conditions import ConditionResponse, condition_response
from mesonet.analysis.contour import Contour, contour
from mesonet.analysis.correlation import Correlations, correlations, suggest_threshold
from mesonet.analysis.describe import Congestion, Description, congestion, describe
from mesonet.analysis.effects import (
    MainEffects,
    influence_fraction,
    main_effects,
)
from mesonet.analysis.elementary import ElementaryEffects, elementary_effects
from mesonet.analysis.example import ExampleCampaign, example_campaign
from mesonet.analysis.flow_histogram import DifferenceHistogram, difference_histogram
from mesonet.analysis.flow_ranks import FlowRanks, flow_ranks
from mesonet.analysis.flows import FlowComparison, compare_flows
from mesonet.analysis.frames import alternatives, digest
from mesonet.analysis.grubbs import Grubbs, grubbs_critical, grubbs_p, grubbs_test
from mesonet.analysis.harm import Harm, Impact, harm, impact, relative_change
from mesonet.analysis.interactions import Interactions, interactions
from mesonet.analysis.missing import MissingRuns, missing_runs
from mesonet.analysis.ordered import FactorScatter, OrderedData, factor_scatter, ordered_data
from mesonet.analysis.paired import PairedDifferences, paired_differences
from mesonet.analysis.queue_comparison import QueueCell, QueueComparison, compare_queues
from mesonet.analysis.queue_records import QueueRecords, queue_records
from mesonet.analysis.ranks import RankMatrix, condition_order, rank_matrix, rank_summary
from mesonet.analysis.response_clusters import ResponseClusters, response_clusters
from mesonet.analysis.response_functions import ResponseFunction, published_response
from mesonet.analysis.result import Result
from mesonet.analysis.significance import Influence, Significance, influence, significance
from mesonet.analysis.stopping import (
    CellPrecision,
    StoppingState,
    needs_more,
    precision,
    stopping_state,
)
from mesonet.analysis.subject import Subject, described, order_of
from mesonet.analysis.summary import PlainSummary, plain_summary
from mesonet.analysis.summary_builder import Sentence
from mesonet.analysis.table import Analyses, Tables, analyze, tables_of
from mesonet.analysis.ten_steps import TenSteps, ten_steps
from mesonet.analysis.terms import TermEffects, lenth, term_effects
from mesonet.analysis.traces import NetworkCongestion, Trace, network_congestion, trace
from mesonet.analysis.two_level import TwoLevelPart, two_level_part
from mesonet.analysis.warmup import WarmUp, truncation, warm_up, warm_up_of_runs

__all__ = [
    "AlgorithmClusters",
    "Analyses",
    "BlockComparison",
    "CellPrecision",
    "Components",
    "ConditionResponse",
    "ConditionSummary",
    "Congestion",
    "Contour",
    "Correlations",
    "Description",
    "DifferenceHistogram",
    "ElementaryEffects",
    "ExampleCampaign",
    "FactorScatter",
    "FlowComparison",
    "FlowRanks",
    "Grubbs",
    "Harm",
    "Impact",
    "Influence",
    "Interactions",
    "MainEffects",
    "MissingRuns",
    "NetworkCongestion",
    "OrderedData",
    "PairedDifferences",
    "PlainSummary",
    "QueueCell",
    "QueueComparison",
    "QueueRecords",
    "RankMatrix",
    "ResponseClusters",
    "ResponseFunction",
    "Result",
    "Sentence",
    "Significance",
    "StoppingState",
    "Subject",
    "Tables",
    "TenSteps",
    "TermEffects",
    "Trace",
    "TwoLevelPart",
    "WarmUp",
    "algorithm_clusters",
    "alternatives",
    "analyze",
    "block_comparison",
    "compare_flows",
    "compare_queues",
    "condition_order",
    "condition_response",
    "condition_summary",
    "congestion",
    "contour",
    "correlations",
    "describe",
    "described",
    "difference_histogram",
    "digest",
    "elementary_effects",
    "example_campaign",
    "factor_scatter",
    "flow_ranks",
    "grubbs_critical",
    "grubbs_p",
    "grubbs_test",
    "harm",
    "impact",
    "influence",
    "influence_fraction",
    "interactions",
    "lenth",
    "main_effects",
    "missing_runs",
    "needs_more",
    "network_congestion",
    "order_of",
    "ordered_data",
    "paired_differences",
    "plain_summary",
    "precision",
    "principal_components",
    "published_response",
    "queue_records",
    "rank_matrix",
    "rank_summary",
    "relative_change",
    "response_clusters",
    "significance",
    "stopping_state",
    "suggest_threshold",
    "tables_of",
    "ten_steps",
    "term_effects",
    "trace",
    "truncation",
    "two_level_part",
    "warm_up",
    "warm_up_of_runs",
]
