"""Cost of Experiment 2."""

from __future__ import annotations

from dataclasses import dataclass

from mesonet.campaign import Campaign
from mesonet.plan import Plan
from mesonet.plan import expected as expected_of
from mesonet.studies.nist.exp2_plan import ALTERNATES, plan_of
from mesonet.studies.nist.exp2_published import VOLUMES
from mesonet.studies.study import Options


@dataclass(frozen=True)
class CampaignCost:
    """Processor time and packets: measured, extrapolated to the full size, and published."""

    hours: float
    packets: float
    full_hours: float
    full_packets: float
    published_hours: float
    published_packets: float


def cost_of(name: str, campaign: Campaign, *, full: bool) -> CampaignCost:
    """The cost of a campaign, and of the published plan by expected packets.

    Both are expected now, whatever was expected of the runs when they were made.
    """
    timings = campaign.timings()
    hours = float(timings["cpu_seconds"].sum()) / 3600
    results = campaign.results()
    packets = float(results["packets"].sum())
    expected = sum(
        runs * _expected(campaign.plan, condition)
        for condition, runs in results.group_by("condition").len().rows()
    )
    ratio = 1.0 if full or not expected else _published(name) / expected
    volume = VOLUMES[name]
    return CampaignCost(
        hours=hours,
        packets=packets,
        full_hours=hours * ratio,
        full_packets=packets * ratio,
        published_hours=volume.hours,
        published_packets=volume.packets,
    )


def _published(name: str) -> float:
    """Expected packets of all published runs."""
    plan = plan_of(name, Options("full", algorithms=("ctcp",)))
    conditions = range(1, plan.conditions + 1)
    return len(ALTERNATES) * sum(_expected(plan, condition) for condition in conditions)


def _expected(plan: Plan, condition: int) -> float:
    """Expected packets of a run; every alternate is expected to send the same."""
    return expected_of(plan.scenario_of(condition, plan.alternatives[0]).resolve()).packets
