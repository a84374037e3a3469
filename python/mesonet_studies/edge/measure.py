"""Runs and pages of the study `edge`: queue disciplines at a share of all access routers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from mesonet.analysis.two_way import mean_interval
from mesonet.numbers import percent as as_percent
from mesonet.page.tables import rows_table
from mesonet.plan import Plan, load_plan
from mesonet.run import Run
from mesonet.scenario import Scenario
from mesonet.scenario.by_tier import drawn
from mesonet.studies import Item, Options, RunResults, table, value

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


def plans(_: Options) -> Mapping[str, Plan]:
    """No campaigns: the runs of the plan are measured one by one."""
    return {}


def runs(options: Options) -> list[Item]:
    """The runs of the plan at the size, every replicate with a seed of its own."""
    values = options.values
    changes = {name: values[name] for name in ("scale", "duration")}
    return [
        Item(
            run_name(condition, replicate),
            scenario.replace(changes | values["changes"].get(condition.discipline, {})),
            measure_edge,
            seed=options.run_seed + replicate,
            cost=values["scale"] * scenario.duration,
        )
        for condition, scenario in zip(CONDITIONS, scenarios(), strict=True)
        if condition.share % values["share_step"] == 0
        if all(getattr(condition, name) in those for name, those in values["concerned"].items())
        for replicate in range(int(values["replicates"]))
    ]


def scenarios() -> list[Scenario]:
    """Scenarios of the plan, in the order of `CONDITIONS`."""
    plan = load_plan(HERE / "plan.toml")
    (alternative,) = plan.alternatives
    return [plan.scenario_of(condition + 1, alternative) for condition in range(plan.conditions)]


def measure_edge(run: Run) -> dict[str, Any]:
    """Numbers of transfers and queues by group, for the share of the run or for all shares.

    Without a discipline, the groups are those that there will be at each share, so that every share
    has its own baseline: the same routers and the same pairs of them before anything was deployed.

    `network` has loss rate, queueing delay `y8` [s], marks and goodput; `shares`, by share [%], the
    `transfers` by group and kind (number, mean goodput [segments/s] and duration [s]; by algorithm,
    too) and the `queues` by side (percentiles of the sojourn time [s], packets dropped and marked).
    """
    spec = run.scenario.resolve()
    access = _access(spec)
    names = [name for name, _ in access]
    queues = run.scenario.to_dict()["queue"]["access"]
    share = round(100 * queues.get("share", 0.0))
    transfers = _counted(run, access)
    shares = {}
    for level in (share,) if share else SHARES:
        chosen = drawn(names, level / 100, 1)
        shares[str(level)] = {
            "transfers": _transfers(transfers, chosen),
            "queues": _queues(run, chosen, frozenset(names) - chosen),
        }
    responses = run.responses
    network = {name: responses[name] for name in ("loss_rate", "y8", "mark_rate", "goodput")}
    return {"network": network, "shares": shares}


def _access(spec: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Access routers in the order in which sources are numbered, each with its sources."""
    stations = spec["stations"]
    sites = sorted(spec["sites"], key=lambda site: stations[site["station"]]["region"])
    return [(stations[site["station"]]["name"], site["sources"]) for site in sites]


def _counted(run: Run, access: Sequence[tuple[str, int]]) -> pl.DataFrame:
    """Transfers that ended after the warm-up, with both of their access routers."""
    bounds = list(accumulate(sources for _, sources in access))
    at = np.searchsorted(bounds, run.transfers["source"].to_numpy(), side="right")
    names = pl.Series("sender_site", [access[index][0] for index in at])
    ended = pl.col("start") + pl.col("duration")
    return run.transfers.with_columns(
        names,
        goodput=pl.col("size") / pl.col("duration"),
        kind=pl.when(pl.col("file") == "web_object").then(pl.lit("web")).otherwise(pl.lit("long")),
    ).filter(ended >= run.measurements.groups_from)


def _transfers(transfers: pl.DataFrame, chosen: frozenset[str]) -> dict[str, dict[str, float]]:
    ends = [pl.col(name).is_in(list(chosen)).cast(pl.Int8) for name in _ENDS]
    grouped = transfers.with_columns(
        group=(2 - ends[0] - ends[1]).replace_strict({0: "both", 1: "one", 2: "neither"})
    )
    by_algorithm = grouped.with_columns(group=pl.col("group") + "." + pl.col("algorithm"))
    both = pl.concat([grouped, by_algorithm])
    rows = both.group_by("group", "kind", maintain_order=True).agg(
        pl.len().alias("n"), pl.col("goodput").mean(), pl.col("duration").mean()
    )
    return {
        f"{row['group']}.{row['kind']}": {name: row[name] for name in ("n", "goodput", "duration")}
        for row in rows.sort("group", "kind").to_dicts()
    }


_ENDS = ("sender_site", "receiver_site")


def _queues(run: Run, chosen: frozenset[str], rest: frozenset[str]) -> dict[str, dict[str, float]]:
    queues = {}
    for side, names in zip(SIDES, (chosen, rest), strict=True):
        at_side = pl.col("station").is_in(list(names))
        signals = run.signals.filter(at_side)
        queues[side] = {
            **_percentiles(run.sojourns.filter(at_side)),
            "dropped": float(signals["dropped"].sum()),
            "marked": float(signals["marked"].sum()),
        }
    return queues


def _percentiles(sojourns: pl.DataFrame) -> dict[str, float]:
    """Percentiles of sojourn times over all packets of the stations [s]."""
    by_time = sojourns.group_by("below", maintain_order=True)
    counts = by_time.agg(pl.col("packets").sum()).sort("below")
    total = int(counts["packets"].sum())
    measures = {"packets": float(total)}
    for percent in PERCENTS:
        beyond = counts.filter(pl.col("packets").cum_sum() >= percent / 100 * total)
        measures[f"p{percent}"] = float(beyond["below"][0]) if total else math.nan
    return measures


CHANGES = {"web": "time", "long": "change"}
"""Changes that are shown of each kind of transfer: of its completion time, or of its goodput."""


def run_name(condition: Condition, replicate: int) -> str:
    """Name of a run; replicates count from 0."""
    name = condition.discipline or "droptail"
    return f"{name}-{condition.share}-{condition.traffic}-{condition.buffers}-{replicate}"


def figures(run: RunResults) -> Mapping[str, float]:
    """Means over replicates of everything that charts, tables and claims show.

    Behind `DISCIPLINE.SHARE.TRAFFIC.BUFFERS.` there are `GROUP.KIND.change` (of the mean goodput
    over that before the deployment), `GROUP.KIND.time` (of the completion time), `SIDE.p95` and its
    like [ms] with `.before` and `.change`, `loss` and `delay` [ms] with `.before`; and of each a 95
    % interval by Student's t, `.lower` to `.upper`, NaN with one replicate.
    """
    rows = [
        {"name": f"{condition.prefix}.{name}", "value": value}
        for condition in CONDITIONS
        if condition.share
        for now, before in _pairs(run, condition)
        for name, value in _values(now, before, str(condition.share))
    ]
    numbers: dict[str, float] = {}
    frame = pl.DataFrame(rows, schema={"name": pl.String, "value": pl.Float64})
    for (name,), part in frame.group_by("name", maintain_order=True):
        defined = part["value"].drop_nans().to_numpy()
        ends = mean_interval(defined, 0.95)[:3] if defined.size else [math.nan] * 3
        numbers |= zip((f"{name}", f"{name}.lower", f"{name}.upper"), ends, strict=True)
    return numbers


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
            latest, old = after["queues"][side][percent], earlier["queues"][side][percent]
            yield f"{side}.{percent}", latest * 1e3
            yield f"{side}.{percent}.before", old * 1e3
            yield f"{side}.{percent}.change", latest / old - 1
    for name, response, factor in (("loss", "loss_rate", 1.0), ("delay", "y8", 1e3)):
        yield name, now["network"][response] * factor
        yield f"{name}.before", before["network"][response] * factor


def _pairs(run: RunResults, condition: Condition) -> Iterator[tuple[Any, Any]]:
    """Results of a condition with those of the same seed and traffic without a discipline."""
    baseline = condition._replace(discipline="", share=0)
    for replicate in range(int(run.options.values["replicates"])):
        names = [run_name(name, replicate) for name in (condition, baseline)]
        if all(name in run.results for name in names):
            yield run.results[names[0]], run.results[names[1]]


@value
def deep(run: RunResults) -> Mapping[str, float]:
    """Figures of CUBIC alone over deep buffers, by the rest of their names."""
    return {
        name.replace(".cubic.deep.", "."): number
        for name, number in run.figures.items()
        if ".cubic.deep." in name
    }


def _figure(run: RunResults, name: str) -> float:
    return run.figures.get(name, math.nan)


@table
def gains(run: RunResults, buffers: str = "deep") -> Any:
    """Changes where half and where all of the access routers have a discipline."""
    names = run.options.values["names"]
    rows = [
        {
            "queue": names["disciplines"][condition.discipline],
            "share": f"{condition.share} %",
            "traffic": names["traffics"][condition.traffic],
        }
        | {
            f"{group}_{kind}": _figure(run, f"{condition.prefix}.{group}.{kind}.{what}")
            for group in ("both", "neither")
            for kind, what in CHANGES.items()
        }
        | {"loss": _figure(run, f"{condition.prefix}.loss")}
        for condition in CONDITIONS
        if condition.buffers == buffers and condition.share in (50, 100)
    ]
    headings = run.options.values["headings"]["gains"]
    forms = dict.fromkeys(headings, as_percent) | {"loss": "{:.1%}".format}
    return rows_table(f"edge-gains-{buffers}", rows, headings, forms)


@table
def algorithms(run: RunResults, buffers: str = "deep") -> Any:
    """Changes by algorithm where all access routers have a discipline and algorithms are mixed."""
    names = run.options.values["names"]
    rows = [
        {
            "traffic": names["traffics"][condition.traffic],
            "queue": names["disciplines"][condition.discipline],
            "algorithm": names["algorithms"][algorithm],
        }
        | {
            kind: _figure(run, f"{condition.prefix}.both.{algorithm}.{kind}.{what}")
            for kind, what in CHANGES.items()
        }
        for condition in CONDITIONS
        if condition.buffers == buffers and condition.share == 100 and condition.traffic != "cubic"
        for algorithm in ("cubic", condition.traffic)
    ]
    headings = run.options.values["headings"]["algorithms"]
    forms = dict.fromkeys(("web", "long"), as_percent)
    return rows_table(f"edge-algorithms-{buffers}", rows, headings, forms)
