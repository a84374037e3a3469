"""Mixes of algorithms in the setting of the publications: long-lived flows at one bottleneck."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from mesonet.responses import compute
from mesonet.scenario import Scenario
from mesonet.scenario.dumbbell import Flow
from mesonet.scenario.keywords import dumbbell
from mesonet.simulate import Run
from mesonet.studies.bench import Item, Results
from mesonet.studies.study import Size

FLOWS = 10
RIVALS = (1, 3, 7, 15)
"""Incumbents that a single flow of a newcomer meets."""
DEEP = 10
"""Buffer in which it meets them [bandwidth-delay products]."""


@dataclass(frozen=True)
class BottleneckExtent:
    """Extent of the bottleneck runs at one size."""

    duration: str
    buffers: tuple[int, ...]
    """Buffer sizes [bandwidth-delay products]."""
    counts: tuple[int, ...]
    """Flows of the newcomer among `FLOWS`."""
    replicates: int


EXTENTS: Mapping[Size, BottleneckExtent] = {
    "pocket": BottleneckExtent("120 s", (1, 3, DEEP), tuple(range(FLOWS + 1)), 1),
    "desk": BottleneckExtent("300 s", (1, 3, DEEP), tuple(range(FLOWS + 1)), 5),
    "full": BottleneckExtent("600 s", (1, 2, 3, 5, DEEP, 20), tuple(range(FLOWS + 1)), 10),
}


def bottleneck(
    incumbents: tuple[str, int],
    newcomers: tuple[str, int],
    *,
    buffer: int,
    extent: BottleneckExtent,
    replicate: int,
) -> Scenario:
    """Long-lived flows at 50 Mbit/s and 40 ms.

    Args:
        incumbents: Algorithm and number of flows.
        newcomers: Algorithm and number of flows.
        buffer: Bandwidth-delay products.
        extent: Extent of the size.
        replicate: Seed of the order in which flows start, within three seconds.
    """
    names = [name for name, count in (incumbents, newcomers) for _ in range(count)]
    # 7 has no factor in common with the numbers of flows in use, so starts differ and are mixed.
    starts = [(7 * place + 3 * (replicate - 1)) % len(names) for place in range(len(names))]
    return dumbbell(
        rate="50 Mbit/s",
        rtt="40 ms",
        buffer=f"{buffer} bdp",
        flows=[
            Flow(algorithm=name, start=f"{round(3000 * start / len(names))} ms")
            for name, start in zip(names, starts, strict=True)
        ],
        profile="linux",
        duration=extent.duration,
        # In a deep buffer it takes a minute until flows of BBR have all seen it empty.
        warm_up=0.5,
    )


def measure_bottleneck(run: Run) -> dict[str, Any]:
    """Numbers of a run, after its warm-up.

    Returns:
        `goodput`: means per flow by algorithm [segments/s]. `capacity` [segments/s]. `loss`.
        `queueing`: median delay at the bottleneck [s].
    """
    window = run.measurements.windows[0]
    acked = window.flows.group_by("flow").agg(pl.col("acked").cast(pl.Float64).sum())
    algorithms = run.measurements.flow_algorithms
    named = acked.with_columns(
        pl.col("flow").replace_strict(algorithms, return_dtype=pl.String).alias("algorithm")
    )
    means = (
        named.group_by("algorithm").agg(pl.col("acked").mean() / window.seconds).sort("algorithm")
    )
    found = compute(run.measurements, ["loss_rate", "bottleneck_delay_p50"])
    return {
        "goodput": dict(means.iter_rows()),
        "capacity": run.measurements.bottleneck,
        "loss": found["loss_rate"],
        "queueing": found["bottleneck_delay_p50"],
    }


def game_name(newcomer: str, buffer: int, count: int, replicate: int) -> str:
    """Name of a run among the results."""
    return f"{newcomer} {count} of {FLOWS}, {buffer} bdp, replicate {replicate}"


def rival_name(newcomer: str, rivals: int, replicate: int) -> str:
    """Name of a run among the results."""
    return f"{newcomer} against {rivals}, replicate {replicate}"


def bottleneck_items(
    incumbent: str, newcomers: Sequence[str], extent: BottleneckExtent
) -> list[Item]:
    """All runs at the bottleneck."""
    return list(_items(incumbent, newcomers, extent))


def _items(incumbent: str, newcomers: Sequence[str], extent: BottleneckExtent) -> Iterator[Item]:
    for newcomer in newcomers:
        for replicate in range(1, extent.replicates + 1):
            for buffer in extent.buffers:
                for count in extent.counts:
                    scenario = bottleneck(
                        (incumbent, FLOWS - count),
                        (newcomer, count),
                        buffer=buffer,
                        extent=extent,
                        replicate=replicate,
                    )
                    name = game_name(newcomer, buffer, count, replicate)
                    yield Item(name, scenario, measure_bottleneck, seed=replicate)
            for rivals in RIVALS:
                scenario = bottleneck(
                    (incumbent, rivals),
                    (newcomer, 1),
                    buffer=DEEP,
                    extent=extent,
                    replicate=replicate,
                )
                name = rival_name(newcomer, rivals, replicate)
                yield Item(name, scenario, measure_bottleneck, seed=replicate)


def play(
    results: Results, incumbent: str, newcomers: Sequence[str], extent: BottleneckExtent
) -> pl.DataFrame:
    """Goodput of flows, loss and queueing in every mix of incumbents and newcomers.

    Returns:
        One row per newcomer, buffer, count and replicate that was run: `newcomer`, `buffer`
        [bandwidth-delay products], `count`, `replicate`, `incumbent_goodput` and
        `newcomer_goodput` (means per flow over the fair share; NaN without flows), `loss`,
        `queueing` [s].
    """
    rows = []
    for newcomer in newcomers:
        for buffer in extent.buffers:
            for count in extent.counts:
                for replicate in range(1, extent.replicates + 1):
                    run = results.get(game_name(newcomer, buffer, count, replicate))
                    if run is not None:
                        fair = run["capacity"] / FLOWS
                        rows.append(
                            (
                                newcomer,
                                buffer,
                                count,
                                replicate,
                                run["goodput"].get(incumbent, math.nan) / fair,
                                run["goodput"].get(newcomer, math.nan) / fair,
                                run["loss"],
                                run["queueing"],
                            )
                        )
    names = ("incumbent_goodput", "newcomer_goodput", "loss", "queueing")
    schema = {
        "newcomer": pl.String,
        "buffer": pl.Int64,
        "count": pl.Int64,
        "replicate": pl.Int64,
        **dict.fromkeys(names, pl.Float64),
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def face(results: Results, newcomers: Sequence[str], extent: BottleneckExtent) -> pl.DataFrame:
    """Goodput of single flows of newcomers among incumbents.

    Returns:
        One row per newcomer, number of rivals and replicate that was run: `newcomer`, `rivals`,
        `replicate`, `share` (part of the capacity).
    """
    rows = [
        (newcomer, count, replicate, run["goodput"][newcomer] / run["capacity"])
        for newcomer in newcomers
        for count in RIVALS
        for replicate in range(1, extent.replicates + 1)
        if (run := results.get(rival_name(newcomer, count, replicate))) is not None
    ]
    schema = {
        "newcomer": pl.String,
        "rivals": pl.Int64,
        "replicate": pl.Int64,
        "share": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")
