"""The page of `deployment-mix`: newcomer by newcomer, then all together, then one bottleneck."""

from __future__ import annotations

import polars as pl

from mesonet.report.charts import picture
from mesonet.report.tables import counts, numbers, table, words
from mesonet.studies.deployment.bottleneck import DEEP, FLOWS
from mesonet.studies.deployment.charts import bottleneck_chart
from mesonet.studies.deployment.newcomer_page import newcomer_sections
from mesonet.studies.deployment.page_context import (
    FILE,
    PageContext,
    conditions_of,
    interval_columns,
    parts,
)
from mesonet.studies.page import CaptionedChart, Section


def sections(context: PageContext) -> list[Section]:
    """All sections, in order."""
    found: list[Section] = []
    for place, newcomer in enumerate(context.newcomers):
        found += newcomer_sections(context, newcomer, place)
    if not context.together.is_empty():
        found.append(_together(context))
    if not context.game.is_empty():
        found.append(_bottleneck(context))
    return found


def _together(context: PageContext) -> Section:
    frame = context.together.with_columns(FILE, conditions_of(context))
    return Section(
        "together",
        "All at equal shares",
        text=(
            (
                "All algorithms at once, each used by as many sources. Ratios compare the sources "
                f"of an algorithm with themselves where all use {context.incumbent}."
            ),
        ),
        tables=(
            (
                "Goodput over before",
                table(
                    "together",
                    frame,
                    (
                        words("conditions", "Condition"),
                        words("algorithm", "Algorithm"),
                        words("file", "Files"),
                        *interval_columns(numbers),
                    ),
                ),
            ),
        ),
    )


def _bottleneck(context: PageContext) -> Section:
    charts = []
    for place, newcomer in enumerate(context.game["newcomer"].unique(maintain_order=True)):
        caption = (
            f"{newcomer}: goodput per flow, in fair shares, means and ranges over replicates. A "
            "flow that switches moves from the one curve to the other, a step to the right. Where "
            "that is no longer upwards, a mix is at rest."
        )
        chart = bottleneck_chart(
            context.game, incumbent=context.incumbent, newcomer=newcomer, flows=FLOWS
        )
        charts.append(CaptionedChart(picture(f"bottleneck-{place + 1}", chart, caption), caption))
    one = context.rivals.group_by("newcomer", "rivals", maintain_order=True).agg(
        pl.col("share").mean().alias("mean"),
        pl.col("share").min().alias("lowest"),
        pl.col("share").max().alias("highest"),
    )
    return Section(
        "bottleneck",
        "Where others asked: one bottleneck",
        text=(
            (
                f"{FLOWS} long-lived flows share 50 Mbit/s at 40 ms; the second half of each run "
                "counts. Publications speak of this scenario, so that it decides their claims. It "
                "is not the national network, where most flows end before any equilibrium."
            ),
        ),
        charts=tuple(charts),
        tables=(
            (
                (
                    f"A single flow among flows of {context.incumbent}, buffer of {DEEP} "
                    "bandwidth-delay products: part of the capacity"
                ),
                table(
                    "rivals",
                    one,
                    (
                        words("newcomer", "Algorithm"),
                        counts("rivals", f"Flows of {context.incumbent}"),
                        parts("mean", "Mean"),
                        parts("lowest", "Lowest"),
                        parts("highest", "Highest"),
                    ),
                ),
            ),
        ),
    )
