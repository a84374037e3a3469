"""Executes plans, with as many replicates as their stopping rule asks for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Unpack

from mesonet.analysis import StoppingState, needs_more, stopping_state
from mesonet.campaign.execution import CampaignOptions, run_campaign
from mesonet.campaign.reading import Campaign
from mesonet.plan import Plan


def run_plan(
    plan: Plan,
    *,
    out: str | Path,
    run: Callable[..., Campaign] = run_campaign,
    more: Callable[[int, int], None] | None = None,
    **options: Unpack[CampaignOptions],
) -> Campaign:
    """Executes a plan into a folder, or resumes it there.

    Without a stopping rule this is `run_campaign`. With one, whenever all replicates so far are
    done and some response is not known precisely enough in some cell, all conditions and
    alternatives get one more, until there are enough or `max_replicates`. The folder at the end is
    that of a plan with so many replicates. Runs that failed count as done; they are not waited for.

    Args:
        plan: plan to execute.
        out: the campaign's folder.
        run: function that executes a plan of a fixed number of replicates into the folder.
        more: called before each further block with its number and how many cells ask for it.
        options: passed on to `run`; those of `run_campaign`.
    """
    campaign = run(plan, out=out, **options)
    # Failures are tried again once at most, by the first call.
    options["retry_failed"] = False
    while plan.stopping is not None:
        frame = campaign.results()
        if frame.is_empty():
            break
        asking = needs_more(frame, plan.stopping).select("condition", "alternative").n_unique()
        # A folder that was longer than the plan has its later replicates in the frame, too.
        replicates = max(plan.replicates, *frame["replicate"].unique())
        if not asking or replicates >= plan.stopping.max_replicates:
            break
        plan = plan.with_replicates(replicates + 1)
        if more is not None:
            more(plan.replicates, asking)
        campaign = run(plan, out=out, **options)
    return campaign


def stopping_of(campaign: Campaign) -> StoppingState | None:
    """Why the stopping rule of a campaign ended it, or that it goes on.

    None without a rule, and while runs are left: the rule looks at whole blocks.
    """
    rule = campaign.plan.stopping
    if rule is None:
        return None
    counts = campaign.status()
    whole = not counts["pending"] and not counts["running"]
    return stopping_state(campaign.results(), rule) if whole else None
