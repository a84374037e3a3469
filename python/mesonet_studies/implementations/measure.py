"""Runs and figures of the study `implementations`: use, delay and shares of six of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from statistics import fmean
from typing import Any

import polars as pl

from mesonet.page.tables import rows_table
from mesonet.run import Run
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.keywords import dumbbell, flow
from mesonet.studies import Item, Options, RunResults, table

WARM_UP = 0.25
ALONE = {"use": "utilization", "delay": "queueing_delay_p50", "again": "flow_retransmitted"}


def runs(options: Options) -> list[Item]:
    """Each alone, and each pair, over every queue and path; the flows begin by turns."""
    values, chosen = options.values, options.chosen
    return [
        Item(
            f"{queue}-{path}-{'-'.join(flows)}-{replicate}",
            _scenario(keys, queue, flows, replicate, values["duration"]),
            measure_run,
            seed=options.run_seed + replicate,
        )
        for queue in values["queues"]
        for path, keys in values["paths"].items()
        for flows in [*((it,) for it in chosen), *combinations(chosen, 2)]
        for replicate in range(options.replicates or int(values["replicates"]))
    ]


def _scenario(
    path: Mapping[str, Any], queue: str, flows: tuple[str, ...], number: int, duration: str
) -> Dumbbell:
    later = f"{0.3 * (number + 1):g} s"
    starts = (later, "0 s") if number % 2 else ("0 s", later)
    named = zip(flows, "ab", starts, strict=False)
    return dumbbell(
        **path["keys"],
        buffer="2 bdp",
        queue=queue,
        flows=[flow(who, name=name, start=at) for who, name, at in named],
        profile="quic",
        packet={"smss": 1200, "header": 40, "control": 40},
        transport={"host_jitter": path["host_jitter"]},
        interval="1 s",
        duration=duration,
        warm_up=WARM_UP,
    )


def measure_run(run: Run) -> dict[str, float]:
    """Use of the link, median queueing delay [s], part retransmitted; share of the first flow."""
    begin = WARM_UP * run.scenario.duration
    acked = run.flows.filter(pl.col("time") > begin).group_by("flow").agg(pl.col("acked").sum())
    counts = dict(acked.iter_rows())
    numbers = {name: float(run.responses[response]) for name, response in ALONE.items()}
    return numbers | {"share": counts["a"] / sum(counts.values())}


def figures(run: RunResults) -> dict[str, float]:
    """Means over paths: `QUEUE.ALGORITHM.MEASURE` alone, `QUEUE.ONE.OTHER`, the share of one.

    Without a queue they are over all queues, too.
    """
    values, chosen = run.options.values, run.options.chosen
    numbers: dict[str, float] = {}
    for queue in values["queues"]:
        for algorithm in chosen:
            alone = _results(run, queue, (algorithm,))
            for measure in ALONE:
                numbers[f"{queue}.{algorithm}.{measure}"] = _mean(it[measure] for it in alone)
        for algorithm, other in combinations(chosen, 2):
            share = _mean(it["share"] for it in _results(run, queue, (algorithm, other)))
            numbers[f"{queue}.{algorithm}.{other}"] = share
            numbers[f"{queue}.{other}.{algorithm}"] = 1 - share
    for name in dict.fromkeys(key.partition(".")[2] for key in numbers):
        numbers[name] = _mean(numbers[f"{queue}.{name}"] for queue in values["queues"])
    return numbers


def _results(run: RunResults, queue: str, flows: tuple[str, ...]) -> list[Any]:
    names = {f"{queue}-{path}-{'-'.join(flows)}" for path in run.options.values["paths"]}
    return [result for key, result in run.results.items() if key.rpartition("-")[0] in names]


def _mean(numbers: Any) -> float:
    known = [number for number in numbers if not math.isnan(number)]
    return fmean(known) if known else math.nan


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f"{share:.0%}"


@table
def alone(run: RunResults, measure: str) -> Any:
    """A measure of each implementation alone, by queue."""
    values, scale = run.options.values, 1000 if measure == "delay" else 1
    rows = [
        {"algorithm": values["labels"].get(it, it)}
        | {queue: scale * run.figures[f"{queue}.{it}.{measure}"] for queue in values["queues"]}
        for it in run.options.chosen
    ]
    words = {"use": "{:.0%}", "delay": "{:.1f}", "again": "{:.2%}"}[measure].format
    headings = {"algorithm": "implementation"} | values["names"]
    return rows_table(f"alone-{measure}", rows, headings, dict.fromkeys(values["queues"], words))


@table
def shares(run: RunResults, queue: str) -> Any:
    """Share of the implementation of a row beside that of a column."""
    labels, chosen = run.options.values["labels"], run.options.chosen
    rows = [
        {"algorithm": labels.get(algorithm, algorithm)}
        | {other: run.figures.get(f"{queue}.{algorithm}.{other}", math.nan) for other in chosen}
        for algorithm in chosen
    ]
    headings = {"algorithm": "of, versus"} | {it: labels.get(it, it) for it in chosen}
    return rows_table(f"shares-{queue}", rows, headings, dict.fromkeys(chosen, _percent))
