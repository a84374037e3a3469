"""Runs and pages of the study `l4s`: Prague, CUBIC and Reno over queues of today."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import polars as pl

from mesonet.page.tables import fixed, rows_table
from mesonet.plan import Plan, load_plan
from mesonet.run import Run
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.studies import Item, Options, RunResults, table, value
from mesonet_studies.l4s.figures import (
    HERE,
    PATH_NUMBERS,
    PATHS,
    TOLERANCE,
    figures,
    formula,
    published,
    run_name,
)

__all__ = ["figures"]

PRAGUE = "prague:linux"
STAGGER = 0.37
"""Further delay of the second flow from one replicate to the next [s]."""


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

    Returns:
        `goodput` [bit/s], `cwnd` [segments] and `srtt` [s] after the warm-up of the flows whose
        names begin with `l` (Prague) and with `c` (CUBIC): sums of goodputs, means of the rest.
        `p`: mean of the base probability p' of the forward queue.
    """
    start = _start(run)
    late = run.flows.filter(pl.col("time") > start)
    states = run.queue_states.filter((pl.col("time") > start) & (pl.col("station") == "forward"))
    each = measure_pair(run)["goodput"]
    found: dict[str, Any] = {"goodput": {}, "cwnd": {}, "srtt": {}, "p": _mean(states["control"])}
    for kind in ("l", "c"):
        mine = late.filter(pl.col("flow").str.starts_with(kind))
        found["goodput"][kind] = sum(rate for name, rate in each.items() if name[0] == kind)
        found["cwnd"][kind] = _mean(mine["cwnd"])
        found["srtt"][kind] = _mean(mine["srtt"])
    return found


def _start(run: Run) -> float:
    """End of the warm-up [s], on the grid of intervals."""
    scenario = run.scenario
    return round(scenario.warm_up * scenario.duration / scenario.interval) * scenario.interval


def _mean(column: pl.Series) -> float:
    return float(column.mean())  # type: ignore[arg-type]


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
    headings = {"flows": "flows", "queue": "queue", "ours": "ours"}
    headings |= {"ecn": "ours, CUBIC with ECN", "theirs": "test bed", "verdict": "share"}
    return rows_table(f"l4s-bed-{rate}", rows, headings)


def _pair_text(figures: Mapping[str, float], name: str) -> str:
    if f"{name}.first" not in figures:
        return "–"
    return f"{figures[f'{name}.first']:.1f} / {figures[f'{name}.second']:.1f}"


def _verdict(difference: float) -> str:
    return f"{difference:+.2f}" if abs(difference) <= TOLERANCE else f"{difference:+.2f}: off"


@table
def shared(run: RunResults) -> Any:
    """Ratios of goodputs in shared queues, without and with Prague's fallback."""
    other = run.variants["fallback"].figures if "fallback" in run.variants else {}
    rows = [
        {
            "queue": printed["title"],
            "flow": printed["flow"],
            "ours": run.figures[name],
            "fallback": other.get(name, math.nan),
            "theirs": printed["ratio"],
        }
        for printed in pl.read_csv(HERE / "shared-queue.csv").to_dicts()
        for name in [f"shared.{printed['queue']}.{printed['classic']}.ratio"]
    ]
    headings = {"queue": "queue", "flow": "classic flow", "theirs": "test bed", "ours": "ours"}
    return rows_table("l4s-shared", rows, headings | {"fallback": "ours, with fallback"})


@table
def effects(run: RunResults) -> Any:
    """Factors by which the second level of each factor multiplies the ratio."""
    rows = [
        {"factor": words_of, "effect": run.figures[f"design.effect.{name}"]}
        for name, words_of in run.options.values["factors"].items()
    ]
    headings = {"factor": "factor, two levels", "effect": "ratio is multiplied by"}
    return rows_table("l4s-effects", rows, headings, {"effect": fixed(2)})


@table
def constants(run: RunResults) -> Any:
    """Ratio and constants of the formula on seven paths."""
    rows = [
        {"path": each["title"], "formula": formula(each["rtt"])}
        | {name: run.figures[f"paths.{each['path']}.{name}"] for name in PATH_NUMBERS}
        for each in PATHS
    ]
    headings = {
        "path": "path",
        "ratio": "ratio",
        "formula": "formula",
        "prague": "Prague: w x 2 p' (2)",
        "cubic": "CUBIC: w x p' (1.22)",
        "rtt_prague": "RTT of Prague (ms)",
        "rtt_cubic": "of CUBIC (ms)",
    }
    forms = dict.fromkeys(headings, fixed(2)) | dict.fromkeys(("rtt_prague", "rtt_cubic"), fixed(1))
    return rows_table("l4s-constants", rows, headings, forms)
