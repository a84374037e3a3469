"""The picture of a campaign, as notebooks show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mesonet.figures import congestion_chart, influence_chart
from mesonet.report.front import answer
from mesonet.report.inputs import ReportInputs
from mesonet.report.results import analysed

if TYPE_CHECKING:
    from mesonet.campaign import Campaign


def campaign_chart(campaign: Campaign) -> Any:
    """The answer of a campaign as an Altair chart, that of the front page of its report.

    Where nothing was compared, the factors that matter; without these, the congestion of the
    conditions; `None` where nothing of it was measured.

    Raises:
        CampaignError: The campaign cannot be read.
        PlanError: Its plan gives an analysis options that it does not take.
    """
    results = analysed(ReportInputs.from_campaign(campaign))
    if results.inputs.frame.is_empty():
        return None
    drawn = answer(results)
    if drawn is not None:
        return drawn[0]
    if results.effects is not None:
        return influence_chart(results.effects, names=results.names)
    if results.congestion is not None:
        return congestion_chart(results.congestion, look=results.look, names=results.names)
    return None
