"""The analyses of a report, made once and shared by its sections and its summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from mesonet.analysis import (
    AlgorithmClusters,
    Components,
    ConditionResponse,
    ConditionSummary,
    Congestion,
    Correlations,
    Description,
    FlowComparison,
    Harm,
    Impact,
    Interactions,
    MainEffects,
    PairedDifferences,
    PlainSummary,
    RankMatrix,
    ResponseClusters,
    TenSteps,
    algorithm_clusters,
    alternatives,
    compare_flows,
    condition_response,
    condition_summary,
    congestion,
    correlations,
    describe,
    harm,
    impact,
    interactions,
    main_effects,
    paired_differences,
    plain_summary,
    principal_components,
    rank_matrix,
    response_clusters,
    ten_steps,
    two_level_part,
)
from mesonet.analysis.harm import harm_sides
from mesonet.figures import Look, Names
from mesonet.report.inputs import ReportInputs

STEPPED = 3
"""Number of responses that get all ten steps of the graphical analysis."""


@dataclass(frozen=True)
class Results:
    """Every result that the page shows; `None` where the campaign cannot carry the analysis."""

    inputs: ReportInputs
    look: Look
    names: Names
    levels: pl.DataFrame | None
    """Codes of every condition; None without factors."""
    level_texts: pl.DataFrame | None
    """Levels of every condition in words."""
    description: Description
    congestion: Congestion | None
    effects: MainEffects | None
    effects_each: MainEffects | None
    part: pl.DataFrame
    """The runs of the two-level part of the design: without its centre."""
    effects_left_out: tuple[str, ...]
    """Reasons why some factors, or all, have no main effects."""
    conditions: tuple[ConditionResponse, ...]
    outliers: ConditionSummary | None
    ranks: RankMatrix | None
    paired: PairedDifferences | None

    @cached_property
    def every(self) -> tuple[str, ...]:
        """All responses that have a column."""
        return tuple(name for name in self.inputs.responses if name in self.inputs.frame.columns)

    @cached_property
    def plain(self) -> PlainSummary | None:
        """The campaign in sentences; `None` without runs."""
        inputs = self.inputs
        if inputs.reference is None:
            return None
        known = {name: str(about.get("better")) for name, about in inputs.responses.items()}
        sides = {name: side for name, side in known.items() if side in ("higher", "lower")}
        judged = [name for name in inputs.compared if name in sides]
        names = {name: _inside(self.names.response(name)) for name in inputs.responses}
        names |= {name: _inside(self.names.factor(name)) for name in self.names.factors}
        return plain_summary(
            self.part,
            responses=self.every,
            baseline=inputs.reference,
            better={name: sides[name] for name in judged},
            order_by=inputs.congestion,
            factors=self.effects.influence["factor"].to_list() if self.effects else (),
            names=names,
            paired=self.paired,
            planned=self._planned,
        )

    @property
    def _planned(self) -> pl.DataFrame | None:
        """The planned runs of what the sentences speak of, which is not the centre."""
        if self.inputs.planned is None:
            return None
        left_out = set(self.inputs.frame["condition"]) - set(self.part["condition"])
        return self.inputs.planned.filter(~pl.col("condition").is_in(list(left_out)))

    @cached_property
    def interactions(self) -> Interactions:
        """Interactions of pairs of factors on the responses with plots; needs main effects."""
        assert self.effects is not None
        factors = self.effects.influence["factor"].to_list()
        return interactions(self.part, factors=factors, responses=self.inputs.shown)

    @cached_property
    def steps(self) -> dict[str, TenSteps]:
        """The ten steps of the first responses, by response."""
        factors = self.effects.influence["factor"].to_list() if self.effects else []
        if len(factors) < 2:
            return {}
        shown = self.inputs.shown[:STEPPED]
        return {name: ten_steps(self.part, factors=factors, response=name) for name in shown}

    @cached_property
    def correlations(self) -> Correlations:
        """Correlations of all responses over conditions."""
        options = _options(self.inputs, "correlations")
        return correlations(self.inputs.frame, responses=self.every, **options)

    @cached_property
    def response_clusters(self) -> ResponseClusters:
        """Groups of responses that say the same."""
        given = self.inputs.analysis.get("response_clusters", {})
        return response_clusters(self.correlations, threshold=given.get("threshold"))

    @cached_property
    def components(self) -> Components:
        """Principal components over algorithms and conditions."""
        options = _options(self.inputs, "principal_components")
        factors = self.effects.influence["factor"].to_list() if self.effects else []
        return principal_components(self.part, responses=self.every, factors=factors, **options)

    @cached_property
    def clusters(self) -> AlgorithmClusters:
        """Clusters of alternatives that respond alike, condition by condition."""
        options = _options(self.inputs, "algorithm_clusters")
        return algorithm_clusters(self.inputs.frame, responses=self.every, **options)

    @property
    def standard(self) -> str:
        """The algorithm of standard flows beside which others run."""
        return str(self.inputs.analysis.get("flow_comparison", {}).get("standard", "reno"))

    @cached_property
    def flows(self) -> FlowComparison | None:
        """Alternate flows beside standard ones; `None` where no response is kept for both."""
        options = _options(self.inputs, "flow_comparison", without=("groups",))
        tail = f":{self.standard}"
        kept = [name.removesuffix(tail) for name in self.every if name.endswith(tail)]
        groups = self.inputs.analysis.get("flow_comparison", {}).get("groups", kept)
        if not groups or self.inputs.frame.is_empty():
            return None
        order = {"order_by": self.inputs.congestion} | options
        return compare_flows(self.inputs.frame, groups=groups, **order)

    @cached_property
    def impact(self) -> Impact | None:
        """Impact of other flows on standard flows; `None` where no response of theirs was kept."""
        kept = [name for name in self.every if name.endswith(f":{self.standard}")]
        if not kept or self.inputs.reference is None or len(self.look.alternatives) < 2:
            return None
        given = self.inputs.analysis.get("impact", {})
        baseline = given.get("baseline", self.inputs.reference)
        return impact(self.inputs.frame, response=kept, baseline=baseline)

    @property
    def asked(self) -> tuple[str, ...]:
        """Responses of the analyses that are made only where the plan asks for them."""
        chosen = self.inputs.key_responses
        return tuple(name for name in self.every if not chosen or name in chosen)

    @cached_property
    def harm_sides(self) -> dict[str, str]:
        """Better end of each response that harm can be done to."""
        known = {name: str(about.get("better")) for name, about in self.inputs.responses.items()}
        given = self.inputs.analysis.get("harm", {}).get("better")
        return harm_sides(self.asked, known=known, given=given)

    @cached_property
    def harm(self) -> Harm | None:
        """Harm that flows take in company; `None` unless the plan asks for it."""
        inputs = self.inputs
        if "harm" not in inputs.analysis or not self.harm_sides:
            return None
        options = {"solo": self.look.alternatives[0]} | _options(inputs, "harm")
        options["better"] = self.harm_sides
        return harm(inputs.frame, response=list(self.harm_sides), **options)

    @cached_property
    def asked_impact(self) -> Impact | None:
        """Changes against a baseline of what the plan asks; `None` unless it does."""
        inputs = self.inputs
        if "impact" not in inputs.analysis or not self.asked:
            return None
        options = {"baseline": self.look.alternatives[0]} | _options(inputs, "impact")
        return impact(inputs.frame, response=self.asked, **options)

    @property
    def two_level(self) -> bool:
        """Tests whether every factor has just a low and a high level."""
        return self.levels is not None and all(
            set(column.to_list()) <= {-1, 1} for column in self.levels.drop("condition")
        )

    @property
    def order(self) -> list[int] | None:
        """Conditions from the least to the most congested."""
        return self.congestion.conditions["condition"].to_list() if self.congestion else None

    @property
    def conditions_count(self) -> int:
        """Number of conditions with a run."""
        return self.inputs.frame["condition"].n_unique()

    @property
    def replicates(self) -> int:
        """Largest number of replicates."""
        return self.inputs.frame["replicate"].n_unique()


def analysed(inputs: ReportInputs) -> Results:
    """Makes all analyses that the results of a campaign can carry.

    Raises:
        InputError: The frame lacks columns that the inputs name.
    """
    frame = inputs.frame
    look = Look.of(alternatives(frame))
    factors = [str(factor["name"]) for factor in inputs.factors]
    every = [name for name in inputs.responses if name in frame.columns]
    several = len(look.alternatives) > 1
    effects = each = None
    options = _options(inputs, "main_effects", without=("by",))
    part = two_level_part(frame, factors=factors)
    if part.factors and every and frame.height:
        effects = main_effects(part.frame, factors=part.factors, responses=every, **options)
        if several:
            each = main_effects(
                part.frame,
                factors=part.factors,
                responses=inputs.shown,
                by="alternative",
                **options,
            )
    outlier = _options(inputs, "condition_response") | _options(inputs, "condition_summary")
    overall = ("minimum_relative", "adjust")
    single = {key: value for key, value in outlier.items() if key not in overall}
    ranking = _options(inputs, "rank_matrix", without=("order_by", "better"))
    pairing = _options(inputs, "paired_differences", without=("baseline",))
    return Results(
        inputs=inputs,
        look=look,
        names=_names(inputs),
        levels=_levels(inputs, factors),
        level_texts=_levels(inputs, [f"{name}_level" for name in factors]),
        description=describe(frame, responses=every),
        congestion=congestion(frame, response=inputs.congestion)
        if inputs.congestion and frame.height
        else None,
        effects=effects,
        effects_each=each,
        part=part.frame,
        effects_left_out=part.notes if factors and frame.height else (),
        conditions=tuple(
            condition_response(frame, response=name, **single) for name in inputs.shown
        )
        if several
        else (),
        outliers=condition_summary(frame, responses=every, **outlier)
        if several and every
        else None,
        ranks=rank_matrix(
            frame,
            response=inputs.ranked,
            order_by=inputs.congestion,
            better={name: str(about.get("better")) for name, about in inputs.responses.items()},
            **ranking,
        )
        if several and inputs.ranked
        else None,
        paired=paired_differences(
            frame, response=inputs.compared, baseline=inputs.reference, **pairing
        )
        if several and inputs.reference and inputs.compared
        else None,
    )


def _inside(name: str) -> str:
    """A name in the middle of a sentence; acronyms and symbols keep their capitals."""
    return name[:1].lower() + name[1:] if name[1:2].islower() else name


def _options(inputs: ReportInputs, name: str, *, without: tuple[str, ...] = ()) -> dict[str, Any]:
    given: Mapping[str, Any] = inputs.analysis.get(name, {})
    # The page compares alternatives; other groupings are for `analyze`.
    return {key: value for key, value in given.items() if key not in ("by", *without)}


def _names(inputs: ReportInputs) -> Names:
    responses = {}
    for name, about in inputs.responses.items():
        label = str(about.get("name") or name)
        label = label[:1].upper() + label[1:]
        # Short identifiers are the symbols that the studies print.
        shown = f"{label} ({name})" if len(name) <= 6 and name != label else label
        responses[name] = (shown, str(about.get("unit") or ""))
    factors = {
        str(factor["name"]): (
            str(factor.get("label") or factor["name"]),
            str(factor.get("low", "−")),
            str(factor.get("high", "+")),
        )
        for factor in inputs.factors
    }
    return Names(responses=responses, factors=factors)


def _levels(inputs: ReportInputs, columns: list[str]) -> pl.DataFrame | None:
    if not columns or inputs.frame.is_empty() or not set(columns) <= set(inputs.frame.columns):
        return None
    coded = inputs.frame.group_by("condition", maintain_order=True).agg(pl.col(columns).first())
    return coded.sort("condition")
