"""Numbers of the three-tier network: speeds, buffers and hosts of its routers.

Every rule is that of MesoNet (NIST SP 500-282), stated or recovered from its published tables; the
unit tests print each published number beside ours. Exact arithmetic: a buffer is a ceiling, and a
rounding error below it would be a packet.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal

from mesonet.numbers import exact
from mesonet.scenario.topology import AccessClass, Topology

Tier = Literal["backbone", "pop", "N", "F", "D"]
BufferRule = Literal["rtt*c", "rtt*c/sqrt(n)"] | float

CLASSES: tuple[AccessClass, ...] = ("N", "F", "D")
"""Classes of access routers in the order in which distributions are printed."""
SOURCES_PER_TARGET = 3
"""Sources of a router, for each one of the target number and unit of probability."""
RECEIVERS_PER_TARGET = 4
"""Receivers of a router, likewise."""
INTERFACE_RATES = {"normal": 8_000.0, "fast": 80_000.0}
"""Line rates of hosts [packets/s]: 96 and 960 Mbit/s with packets of 1500 bytes."""

_SPEED_FACTORS: dict[Tier, Fraction] = {
    "backbone": Fraction(2),
    "pop": Fraction(1, 4),
    "N": Fraction(1, 40),
    "F": Fraction(1, 20),
    "D": Fraction(1, 4),
}


def router_speeds(speed: Fraction) -> dict[Tier, Fraction]:
    """Forwarding rates by tier, in the unit of the network speed X3."""
    return {tier: speed * factor for tier, factor in _SPEED_FACTORS.items()}


def hosts_per_router(
    factor: int, distribution: Sequence[float], target: Fraction
) -> dict[AccessClass, int]:
    """Sources (`factor` 3) or receivers (4) of one access router of each class.

    `distribution` gives the probabilities of (N, F, D); `target` is base sources times multiplier.
    """
    return {
        kind: math.floor(factor * exact(share) * target + Fraction(1, 2))
        for kind, share in zip(CLASSES, distribution, strict=True)
    }


def buffer_packets(rule: BufferRule, rtt_packets: Fraction, hosts: int) -> int:
    """Room for waiting packets in a router.

    `rtt_packets` is mean RTT times forwarding rate, `hosts` the number of sources and receivers
    attached below the router. "rtt*c" rounds up, a number is a factor on that, rounded down, and
    "rtt*c/sqrt(n)" takes n = `hosts`, the interpretation that fits the published sizes best.
    """
    if rule == "rtt*c":
        return math.ceil(rtt_packets)
    if rule == "rtt*c/sqrt(n)":
        return math.ceil(float(rtt_packets) / math.sqrt(max(hosts, 1)))
    return math.floor(math.ceil(rtt_packets) * exact(float(rule)))


def hosts_below(
    topology: Topology, hosts: Mapping[AccessClass, int]
) -> tuple[list[int], list[int], list[int]]:
    """Hosts attached below each backbone router, each PoP and each access router."""
    backbone, pops = [0] * len(topology.nodes), [0] * len(topology.pops)
    for router in topology.access:
        backbone[router.backbone] += hosts[router.kind]
        if router.pop is not None:
            pops[router.pop] += hosts[router.kind]
    return backbone, pops, [hosts[router.kind] for router in topology.access]


def class_counts(topology: Topology) -> dict[AccessClass, int]:
    """Access routers of each class."""
    return {kind: sum(router.kind == kind for router in topology.access) for kind in CLASSES}
