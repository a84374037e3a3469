"""Stopping rules: whether a campaign needs more replicates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mesonet.campaign.reading import Campaign
from mesonet.plan import Plan

if TYPE_CHECKING:
    from mesonet.analysis import StoppingState


def longer(plan: Plan, campaign: Campaign) -> tuple[Plan, int] | None:
    """The plan with one more replicate, and how many cells ask for it; None if it is enough."""
    if plan.stopping is None:
        return None
    # Most campaigns have no rule, and need no statistics.
    from mesonet.analysis import needs_more

    frame = campaign.results()
    if frame.is_empty():
        return None
    asking = needs_more(frame, plan.stopping).select("condition", "alternative").n_unique()
    # A folder that was longer than the plan has its later replicates in the frame, too.
    replicates = max(plan.replicates, *frame["replicate"].unique())
    if not asking or replicates >= plan.stopping.max_replicates:
        return None
    return plan.with_replicates(replicates + 1), asking


def stopping_of(campaign: Campaign) -> StoppingState | None:
    """Why the stopping rule of a campaign ended it, or that it goes on.

    None without a rule, and while runs are left: the rule looks at whole blocks.
    """
    rule, counts = campaign.plan.stopping, campaign.status()
    if rule is None or counts["pending"] or counts["running"]:
        return None
    from mesonet.analysis import stopping_state

    return stopping_state(campaign.results(), rule)
