"""Stopping rules: whether a campaign needs more replicates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mesonet.campaign.reading import Campaign
from mesonet.errors import CampaignError
from mesonet.plan import Plan
from mesonet.store import Files, read_manifest

if TYPE_CHECKING:
    from mesonet.analysis import StoppingState


def begun(plan: Plan, files: Files) -> Plan:
    """The plan with the replicates that a folder has begun: the rule looks at whole blocks."""
    if plan.stopping is None:
        return plan
    try:
        replicates = read_manifest(files)["plan"].get("replicates", 1)
    except CampaignError:
        return plan
    replicates = max(plan.replicates, min(replicates, plan.stopping.max_replicates))
    return plan.with_replicates(replicates)


def longer(plan: Plan, campaign: Campaign) -> tuple[Plan, int] | None:
    """The plan with one more replicate, and how many cells ask for it; None if it is enough."""
    if plan.stopping is None or plan.replicates >= plan.stopping.max_replicates:
        return None
    # Most campaigns have no rule, and need no statistics.
    from mesonet.analysis import stopping_state

    state = stopping_state(campaign.results(), plan.stopping)
    if state is None or state.content:
        return None
    return plan.with_replicates(plan.replicates + 1), state.asking


def stopping_of(campaign: Campaign) -> StoppingState | None:
    """Why the stopping rule of a campaign ended it, or that it goes on.

    None without a rule, and while runs are left: the rule looks at whole blocks.
    """
    rule, counts = campaign.plan.stopping, campaign.status()
    if rule is None or counts["pending"] or counts["running"]:
        return None
    from mesonet.analysis import stopping_state

    return stopping_state(campaign.results(), rule)
