"""Derived numbers of Experiment 1's network that are printed, beside ours; nothing is simulated.

Speeds in Gbit/s with packets of 1500 bytes, delays in ms, buffers of a kind of router in packets.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl

from mesonet.scenario.tiers import class_counts
from mesonet.scenario.topology import load_topology
from mesonet_studies.nist.network import full_plan, published_network

_FACTORS = ("speed", "delay", "buffers", "sources")
_RULES = ("rtt*c/sqrt(n)", "rtt*c")
"""Rules of buffer sizing at the low and the high level."""


def printed_beside_ours(study: str, file: str) -> pl.DataFrame:
    """Every printed number of a file beside ours, from the plan of a study, misprints too.

    They agree within the relative or the absolute distance of the file, whichever is more.
    """
    printed = pl.read_csv(Path(__file__).parents[1] / file)
    model = dict(_model(study))
    ours = [float(model[entry]) for entry in printed["entry"]]
    near = pl.max_horizontal(pl.col("relative") * pl.col("printed"), "absolute").fill_null(0.0)
    table = printed.with_columns(ours=pl.Series(ours))
    return table.with_columns(agrees=(pl.col("ours") - pl.col("printed")).abs() <= near)


def network_figures(study: str, file: str) -> dict[str, float]:
    """Number of printed entries of each table that are ours, without misprints."""
    frame = printed_beside_ours(study, file).filter(pl.col("misprint").is_null())
    counts = frame.group_by("table", maintain_order=True).agg(pl.col("agrees").sum())
    return {f"tables.{table}": float(count) for table, count in counts.iter_rows()}


def _model(study: str) -> Iterator[tuple[str, float]]:
    """Our numbers by the names of the entries."""
    topology = load_topology("abilene")
    levels: dict[str, tuple[Any, Any]] = {
        factor.name: (factor.low, factor.high) for factor in full_plan(study).factors
    }
    for code, rate in zip((-1, 1), levels["speed"], strict=True):
        for tier, speed in published_network(study, speed=code).speeds.items():
            yield f"{_entry(tier)} at {rate}", speed
    for multiplier in levels["delay"]:
        rtts = [2 * multiplier * topology.distance_ns[a][b] / 1e6 for a, b in topology.pairs()]
        yield from _ends("{} at X2 = " + str(multiplier), rtts)
    yield from {"backbone": len(topology.nodes), "PoP": len(topology.pops)}.items()
    yield from class_counts(topology).items()
    for code, name in ((-1, "skewed"), (1, "uniform")):
        yield name, published_network(study, sources=code).sources
    sizes: dict[str, list[float]] = {}
    for codes in product((-1, 1), repeat=len(_FACTORS)):
        at = dict(zip(_FACTORS, codes, strict=True))
        rule = _RULES[at["buffers"] > 0]
        for tier, mean in published_network(study, **at).buffers.items():
            sizes.setdefault(f"{rule} {_entry(tier)} {{}}", []).append(mean)
    for name, means in sizes.items():
        yield from _ends(name, means)


def _entry(tier: str) -> str:
    """A tier as entries name it."""
    return "pop" if tier == "PoP" else tier


def _ends(name: str, values: list[float]) -> Iterator[tuple[str, float]]:
    for end, of in (("min", min), ("mean", fmean), ("max", max)):
        yield name.format(end), of(values)
