"""Campaigns: a plan being executed into a folder, that can be killed at any moment and resumed."""

from typing import TYPE_CHECKING

from mesonet.system.lazy import lazily

if TYPE_CHECKING:
    from mesonet.campaign.execution import run_campaign
    from mesonet.campaign.reading import Campaign
    from mesonet.campaign.recorded import RecordedRun
    from mesonet.campaign.verification import Verification, verify
    from mesonet.campaign.work import RunRecord, Work, execute

# Workers need `execute` and no plan, store or query.
__getattr__ = lazily(
    __name__,
    {
        "Campaign": "reading",
        "RecordedRun": "recorded",
        "RunRecord": "work",
        "Verification": "verification",
        "Work": "work",
        "execute": "work",
        "run_campaign": "execution",
        "verify": "verification",
    },
)

__all__ = [
    "Campaign",
    "RecordedRun",
    "RunRecord",
    "Verification",
    "Work",
    "execute",
    "run_campaign",
    "verify",
]
