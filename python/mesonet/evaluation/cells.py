"""From the campaigns of criteria to their cells, verdicts and the effects of factors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from pathlib import Path

import numpy as np
import polars as pl

from mesonet.analysis.two_way import mean_interval
from mesonet.campaign import Campaign
from mesonet.design import Factor
from mesonet.design.factors import level_text
from mesonet.evaluation.criteria import Asked, Criterion, Measure
from mesonet.evaluation.plans import Arms, Designed
from mesonet.evaluation.result import (
    Cell,
    CriterionResult,
    Effect,
    ExperimentResult,
    Share,
    Slope,
)
from mesonet.evaluation.shares import shares
from mesonet.evaluation.statistics import LEVEL, Judged, Values, effect, harm, judged
from mesonet.numbers import finite
from mesonet.store import MANIFEST
from mesonet.units import format_time


@dataclass(frozen=True)
class Excess:
    """Values of one condition, baseline and measure, over the replicates that have all of them."""

    condition: int
    arm: Arms
    measure: Measure
    response: str
    reference: Values
    candidate: Values
    excess: Values
    replicates: tuple[int, ...]

    @property
    def tested(self) -> tuple[Values, float]:
        """Its excess, and the margin up to which it counts as none."""
        return self.excess, 0.0 if self.measure.statistic == "line" else self.measure.margin


def excesses(experiment: Designed, campaign: Campaign, *, most: int | None = None) -> list[Excess]:
    """The excess of every condition, baseline and measure of a campaign.

    `most` is the last replicate that is looked at; all if `None`.
    """
    results = campaign.results()
    if most is not None:
        results = results.filter(pl.col("replicate") <= most)
    return [
        excess(results.filter(condition=condition), condition, arm, measure)
        for arm in experiment.arms
        for measure in experiment.experiment.measures
        # A line is the same versus every baseline.
        if measure.statistic != "line" or arm is experiment.arms[0]
        for condition in range(1, experiment.plan.conditions + 1)
    ]


def excess(results: pl.DataFrame, condition: int, arm: Arms, measure: Measure) -> Excess:
    """The excess of one condition from its results."""
    response = measure.response.replace("{victim}", arm.baseline)
    labels = {"candidate": arm.candidate}
    if measure.statistic != "line":
        labels["reference"] = arm.reference
    if measure.statistic == "harm":
        labels["solo"] = arm.solo
    sides = [
        results.filter(alternative=label).select("replicate", pl.col(response).alias(side))
        for side, label in labels.items()
    ]
    both = reduce(lambda left, right: left.join(right, on="replicate"), sides).sort("replicate")
    both = both.filter(pl.all_horizontal(pl.col(list(labels)).is_finite()))
    values = {side: both[side].to_numpy() for side in labels}
    candidate = values["candidate"]
    reference = values.get("reference", np.full_like(candidate, measure.line or 0.0))
    if measure.statistic == "harm":
        candidate, reference = (
            harm(values["solo"], it, better=measure.better) for it in (candidate, reference)
        )
        lost = candidate - reference
    elif measure.statistic == "points":
        lost = (candidate - reference) * (1.0 if measure.better == "lower" else -1.0)
    elif measure.statistic == "line":
        # A mean would hide that a few runs are far beyond it.
        beyond = candidate > reference if measure.better == "lower" else candidate < reference
        lost = beyond.astype(float)
    else:
        lost = harm(reference, candidate, better=measure.better)
    there = tuple(both["replicate"].to_list())
    return Excess(condition, arm, measure, response, reference, candidate, lost, there)


def experiment_result(
    experiment: Designed, campaign: Campaign, cells: Sequence[Excess], verdicts: Sequence[Judged]
) -> ExperimentResult:
    """The result of an experiment from its campaign and the verdicts on its cells."""
    plan, design = experiment.plan, experiment.plan.design
    counts, errors = campaign.status(), campaign.failures()
    by_replicate = campaign.store.cells.sort("replicate", maintain_order=True)
    grouped = by_replicate.group_by("condition", "alternative", maintain_order=True).agg("run")
    runs = {(condition, label): all_of for condition, label, all_of in grouped.iter_rows()}
    aliases = design.aliases.items() if design is not None else ()
    labels = {each.name: each.label for each in plan.factors}

    def spoken(effect: str) -> str:
        return " × ".join(labels[name] for name in effect.split("*"))

    return ExperimentResult(
        **experiment.experiment.model_dump(include={"id", "title", "question", "line", "arms"}),
        scenario=experiment.experiment.scenario,
        profile=experiment.profile,
        folder=experiment.folder,
        design=design.name + (" and the centre" if design.centre else "") if design else "",
        factors={each.label: (level(each, -1), level(each, 1)) for each in plan.factors},
        aliases=tuple(" = ".join(map(spoken, (first, *others))) for first, others in aliases),
        conditions=plan.conditions,
        replicates=plan.replicates,
        duration=format_time(plan.scenario.duration),
        runs=counts["done"],
        failed=counts["failed"],
        cells=tuple(
            _cell(experiment, each, verdict, runs, errors)
            for each, verdict in zip(cells, verdicts, strict=True)
        ),
        effects=tuple(_effects(experiment, cells)),
        slopes=tuple(_slopes(experiment, cells)),
        shares=tuple(_shares(experiment, campaign)),
    )


def level(factor: Factor, code: float) -> str:
    """A level in words; of the rate without the delays of hosts that move along."""
    value = factor.level(code)
    if factor.paths[0] == "rate":
        value, _ = value  # type: ignore[misc]  # a pair, see `plans`
    text = re.sub(r"\d+\.\d+", lambda it: f"{float(it[0]):.3g}", level_text(value))
    return text.replace(" bdp", " BDP")


def levels(experiment: Designed, condition: int) -> dict[str, str]:
    """Levels of a condition in words, by the labels of the factors."""
    codes = experiment.plan.coded(condition)
    return {each.label: level(each, codes[each.name]) for each in experiment.plan.factors}


def _cell(
    experiment: Designed,
    cell: Excess,
    verdict: Judged,
    runs: dict[tuple[int, str], list[str]],
    errors: dict[str, str],
) -> Cell:
    candidate_runs = runs[cell.condition, cell.arm.candidate]
    failed = (errors[run].partition("\n")[0] for run in candidate_runs if run in errors)
    return Cell(
        condition=cell.condition,
        levels=levels(experiment, cell.condition),
        baseline=cell.arm.baseline,
        response=cell.response,
        **cell.measure.model_dump(include={"words", "statistic", "unit", "factor"}),
        margin=cell.tested[1],
        n=len(cell.excess),
        reference=_mean(cell.reference),
        candidate=_mean(cell.candidate),
        excess=_mean(cell.excess),
        **verdict._asdict(),
        errors=tuple(dict.fromkeys(failed)),
        run=next((run for run in candidate_runs if run not in errors), candidate_runs[0]),
    )


def _mean(values: Values) -> float | None:
    return float(values.mean()) if len(values) else None


def _effects(experiment: Designed, cells: Sequence[Excess]) -> Iterator[Effect]:
    for (baseline, response), (group, table) in _tables(cells, "excess").items():
        for factor in experiment.plan.factors:
            codes = _codes(experiment, group, factor)
            change, low, high, _, p = mean_interval(effect(table, codes), 1 - LEVEL)
            yield Effect(
                baseline=baseline,
                response=response,
                words=group[0].measure.words,
                factor=factor.label,
                low_level=level(factor, -1),
                high_level=level(factor, 1),
                change=change,
                low=finite(low),
                high=finite(high),
                p=finite(p),
            )


def _slopes(experiment: Designed, cells: Sequence[Excess]) -> Iterator[Slope]:
    """Powers of the factors with which the measures go; those that are zero or less have none."""
    tables = _tables(cells, "candidate"), _tables(cells, "reference")
    for factor in experiment.plan.factors:
        if factor.name not in experiment.experiment.slopes:
            continue
        low, high = (float(str(it).split()[0]) for it in (factor.low, factor.high))
        for key, (group, own) in tables[0].items():
            _, others = tables[1][key]
            if min(own.min(), others.min()) <= 0:
                continue
            codes = _codes(experiment, group, factor)
            powers = [effect(np.log(it), codes) / math.log(high / low) for it in (own, others)]
            mean, lower, upper, *_ = mean_interval(powers[0], 1 - LEVEL)
            yield Slope(
                baseline=key[0],
                words=group[0].measure.words,
                factor=factor.label,
                candidate=mean,
                low=finite(lower),
                high=finite(upper),
                reference=float(powers[1].mean()),
            )


def _tables(
    cells: Sequence[Excess], values: str
) -> dict[tuple[str, str], tuple[list[Excess], Values]]:
    """Cells by baseline and response, and their values: a row for each replicate that all have."""
    groups: dict[tuple[str, str], list[Excess]] = {}
    for each in cells:
        groups.setdefault((each.arm.baseline, each.response), []).append(each)
    tables = {}
    for key, group in groups.items():
        common = set.intersection(*(set(each.replicates) for each in group))
        columns = [
            getattr(each, values)[[at in common for at in each.replicates]] for each in group
        ]
        if len(common) > 1:
            tables[key] = group, np.array(columns).T
    return tables


def _codes(experiment: Designed, cells: Sequence[Excess], factor: Factor) -> Values:
    return np.array([experiment.plan.coded(each.condition)[factor.name] for each in cells])


def _shares(experiment: Designed, campaign: Campaign) -> Iterator[Share]:
    if experiment.experiment.arms != "shares":
        return
    results = campaign.results()
    (flow,) = experiment.experiment.scenario["flows"]
    for arm in experiment.arms:
        for condition in range(1, experiment.plan.conditions + 1):
            yield from shares(
                results,
                condition=condition,
                levels=levels(experiment, condition),
                baseline=arm.baseline,
                flows=flow["count"],
            )


@dataclass(frozen=True)
class Part:
    """An experiment that was run, with its cells and the verdicts on them."""

    experiment: Designed
    campaign: Campaign
    cells: Sequence[Excess]
    verdicts: Sequence[Judged]

    def undecided(self) -> list[int]:
        """Conditions in which a cell is undecided."""
        both = zip(self.cells, self.verdicts, strict=True)
        return sorted({cell.condition for cell, it in both if it.state == "undecided"})


def families(plans: Sequence[Designed]) -> Iterator[list[Designed]]:
    """Experiments that are judged together: those of a criterion under a profile."""
    by_family: dict[tuple[str, str], list[Designed]] = {}
    for each in plans:
        by_family.setdefault((each.criterion.section, each.profile), []).append(each)
    yield from by_family.values()


def judge(family: Sequence[Designed], folder: Path, *, first: bool = False) -> list[Part]:
    """The parts of a family that were run; of the `first` look, without what was added to it."""
    measured = [
        (each, it, excesses(each, it, most=each.plan.replicates if first else None))
        for each in family
        if (it := _executed(each, folder)) is not None
    ]
    looks = max((each.looks for each in family), default=1)
    verdicts = iter(judged([it.tested for *_, cells in measured for it in cells], looks=looks))
    return [
        Part(each, campaign, cells, list(islice(verdicts, len(cells))))
        for each, campaign, cells in measured
    ]


def criterion_result(
    criterion: Criterion, plans: Sequence[Designed], folder: Path
) -> CriterionResult:
    """What came of a criterion, as far as its campaigns were run."""
    own_plans = [each for each in plans if each.criterion is criterion]
    experiments = [
        experiment_result(part.experiment, part.campaign, part.cells, part.verdicts)
        for family in families(own_plans)
        for part in judge(family, folder)
    ]
    designed_only = "not asked for" if criterion.status == "designed" else criterion.status
    asked = {name: getattr(criterion, name) for name in Asked.model_fields}
    status = "run" if experiments else designed_only
    return CriterionResult(**asked, status=status, experiments=tuple(experiments))


def _executed(experiment: Designed, folder: Path) -> Campaign | None:
    """The campaign of an experiment; none where it was not run to its end, or by another design."""
    place = folder / experiment.folder
    if not (place / MANIFEST).exists():
        return None
    campaign = Campaign.open(place)
    planned = experiment.plan.to_dict()
    there = {**campaign.plan.to_dict(), "replicates": planned["replicates"]}
    replicates = experiment.plan.replicates
    if campaign.plan.replicates < replicates or there != planned:
        return None
    states = campaign.store.states()
    first = campaign.store.cells.filter(pl.col("replicate") <= replicates)["run"]
    return campaign if {states[run] for run in first} <= {"done", "failed"} else None
