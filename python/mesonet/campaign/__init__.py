"""Campaigns: a plan being executed into a folder, that can be killed at any moment and resumed."""

from mesonet.campaign.execution import run_campaign
from mesonet.campaign.reading import Campaign
from mesonet.campaign.recorded import RecordedRun
from mesonet.campaign.repairs import Repaired, repair
from mesonet.campaign.verification import Verification, verify
from mesonet.campaign.work import RunRecord, Work, execute

__all__ = [
    "Campaign",
    "RecordedRun",
    "Repaired",
    "RunRecord",
    "Verification",
    "Work",
    "execute",
    "repair",
    "run_campaign",
    "verify",
]
