"""The runs of a campaign that the report shows through time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from mesonet.analysis import QueueCell, QueueComparison, compare_queues

if TYPE_CHECKING:
    from mesonet.campaign import Campaign, RecordedRun


def recorded_run(campaign: Campaign, frame: pl.DataFrame) -> tuple[RecordedRun | None, str]:
    """The run under the most congested condition that kept its series, and what to call it.

    `None` and an empty name if no run of the campaign kept its series.
    """
    for row in _worst_first(campaign, frame).head(1).iter_rows(named=True):
        kept = set(campaign.kept_tables(row["run"]))
        if not ({"series", "flows", "queues"} <= kept or {"series", "queue_states"} <= kept):
            return None, ""
        name = f"condition {row['condition']}, {row['alternative']}, replicate {row['replicate']}"
        return campaign.recorded_run(row["run"]), name
    return None, ""


def recorded_queues(campaign: Campaign, frame: pl.DataFrame) -> QueueComparison | None:
    """Queue management by condition and alternative, of the first replicate of each.

    The most congested conditions come first. `None` if no run recorded its queues.
    """
    ordered = _worst_first(campaign, frame)
    if ordered.is_empty() or "series" not in campaign.kept_tables(ordered["run"][0]):
        return None
    worst = ordered["condition"].unique(maintain_order=True)
    places = {condition: place for place, condition in enumerate(worst)}
    # Within a condition, alternatives stand in the order of the plan.
    cells = (
        frame.unique(["condition", "alternative"], keep="first", maintain_order=True)
        .sort(pl.col("condition").replace_strict(places), maintain_order=True)
        .select("run", "condition", "alternative")
    )
    found = compare_queues(_cells(campaign, cells))
    return found if found.stations else None


def _cells(campaign: Campaign, cells: pl.DataFrame) -> Iterator[QueueCell]:
    for run, condition, alternative in cells.iter_rows():
        if {"series", "queue_states"} <= set(campaign.kept_tables(run)):
            yield QueueCell(condition, alternative, campaign.recorded_run(run))


def _worst_first(campaign: Campaign, frame: pl.DataFrame) -> pl.DataFrame:
    loss = campaign.plan.analysis.congestion_response
    if loss not in frame.columns:
        return frame
    worst = pl.col(loss).fill_nan(None)
    return frame.sort(worst, descending=True, nulls_last=True, maintain_order=True)
