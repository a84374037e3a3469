"""Runs and figures of the study `applications`: what users see beside bulk flows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from statistics import fmean
from typing import Any

from mesonet.run import Run
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.flows import Flow
from mesonet.scenario.keywords import dumbbell, flow
from mesonet.studies import Item, Options, RunResults

WARM_UP = 0.2
SEEN = {
    "page": "page_load_time",
    "bitrate": "video_bitrate",
    "stalls": "video_stall_share",
    "late": "call_late_share",
    "delay": "call_delay_p95",
    "requests": "completion_time_p95",
}
"""Responses of a household, by their name in figures."""


def runs(options: Options) -> list[Item]:
    """Households by path, queue and bulk flow, and short flows by round trip and bulk flow."""
    values = options.values
    numbers = range(options.replicates or int(values["replicates"]))
    households = product(values["paths"], values["queues"], values["bulk"], numbers)
    short = product(values["round_trips"], values["short_bulk"], numbers)
    return [
        *(
            Item(
                f"{path}-{queue}-{bulk}-{number}",
                _household(path, queue, bulk, values),
                measure_household,
                seed=options.run_seed + number,
            )
            for path, queue, bulk, number in households
        ),
        *(
            Item(
                f"short-{rtt}-{bulk}-{number}",
                _short_flows(rtt, bulk, values),
                measure_short,
                seed=options.run_seed + number,
            )
            for rtt, bulk, number in short
        ),
    ]


def _household(path: str, queue: str, bulk: str, values: Mapping[str, Any]) -> Dumbbell:
    own = values["household"]
    users = [flow("cubic", name=name, start="1 s", application=own[name]) for name in own]
    link: dict[str, Any] = {"path": path, "queue": queue}
    return dumbbell(
        **link,
        flows=[*users, *_bulk(bulk)],
        profile="linux",
        interval="1 s",
        duration=values["duration"],
        warm_up=WARM_UP,
    )


def _short_flows(rtt: int, bulk: str, values: Mapping[str, Any]) -> Dumbbell:
    # 64 kB and 2 MB at the 5th and 95th percentile.
    size = {"law": "lognormal", "mean": "646 kB", "shape": 1.046}
    requests = {"kind": "rpc", "size": size, "every": "200 ms"}
    return dumbbell(
        rate="50 Mbit/s",
        rtt=f"{rtt} ms",
        buffer="10240 packets",
        queue={"kind": "fq_codel", "flows": 1},
        flows=[flow("cubic", name="short", start="20 s", application=requests), *_bulk(bulk)],
        profile="linux",
        transport={"ecn": True},
        interval="1 s",
        duration=values["short_duration"],
    )


def _bulk(algorithm: str) -> list[Flow]:
    return [] if algorithm == "none" else [flow(algorithm, name="bulk")]


def measure_household(run: Run) -> dict[str, float]:
    """What users see; bit rates in Mbit/s."""
    seen = {name: run.responses[response] for name, response in SEEN.items()}
    return seen | {"bitrate": seen["bitrate"] / 1e6}


def measure_short(run: Run) -> dict[str, float]:
    """Median completion time of short flows [s]."""
    return {"median": run.responses["completion_time_p50"]}


def figures(run: RunResults) -> dict[str, float]:
    """Means over replicates: `PATH.QUEUE.BULK.NAME`, with the names of `SEEN`.

    `short.RTT.BULK` is the median completion time [ms], `harm.RTT.BULK` the part of it that the
    bulk flow adds.
    """
    values, numbers = run.options.values, dict[str, float]()
    for names, results in _alike(run, values["paths"], values["queues"], values["bulk"]):
        for name in SEEN:
            numbers[".".join((*names, name))] = fmean(result[name] for result in results)
    for names, results in _alike(run, ["short"], values["round_trips"], values["short_bulk"]):
        numbers[".".join(names)] = 1000 * fmean(result["median"] for result in results)
    for rtt in values["round_trips"]:
        alone = numbers.get(f"short.{rtt}.none")
        if alone is None:
            continue
        for bulk in ("cubic", "prague"):
            if beside := numbers.get(f"short.{rtt}.{bulk}"):
                numbers[f"harm.{rtt}.{bulk}"] = (beside - alone) / beside
    return numbers


def _alike(run: RunResults, *levels: Any) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """Results by the names of their levels."""
    for names in product(*(map(str, level) for level in levels)):
        begin = "-".join(names)
        results = [it for key, it in run.results.items() if key.rpartition("-")[0] == begin]
        if results:
            yield names, results
