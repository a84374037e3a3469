"""The published network itself: sources, speeds and buffers of the full size."""

from __future__ import annotations

from itertools import product
from typing import Any

from mesonet.plan import Plan
from mesonet.studies.nist.exp2_plan import plan_of
from mesonet.studies.nist.exp2_published import NETWORKS
from mesonet.studies.study import Options

GBITS_PER_PACKET = 12_000 / 1e9
"""A packet has 1500 bytes."""
TIERS = {"backbone": (0, 11), "PoP": (11, 33), "access": (33, 172)}
"""Places of the routers of a tier among the stations of the Abilene network."""
CLASSES = ("D", "F", "N")
"""Classes of access routers, in the order of a resolved scenario."""


def network_figures(name: str) -> dict[str, float]:
    """Sources, speeds [Gbit/s] by tier and level, and how far buffers are from what is printed.

    Figures: `sources.plus`; `speed.N.plus` and its like, and `speeds.plus`, the largest relative
    distance of these from what is printed; `buffers.PoP.1` and its like, the largest distance
    [packets] of smallest, mean and largest buffer, and `buffers.1`, the largest of all tiers.
    """
    plan = plan_of(name, Options("full"))
    ends = {
        (speed, delay, buffers, sources): _resolved(plan, speed, delay, buffers, sources)
        for speed, delay, buffers, sources in product((-1, 1), repeat=4)
    }
    figures: dict[str, float] = {}
    for level, code in (("plus", 1), ("minus", -1)):
        spec = ends[code, code, code, code]
        figures[f"sources.{level}"] = float(sum(site["sources"] for site in spec["sites"]))
        speeds = _speeds(spec)
        figures |= {f"speed.{tier}.{level}": speed for tier, speed in speeds.items()}
        figures[f"speeds.{level}"] = max(
            abs(speeds[tier] / printed[0 if code > 0 else 1] - 1)
            for tier, printed in NETWORKS[name].speeds.items()
        )
    for tier, printed in NETWORKS[name].buffers.items():
        for factor, code, numbers in (("1", 1, printed[0]), ("0.5", -1, printed[1])):
            found = [
                _buffer(ends[speed, delay, code, 1], tier)
                for speed, delay in product((-1, 1), repeat=2)
            ]
            ours = (min(found), sum(found) / len(found), max(found))
            distances = [abs(a - b) for a, b in zip(ours, numbers, strict=True)]
            figures[f"buffers.{tier}.{factor}"] = max(distances)
            figures[f"buffers.{factor}"] = max(figures.get(f"buffers.{factor}", 0.0), *distances)
    return figures


def _resolved(plan: Plan, speed: int, delay: int, buffers: int, sources: int) -> dict[str, Any]:
    codes = {"speed": speed, "delay": delay, "buffers": buffers, "sources": sources}
    changes: dict[str, object] = {"algorithms": "reno"}
    for factor in plan.factors:
        if factor.name in codes:
            changes |= factor.settings(codes[factor.name])
    return plan.scenario.replace(changes).resolve()


def _speeds(spec: dict[str, Any]) -> dict[str, float]:
    stations = spec["stations"]

    def gigabits(place: int) -> float:
        return float(stations[place]["rate"]["packets_per_second"]) * GBITS_PER_PACKET

    first = {tier: gigabits(TIERS[tier][0]) for tier in ("backbone", "PoP")}
    by_class = {site["class"]: gigabits(site["station"]) for site in spec["sites"]}
    return first | {name: by_class[place] for place, name in enumerate(CLASSES)}


def _buffer(spec: dict[str, Any], tier: str) -> float:
    begin, end = TIERS[tier]
    sizes: list[int] = [station["buffer"]["packets"] for station in spec["stations"][begin:end]]
    return sum(sizes) / len(sizes)
