"""Inputs of a report: the results of a campaign and the settings that a reader asks about."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from mesonet.analysis import (
    QueueRecords,
    StoppingState,
    Subject,
    described,
    example_campaign,
    queue_records,
)
from mesonet.analysis.traces.estimate import Recorded
from mesonet.campaign.sequential import stopping_of
from mesonet.controller import command_line, outside_names
from mesonet.design import Design, fractional_factorial

if TYPE_CHECKING:
    from mesonet.campaign import Campaign, RecordedRun
    from mesonet.scenario.base import ScenarioBase

# How many ranked responses are drawn among the differences.
_KEY_RESPONSES = 12
_FEW_SEEDS = 20
_POINTS = 300


@dataclass(frozen=True)
class ReportInputs:
    """Everything that a report shows; nothing else is read when it is built.

    Attributes:
        frame: One row per run: `run`, `condition`, `alternative`, `replicate`, `seed`, a column of
            -1/+1 and a column `<factor>_level` per factor, the responses.
        factors: `name`, `symbol`, `label`, `low`, `high`, `levels` of each factor.
        design: `None` without factors.
        responses: Identifier to `name`, `unit`, `definition`, `symbol`, `source`, `better`.
        congestion: The response that orders the conditions; `None` keeps their numbers.
        key_responses: Responses that are tested together and drawn; all are tested if empty.
        baseline: The alternative that the others are compared with; chosen if `None`.
        analysis: Options of the analyses by name, as in a plan's `[analysis]` table.
        planned: Every run that the plan has, as `mesonet.analysis.missing_runs` takes it.
        scenario: The scenario of the plan; `None` without one.
        geometry: `nodes` and `links` for the network map; empty without places.
        commands: Run to the command line that reproduces it.
        sections: Identifiers of the sections to show, in the order of the page; all if empty.
        recorded: A run that kept its series, to be shown through time.
        managed: Queue management of that run.
    """

    title: str
    frame: pl.DataFrame
    responses: Mapping[str, Mapping[str, Any]]
    question: str = ""
    factors: Sequence[Mapping[str, Any]] = ()
    design: Design | None = None
    congestion: str | None = None
    key_responses: Sequence[str] = ()
    baseline: str | None = None
    analysis: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    planned: pl.DataFrame | None = None
    scenario: ScenarioBase | None = None
    geometry: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    plan: str = ""
    commands: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    stopping: StoppingState | None = None
    sections: Sequence[str] = ()
    recorded: Recorded | None = None
    recorded_name: str = ""
    managed: QueueRecords | None = None

    @classmethod
    def from_campaign(cls, campaign: Campaign) -> ReportInputs:
        """Gathers the inputs from a campaign, finished or not."""
        plan, manifest = campaign.plan, campaign.manifest
        frame = campaign.results()
        recorded, recorded_name = recorded_run(campaign, frame)
        managed = recorded is not None and not recorded.queue_states.is_empty()
        options = plan.analysis.kinds()
        outside = outside_names(plan.to_dict())
        return cls(
            title=plan.title or plan.name,
            question=plan.question,
            frame=frame,
            factors=[
                {
                    "name": factor.name,
                    "symbol": factor.symbol,
                    "label": factor.label or factor.name,
                    "low": factor.text(-1),
                    "high": factor.text(1),
                    "levels": [factor.text(code) for code in factor.codes],
                }
                for factor in plan.factors
            ],
            design=plan.design,
            responses={name: described(name) for name in plan.responses},
            congestion=plan.analysis.congestion_response,
            key_responses=plan.analysis.responses,
            baseline=options.get("paired_differences", {}).get("baseline"),
            analysis=options,
            planned=campaign.planned(),
            scenario=plan.scenario,
            geometry=plan.scenario.geometry(),
            provenance=_provenance(manifest, campaign.timings()),
            plan=plan.to_toml(),
            commands={
                run: command_line("mesonet", "replay", campaign.place, run, names=outside)
                for run in frame["run"].unique().sort()
            },
            notes=(*plan.report.notes, *plan.scenario.notes()),
            stopping=stopping_of(campaign),
            sections=plan.report.sections,
            recorded=recorded,
            recorded_name=recorded_name,
            managed=queue_records(recorded, points=_POINTS) if recorded and managed else None,
        )

    @classmethod
    def from_example(cls, name: Literal["pocket", "mixed"] = "pocket") -> ReportInputs:
        """The inputs of a bundled campaign: a report without simulating anything.

        >>> ReportInputs.from_example().frame.height
        96
        """
        example = example_campaign(name)
        design = fractional_factorial(example.factors, generators=example.generators)
        return cls(
            title=example.title,
            question=example.question,
            frame=example.frame,
            factors=[
                {"name": name, "symbol": "", "label": label, "low": low, "high": high}
                for name, (label, low, high) in example.factor_names.items()
            ],
            design=design,
            responses={name: described(name) for name in example.responses},
            congestion="loss_rate",
            baseline=example.baseline,
            provenance={"made by": example.origin},
        )

    @cached_property
    def subject(self) -> Subject:
        """Frame, factors and responses of the analyses."""
        return Subject(
            frame=self.frame,
            factors=[str(factor["name"]) for factor in self.factors],
            centre=self.design.centre_condition if self.design else None,
            responses=self._kept(self.responses),
            tested=self._kept(self.key_responses),
            about=self.responses,
            order_by=self.congestion,
            given_baseline=self.baseline,
        )

    @property
    def shown(self) -> tuple[str, ...]:
        """Responses that get plots of their own."""
        return self.subject.shown

    @property
    def compared(self) -> tuple[str, ...]:
        """Responses in the chart of differences: those with plots and the first ranked ones."""
        drawn = [*self.shown, *self.subject.ranked[:_KEY_RESPONSES]]
        return tuple(name for name in dict.fromkeys(drawn) if name in self.subject.family)

    def _kept(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name in self.frame.columns)


def _listed(seeds: Sequence[int]) -> str:
    """Seeds of a plan, which follow one another: all of few, else the first and the last."""
    if len(seeds) > _FEW_SEEDS:
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))


def _provenance(manifest: Mapping[str, Any], timings: pl.DataFrame) -> dict[str, Any]:
    seconds = timings["cpu_seconds"].drop_nulls().sum()
    about = {
        "campaign": manifest.get("name"),
        "identity": manifest.get("identity"),
        "result version": manifest.get("result_version"),
        "revision": manifest.get("git_revision"),
        "seeds": _listed(manifest.get("seeds", ())),
        "begun": manifest.get("created"),
        "computing time": f"{seconds / 3600:.3g} processor hours" if seconds else None,
        "platform": manifest.get("platform"),
    }
    versions = manifest.get("versions", {})
    if versions:
        about["versions"] = ", ".join(f"{name} {version}" for name, version in versions.items())
    kept = {key: value for key, value in about.items() if value not in (None, "")}
    return {
        key: value if isinstance(value, str) else json.dumps(value) for key, value in kept.items()
    }


def recorded_run(campaign: Campaign, frame: pl.DataFrame) -> tuple[RecordedRun | None, str]:
    """The run under the most congested condition that kept its series, and what to call it.

    `None` and an empty name if no run of the campaign kept its series.
    """
    for row in _worst_first(campaign, frame).iter_rows(named=True):
        kept = set(campaign.kept_tables(row["run"]))
        if {"series", "flows", "queues"} <= kept or {"series", "queue_states"} <= kept:
            name = f"condition {row['condition']}, {row['alternative']}"
            return campaign.recorded_run(row["run"]), f"{name}, replicate {row['replicate']}"
    return None, ""


def _worst_first(campaign: Campaign, frame: pl.DataFrame) -> pl.DataFrame:
    loss = campaign.plan.analysis.congestion_response
    if loss not in frame.columns:
        return frame
    worst = pl.col(loss).fill_nan(None)
    return frame.sort(worst, descending=True, nulls_last=True, maintain_order=True)
