"""Statistics of designed experiments: a campaign's frame goes in, answers come out.

Every function takes a frame with one row per run and returns a frozen `Result`: a frame of
estimates with their uncertainty, and notes that say what the estimates cannot carry. Nothing
here draws; see `mesonet.figures`.
"""

from mesonet.analysis.conditions import (
    ConditionResponse,
    ConditionSummary,
    condition_response,
    condition_summary,
)
from mesonet.analysis.describe import Congestion, Description, congestion, describe
from mesonet.analysis.effects import MainEffects, influence_fraction, main_effects
from mesonet.analysis.example import ExampleCampaign, example_campaign
from mesonet.analysis.frames import alternatives, digest
from mesonet.analysis.grubbs import Grubbs, grubbs_critical, grubbs_test
from mesonet.analysis.interactions import Interactions, interactions
from mesonet.analysis.paired import PairedDifferences, paired_differences
from mesonet.analysis.ranks import RankMatrix, condition_order, rank_matrix
from mesonet.analysis.result import Result
from mesonet.analysis.significance import Influence, Significance, influence, significance
from mesonet.analysis.table import KINDS, analyze

__all__ = [
    "KINDS",
    "ConditionResponse",
    "ConditionSummary",
    "Congestion",
    "Description",
    "ExampleCampaign",
    "Grubbs",
    "Influence",
    "Interactions",
    "MainEffects",
    "PairedDifferences",
    "RankMatrix",
    "Result",
    "Significance",
    "alternatives",
    "analyze",
    "condition_order",
    "condition_response",
    "condition_summary",
    "congestion",
    "describe",
    "digest",
    "example_campaign",
    "grubbs_critical",
    "grubbs_test",
    "influence",
    "influence_fraction",
    "interactions",
    "main_effects",
    "paired_differences",
    "rank_matrix",
    "significance",
]
