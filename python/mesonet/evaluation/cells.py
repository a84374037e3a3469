"""From the campaign of an experiment to its cells and the effects of its factors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from mesonet.analysis.two_way import mean_interval
from mesonet.campaign import Campaign
from mesonet.design import Factor
from mesonet.design.factors import level_text
from mesonet.evaluation.criteria import Measure
from mesonet.evaluation.plans import Arms, Designed
from mesonet.evaluation.result import Cell, Effect, ExperimentResult
from mesonet.evaluation.statistics import LEVEL, Assessed, Judged, Values, assessed, effect, harm
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
    def assessed(self) -> Assessed:
        """The tests of its excess."""
        margin = 0.0 if self.measure.statistic == "line" else self.measure.margin
        return assessed(self.excess, margin=margin)


def excesses(experiment: Designed, campaign: Campaign, *, most: int | None = None) -> list[Excess]:
    """The excess of every condition, baseline and measure of a campaign.

    `most` is the last replicate that is looked at; all if `None`.
    """
    results = campaign.results()
    if most is not None:
        results = results.filter(pl.col("replicate") <= most)
    return [
        _excess(results.filter(condition=condition), condition, arm, measure)
        for arm in experiment.arms
        for measure in experiment.experiment.measures
        # A line is the same beside every baseline.
        if measure.statistic != "line" or arm is experiment.arms[0]
        for condition in range(1, experiment.plan.conditions + 1)
    ]


def _excess(results: pl.DataFrame, condition: int, arm: Arms, measure: Measure) -> Excess:
    response = measure.response.replace("{victim}", arm.baseline)
    labels = {"candidate": arm.candidate, "reference": arm.reference, "solo": arm.solo}
    if measure.statistic != "harm":
        del labels["solo"]
    if measure.statistic == "line":
        del labels["reference"]
    sides = [
        results.filter(alternative=label).select("replicate", pl.col(response).alias(side))
        for side, label in labels.items()
    ]
    both = sides[0]
    for side in sides[1:]:
        both = both.join(side, on="replicate")
    both = both.sort("replicate")
    finite = both.filter(pl.all_horizontal(pl.col(list(labels)).is_finite()))
    values = {side: finite[side].to_numpy() for side in labels}
    candidate = values["candidate"]
    if measure.statistic == "line":
        assert measure.line is not None
        reference = np.full_like(candidate, measure.line)
    else:
        reference = values["reference"]
    if measure.statistic == "harm":
        solo = values["solo"]
        candidate = harm(solo, candidate, better=measure.better)
        reference = harm(solo, reference, better=measure.better)
        lost = candidate - reference
    elif measure.statistic == "points":
        lost = (candidate - reference) * (1.0 if measure.better == "lower" else -1.0)
    else:
        lost = harm(reference, candidate, better=measure.better)
    there = tuple(finite["replicate"].to_list())
    return Excess(condition, arm, measure, response, reference, candidate, lost, there)


def experiment_result(
    experiment: Designed, campaign: Campaign, cells: Sequence[Excess], verdicts: Sequence[Judged]
) -> ExperimentResult:
    """The result of an experiment from its campaign and the verdicts on its cells."""
    plan, design = experiment.plan, experiment.plan.design
    counts, errors = campaign.status(), campaign.failures()
    runs = _candidate_runs(campaign)
    aliases = design.aliases.items() if design is not None else ()
    return ExperimentResult(
        id=experiment.experiment.id,
        title=experiment.experiment.title,
        question=experiment.experiment.question,
        line=experiment.experiment.line,
        arms=experiment.experiment.arms,
        profile=experiment.profile,
        folder=experiment.folder,
        design=design.name + (" and the centre" if design.centre else "") if design else "",
        factors={each.label: (level(each, -1), level(each, 1)) for each in plan.factors},
        aliases=tuple(f"{first} = {' = '.join(others)}" for first, others in aliases),
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
    )


def level(factor: Factor, code: float) -> str:
    """A level in words; of the rate without the delays of hosts that move along."""
    value = factor.level(code)
    if factor.paths[0] == "rate":
        value, _ = value  # type: ignore[misc]  # a pair, see `plans`
    text = re.sub(r"\d+\.\d+", lambda it: f"{float(it[0]):.3g}", level_text(value))
    return text.replace(" bdp", " BDP")


def _candidate_runs(campaign: Campaign) -> dict[tuple[int, str], list[str]]:
    """Runs by condition and alternative, replicate by replicate."""
    runs: dict[tuple[int, str], list[str]] = {}
    cells = campaign.store.cells.sort("replicate", maintain_order=True)
    for condition, label, run in cells.select("condition", "alternative", "run").iter_rows():
        runs.setdefault((condition, label), []).append(run)
    return runs


def _cell(
    experiment: Designed,
    cell: Excess,
    verdict: Judged,
    runs: dict[tuple[int, str], list[str]],
    errors: dict[str, str],
) -> Cell:
    codes = experiment.plan.coded(cell.condition)
    candidate_runs = runs[cell.condition, cell.arm.candidate]
    failed = (errors[run].partition("\n")[0] for run in candidate_runs if run in errors)
    return Cell(
        condition=cell.condition,
        levels={each.label: level(each, codes[each.name]) for each in experiment.plan.factors},
        baseline=cell.arm.baseline,
        response=cell.response,
        words=cell.measure.words,
        statistic=cell.measure.statistic,
        unit=cell.measure.unit,
        factor=cell.measure.factor,
        n=len(cell.excess),
        reference=_mean(cell.reference),
        candidate=_mean(cell.candidate),
        excess=_mean(cell.excess),
        low=verdict.low,
        high=verdict.high,
        p=verdict.p,
        state=verdict.state,
        needed=verdict.needed,
        errors=tuple(dict.fromkeys(failed)),
        run=next((run for run in candidate_runs if run not in errors), candidate_runs[0]),
    )


def _mean(values: Values) -> float | None:
    return float(values.mean()) if len(values) else None


def _effects(experiment: Designed, cells: Sequence[Excess]) -> Iterator[Effect]:
    """Effects of the factors, where every condition has the replicates that count."""
    groups: dict[tuple[str, str], list[Excess]] = {}
    for each in cells:
        groups.setdefault((each.arm.baseline, each.response), []).append(each)
    for (baseline, response), cells in groups.items():
        common = set.intersection(*(set(each.replicates) for each in cells))
        if len(common) < 2:
            continue
        table = np.array(
            [
                [
                    lost
                    for at, lost in zip(each.replicates, each.excess, strict=True)
                    if at in common
                ]
                for each in cells
            ]
        ).T
        for factor in experiment.plan.factors:
            codes = np.array([experiment.plan.coded(each.condition)[factor.name] for each in cells])
            change, low, high, _, p = mean_interval(effect(table, codes), 1 - LEVEL)
            yield Effect(
                baseline=baseline,
                response=response,
                words=cells[0].measure.words,
                factor=factor.label,
                low_level=level(factor, -1),
                high_level=level(factor, 1),
                change=change,
                low=_finite(low),
                high=_finite(high),
                p=_finite(p),
            )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
