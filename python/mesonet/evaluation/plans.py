"""From an experiment of a criterion to its plan: arms, sizes, jitter of hosts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from mesonet.errors import InputError
from mesonet.evaluation.criteria import Criterion, Experiment, Size
from mesonet.evaluation.result import Candidate
from mesonet.evaluation.shares import RESPONSES, mixes
from mesonet.plan import Plan, plan_from_dict
from mesonet.units import format_time, parse_rate, parse_time

TABLES = ("flows", "cross")
"""Keys of a scenario under which flows stand."""
ALONE = "1 packet"
"""What the candidate's flows send where victims are alone: they are over before it is measured."""


@dataclass(frozen=True)
class Arms:
    """Labels of the alternatives that one baseline is judged by; empty for those not there."""

    baseline: str
    candidate: str
    reference: str
    solo: str = ""


@dataclass(frozen=True)
class Designed:
    """An experiment with its plan, for a candidate and baselines."""

    criterion: Criterion
    experiment: Experiment
    plan: Plan
    arms: tuple[Arms, ...]
    profile: str
    longer: Plan | None = None
    """The plan of conditions in which a cell is undecided after the first look."""

    @property
    def looks(self) -> int:
        """Most times that its cells are judged."""
        return 1 if self.longer is None else 2

    @property
    def place(self) -> str:
        """Section, and the letter of the experiment."""
        return f"{self.criterion.section}{self.experiment.id}"

    @property
    def folder(self) -> str:
        """Folder of its campaign in that of the evaluation."""
        return f"{'criteria' if self.profile == 'rfc' else self.profile}/{self.place}"


@contextmanager
def placed(place: str) -> Iterator[None]:
    """Says of problems which criterion or file they are of, unless they say so."""
    try:
        yield
    except InputError as error:
        raise type(error)(
            it if place in f"{it.loc} {it.message}" else it._replace(loc=f"{place}: {it.loc}")
            for it in error.problems
        ) from None


def designed(
    criterion: Criterion,
    experiment: Experiment,
    *,
    candidate: Candidate,
    baselines: Sequence[str],
    size: Size,
    seed: int,
    profile: str = "rfc",
) -> Designed:
    """The plan of an experiment."""
    arms = tuple(_arms(experiment, name) for name in baselines)
    table = experiment.sizes[size]
    scenario = _scenario(experiment, table.duration, profile)
    alternatives = list(_alternatives(experiment, scenario, arms, candidate))
    for flow in (flow for key in TABLES for flow in scenario.get(key, ())):
        if flow["algorithm"] in ("candidate", "victim"):
            flow["algorithm"] = baselines[0]
    responses = [
        measure.response.replace("{victim}", name)
        for measure in experiment.measures
        for name in baselines
    ] or list(RESPONSES)
    spread = dict(experiment.spread)
    latest = min(parse_time(spread["start"]), parse_time(table.duration) / 20)
    plan: dict[str, Any] = {
        "name": f"{criterion.section}{experiment.id}",
        "title": f"{criterion.section} {experiment.title}",
        "question": experiment.question,
        "scenario": scenario,
        "factors": {name: _jittered(factor) for name, factor in experiment.factors.items()},
        "design": _design(experiment, table.conditions),
        "alternatives": alternatives,
        "replicates": table.replicates,
        "spread": {**spread, "start": format_time(latest)},
        "seed": seed,
        "responses": list(dict.fromkeys(responses)),
    }
    with placed(plan["name"]):
        checked = plan_from_dict(plan)
    longer = checked.with_replicates(table.most) if table.most else None
    return Designed(criterion, experiment, checked, arms, profile, longer)


def _arms(experiment: Experiment, baseline: str) -> Arms:
    if experiment.arms != "mix":
        return Arms(baseline, "candidate", baseline)
    solo = any(measure.statistic == "harm" for measure in experiment.measures)
    return Arms(
        baseline,
        f"{baseline} versus the candidate",
        f"{baseline} among its own",
        f"{baseline} alone" if solo else "",
    )


def _scenario(experiment: Experiment, duration: str, profile: str) -> dict[str, Any]:
    scenario: dict[str, Any] = deepcopy(experiment.scenario)
    scenario["duration"] = duration
    if profile != "rfc":
        scenario["profile"] = profile
    scenario["flows"] = [single for flow in scenario["flows"] for single in _staggered(flow)]
    scenario.setdefault("interval", format_time(min(0.1, parse_time(duration) / 10)))
    if "kind" not in scenario:
        scenario["kind"] = "dumbbell"
        jitter = {"host_jitter": service_time(scenario["rate"])}
        scenario["transport"] = jitter | scenario.get("transport", {})
    return scenario


def _staggered(flow: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The flows that one with `each` stands for."""
    table = dict(flow)
    if "each" not in table:
        yield table
        return
    gap, count = parse_time(table.pop("each")), table.pop("count")
    first, name = parse_time(table.get("start", "0 s")), table["name"]
    for number in range(count):
        start = format_time(round(first + number * gap, 9))
        yield {**table, "name": f"{name}-{number + 1}", "start": start}


def service_time(rate: str) -> str:
    """Time that a bottleneck takes for a packet, always in the same unit."""
    return f"{round(1e9 * parse_rate(rate).packet_time)} ns"


def _jittered(factor: Mapping[str, Any]) -> dict[str, Any]:
    """A factor of the rate moves the delay of hosts along, so that no phase decides."""
    if factor["path"] != "rate":
        return dict(factor)
    low, high = ([factor[end], service_time(factor[end])] for end in ("low", "high"))
    return {**factor, "path": ["rate", "transport.host_jitter"], "low": low, "high": high}


def _design(experiment: Experiment, conditions: int | None) -> dict[str, Any]:
    if not experiment.factors:
        return {"kind": "full_factorial"}
    if conditions is None or conditions >= 2 ** len(experiment.factors):
        return {"kind": "full_factorial", "centre": experiment.centre}
    return {"kind": "fractional_factorial", "runs": conditions, "centre": experiment.centre}


def _alternatives(
    experiment: Experiment, scenario: Mapping[str, Any], arms: Sequence[Arms], candidate: Candidate
) -> Iterator[dict[str, Any]]:
    """Alternatives of a plan: who the flows of the candidate, and of the victims, are."""
    own_parameters = candidate.keys(scenario)
    if experiment.arms == "shares":
        (flow,) = scenario["flows"]
        for arm in arms:
            for label, flows in mixes(flow, candidate.name, arm.baseline):
                there = any(each["algorithm"] == candidate.name for each in flows)
                yield {"label": label, "set": {"flows": flows, **(own_parameters if there else {})}}
        return
    own_places, others = (
        {
            f"{key}[{place}]": flow
            for key in TABLES
            for place, flow in enumerate(scenario.get(key, ()))
            if flow["algorithm"] == who
        }
        for who in ("candidate", "victim")
    )

    def sets(who: str, victim: str = "") -> dict[str, Any]:
        return {f"{place}.algorithm": who for place in own_places} | {
            f"{place}.algorithm": victim for place in others
        }

    if experiment.arms == "alone":
        yield {"label": "candidate", "set": sets(candidate.name) | own_parameters}
        yield from ({"label": arm.reference, "set": sets(arm.baseline)} for arm in arms)
        return
    for arm in arms:
        own = sets(arm.baseline, arm.baseline)
        sets_own = sets(candidate.name, arm.baseline)
        yield {"label": arm.candidate, "set": sets_own | own_parameters}
        yield {"label": arm.reference, "set": own}
        if arm.solo:
            over: dict[str, Any] = {f"{place}.size": ALONE for place in own_places}
            for place, flow in own_places.items():
                if "application" in flow:  # it would say what is sent
                    own.pop(f"{place}.algorithm")
                    del over[f"{place}.size"]
                    rest = {key: it for key, it in flow.items() if key != "application"}
                    over[place] = {**rest, "algorithm": arm.baseline, "size": ALONE}
            yield {"label": arm.solo, "set": own | over}
