"""Derived numbers of Experiment 1's network that are printed, beside ours; nothing is simulated.

Speeds in Gbit/s with packets of 1500 bytes, delays in ms, buffers in packets. The buffers of a kind
of router are means over routers; minimum, mean and maximum are over the settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl

from mesonet.scenario.tiers import (
    RECEIVERS_PER_TARGET,
    SOURCES_PER_TARGET,
    BufferRule,
    buffer_packets,
    class_counts,
    hosts_below,
    hosts_per_router,
    router_speeds,
)
from mesonet.scenario.topology import load_topology

_GBITS = Fraction(12_000 * 1000, 10**9)
_SHARES = {"uniform": (1 / 3, 1 / 3, 1 / 3), "skewed": (0.1, 0.6, 0.3)}
_RECEIVERS = (0.6, 0.2, 0.2)
_RULES: tuple[BufferRule, ...] = ("rtt*c", "rtt*c/sqrt(n)")
_MULTIPLIERS = (1, 2)
_ROOT_TOLERANCE = 0.1
"""Relative distance within which a buffer divided by the root of n counts as printed."""


def printed_beside_ours(values: Mapping[str, Any]) -> pl.DataFrame:
    """Every printed number beside ours, misprints too.

    Args:
        values: constants of the study: levels of the speed `rates`, base sources times multiplier
            `target`, and the file `network` of what is printed, from the folder above.
    """
    printed = pl.read_csv(Path(__file__).parents[1] / values["network"])
    model = dict(_model(values["rates"], Fraction(values["target"])))
    ours = [float(model[entry]) for entry in printed["entry"]]
    room = (
        pl.when(table="speeds").then(1e-9 * pl.col("printed"))
        .when(table=_RULES[1]).then(pl.max_horizontal(0.5, _ROOT_TOLERANCE * pl.col("printed")))
        .when(pl.col("table").is_in(["delays", _RULES[0]])).then(0.5)
        .otherwise(0.0)
    )  # fmt: skip
    found = printed.with_columns(ours=pl.Series(ours))
    return found.with_columns(agrees=(pl.col("ours") - pl.col("printed")).abs() <= room)


def network_figures(values: Mapping[str, Any]) -> dict[str, float]:
    """Number of printed entries of each table that are ours, without misprints."""
    frame = printed_beside_ours(values).filter(pl.col("misprint").is_null())
    counts = frame.group_by("table", maintain_order=True).agg(pl.col("agrees").sum())
    return {f"tables.{table}": float(count) for table, count in counts.iter_rows()}


def _model(rates: list[int], target: Fraction) -> Iterator[tuple[str, float | Fraction]]:
    """Our numbers by the names of the entries."""
    topology = load_topology("abilene")
    for rate in rates:
        for tier, speed in router_speeds(Fraction(rate)).items():
            yield f"{tier} at {rate} p/ms", speed * _GBITS
    for multiplier in _MULTIPLIERS:
        rtts = [2 * multiplier * topology.distance_ns[a][b] / 1e6 for a, b in topology.pairs()]
        yield from _ends("{} at X2 = " + str(multiplier), rtts)
    yield from {"backbone": len(topology.nodes), "PoP": len(topology.pops)}.items()
    yield from class_counts(topology).items()
    sizes: dict[str, list[float]] = {}
    for name, shares in _SHARES.items():
        out = hosts_per_router(SOURCES_PER_TARGET, shares, target)
        yield name, sum(count * out[kind] for kind, count in class_counts(topology).items())
        into = hosts_per_router(RECEIVERS_PER_TARGET, _RECEIVERS, target)
        below = hosts_below(topology, {kind: out[kind] + into[kind] for kind in out})
        for rate, multiplier, rule in product(rates, _MULTIPLIERS, _RULES):
            speeds, rtt = router_speeds(Fraction(rate)), topology.mean_rtt_ms() * multiplier
            tiers = {
                "backbone": [speeds["backbone"]] * len(below[0]),
                "pop": [speeds["pop"]] * len(below[1]),
                "access": [speeds[router.kind] for router in topology.access],
            }
            for (kind, each), hosts in zip(tiers.items(), below, strict=True):
                rooms = [
                    buffer_packets(rule, rtt * speed, count)
                    for speed, count in zip(each, hosts, strict=True)
                ]
                sizes.setdefault(f"{rule} {kind} {{}}", []).append(fmean(rooms))
    for name, rooms_of_kind in sizes.items():
        yield from _ends(name, rooms_of_kind)


def _ends(name: str, values: list[float]) -> Iterator[tuple[str, float]]:
    for end, of in (("min", min), ("mean", fmean), ("max", max)):
        yield name.format(end), of(values)
