"""The published networks of the experiments, as plans of full size resolve them; nothing is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from statistics import fmean

from mesonet.plan import Plan
from mesonet.studies.folder import find_study
from mesonet.studies.study import Options, RunResults

_GBITS = 12_000 / 1e9
"""Gbit in a packet of 1500 bytes."""
TIERS = {"backbone": (0, 11), "PoP": (11, 33), "access": (33, 172)}
"""Places of the routers of a tier among the stations of the Abilene network."""
_CLASSES = ("D", "F", "N")
"""Classes of access routers, in the order of a resolved scenario."""


def processor_hours(run: RunResults) -> float:
    """Processor time of all finished runs [h]."""
    (campaign,) = run.campaigns.values()
    return float(campaign.timings()["cpu_seconds"].fill_null(0.0).sum()) / 3600


@dataclass(frozen=True)
class Network:
    """Number of sources, speeds of tiers and classes [Gbit/s], mean buffers of tiers [packets]."""

    sources: int
    speeds: Mapping[str, float]
    buffers: Mapping[str, float]


@cache
def full_plan(study: str) -> Plan:
    """The plan of a study at the published size."""
    (plan,) = find_study(study).prepare(Options("full", variants=())).plans.values()
    return plan


@cache
def published_network(study: str, **codes: int) -> Network:
    """The published network at levels of some factors, -1 or 1; every variant asks for it."""
    plan = full_plan(study)
    changes: dict[str, object] = {"algorithms": "reno"}
    for factor in plan.factors:
        if factor.name in codes:
            changes |= factor.settings(codes[factor.name])
    spec = plan.scenario.replace(changes).resolve()
    stations = spec["stations"]
    places = {tier: TIERS[tier][0] for tier in ("backbone", "PoP")}
    places |= {_CLASSES[site["class"]]: site["station"] for site in spec["sites"]}
    speeds = {
        tier: float(stations[place]["rate"]["packets_per_second"]) * _GBITS
        for tier, place in places.items()
    }
    buffers = {
        tier: fmean(station["buffer"]["packets"] for station in stations[begin:end])
        for tier, (begin, end) in TIERS.items()
    }
    return Network(sum(site["sources"] for site in spec["sites"]), speeds, buffers)
