"""Mixes of algorithms in a deployment, and the runs that they need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mesonet.errors import PlanError, Problem
from mesonet.plan import Plan
from mesonet.studies.bench import Item
from mesonet.studies.deployment.measure import measure_mix
from mesonet.studies.plans import study_plan
from mesonet.studies.study import Options, Size

INCUMBENT = "cubic"
NEWCOMER = "bbr3"
PLAN = "deployment-mix"


@dataclass(frozen=True)
class MixExtent:
    """Extent of the plan at one size."""

    scale: float
    """Factor on speeds and sources of the network."""
    duration: str
    """Simulated time of a run."""
    replicates: int
    percents: tuple[int, ...]
    """Shares of a newcomer, from 0 to 100."""


_ALL = (0, 10, 25, 50, 75, 90, 100)
EXTENTS: Mapping[Size, MixExtent] = {
    "pocket": MixExtent(0.04, "30 s", 3, (0, 25, 75, 100)),
    "desk": MixExtent(0.1, "90 s", 4, _ALL),
    "full": MixExtent(1.0, "300 s", 10, _ALL),
}

LOADS = ("high load", "low load")
"""Names for the load of a slow and of a fast network."""
BUFFERS = ("small buffers", "large buffers")


@dataclass(frozen=True)
class Mix:
    """Mix of algorithms: the share of sources that uses each of them."""

    label: str
    shares: Mapping[str, float]
    newcomer: str | None = None
    """Algorithm that is deployed; None without newcomers, and for all together."""
    percent: int = 0
    """Sources that use the newcomer [%]."""


def chosen(algorithms: Sequence[str] | None) -> tuple[str, ...]:
    """The incumbent and the newcomers.

    Raises:
        PlanError: fewer than two algorithms.
    """
    names = tuple(dict.fromkeys(algorithms or (INCUMBENT, NEWCOMER)))
    if len(names) < 2:
        message = (
            "expected the incumbent and one or more newcomers, "
            f'such as "{INCUMBENT},{NEWCOMER}", got "{",".join(names)}"'
        )
        raise PlanError([Problem("algorithms", "too_few", message)])
    return names


def mixes(names: Sequence[str], percents: Sequence[int]) -> list[Mix]:
    """The incumbent alone, every newcomer's steps beside it, and all at equal shares.

    The incumbent stands first in every mix. A source draws one number between 0 and 1 whatever
    the mix, and is the newcomer's if the number lies above the incumbent's share: a larger share
    of the newcomer converts sources and never converts one back.
    """
    incumbent, *newcomers = names
    found = [Mix(incumbent, {incumbent: 1.0})]
    for newcomer in newcomers:
        for percent in percents:
            if 0 < percent < 100:
                shares = {incumbent: 1 - percent / 100, newcomer: percent / 100}
                found.append(Mix(f"{newcomer} {percent} %", shares, newcomer, percent))
        found.append(Mix(f"{newcomer} 100 %", {newcomer: 1.0}, newcomer, 100))
    if len(newcomers) > 1:
        found.append(Mix("all, equal shares", dict.fromkeys(names, 1 / len(names))))
    return found


def mix_plan(options: Options, steps: Sequence[Mix]) -> Plan:
    """The plan of a size with one alternative per mix.

    Raises:
        PlanError: an option does not fit.
    """
    extent = EXTENTS[options.size]
    return study_plan(
        PLAN,
        replace(options, algorithms=None),
        scenario={"scale": extent.scale, "duration": extent.duration},
        replicates=extent.replicates,
        alternatives=[
            {"label": step.label, "set": {"algorithms": dict(step.shares)}} for step in steps
        ],
    )


def run_name(label: str, condition: int, replicate: int) -> str:
    """Name of a run among the results."""
    return f"{label}, condition {condition}, replicate {replicate}"


def mix_items(plan: Plan) -> list[Item]:
    """The runs of the plan, to be measured source by source.

    Raises:
        PlanError: a mix cannot be simulated.
    """
    return [
        Item(
            run_name(run.alternative, run.condition, run.replicate),
            run.scenario,
            measure_mix,
            seed=run.seed,
            cost=run.cost,
        )
        for run in plan.runs()
    ]


def condition_names(plan: Plan) -> dict[int, str]:
    """Description of each condition, in words."""

    def words(coded: Mapping[str, Any]) -> str:
        return f"{LOADS[coded['speed'] > 0]}, {BUFFERS[coded['buffers'] > 0]}"

    return {number: words(plan.coded(number)) for number in range(1, plan.conditions + 1)}
