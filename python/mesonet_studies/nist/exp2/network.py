"""The published network: sources, speeds and buffers of the full size, and what its runs cost."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import product
from statistics import fmean
from typing import Any

from mesonet.campaign import Campaign
from mesonet.plan import Plan
from mesonet.plan import expected as expected_of
from mesonet_studies.nist.network import TIERS, full_plan, published_network


def network_figures(study: str, printed: Mapping[str, Any]) -> dict[str, float]:
    """Sources, speeds [Gbit/s] by tier and level, and how far buffers are from what is printed.

    `speeds.plus` and its like are the largest relative distances from what is printed,
    `buffers.PoP.1` and its like the largest distance [packets] of smallest, mean and largest
    buffer, `buffers.1` that of all tiers. The `slips` of a level, numbers that contradict the
    source's own rule, do not count.
    """
    figures: dict[str, float] = {}
    for level in printed["levels"]:
        name, code = level["name"], 1 if level["name"] == "plus" else -1
        network = published_network(study, speed=code, delay=code, buffers=code, sources=code)
        speeds = network.speeds
        figures[f"printed.sources.{name}"] = float(level["sources"])
        figures[f"sources.{name}"] = float(network.sources)
        figures |= {f"printed.speed.{tier}.{name}": v for tier, v in level["speeds"].items()}
        figures |= {f"speed.{tier}.{name}": speed for tier, speed in speeds.items()}
        figures[f"speeds.{name}"] = max(
            abs(speeds[tier] / value - 1)
            for tier, value in level["speeds"].items()
            if tier not in level.get("slips", ())
        )
    for level in printed["buffers"]:
        factor, code = level["factor"], 1 if level["factor"] == "1" else -1
        networks = [
            published_network(study, speed=speed, delay=delay, buffers=code, sources=1)
            for speed, delay in product((-1, 1), repeat=2)
        ]
        for tier in TIERS:
            buffers = [network.buffers[tier] for network in networks]
            ours = min(buffers), fmean(buffers), max(buffers)
            distances = [
                abs(own - value)
                for own, (which, value) in zip(ours, level[tier].items(), strict=True)
                if f"{tier}.{which}" not in level.get("slips", ())
            ]
            figures[f"buffers.{tier}.{factor}"] = max(distances)
        figures[f"buffers.{factor}"] = max(figures[f"buffers.{tier}.{factor}"] for tier in TIERS)
    return figures


def full_over_measured(study: str, campaign: Campaign) -> float:
    """Expected packets of the published runs over those of a campaign's runs.

    Every alternate is expected to send the same.
    """
    runs = campaign.results().group_by("condition", maintain_order=True).len().rows()
    expected = sum(count * _expected(campaign.plan, condition) for condition, count in runs)
    return _published(study) / expected if expected else 1.0


@cache
def _published(study: str) -> float:
    """Expected packets of all published runs."""
    plan = full_plan(study)
    every = sum(_expected(plan, condition) for condition in range(1, plan.conditions + 1))
    return len(plan.alternatives) * every


def _expected(plan: Plan, condition: int) -> float:
    return expected_of(plan.scenario_of(condition, plan.alternatives[0]).resolve()).packets
