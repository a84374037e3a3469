"""What runs cost before any is made: an estimate for ordering runs and for planning time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

PACKETS_PER_CPU_SECOND = 1.6e6
"""Data packets that one core simulates per second, from `docs/performance.md`: worlds of experiment
1b's size, ACKs free. Runs of few packets take longer for each, others may be faster."""


def expected_packets(spec: Mapping[str, Any]) -> float:
    """Packets a resolved scenario is expected to send: what is offered, up to what fits.

    An estimate for ordering runs and for the time they take, nothing else.
    """
    packet = spec["packet"]
    packet_bits: float = 8.0 * (packet["smss"] + packet["header"])
    sites, duration = spec["sites"], float(spec["duration"])

    def speed(station: int) -> float:
        rate = spec["stations"][station]["rate"]
        if "packets_per_second" in rate:
            return float(rate["packets_per_second"])
        return float(rate["bits_per_second"]) / packet_bits

    def capacity(entries: Iterable[int]) -> float:
        return sum(speed(station) for station in set(entries))

    packets = 0.0
    if population := spec.get("population"):
        files = population["files"]
        shares = zip(files["probability"], files["factor"], strict=True)
        size = files["mean"] * (1 + sum(share * (factor - 1) for share, factor in shares))
        sources = sum(site["sources"] for site in sites)
        # A transfer takes some round trips besides the thinking; half a second is typical here.
        offered = sources * size / (population["think_mean"] + 0.5)
        # Every packet crosses two access routers.
        fits = capacity(site["station"] for site in sites) / 2
        packets += min(offered, fits) * duration
    if flows := spec.get("flows"):
        unlimited = capacity(sites[flow["source"]]["station"] for flow in flows) * duration
        sizes = (math.inf if flow["size"] is None else flow["size"] for flow in flows)
        packets += min(sum(sizes), unlimited)
    return float(max(packets, 1.0))


def cpu_seconds(packets: float, *, speed: float = PACKETS_PER_CPU_SECOND) -> float:
    """Processor seconds for `packets`, at `speed` packets per processor second."""
    return packets / speed
