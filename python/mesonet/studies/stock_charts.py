"""Charts that every study with campaigns has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import paired_differences
from mesonet.campaign import Campaign
from mesonet.figures import Look, Names, forest_chart
from mesonet.figures.chart import Chart
from mesonet.figures.style import INK, data, themed
from mesonet.report import ReportInputs
from mesonet.studies.marks import Noted

_WIDTH, _STEP = 420, 34


def means_chart(campaign: Campaign, response: str) -> Any:
    """The mean of a response by alternative, and a faint dot for every condition."""
    names = _names(campaign)
    labels = [alternative.label for alternative in campaign.plan.alternatives]
    look = Look.of(labels)
    frame = campaign.results().filter(pl.col(response).is_finite())
    cells = frame.group_by("alternative", "condition", maintain_order=True).agg(
        pl.col(response).mean().alias("value")
    )
    means = frame.group_by("alternative", maintain_order=True).agg(
        pl.col(response).mean().alias("value")
    )
    axis = alt.X("value:Q", title=names.axis(response), scale=alt.Scale(zero=False))
    row = alt.Y("alternative:N", sort=labels, title=None)
    colour = alt.Color("alternative:N", scale=look.scale(), legend=None)
    dots = (
        Chart(data(cells.sort("alternative", "condition").to_dicts()))
        .mark_circle(size=40, opacity=0.35)
        .encode(axis, row, colour, tooltip=["alternative:N", "condition:O", "value:Q"])
    )
    marks = (
        Chart(data(means.sort("alternative").to_dicts()))
        .mark_tick(thickness=3, size=22, color=INK)
        .encode(axis, row, tooltip=["alternative:N", "value:Q"])
    )
    return themed((dots + marks).properties(width=_WIDTH, height=_STEP * len(labels)))


def differences_chart(campaign: Campaign, responses: Sequence[str], baseline: str) -> Noted:
    """Differences from the baseline with their 95 % intervals, a row per response."""
    found = paired_differences(campaign.results(), response=list(responses), baseline=baseline)
    labels = [alternative.label for alternative in campaign.plan.alternatives]
    drawn = forest_chart(found, look=Look.of(labels), names=_names(campaign))
    return Noted(drawn, found.notes)


def _names(campaign: Campaign) -> Names:
    about = ReportInputs.from_campaign(campaign).responses
    return Names(responses={key: (each["name"], each["unit"]) for key, each in about.items()})
