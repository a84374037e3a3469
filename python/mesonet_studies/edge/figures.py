"""Conditions of the study `edge`, in the order of its plan, and figures of its runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from mesonet.analysis.two_way import mean_interval
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

    @property
    def prefix(self) -> str:
        """Beginning of the names of its figures."""
        return ".".join(map(str, self))


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


def figures(run: RunResults) -> Mapping[str, float]:
    """Means over replicates of everything that charts, tables and claims show.

    Names begin with `DISCIPLINE.SHARE.TRAFFIC.BUFFERS.`. There are `GROUP.KIND.change` (of the
    mean goodput over that of the same group before the deployment), `GROUP.KIND.time` (of the mean
    completion time), `SIDE.p95` and its like [ms], its `.before` and `.change`, `loss`,
    `loss.before`, `delay` and `delay.before` [ms]. Each has a 95 % interval over replicates by
    Student's t, `.lower` to `.upper`, which are NaN with one replicate.
    """
    rows = [
        {"name": f"{condition.prefix}.{name}", "value": value}
        for condition in CONDITIONS
        if condition.share
        for now, before in _pairs(run, condition)
        for name, value in _values(now, before, str(condition.share))
    ]
    found: dict[str, float] = {}
    frame = pl.DataFrame(rows, schema={"name": pl.String, "value": pl.Float64})
    for (name,), part in frame.group_by("name", maintain_order=True):
        known = part["value"].drop_nans().to_numpy()
        ends = mean_interval(known, 0.95)[:3] if known.size else [math.nan] * 3
        found |= zip((f"{name}", f"{name}.lower", f"{name}.upper"), ends, strict=True)
    return found


def _values(
    now: Mapping[str, Any], before: Mapping[str, Any], share: str
) -> Iterator[tuple[str, float]]:
    """Values of a replicate, by the ends of their names."""
    after, earlier = now["shares"][share], before["shares"][share]
    for key, old in earlier["transfers"].items():
        if new := after["transfers"].get(key):
            yield f"{key}.change", new["goodput"] / old["goodput"] - 1
            yield f"{key}.time", new["duration"] / old["duration"] - 1
    for side in SIDES:
        for percent in (f"p{percent}" for percent in PERCENTS):
            mine, old = after["queues"][side][percent], earlier["queues"][side][percent]
            yield f"{side}.{percent}", mine * 1e3
            yield f"{side}.{percent}.before", old * 1e3
            yield f"{side}.{percent}.change", mine / old - 1
    for name, response, factor in (("loss", "loss_rate", 1.0), ("delay", "y8", 1e3)):
        yield name, now["network"][response] * factor
        yield f"{name}.before", before["network"][response] * factor


def _pairs(run: RunResults, condition: Condition) -> Iterator[tuple[Any, Any]]:
    """Results of a condition with those of the same seed and traffic without a discipline."""
    baseline = condition._replace(discipline="", share=0)
    for replicate in range(int(run.options.values["replicates"])):
        names = [run_name(each, replicate) for each in (condition, baseline)]
        if all(name in run.results for name in names):
            yield run.results[names[0]], run.results[names[1]]
