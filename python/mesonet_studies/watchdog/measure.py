"""Runs and figures of the study `watchdog`: parts of the max-min fair share, pair by pair."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import combinations_with_replacement
from statistics import fmean
from typing import Any

import polars as pl

from mesonet.page.tables import rows_table
from mesonet.run import Run
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.keywords import dumbbell, flow
from mesonet.studies import Item, Options, RunResults, table

WARM_UP = 0.2


def runs(options: Options) -> list[Item]:
    """Every pair in both settings; the flows begin by turns."""
    values = options.values
    return [
        Item(
            f"{name}-{'-'.join(pair)}-{replicate}",
            _scenario(setting, pair, replicate, values["duration"]),
            measure_shares,
            seed=options.run_seed + replicate,
        )
        for name, setting in values["settings"].items()
        for pair in combinations_with_replacement(options.chosen, 2)
        for replicate in range(options.replicates or int(values["replicates"]))
    ]


def _scenario(
    setting: Mapping[str, Any], pair: tuple[str, str], number: int, duration: str
) -> Dumbbell:
    later = f"{0.1 * (number + 1):g} s"
    starts = (later, "0 s") if number % 2 else ("0 s", later)
    return dumbbell(
        rate=setting["rate"],
        rtt="50 ms",
        buffer="4 bdp",
        flows=[
            flow(who, name=name, start=start)
            for who, name, start in zip(pair, "ab", starts, strict=True)
        ],
        profile="linux",
        transport={"host_jitter": setting["host_jitter"]},
        interval="1 s",
        duration=duration,
        warm_up=WARM_UP,
    )


def measure_shares(run: Run) -> dict[str, float]:
    """Goodput of each flow over half of the link's: its part of the max-min fair share."""
    begin = WARM_UP * run.scenario.duration
    acked = run.flows.filter(pl.col("time") > begin).group_by("flow").agg(pl.col("acked").sum())
    fair = (run.scenario.bottleneck() or math.nan) * (run.scenario.duration - begin) / 2
    return {name: count / fair for name, count in sorted(acked.iter_rows())}


def figures(run: RunResults) -> dict[str, float]:
    """Means over replicates: `SETTING.ONE.OTHER`, the part of one beside the other, and losers'.

    `SETTING.losing` is the mean over pairs of the smaller part of each run, `losing` over both
    settings. Runs without both flows do not count.
    """
    numbers: dict[str, float] = {}
    losing = []
    for name in run.options.values["settings"]:
        lowest = []
        for pair, results in _pairs(run, name):
            lowest.append(fmean(min(result.values()) for result in results))
            first, second = (fmean(result[it] for result in results) for it in "ab")
            if pair[0] == pair[1]:
                first = second = (first + second) / 2
            numbers[f"{name}.{pair[0]}.{pair[1]}"] = first
            numbers[f"{name}.{pair[1]}.{pair[0]}"] = second
        if lowest:
            numbers[f"{name}.losing"] = fmean(lowest)
            losing += lowest
    return numbers | ({"losing": fmean(losing)} if losing else {})


def _pairs(run: RunResults, setting: str) -> Iterator[tuple[tuple[str, str], list[Any]]]:
    for pair in combinations_with_replacement(run.options.chosen, 2):
        begin = f"{setting}-{'-'.join(pair)}"
        results = [it for key, it in run.results.items() if key.rpartition("-")[0] == begin]
        if results:
            yield pair, results


@table
def shares(run: RunResults, setting: str) -> Any:
    """What the algorithm of a row gets beside that of a column."""
    labels, chosen = run.options.values["labels"], run.options.chosen
    rows = [
        {"algorithm": labels.get(algorithm, algorithm)}
        | {other: run.figures.get(f"{setting}.{algorithm}.{other}", math.nan) for other in chosen}
        for algorithm in chosen
    ]
    headings = {"algorithm": "of, versus"} | {it: labels.get(it, it) for it in chosen}
    return rows_table(f"shares-{setting}", rows, headings, dict.fromkeys(chosen, "{:.0%}".format))
