"""Volumes, cost and printed tables on the page of Experiment 1."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from mesonet.figures import number
from mesonet.report.tables import Column, Table, numbers, table, words
from mesonet.studies.nist import exp1_text as text
from mesonet.studies.nist.exp1_claims import VOLUMES
from mesonet.studies.nist.exp1_tables import entries
from mesonet.studies.page import Section


def processor_hours(timings: pl.DataFrame) -> float:
    """Processor time of all finished runs [h]."""
    return float(timings["cpu_seconds"].fill_null(0.0).sum()) / 3600.0


def volumes_section(
    name: str,
    figures: Mapping[str, float],
    frame: pl.DataFrame,
    timings: pl.DataFrame,
    part: float,
    published_hours: float,
) -> Section:
    """Volumes and processor time, extrapolated to full size."""
    rows = [
        {
            "what": f"{key.split('_')[0]} per run, {key.split('_')[1]}",
            "printed": value,
            "ours": figures[f"volume.{key}"],
            "difference": figures[f"volume.{key}"] / value - 1,
        }
        for key, value in VOLUMES[name].items()
    ]
    columns = (
        words("what", "Volume"),
        Column("printed", "Printed", lambda value: f"{value:,.0f}"),
        Column("ours", "Ours, at full size", lambda value: f"{value:,.0f}"),
        Column("difference", "Difference", lambda value: f"{100 * value:+.1f} %"),
    )
    return Section(
        "volumes",
        "Volumes and cost",
        text.volumes(part),
        tables=(
            ("Volumes, extrapolated by hosts and duration", table(
                "volumes", pl.DataFrame(rows), columns)),
            ("Cost", cost_table(frame, timings, part, published_hours)),
        ),
    )  # fmt: skip


def cost_table(
    frame: pl.DataFrame, timings: pl.DataFrame, part: float, published_hours: float
) -> Table:
    """Processor time of this size, and of full size from packets and packets per second."""
    hours, packets = processor_hours(timings), float(frame["packets"].sum())
    full = hours / part
    rows = [
        ("Packets sent", f"{packets:,.0f}"),
        ("Processor time of this size", f"{hours:,.3f} h"),
        ("Packets per processor-second", number(packets / (hours * 3600)) if hours else "–"),
        ("Part of the published hosts times duration", number(part)),
        ("Processor time of full size, extrapolated", f"{full:,.1f} h"),
        ("Processor time of the published experiment", f"{published_hours:,.0f} h"),
        ("Published over ours", number(published_hours / full) if full else "–"),
    ]
    return table(
        "cost",
        pl.DataFrame(rows, schema=["what", "value"], orient="row"),
        (words("what", "What"), words("value", "Value")),
    )


def printed_tables_section(name: str) -> Section:
    """Printed tables beside ours."""
    rows = pl.DataFrame(
        [
            {
                "table": entry.table,
                "entry": entry.entry,
                "printed": float(entry.printed),
                "ours": float(entry.ours),
                "agrees": "yes" if entry.agrees else "no",
            }
            for entry in entries(name)
        ]
    )
    columns = (
        words("table", "Table"),
        words("entry", "Entry"),
        numbers("printed", "Printed"),
        numbers("ours", "Ours"),
        words("agrees", "Agrees"),
    )
    return Section(
        "world",
        "The network: printed tables beside ours",
        text.WORLD,
        tables=(("Every derived number at full size", table("world", rows, columns)),),
    )
