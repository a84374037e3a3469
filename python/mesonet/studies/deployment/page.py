"""The page of `deployment-mix`: newcomer by newcomer, then all together, then one bottleneck."""

from __future__ import annotations

import polars as pl

from mesonet.report.charts import picture
from mesonet.report.tables import counts, numbers, table, words
from mesonet.studies.deployment.bottleneck import DEEP, FLOWS
from mesonet.studies.deployment.charts import bottleneck_chart
from mesonet.studies.deployment.material import (
    FILE,
    Material,
    conditions_of,
    interval_columns,
    parts,
)
from mesonet.studies.deployment.newcomer_page import newcomer_sections
from mesonet.studies.page import Section, Shown


def sections(material: Material) -> list[Section]:
    """All sections, in order."""
    found: list[Section] = []
    for place, newcomer in enumerate(material.newcomers):
        found += newcomer_sections(material, newcomer, place)
    if not material.together.is_empty():
        found.append(_together(material))
    if not material.game.is_empty():
        found.append(_bottleneck(material))
    return found


def _together(material: Material) -> Section:
    frame = material.together.with_columns(FILE, conditions_of(material))
    return Section(
        "together",
        "All at equal shares",
        text=(
            (
                "All algorithms at once, each used by as many sources. Ratios compare the sources "
                f"of an algorithm with themselves where all use {material.incumbent}."
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


def _bottleneck(material: Material) -> Section:
    charts = []
    for place, newcomer in enumerate(material.game["newcomer"].unique(maintain_order=True)):
        caption = (
            f"{newcomer}: goodput per flow, in fair shares, means and ranges over replicates. A "
            "flow that switches moves from the one curve to the other, a step to the right. Where "
            "that is no longer upwards, a mix is at rest."
        )
        chart = bottleneck_chart(
            material.game, incumbent=material.incumbent, newcomer=newcomer, flows=FLOWS
        )
        charts.append(Shown(picture(f"bottleneck-{place + 1}", chart, caption), caption))
    one = material.rivals.group_by("newcomer", "rivals", maintain_order=True).agg(
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
                "counts. Publications speak of this world, so that it decides their claims. It is "
                "not the national network, where most flows end before any equilibrium."
            ),
        ),
        charts=tuple(charts),
        tables=(
            (
                (
                    f"A single flow among flows of {material.incumbent}, buffer of {DEEP} "
                    "bandwidth-delay products: part of the capacity"
                ),
                table(
                    "rivals",
                    one,
                    (
                        words("newcomer", "Algorithm"),
                        counts("rivals", f"Flows of {material.incumbent}"),
                        parts("mean", "Mean"),
                        parts("lowest", "Lowest"),
                        parts("highest", "Highest"),
                    ),
                ),
            ),
        ),
    )
