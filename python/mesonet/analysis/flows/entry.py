"""Entry of `flow_comparison`."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from pydantic import Field, ValidationInfo, model_validator

from mesonet.analysis import options as kinds
from mesonet.analysis.columns import OWN, Column, columns
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import ORDER, Known, Options
from mesonet.analysis.ranks.entry import RANK_SUMMARY
from mesonet.errors import Problem, did_you_mean, refused


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
    order_by: kinds.ResponseName = Field(None, description=ORDER)

    @model_validator(mode="after")
    def _kept(self, info: ValidationInfo) -> FlowComparisonOptions:
        """Refuses groups of which the plan keeps no response of the standard flows."""
        plan: Known | None = info.context
        if plan is None:
            return self
        return refused(self, list(_unkept(self.groups, self.standard, plan.responses)))


def _unkept(groups: str | Sequence[str], standard: str, kept: Sequence[str]) -> list[Problem]:
    named = [groups] if isinstance(groups, str) else groups
    missing = [name for group in named if (name := f"{group}:{standard}") not in kept]
    return [
        Problem(
            "groups", "unknown_response", f'"{name}" is not in responses{did_you_mean(name, kept)}'
        )
        for name in missing
    ]


FLOW_COMPARISON = columns(
    "group condition position alternative algorithm alternate standard difference relative "
    "maximum alternate_fraction standard_fraction",
    Column("group", pl.String, "", "group of flows"),
    Column("alternate", pl.Float64, OWN, "mean of alternate flows"),
    Column("standard", pl.Float64, OWN, "mean of standard flows"),
    Column("relative", pl.Float64, "1", "difference over standard"),
    Column("alternate_fraction", pl.Float64, "1", "mean of alternate flows over the largest"),
    Column("standard_fraction", pl.Float64, "1", "mean of standard flows over the largest"),
)

FLOW_SUMMARY = columns(
    "group alternative n above equal below mean median relative", *FLOW_COMPARISON
)

FLOW_HISTOGRAM = columns(
    "group alternative low high count",
    *FLOW_SUMMARY,
    Column("low", pl.Float64, OWN, "lower bound of the bin"),
    Column("high", pl.Float64, OWN, "upper bound of the bin"),
)

FLOW_RANKS = columns(
    "alternative n mean sd alternate_n alternate_mean alternate_sd standard_n standard_mean "
    "standard_sd",
    *RANK_SUMMARY,
    Column("alternate_n", pl.UInt32, "", "number of ranks of alternate flows"),
    Column("alternate_mean", pl.Float64, "1", "mean rank of alternate flows"),
    Column("alternate_sd", pl.Float64, "1", "sd of ranks of alternate flows"),
    Column("standard_n", pl.UInt32, "", "number of ranks of standard flows"),
    Column("standard_mean", pl.Float64, "1", "mean rank of standard flows"),
    Column("standard_sd", pl.Float64, "1", "sd of ranks of standard flows"),
)

ENTRIES = (
    Analysis(
        folder="flows",
        name="flow_comparison",
        summary="flows of a new algorithm versus standard flows",
        options=FlowComparisonOptions,
        tables=(
            TableOf("flow_comparison", "a group, a condition and an alternative", FLOW_COMPARISON),
            TableOf("flow_summary", "a group and an alternative", FLOW_SUMMARY, "summary"),
            TableOf(
                "flow_histogram",
                "a group, an alternative and a class",
                FLOW_HISTOGRAM,
                "difference_histogram.frame",
            ),
            TableOf("flow_ranks", "an alternative", FLOW_RANKS, "flow_ranks.frame"),
        ),
        section="goodput",
        page="howto/goodput.md",
        charts=(
            ChartOf(
                "biplot_chart",
                "A mark for each condition: across what new flows get, up what standard "
                "flows get versus them. On the diagonal both get the same; below it the "
                "new flows get more.",
            ),
            ChartOf(
                "difference_histogram_chart",
                "New less standard, over all conditions: right of zero the new flows gain.",
                "difference_histogram",
            ),
            ChartOf(
                "goodput_bars_chart",
                "Condition by condition, as a fraction of the largest: left the new flows "
                "of each algorithm, right the standard flows versus it.",
            ),
            ChartOf(
                "rank_scatter_chart",
                "Under each condition algorithms are ranked twice: by what their own flows "
                "get, and by what standard flows get versus them. High is good; an ideal "
                "algorithm lies in the lower right corner.",
                "flow_ranks.overall",
            ),
        ),
        reading=(
            "In these runs flows of a new algorithm share the network with standard ones. "
            "Goodput is what arrives, without retransmissions. A gain for the new flows is "
            "harmless only if the standard flows keep what they had."
        ),
        needs="flows",
    ),
)
