"""Measures conditions: victims alone, among their own and versus the candidate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.adversary.question import REPLICATES, Question
from mesonet.adversary.result import Trial
from mesonet.adversary.space import Point, Values
from mesonet.campaign import Campaign
from mesonet.controller import short
from mesonet.errors import InputError, Problem, gathered
from mesonet.evaluation.cells import excess
from mesonet.evaluation.criteria import Measure
from mesonet.evaluation.plans import ALONE, Arms, service_time
from mesonet.plan import Plan, plan_from_dict
from mesonet.scenario import scenario_from_dict
from mesonet.simulation import check
from mesonet.units import format_time, parse_time

_ARMS = Arms("", "versus the candidate", "among their own", "alone")
"""Alternatives: who the flows that compete with the victims are."""
GOODPUT = "flow_goodput:victim"
_MEASURE = Measure(response=GOODPUT, words="goodput", better="higher", statistic="harm")
FOLDER = "trials"
_SEEDS = 1000
"""Distance of the first seeds of stages: none sees the random numbers that chose its points."""
_STAGES = ("start", "evolution", "reduction", "fresh")
_PATHS = (
    "rate",
    "transport.host_jitter",
    "rtt",
    "buffer",
    "loss",
    "flows[0].count",
    "flows[1].count",
    "flows[0].start",
    "queue",
)


@dataclass
class Trials:
    """Measures conditions, and keeps all that were; `run` executes a plan into a folder."""

    question: Question
    run: Callable[[Plan, str], Campaign]
    tried: list[Trial] = field(default_factory=list)
    runs: int = 0

    def __call__(self, stage: str, points: Sequence[Point]) -> NDArray[np.float64]:
        """Means of the points over the replicates of a stage; a batch is a campaign."""
        conditions = [self.question.space.values(point) for point in points]
        trials = {trial.values: trial for trial in self.measured(stage, conditions)}
        means = [trials[values].mean for values in conditions]
        return np.array([-1.0 if it is None else it for it in means])

    def measured(self, stage: str, conditions: Sequence[Values]) -> list[Trial]:
        """Trials of the conditions that differ."""
        different = list(dict.fromkeys(conditions))
        campaign = self.run(self.plan(stage, different), f"{FOLDER}/{stage}")
        results, errors = campaign.results(), campaign.failures()
        self.runs += campaign.store.cells.height
        broken: dict[int, list[str]] = {}
        cells = campaign.store.cells.filter(alternative=_ARMS.candidate)
        for condition, run in cells.select("condition", "run").iter_rows():
            if run in errors:
                broken.setdefault(condition, []).append(errors[run].partition("\n")[0])
        trials = [
            self._trial(stage, values, results.filter(condition=number), broken.get(number, []))
            for number, values in enumerate(different, 1)
        ]
        self.tried += trials
        return trials

    def _trial(
        self, stage: str, values: Values, results: pl.DataFrame, errors: Sequence[str]
    ) -> Trial:
        cell = excess(results, 1, _ARMS, _MEASURE)
        lost = cell.excess if self.question.response == "excess" else cell.candidate
        scores = (*lost.tolist(), *(1.0 for _ in errors))
        first = errors[0] if errors else ""
        return Trial(stage=stage, values=values, scores=scores, broken=len(errors), error=first)

    def plan(self, stage: str, conditions: Sequence[Values]) -> Plan:
        """The plan of a batch."""
        kind, question = stage.partition("-")[0], self.question
        own = question.candidate.keys({})
        sets = {
            _ARMS.candidate: {"flows[0].algorithm": question.candidate.name, **own},
            _ARMS.solo: {"flows[0].size": ALONE},
            _ARMS.reference: {"flows[0].algorithm": question.against},
        }
        levels = [_levels(values) for values in conditions]
        factors = {"factors": {"place": {"path": [*_PATHS], "levels": levels}}}
        latest = min(1.0, parse_time(question.duration) / 20)
        return plan_from_dict(
            {
                "name": stage,
                "title": f"{short(question.candidate.name)} against {question.against}: {stage}",
                "question": "Where do the victims lose most?",
                "scenario": self.scenario(conditions[0], question.against),
                **(factors if len(levels) > 1 else {}),
                "alternatives": [{"label": arm, "set": part} for arm, part in sets.items()],
                "replicates": {"start": 1, "fresh": question.shares.fresh}.get(kind, REPLICATES),
                "spread": {"rtt": 0.05, "start": format_time(latest)},
                "seed": question.seed + _SEEDS * _STAGES.index(kind),
                "responses": [GOODPUT],
            }
        )

    def check(self) -> None:
        """Refuses a space with a condition at its ends that cannot be simulated."""
        ends = [it.ends for it in self.question.space.coordinates]
        problems: list[Problem] = []
        for queue in ends[-1]:
            for place in (0, -1):
                values = (*(each[place] for each in ends[:-1]), queue)
                with gathered(problems):
                    check(scenario_from_dict(self.scenario(values, self.question.against)))
        if problems:
            raise InputError(dict.fromkeys(problems))

    def scenario(self, values: Values, algorithm: str) -> dict[str, Any]:
        """The scenario of a condition, with the algorithm of the competing flows."""
        question = self.question
        rate, jitter, rtt, buffer, loss, count, victims, start, queue = _levels(values)
        return {
            "kind": "dumbbell",
            "rate": rate,
            "rtt": rtt,
            "buffer": buffer,
            "loss": loss,
            "queue": queue,
            "duration": question.duration,
            "interval": format_time(min(0.1, parse_time(question.duration) / 10)),
            "warm_up": 0.25,
            "profile": question.profile,
            "transport": {"host_jitter": jitter},
            **(question.candidate.keys({}) if algorithm == question.candidate.name else {}),
            "flows": [
                {"name": "candidate", "algorithm": algorithm, "count": count, "start": start},
                {"name": "victim", "algorithm": question.against, "count": victims},
            ],
        }


def _levels(values: Values) -> list[Any]:
    """Values of a condition by `_PATHS`; hosts delay packets by up to the time of one."""
    rate, *others = values
    return [rate, service_time(rate), *others]
