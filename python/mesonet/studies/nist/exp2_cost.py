"""What Experiment 2 costs."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from mesonet.campaign import Campaign
from mesonet.studies.nist.exp2_plan import ALTERNATES, plan_of
from mesonet.studies.nist.exp2_published import VOLUMES
from mesonet.studies.study import Options


@dataclass(frozen=True)
class Cost:
    """Processor time and packets: measured, extrapolated to the full size, and published."""

    hours: float
    packets: float
    full_hours: float
    full_packets: float
    published_hours: float
    published_packets: float


def cost_of(name: str, campaign: Campaign, *, full: bool) -> Cost:
    """The cost of a campaign, and of the published plan by expected packets."""
    timings = campaign.timings()
    hours = float(timings["cpu_seconds"].sum()) / 3600
    packets = float(campaign.results()["packets"].sum())
    expected = float(timings.filter(pl.col("state") == "done")["cost"].sum())
    ratio = 1.0 if full or not expected else _published(name) / expected
    volume = VOLUMES[name]
    return Cost(
        hours=hours,
        packets=packets,
        full_hours=hours * ratio,
        full_packets=packets * ratio,
        published_hours=volume.hours,
        published_packets=volume.packets,
    )


def _published(name: str) -> float:
    """Expected packets of all published runs; every alternate is expected to send the same."""
    alike = plan_of(name, Options("full", algorithms=("ctcp",)))
    return len(ALTERNATES) * sum(run.cost for run in alike.runs())
