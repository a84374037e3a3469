"""Derived tables that Experiment 1 prints, beside those of its model; nothing is simulated.

Speeds in Gbit/s with packets of 1500 bytes, delays in ms, buffers in packets. Source: slides
"Domain View of Experiment #1a" and the backup slide on 1b.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean

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
from mesonet.scenario.topology import Topology, load_topology

_GBPS = Fraction(12_000 * 1000, 10**9)
_UNIFORM, _SKEWED, _WEB = (1 / 3, 1 / 3, 1 / 3), (0.1, 0.6, 0.3), (0.6, 0.2, 0.2)
_TIERS = ("backbone", "pop", "N", "F", "D")
_ROWS = ("backbone", "pop", "access")
_ENDS = ("min", "mean", "max")


@dataclass(frozen=True)
class PrintedTables:
    """Numbers that the slides print of one experiment."""

    speeds: Mapping[int, tuple[float, ...]]
    """Backbone, PoP, N, F, D [Gbit/s], by network speed [packets/ms]."""
    full: Mapping[str, tuple[float, float, float]]
    """Buffers of RTT x C: minimum, mean, maximum [packets], by kind of router."""
    root: Mapping[str, tuple[float, float, float]]
    """Buffers of RTT x C / sqrt(n), likewise."""
    sources: tuple[int, int]
    """Numbers of sources, with uniform and with skewed distribution."""
    target: int
    """Base sources times multiplier."""
    misprints: tuple[str, ...] = ()
    """Entries that repeat another row: the maxima of access routers in 1b."""


DELAYS: Mapping[int, tuple[int, int, int]] = {1: (6, 41, 100), 2: (12, 81, 200)}
"""Round-trip propagation delay: minimum, mean, maximum [ms], by multiplier."""
COUNTS = {"backbone": 11, "PoP": 22, "D": 6, "F": 28, "N": 105}
"""Routers of the topology."""

PRINTED: Mapping[str, PrintedTables] = {
    "nist-1a": PrintedTables(
        speeds={4000: (96, 12, 1.2, 2.4, 12), 8000: (192, 24, 2.4, 4.8, 24)},
        full={
            "backbone": (325_528, 732_437, 1_302_110),
            "pop": (40_691, 91_555, 162_764),
            "access": (6_470, 14_557, 25_879),
        },
        root={
            "backbone": (1_153, 2_606, 4_654),
            "pop": (221, 505, 908),
            "access": (91, 207, 369),
        },
        sources=(278_000, 174_600),
        target=2000,
    ),
    "nist-1b": PrintedTables(
        speeds={600: (14.4, 1.8, 0.18, 0.36, 1.8), 1200: (28.8, 3.6, 0.36, 0.72, 3.6)},
        full={
            "backbone": (48_830, 109_866, 195_317),
            "pop": (6_104, 13_734, 24_415),
            "access": (971, 2_184, 6_104),
        },
        root={"backbone": (547, 1_236, 2_208), "pop": (105, 240, 431), "access": (44, 99, 105)},
        sources=(27_800, 17_460),
        target=200,
        misprints=("rtt*c access max", "rtt*c/sqrt(n) access max"),
    ),
}

ROOT_TOLERANCE = 0.1
"""Relative difference within which a buffer divided by the root of n counts as printed."""


@dataclass(frozen=True)
class PrintedEntry:
    """One printed number beside ours."""

    table: str
    entry: str
    printed: float
    ours: float
    agrees: bool


def entries(experiment: str) -> list[PrintedEntry]:
    """Every printed number of the tables of "nist-1a" or "nist-1b" beside ours, misprints too."""
    printed, topology = PRINTED[experiment], load_topology("abilene")
    found = []
    for speed, row in printed.speeds.items():
        rates = router_speeds(Fraction(speed))
        for tier, value in zip(_TIERS, row, strict=True):
            ours = float(rates[tier] * _GBPS)  # type: ignore[index]
            agrees = abs(ours - value) < 1e-9 * value
            found.append(PrintedEntry("speeds", f"{tier} at {speed} p/ms", value, ours, agrees))
    for multiplier, row in DELAYS.items():
        rtts = [2 * multiplier * topology.distance_ns[a][b] / 1e6 for a, b in topology.pairs()]
        for end, value, ours in zip(_ENDS, row, (min(rtts), fmean(rtts), max(rtts)), strict=True):
            agrees = round(ours) == value
            found.append(PrintedEntry("delays", f"{end} at X2 = {multiplier}", value, ours, agrees))
    counts = {"backbone": len(topology.nodes), "PoP": len(topology.pops)}
    counts |= {str(kind): count for kind, count in class_counts(topology).items()}
    for name, value in COUNTS.items():
        found.append(PrintedEntry("routers", name, value, counts[name], counts[name] == value))
    for name, shares, value in zip(
        ("uniform", "skewed"), (_UNIFORM, _SKEWED), printed.sources, strict=True
    ):
        hosts = hosts_per_router(SOURCES_PER_TARGET, shares, Fraction(printed.target))
        total = sum(count * hosts[kind] for kind, count in class_counts(topology).items())
        found.append(PrintedEntry("sources", name, value, total, total == value))
    for rule, table, tolerance in (
        ("rtt*c", printed.full, 0.0),
        ("rtt*c/sqrt(n)", printed.root, ROOT_TOLERANCE),
    ):
        ours_by_row = _buffers(topology, rule, printed)  # type: ignore[arg-type]
        for row_name in _ROWS:
            for end, value, ours in zip(_ENDS, table[row_name], ours_by_row[row_name], strict=True):
                room = max(0.5, tolerance * value)
                entry = f"{rule} {row_name} {end}"
                found.append(PrintedEntry(rule, entry, value, ours, abs(ours - value) <= room))
    return found


def figures(experiment: str) -> dict[str, float]:
    """Number of printed entries of each table that the model reproduces, without misprints."""
    misprints = PRINTED[experiment].misprints
    counted: dict[str, float] = {}
    for entry in entries(experiment):
        if entry.entry not in misprints:
            name = f"tables.{entry.table}"
            counted[name] = counted.get(name, 0.0) + float(entry.agrees)
    return counted


def _buffers(
    topology: Topology, rule: BufferRule, printed: PrintedTables
) -> dict[str, tuple[float, float, float]]:
    """Minimum, mean and maximum over the settings of the experiment of the mean over routers."""
    cells: dict[str, list[float]] = {name: [] for name in _ROWS}
    for shares in (_UNIFORM, _SKEWED):
        target = Fraction(printed.target)
        out = hosts_per_router(SOURCES_PER_TARGET, shares, target)
        into = hosts_per_router(RECEIVERS_PER_TARGET, _WEB, target)
        below = hosts_below(topology, {kind: out[kind] + into[kind] for kind in out})
        for speed in printed.speeds:
            rates = router_speeds(Fraction(speed))
            for multiplier in DELAYS:
                rtt = topology.mean_rtt_ms() * multiplier
                tiers = {
                    "backbone": [rates["backbone"]] * len(below[0]),
                    "pop": [rates["pop"]] * len(below[1]),
                    "access": [rates[router.kind] for router in topology.access],
                }
                for (name, speeds), hosts in zip(tiers.items(), below, strict=True):
                    sizes = [
                        buffer_packets(rule, rtt * rate, count)
                        for rate, count in zip(speeds, hosts, strict=True)
                    ]
                    cells[name].append(fmean(sizes))
    return {name: (min(sizes), fmean(sizes), max(sizes)) for name, sizes in cells.items()}
