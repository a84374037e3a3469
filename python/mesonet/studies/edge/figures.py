"""Conditions of the study `edge`, in the order of its plan, and figures of its runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from mesonet.analysis.student import t_exceeded
from mesonet.studies.study import RunResults

HERE = Path(__file__).parent
DISCIPLINES = ("fq_codel", "pie", "dualpi2")
DEEPER = "dualpi2_5ms"
"""DualPI2 whose L4S queue marks from 5 to 10 ms instead of 0.8 to 1.2 ms; at all routers only."""
SHARES = (25, 50, 75, 100)
"""Shares of access routers with the discipline [%], in the order of `plan.toml`."""
TRAFFICS = ("cubic", "bbr3", "prague")
"""Traffics of the plan: CUBIC alone, and with half of all sources BBR 3 or Prague."""
GROUPS = ("both", "one", "neither")
"""Groups of transfers: the access routers on their way that have the discipline."""
BUFFERS = ("short", "deep")
"""Buffers of the plan: a mean round-trip time of the network (41 ms), and eight of them."""
KINDS = ("web", "long")
"""Kinds of transfers: Web objects, and documents and service packs together."""
SIDES = ("with", "without")
"""Sides of access routers."""
PERCENTS = (50, 95, 99)


class Condition(NamedTuple):
    """A condition of the plan; at a share of 0 the discipline is empty."""

    discipline: str
    share: int
    traffic: str
    buffers: str


CONDITIONS = tuple(
    Condition(*deployment, traffic, buffers)
    for buffers in BUFFERS
    for traffic in TRAFFICS
    for deployment in [
        ("", 0),
        *((name, share) for name in DISCIPLINES for share in SHARES),
        (DEEPER, 100),
    ]
)
"""Conditions in the order of the plan, the deployment fastest."""


def run_name(condition: Condition, replicate: int) -> str:
    """Name of a run; replicates count from 0."""
    name = condition.discipline or "droptail"
    return f"{name}-{condition.share}-{condition.traffic}-{condition.buffers}-{replicate}"


class Estimate(NamedTuple):
    """A mean over replicates with its 95 % interval; NaN for an interval of one replicate."""

    mean: float
    lower: float
    upper: float


def estimate(values: Sequence[float]) -> Estimate:
    """Mean over replicates and its interval by Student's t; NaN values are left out."""
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return Estimate(math.nan, math.nan, math.nan)
    mean = fmean(known)
    if len(known) == 1:
        return Estimate(mean, math.nan, math.nan)
    margin = t_exceeded(0.025, len(known) - 1) * stdev(known) / math.sqrt(len(known))
    return Estimate(mean, mean - margin, mean + margin)


def figures(run: RunResults) -> Mapping[str, float]:
    """Means over replicates of everything that charts, tables and claims show."""
    found = {}
    for name, known in estimates(run).items():
        found[name] = known.mean
        found[f"{name}.lower"], found[f"{name}.upper"] = known.lower, known.upper
    return found


def estimates(run: RunResults) -> dict[str, Estimate]:
    """Estimates by name.

    `DISCIPLINE.SHARE.TRAFFIC.BUFFERS.` is followed by `GROUP.KIND.change` (of the mean goodput
    over that of the same group before the deployment), `GROUP.KIND.time` (of the mean completion
    time), `SIDE.p95` and its like [ms], its `.before` and `.change`, `loss`, `loss.before`,
    `delay` and `delay.before` [ms]. Without replicates of both, a figure is NaN.
    """
    return {
        f"{'.'.join(map(str, condition))}.{name}": estimate(values)
        for condition in CONDITIONS
        if condition.share
        for name, values in _values(run, condition).items()
    }


def _values(run: RunResults, condition: Condition) -> dict[str, list[float]]:
    """Values of every replicate of a condition, by the ends of their names."""
    found: dict[str, list[float]] = {}
    for now, before in _pairs(run, condition):
        share = str(condition.share)
        after, earlier = now["shares"][share], before["shares"][share]
        for key, old in earlier["transfers"].items():
            new = after["transfers"].get(key)
            if new:
                found.setdefault(f"{key}.change", []).append(new["goodput"] / old["goodput"] - 1)
                found.setdefault(f"{key}.time", []).append(new["duration"] / old["duration"] - 1)
        for side in SIDES:
            for percent in (f"p{percent}" for percent in PERCENTS):
                pair = (after["queues"][side][percent], earlier["queues"][side][percent])
                ends = {
                    "": pair[0] * 1e3,
                    ".before": pair[1] * 1e3,
                    ".change": pair[0] / pair[1] - 1,
                }
                for end, number in ends.items():
                    found.setdefault(f"{side}.{percent}{end}", []).append(number)
        for name, response, factor in (("loss", "loss_rate", 1.0), ("delay", "y8", 1e3)):
            for end, side_of in (("", now), (".before", before)):
                number = side_of["network"][response] * factor
                found.setdefault(f"{name}{end}", []).append(number)
    return found


def _pairs(run: RunResults, condition: Condition) -> Iterator[tuple[Any, Any]]:
    """Results of a condition with those of the same seed and traffic without a discipline."""
    baseline = condition._replace(discipline="", share=0)
    for replicate in range(int(run.options.values["replicates"])):
        names = [run_name(each, replicate) for each in (condition, baseline)]
        if all(name in run.results for name in names):
            yield run.results[names[0]], run.results[names[1]]
