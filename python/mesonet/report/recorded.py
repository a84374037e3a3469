"""The run of a campaign that the report shows through time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from mesonet.analysis.traces import Recorded

if TYPE_CHECKING:
    from mesonet.campaign import Campaign
    from mesonet.scenario import Scenario


@dataclass(frozen=True)
class RecordedRun:
    """The series that a campaign kept of a run."""

    scenario: Scenario
    series: pl.DataFrame
    flows: pl.DataFrame
    queues: pl.DataFrame


def recorded_run(campaign: Campaign, frame: pl.DataFrame) -> tuple[Recorded | None, str]:
    """The run under the most congested condition that kept its series, and what to call it.

    `None` and an empty name if no run of the campaign kept its series.
    """
    loss = campaign.plan.analysis.congestion_response
    if loss in frame.columns:
        worst = pl.col(loss).fill_nan(None)
        frame = frame.sort(worst, descending=True, nulls_last=True, maintain_order=True)
    for row in frame.head(1).iter_rows(named=True):
        kept = campaign.traces(row["run"])
        if not {"series", "flows", "queues"} <= set(kept):
            return None, ""
        name = f"condition {row['condition']}, {row['alternative']}, replicate {row['replicate']}"
        scenario, _ = campaign.find(row["run"])
        return RecordedRun(scenario, kept["series"], kept["flows"], kept["queues"]), name
    return None, ""
