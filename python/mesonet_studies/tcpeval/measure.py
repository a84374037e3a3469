"""Runs and figures of the study `tcpeval`: basic scenarios of the common TCP evaluation suite."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import polars as pl

from mesonet.page.tables import Format, rows_table
from mesonet.run import Run
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.keywords import dumbbell
from mesonet.studies import Item, Options, RunResults, table
from mesonet.units import parse_size

PACKET, PAYLOAD = 1500, 1460
CENTRAL = "forward"


def runs(options: Options) -> list[Item]:
    """Every scenario at every load with every algorithm."""
    values = options.values
    return [
        Item(
            f"{name}-{load}-{algorithm}",
            suite_scenario(name, values, load, algorithm),
            measure_central,
            seed=options.run_seed,
        )
        for name, load, algorithm in product(values["scenarios"], values["loads"], options.chosen)
    ]


def suite_scenario(name: str, values: Mapping[str, Any], load: int, algorithm: str) -> Dumbbell:
    """The nine paths of a scenario, each with transfers both ways."""
    about = values["scenarios"][name]
    warm_up, test = values["times"][name][values["loads"].index(load)]
    delays = [2 * (left + right) + about["central"] for left, right in product(*about["edges"])]
    link = dumbbell(**{"rtt": f"{max(delays)} ms"} | about["keys"], flows=[algorithm])
    asked = float(parse_size(values["size"]["mean"]).value) + PAYLOAD / 2
    # Sizes are rounded up to whole segments, half of one on average.
    gap = 8 * asked * PACKET / PAYLOAD / (load / 100 * float(link.rate.value)) * len(delays)
    flows = [
        {
            "algorithm": algorithm,
            "name": f"{direction} {number}",
            "rtt": f"{delay:g} ms",
            "reverse": direction == "back",
            "application": {
                "kind": "rpc",
                "size": dict(values["size"]),
                "every": f"{gap / share:.9f} s",
                "connections": values["connections"],
            },
        }
        for direction, share in (("down", 1.0), ("back", values["back"]))
        for number, delay in enumerate(delays, start=1)
    ]
    return link.replace(
        flows=flows,
        profile="linux",
        record_queues=True,
        interval=f"{(warm_up + test) / 100} s",
        duration=f"{warm_up + test} s",
        warm_up=warm_up / (warm_up + test),
    )


def measure_central(run: Run) -> dict[str, Any]:
    """Metrics of section 4.5 for the central link, and times of transfers by their size.

    `times` has, by class of the size in segments, number, median and 95th percentile [s] of the
    transfers that were asked for after the warm-up; `open` is the part of them that never ended.
    """
    station = run.stations.row(by_predicate=pl.col("station") == CENTRAL, named=True)
    waits = run.sojourns.filter(pl.col("station") == CENTRAL)
    packets = int(waits["packets"].sum())
    waited = float(((waits["from"] + waits["below"]) / 2 * waits["packets"]).sum())
    begin = run.measurements.groups_from
    asked = run.requests.filter(
        pl.col("application").str.starts_with("down") & (pl.col("asked") >= begin)
    )
    ended = asked.filter(pl.col("received").is_not_nan() & pl.col("received").is_not_null())
    return {
        "utilization": run.responses["utilization"],
        "drops": station["drops"] / station["arrivals"],
        "delay": waited / packets if packets else math.nan,
        "open": 1 - len(ended) / len(asked) if len(asked) else math.nan,
        "times": {str(size): _times(part) for size, part in _classes(ended)},
    }


CLASSES = (10, 100, 10**9)
"""Largest sizes of the classes [segments]."""


def _classes(ended: pl.DataFrame) -> Iterator[tuple[int, pl.Series]]:
    least = 0
    for most in CLASSES:
        part = ended.filter((pl.col("size") > least) & (pl.col("size") <= most))
        yield most, part["received"] - part["asked"]
        least = most


def _times(times: pl.Series) -> list[float]:
    if times.is_empty():
        return [0.0, math.nan, math.nan]
    return [float(len(times)), *(float(times.quantile(part) or 0.0) for part in (0.5, 0.95))]


METRICS = ("utilization", "drops", "delay", "open")


def figures(run: RunResults) -> dict[str, float]:
    """Metrics behind `SCENARIO.LOAD.ALGORITHM.`: those of the link, and `MOST.p50`, `MOST.p95`."""
    numbers: dict[str, float] = {}
    for key, result in run.results.items():
        prefix = key.replace("-", ".", 2)
        numbers |= {f"{prefix}.{metric}": result[metric] for metric in METRICS}
        for most, (_, median, high) in result["times"].items():
            numbers |= {f"{prefix}.{most}.p50": median, f"{prefix}.{most}.p95": high}
    return numbers


@table
def metrics(run: RunResults, scenario: str) -> Any:
    """The metrics of a scenario: a row for each load and algorithm."""
    values = run.options.values
    rows = []
    for load, algorithm in product(values["loads"], run.options.chosen):
        prefix = f"{scenario}.{load}.{algorithm}"
        row = {"load": f"{load} %", "algorithm": values["labels"].get(algorithm, algorithm)}
        names = [*METRICS, *(f"{most}.{part}" for most in CLASSES for part in ("p50", "p95"))]
        row |= {name: run.figures.get(f"{prefix}.{name}", math.nan) for name in names}
        rows.append(row)
    headings = {"load": "load", "algorithm": "algorithm"} | dict(values["headings"])
    forms: dict[str, Format] = {name: "{:.3g}".format for name in headings if ".p" in name}
    forms |= {"utilization": "{:.1%}".format, "drops": "{:.2%}".format, "open": "{:.1%}".format}
    forms["delay"] = lambda seconds: f"{1e3 * seconds:.3g}"
    return rows_table(f"metrics-{scenario}", rows, headings, forms)
