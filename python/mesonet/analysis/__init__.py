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
from mesonet.analysis.effects import MainEffects, TwoLevelPart, main_effects, two_level_part
from mesonet.analysis.elementary import ElementaryEffects, elementary_effects
from mesonet.analysis.frames import alternatives, digest
from mesonet.analysis.grubbs import Grubbs, grubbs_critical, grubbs_test
from mesonet.analysis.paired import PairedDifferences, paired_differences
from mesonet.analysis.ranks import RankMatrix, condition_order, rank_matrix
from mesonet.analysis.result import Result
from mesonet.analysis.stopping import CellPrecision, needs_more, precision
from mesonet.analysis.table import KINDS, Tables, analyze
from mesonet.analysis.warmup import WarmUp, truncation, warm_up, warm_up_of_runs

__all__ = [
    "KINDS",
    "CellPrecision",
    "ConditionResponse",
    "ConditionSummary",
    "Congestion",
    "Description",
    "ElementaryEffects",
    "Grubbs",
    "MainEffects",
    "PairedDifferences",
    "RankMatrix",
    "Result",
    "Tables",
    "TwoLevelPart",
    "WarmUp",
    "alternatives",
    "analyze",
    "condition_order",
    "condition_response",
    "condition_summary",
    "congestion",
    "describe",
    "digest",
    "elementary_effects",
    "grubbs_critical",
    "grubbs_test",
    "main_effects",
    "needs_more",
    "paired_differences",
    "precision",
    "rank_matrix",
    "truncation",
    "two_level_part",
    "warm_up",
    "warm_up_of_runs",
]
