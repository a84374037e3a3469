"""The analyses of a report, made once and shared by its sections and its summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from mesonet.analysis import (
    ConditionResponse,
    ConditionSummary,
    Congestion,
    Description,
    MainEffects,
    PairedDifferences,
    RankMatrix,
    alternatives,
    condition_response,
    condition_summary,
    congestion,
    describe,
    main_effects,
    paired_differences,
    rank_matrix,
    two_level_part,
)
from mesonet.figures import Look, Names
from mesonet.report.inputs import ReportInputs


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
    effects_left_out: tuple[str, ...]
    """Why some factors, or all, have no main effects."""
    conditions: tuple[ConditionResponse, ...]
    outliers: ConditionSummary | None
    ranks: RankMatrix | None
    paired: PairedDifferences | None

    @property
    def two_level(self) -> bool:
        """Whether every factor has just a low and a high level."""
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
