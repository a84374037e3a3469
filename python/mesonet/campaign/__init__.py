"""Campaigns: a plan being executed into a folder, that can be killed at any moment and resumed."""

from typing import TYPE_CHECKING

from mesonet.lazy import lazily

if TYPE_CHECKING:
    from mesonet.campaign.execution import run_campaign as run_campaign
    from mesonet.campaign.reading import Campaign as Campaign
    from mesonet.campaign.reading import RecordedRun as RecordedRun
    from mesonet.campaign.verification import verify as verify
    from mesonet.campaign.work import RunRecord as RunRecord
    from mesonet.campaign.work import Work as Work
    from mesonet.campaign.work import execute as execute

# Workers need `execute` and no plan, store or query.
__getattr__, __all__ = lazily(
    __name__,
    {
        "execution": "run_campaign",
        "reading": "Campaign RecordedRun",
        "verification": "verify",
        "work": "RunRecord Work execute",
    },
)
