"""Options of the analyses: which there are, their defaults and their meaning."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field, ValidationInfo, model_validator

from mesonet.analyses import options as kinds
from mesonet.analyses.options import Known, Options
from mesonet.errors import Problem, ProblemsError, did_you_mean

_GROUPED = "Column that tells apart what is compared."
_SPLIT = "Column that divides the runs; all of them together without it."
_ORDER = "Response that orders the conditions; that of `congestion` without it."
_CONFIDENCE = "Confidence level of the intervals."


class GroupedOptions(Options):
    """Options of analyses that compare groups of runs."""

    by: kinds.Column = Field("alternative", description=_GROUPED)


class SplitOptions(Options):
    """Options of analyses that can be made for parts of the runs."""

    by: kinds.OptionalColumn = Field(None, description=_SPLIT)


class CongestionOptions(GroupedOptions):
    """Options of `congestion`."""

    response: kinds.ResponseName = Field(
        None, description="Response that measures congestion; `loss_rate` without it."
    )


class SignificanceOptions(Options):
    """Options of `significance`."""

    method: kinds.Method = Field(
        "model", description="Error from the residuals of the model, or of two samples."
    )
    confidence: kinds.Share = Field(0.95, description=_CONFIDENCE)


class MainEffectsOptions(SignificanceOptions, SplitOptions):
    """Options of `main_effects`."""


class TermEffectsOptions(Options):
    """Options of `term_effects`."""

    order: kinds.OptionalCount = Field(
        None,
        description="Most factors of a product; as many as the conditions can tell apart "
        "without it.",
    )


class CorrelationsOptions(SplitOptions):
    """Options of `correlations`."""

    ranks: kinds.Truth = Field(
        False, description="True correlates ranks (Spearman) in place of values (Pearson)."
    )


class ResponseClustersOptions(CorrelationsOptions):
    """Options of `response_clusters`."""

    threshold: kinds.OptionalShare = Field(
        None, description="Correlation from which two responses go together; found without it."
    )


class PrincipalComponentsOptions(Options):
    """Options of `principal_components`."""

    by: kinds.OptionalColumn = Field("alternative", description=_GROUPED)
    keep: kinds.Count = Field(10, description="Most components.")


class AlgorithmClustersOptions(GroupedOptions):
    """Options of `algorithm_clusters`."""

    cut: kinds.Share = Field(
        0.7, description="Share of the largest distance below which a join makes a cluster."
    )
    scale: kinds.DifferenceScale = Field(
        "condition", description="Variance that measures differences."
    )


class ConditionResponseOptions(GroupedOptions):
    """Options of `condition_response`."""

    alpha: kinds.Share = Field(0.05, description="Probability of a false alarm of a test.")
    critical: kinds.OptionalPositive = Field(
        None, description="Critical value of Grubbs' test; computed without it."
    )


class ConditionSummaryOptions(ConditionResponseOptions):
    """Options of `condition_summary`."""

    minimum_relative: kinds.Positive = Field(
        0.0, description="Smallest relative distance from the mean of an outlier."
    )
    adjust: kinds.Adjustment = Field("none", description="Correction for the number of tests.")


class RankMatrixOptions(GroupedOptions):
    """Options of `rank_matrix`."""

    responses: kinds.ResponseNames = Field(
        (),
        description="Responses to rank; the goodputs and throughputs without it, or all that have "
        "a better end.",
    )
    order_by: kinds.ResponseName = Field(None, description=_ORDER)
    better: kinds.SidesByResponse = Field(
        None, description="Better end of responses; that of the reference without it."
    )


class PairedDifferencesOptions(GroupedOptions):
    """Options of `paired_differences`."""

    baseline: kinds.Label = Field(
        None,
        description="Alternative that the others are compared with; without it the first whose "
        "label names Reno, NewReno, TCP or CUBIC, in this order, or else the first.",
    )
    confidence: kinds.Share = Field(0.95, description=_CONFIDENCE)


class FlowComparisonOptions(Options):
    """Options of `flow_comparison`."""

    groups: kinds.Texts = Field(
        (),
        description="Responses without their algorithm; all that are kept for the standard flows "
        "without it.",
    )
    standard: kinds.Text = Field("reno", description="Algorithm of the standard flows.")
    algorithms: kinds.AlgorithmsByLabel = Field(
        None,
        description="Algorithm of the alternate flows of each alternative; the one that has "
        "values without it.",
    )
    order_by: kinds.ResponseName = Field(None, description=_ORDER)
    maximum: kinds.MaximaByGroup = Field(
        None,
        description="Largest possible goodput by group; the largest seen in a condition without "
        "it.",
    )

    @model_validator(mode="after")
    def _kept(self, info: ValidationInfo) -> FlowComparisonOptions:
        """Refuses groups of which the plan keeps no response of the standard flows."""
        known: Known | None = info.context
        if known is not None:
            problems = list(_unkept(self.groups, self.standard, known.responses))
            if problems:
                raise ProblemsError(problems)
        return self


def _unkept(groups: str | Sequence[str], standard: str, kept: Sequence[str]) -> list[Problem]:
    named = [groups] if isinstance(groups, str) else groups
    wanted = [name for group in named if (name := f"{group}:{standard}") not in kept]
    return [
        Problem(
            "groups",
            "unknown_response",
            f'"{name}" is not in responses{did_you_mean(name, kept)}',
        )
        for name in wanted
    ]


class HarmOptions(Options):
    """Options of `harm`."""

    solo: kinds.Label = Field(
        None, description="Alternative in which the flows are alone; the first without it."
    )
    own: kinds.Label = Field(
        None, description="Alternative in which the flows meet their own kind."
    )
    better: kinds.Sides = Field(
        None, description="Better end of responses; that of the reference without it."
    )
    confidence: kinds.Share = Field(0.95, description=_CONFIDENCE)


class ImpactOptions(Options):
    """Options of `impact`."""

    baseline: kinds.Label = Field(
        None, description="Alternative without the newcomer; the first without it."
    )
    confidence: kinds.Share = Field(0.95, description=_CONFIDENCE)


class WarmUpOptions(Options):
    """Options of `warm_up`."""

    series: kinds.Texts = Field(
        (), description="Columns of a run's series; all columns of numbers without it."
    )
    batch: kinds.Count = Field(5, description="Observations of a batch mean.")
