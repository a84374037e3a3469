"""The analyses of a report, made once and shared by its sections and its summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import polars as pl

from mesonet.analysis import (
    Analyses,
    Congestion,
    MainEffects,
    NetworkCongestion,
    PairedDifferences,
    PlainSummary,
    TenSteps,
    alternatives,
    main_effects,
    network_congestion,
    paired_differences,
    plain_summary,
    ten_steps,
)
from mesonet.analysis.few_conditions import over_few_conditions
from mesonet.analysis.frames import require
from mesonet.figures import Look, Names
from mesonet.report.inputs import ReportInputs
from mesonet.text import capital

_STEPPED = 3


@dataclass(frozen=True)
class Results:
    """Every result that the page shows; `None` where the campaign cannot carry the analysis."""

    inputs: ReportInputs
    look: Look
    names: Names
    analyses: Analyses
    """All analyses that plans can ask for, as `mesonet analyze` prints them."""
    levels: pl.DataFrame | None
    """Codes of every condition; None without factors."""
    level_texts: pl.DataFrame | None
    """Levels of every condition in words."""

    @property
    def several(self) -> bool:
        """True if there are alternatives to compare."""
        return len(self.look.alternatives) > 1

    @cached_property
    def congestion(self) -> Congestion | None:
        """Order of the conditions; `None` without a response that measures congestion."""
        if not self.inputs.congestion or self.inputs.frame.is_empty():
            return None
        result: Congestion = self.analyses.result("congestion")
        return result

    @cached_property
    def effects(self) -> MainEffects | None:
        """Main effects on all responses; `None` where no factor has two levels."""
        inputs = self.inputs
        if not inputs.subject.part.factors or not self.every or inputs.frame.is_empty():
            return None
        result: MainEffects = self.analyses.result("main_effects")
        return result

    @cached_property
    def effects_each(self) -> MainEffects | None:
        """Main effects of each alternative on the responses with plots."""
        if self.effects is None or not self.several:
            return None
        return main_effects(
            self.inputs.subject.part.frame,
            factors=self.inputs.subject.part.factors,
            responses=self.inputs.shown,
            by="alternative",
            **_options(self.inputs, "main_effects"),
        )

    @property
    def several_levels(self) -> bool:
        """True if a factor has other levels than a low and a high one."""
        subject = self.inputs.subject
        return len(subject.factors) > len(subject.part.factors)

    @cached_property
    def paired(self) -> PairedDifferences | None:
        """Differences from the baseline on the responses that are tested together."""
        if not self.several or not self.every:
            return None
        result: PairedDifferences = self.analyses.result("paired_differences")
        return result

    @cached_property
    def judged(self) -> PairedDifferences | None:
        """Differences that verdicts rest on: where conditions are few, those of these alone."""
        paired, inputs = self.paired, self.inputs
        if paired is None:
            return None
        means = over_few_conditions(inputs.frame, responses=paired.responses)
        if means is None:
            return paired
        here = paired_differences(
            means,
            response=paired.responses,
            baseline=paired.baseline,
            confidence=paired.confidence,
        )
        return here if here.frame["p"].is_finite().any() else paired

    @cached_property
    def every(self) -> tuple[str, ...]:
        """All responses that have a column."""
        return tuple(self.inputs.subject.responses)

    @cached_property
    def plain(self) -> PlainSummary | None:
        """The campaign in sentences; `None` without runs."""
        inputs = self.inputs
        if inputs.frame.is_empty():
            return None
        family, better = inputs.subject.family, inputs.subject.better
        judged = {name: better[name] for name in family if better[name] in ("higher", "lower")}
        names = {name: _inside(self.names.response(name)) for name in inputs.responses}
        names |= {name: _inside(self.names.factor(name)) for name in self.names.factors}
        return plain_summary(
            inputs.frame,
            responses=family,
            baseline=inputs.subject.baseline,
            better=judged,
            order_by=inputs.congestion,
            effects=self.effects,
            means=self.analyses.result("level_means") if self.several_levels else None,
            names=names,
            paired=self.judged,
            outliers=self.analyses.result("condition_summary")
            if self.several and self.every
            else None,
            planned=inputs.planned,
        )

    @cached_property
    def steps(self) -> list[TenSteps]:
        """The ten steps of the first responses that move with a factor."""
        factors = self.effects.influence["factor"].to_list() if self.effects else []
        if len(factors) < 2:
            return []
        frame, names = self.inputs.subject.part.frame, self.inputs.shown
        steps = (ten_steps(frame, factors=factors, response=name) for name in names)
        return list(islice((it for it in steps if it.terms.frame["absolute"].max()), _STEPPED))

    @property
    def has_standard_flows(self) -> bool:
        """True if a response of standard flows is kept, beside which others run."""
        options = self.inputs.analysis.get("flow_comparison", {})
        tail = f":{options.get('standard', 'reno')}"
        return bool(options.get("groups")) or any(name.endswith(tail) for name in self.every)

    @cached_property
    def recorded_state(self) -> NetworkCongestion | None:
        """Congestion of the recorded run over time; `None` if no run kept its series."""
        run = self.inputs.recorded
        return None if run is None else network_congestion(run)

    @property
    def two_level(self) -> bool:
        """True if every factor has just a low and a high level."""
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
    """All analyses that the results of a campaign can carry; each is made when it is used."""
    factors = [str(factor["name"]) for factor in inputs.factors]
    require(inputs.frame, columns=[inputs.congestion] if inputs.congestion else [])
    # The page compares alternatives; other groupings are for `analyze`.
    options = {name: _options(inputs, name) for name in inputs.analysis}
    return Results(
        inputs=inputs,
        look=Look.of(alternatives(inputs.frame)),
        names=_names(inputs),
        analyses=Analyses(inputs.subject, options),
        levels=_levels(inputs, factors),
        level_texts=_levels(inputs, [f"{name}_level" for name in factors]),
    )


def _inside(name: str) -> str:
    """A name in the middle of a sentence; acronyms, symbols and people keep their capitals."""
    keeps = not name[1:2].islower() or name.partition(" ")[0].endswith("'s")
    return name if keeps else name[:1].lower() + name[1:]


def _options(inputs: ReportInputs, name: str) -> dict[str, Any]:
    options: Mapping[str, Any] = inputs.analysis.get(name, {})
    return {key: value for key, value in options.items() if key != "by"}


def _names(inputs: ReportInputs) -> Names:
    responses = {}
    for name, about in inputs.responses.items():
        label = capital(str(about.get("name") or name))
        # Short identifiers are the symbols that the studies print.
        spelled = f"{label} ({name})" if len(name) <= 6 and name != label else label
        responses[name] = (spelled, str(about.get("unit") or ""))
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
