"""Runs and pages of the study `l4s`: Prague, CUBIC and Reno over queues of today."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl

from mesonet.page.tables import fixed, rows_table
from mesonet.plan import Plan, load_plan
from mesonet.run import Run
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.studies import Item, Options, RunResults, table, value

PRAGUE = "prague:linux"
STAGGER = 0.37
"""Further delay of the second flow from one replicate to the next [s]."""

HERE = Path(__file__).parent
PATHS = pl.read_csv(HERE / "paths.csv").to_dicts()
"""Paths of `plan-paths.toml`: name, round-trip time [ms] and title of each."""
TOLERANCE = 0.1
"""Largest difference of shares that agree, as a part of the link."""


def plans(_: Options) -> Mapping[str, Plan]:
    """No campaigns: the runs of the plan files are measured one by one."""
    return {}


def runs(options: Options) -> list[Item]:
    """The runs of all plans, every replicate with its own seed and start of the second flow."""
    return [
        Item(
            run_name(plan, number, replicate),
            _started_later(scenario, replicate),
            measure_path if plan == "paths" else measure_pair,
            seed=options.run_seed + replicate,
            cost=(scenario.bottleneck() or 1.0) * scenario.duration,
        )
        for plan in options.values["concerned"]
        for number, run in enumerate(load_plan(HERE / f"plan-{plan}.toml").runs())
        for scenario in [run.scenario.replace(_changes(plan, run.scenario, options.values))]
        for replicate in range(int(options.values["replicates"]))
    ]


def _changes(plan: str, scenario: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Changes of the study, or of a variant, to a scenario of a plan, by path."""
    queue = scenario.to_dict()["queue"]
    kinds = {
        plan: True,
        f"{plan}_dualpi2": isinstance(queue, Mapping) and queue["kind"] == "dualpi2",
        f"{plan}_prague": PRAGUE in {flow.algorithm for flow in scenario.flows},
    }
    changes: dict[str, Any] = {}
    for name, concerned in kinds.items():
        changes |= values.get(name, {}) if concerned else {}
    return changes


def _started_later(scenario: Any, replicate: int) -> Any:
    """A scenario whose flows start later, all but the first, by the number of the replicate."""
    changes = {
        f"flows[{at}].start": f"{flow.start + STAGGER * replicate:g} s"
        for at, flow in enumerate(scenario.flows)
        if at and replicate
    }
    return scenario.replace(changes) if changes else scenario


def measure_pair(run: Run) -> dict[str, Any]:
    """Goodput after the warm-up of every named flow [bit/s], by name."""
    start = _start(run)
    assert isinstance(run.scenario, Dumbbell)
    segment = run.scenario.packet.smss * 8
    sums = (
        run.flows.filter(pl.col("time") > start)
        .group_by("flow", maintain_order=True)
        .agg(pl.col("acked").sum())
    )
    seconds = run.scenario.duration - start
    return {"goodput": {name: acked * segment / seconds for name, acked in sums.iter_rows()}}


def measure_path(run: Run) -> dict[str, Any]:
    """Goodputs, windows, round-trip times and the base probability of a path with both kinds.

    By the first letter of their names, `l` (Prague) and `c` (CUBIC), flows have `goodput` [bit/s]
    in sum, mean `cwnd` [segments] and `srtt` [s] after the warm-up; `p` is the mean of p' of the
    queue.
    """
    start = _start(run)
    late = run.flows.filter(pl.col("time") > start)
    states = run.queue_states.filter((pl.col("time") > start) & (pl.col("station") == "forward"))
    rates = measure_pair(run)["goodput"]
    measures: dict[str, Any] = {
        "goodput": {},
        "cwnd": {},
        "srtt": {},
        "p": _mean(states["control"]),
    }
    for kind in ("l", "c"):
        rows = late.filter(pl.col("flow").str.starts_with(kind))
        measures["goodput"][kind] = sum(rate for name, rate in rates.items() if name[0] == kind)
        measures["cwnd"][kind] = _mean(rows["cwnd"])
        measures["srtt"][kind] = _mean(rows["srtt"])
    return measures


def _start(run: Run) -> float:
    """End of the warm-up [s], on the grid of intervals."""
    scenario = run.scenario
    return round(scenario.warm_up * scenario.duration / scenario.interval) * scenario.interval


def _mean(column: pl.Series) -> float:
    return float(column.mean())  # type: ignore[arg-type]


def run_name(plan: str, number: int, replicate: int) -> str:
    """Name of a run: its plan, the number of its condition from 0, and its replicate from 0."""
    return f"{plan}-{number}-{replicate}"


PAIR_NUMBERS: Mapping[str, Callable[..., float]] = {
    "first": lambda result: result["goodput"]["0"] / 1e6,
    "second": lambda result: result["goodput"]["1"] / 1e6,
    "share": lambda result: result["goodput"]["0"] / sum(result["goodput"].values()),
    "ratio": lambda result: result["goodput"]["0"] / result["goodput"]["1"],
}
"""Numbers of the result of a pair of flows: goodputs [Mbit/s], and part and ratio of the first."""
PATH_NUMBERS: Mapping[str, Callable[..., float]] = {
    "ratio": lambda result: result["goodput"]["l"] / result["goodput"]["c"],
    "prague": lambda result: (
        result["cwnd"]["l"] * 2 * result["p"] * max(25e-3 / result["srtt"]["l"], 1)
    ),
    "cubic": lambda result: result["cwnd"]["c"] * result["p"],
    "rtt_prague": lambda result: result["srtt"]["l"] * 1e3,
    "rtt_cubic": lambda result: result["srtt"]["c"] * 1e3,
}
"""Numbers of the result of a path: ratio, constants of the formula, round-trip times [ms]."""
LOG_RATIO: Mapping[str, Callable[..., float]] = {
    "log": lambda result: math.log(result["goodput"]["l"] / result["goodput"]["c"])
}
"""Logarithm of the ratio of a Prague to a classic flow."""


def conditions(values: Mapping[str, Any]) -> dict[str, list[str]]:
    """Names of the conditions of plans in their order, from the values of the study."""
    names = values["conditions"]
    bed = itertools.product(names["pairs"], names["bottlenecks"])
    shared = itertools.product(names["classic"], names["queues"])
    return {
        "bed": [f"bed.{bottleneck}.{pair}" for pair, bottleneck in bed],
        "second": ["second"],
        "shared": [f"shared.{queue}.{classic}" for classic, queue in shared],
        "paths": [f"paths.{path['path']}" for path in PATHS],
    }


def figures(run: RunResults) -> Mapping[str, float]:
    """Means over replicates by condition and number; NaN without any result."""
    return {
        f"{condition}.{name}": value
        for plan, names in conditions(run.options.values).items()
        for number, condition in enumerate(names)
        for name, value in _means(
            run, plan, number, PATH_NUMBERS if plan == "paths" else PAIR_NUMBERS
        ).items()
    } | _design_figures(run)


def _means(
    run: RunResults, plan: str, number: int, numbers: Mapping[str, Callable[..., float]]
) -> dict[str, float]:
    names = [run_name(plan, number, at) for at in range(int(run.options.values["replicates"]))]
    outcomes = [run.results[name] for name in names if name in run.results]
    return {
        name: fmean(map(of, outcomes)) if outcomes else math.nan for name, of in numbers.items()
    }


def _design_figures(run: RunResults) -> dict[str, float]:
    """Geometric mean and range of the ratio, and factors by which the second levels multiply it."""
    factors = run.options.values["factors"]
    y = [_means(run, "design", number, LOG_RATIO)["log"] for number in range(2 ** len(factors))]
    numbers = {"mean": fmean(y), "least": min(y), "most": max(y)}
    for at, name in enumerate(factors):
        low, high = (
            fmean(log for number, log in enumerate(y) if number >> at & 1 == level)
            for level in (0, 1)
        )
        numbers[f"effect.{name}"] = high - low
    return {f"design.{name}": math.exp(log) for name, log in numbers.items()}


def formula(rtt: float) -> float:
    """Rate of a Prague flow over that of a CUBIC flow of one base round-trip time [ms].

    RFC 9332, appendix C.2.
    """
    return (rtt + 15) / (1.4 * max(rtt, 25))


def published() -> list[dict[str, Any]]:
    """Rows of the first test bed: goodputs [Mbit/s] and the part of the first flow."""
    return pl.read_csv(HERE / "test-bed.csv").to_dicts()


@value
def with_ecn(run: RunResults) -> Mapping[str, float]:
    """Figures under the variant in which CUBIC has ECN; empty where it was not run."""
    return run.variants["classic-ecn"].figures if "classic-ecn" in run.variants else {}


@table
def bed(run: RunResults, rate: int = 50) -> Any:
    """Goodputs of the pairs of the first test bed beside those that it printed."""
    rows = [
        {
            "flows": printed["flows"],
            "queue": printed["queue"],
            "ours": _pair_text(run.figures, name),
            "ecn": _pair_text(with_ecn(run), name),
            "theirs": f"{printed['first']} / {printed['second']}",
            "verdict": _verdict(run.figures[f"{name}.share"] - printed["share"]),
        }
        for printed in published()
        if printed["rate"] == rate
        for name in [f"bed.{printed['bottleneck']}.{printed['pair']}"]
    ]
    return rows_table(f"l4s-bed-{rate}", rows, run.options.values["headings"]["bed"])


def _pair_text(figures: Mapping[str, float], name: str) -> str:
    if f"{name}.first" not in figures:
        return "–"
    return f"{figures[f'{name}.first']:.1f} / {figures[f'{name}.second']:.1f}"


def _verdict(difference: float) -> str:
    return f"{difference:+.2f}" if abs(difference) <= TOLERANCE else f"{difference:+.2f}: off"


@table
def shared(run: RunResults) -> Any:
    """Ratios of goodputs in shared queues, without and with Prague's fallback."""
    fallback = run.variants["fallback"].figures if "fallback" in run.variants else {}
    rows = [
        {
            "queue": printed["title"],
            "flow": printed["flow"],
            "ours": run.figures[name],
            "fallback": fallback.get(name, math.nan),
            "theirs": printed["ratio"],
        }
        for printed in pl.read_csv(HERE / "shared-queue.csv").to_dicts()
        for name in [f"shared.{printed['queue']}.{printed['classic']}.ratio"]
    ]
    return rows_table("l4s-shared", rows, run.options.values["headings"]["shared"])


@table
def constants(run: RunResults) -> Any:
    """Ratio and constants of the formula on seven paths."""
    rows = [
        {"path": path["title"], "formula": formula(path["rtt"])}
        | {name: run.figures[f"paths.{path['path']}.{name}"] for name in PATH_NUMBERS}
        for path in PATHS
    ]
    headings = run.options.values["headings"]["constants"]
    forms = dict.fromkeys(headings, fixed(2)) | dict.fromkeys(("rtt_prague", "rtt_cubic"), fixed(1))
    return rows_table("l4s-constants", rows, headings, forms)
