"""Sections on RTT fairness: the table, and charts of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from mesonet.figures import Look
from mesonet.figures.chart import Chart
from mesonet.figures.style import INK, data, themed
from mesonet.report.charts import picture
from mesonet.report.tables import Table, numbers, table, words
from mesonet.studies.bench import Results
from mesonet.studies.hcc.fairness import BUFFERS, fairness_frame
from mesonet.studies.hcc.scenarios import label_of
from mesonet.studies.page import CaptionedChart, Section

_ROWS = 8
"""Algorithms of which a chart has one row of panels per buffer."""
_WHICH = f" The buffer is {BUFFERS[-1]} packets; the tables have all."


def fairness_sections(results: Results, algorithms: Sequence[str]) -> list[Section]:
    """Jain's index against the ratio of round-trip times, and the table published beside it."""
    frame = fairness_frame(results, algorithms)
    if frame.is_empty():
        return []
    chart = CaptionedChart(
        picture("jain", jain_chart(frame), "Jain's index against the ratio of round-trip times"),
        "Jain's index of two flows against the ratio of their round-trip times: 1 is an equal "
        f"division, 0.5 one flow with everything. Full dots and lines are measured, crosses "
        f"published.{_WHICH if len(algorithms) > _ROWS else ''}",
    )
    text = (
        "The efficiency EI is the sum of the two throughputs T1 and T2, the fairness FI Jain's "
        "index of them, (sum x)² / (2 sum x²); the slides print it without the 2, their numbers "
        "have it. The first flow's round trip is 40 ms, the second's that times the ratio; both "
        "start at 0 s."
    )
    tables = tuple(
        (f"Buffer of {buffer} packets", fairness_table(frame.filter(buffer=buffer), buffer))
        for buffer in BUFFERS
        if not frame.filter(buffer=buffer).is_empty()
    )
    return [Section("rtt-fairness", "RTT fairness (fig. 12)", (text,), (chart,), tables)]


def fairness_table(frame: pl.DataFrame, buffer: int) -> Table:
    """Measured and published throughputs, efficiency and index at a buffer size."""
    columns = [words("algorithm", "algorithm"), numbers("ratio", "RTT ratio")]
    for name, heading in (
        ("first", "T1 (Mbit/s)"),
        ("second", "T2 (Mbit/s)"),
        ("efficiency", "EI (Mbit/s)"),
        ("jain", "FI"),
    ):
        columns.append(numbers(name, heading))
        if f"published_{name}" in frame.columns and frame[f"published_{name}"].count():
            columns.append(numbers(f"published_{name}", "published"))
    return table(f"rtt-fairness-{buffer}", frame, columns)


def jain_chart(frame: pl.DataFrame) -> Any:
    """Jain's index by algorithm and buffer size, measured and published."""
    names = list(dict.fromkeys(frame["algorithm"]))
    look = Look.of([label_of(name) for name in names])
    rows = [
        {
            "protocol": label_of(row["algorithm"]),
            "buffer": f"{row['buffer']} packets",
            "ratio": row["ratio"],
            "measured": row["jain"],
            "published": row["published_jain"],
        }
        for row in frame.iter_rows(named=True)
    ]
    x = alt.X("ratio:Q", title="Ratio of round-trip times", scale=alt.Scale(domain=[1, 6]))
    y = alt.Scale(domain=[0.5, 1.0], nice=False)
    colour = alt.Color("protocol:N", legend=None, scale=look.scale())
    told = ["protocol:N", "buffer:N", "ratio:Q"]
    told += [alt.Tooltip(f"{name}:Q", format=".4f") for name in ("measured", "published")]
    base = Chart().encode(x, colour, tooltip=told)
    measured = alt.Y("measured:Q", title="Jain's index", scale=y)
    layers = alt.layer(
        base.mark_line(strokeWidth=1.4).encode(measured),
        base.mark_point(filled=True, size=36).encode(measured),
        base.mark_point(shape="cross", size=60, filled=False, strokeWidth=1.4).encode(
            alt.Y("published:Q", scale=y)
        ),
        Chart().mark_rule(color=INK, opacity=0.3, strokeDash=[3, 3]).encode(y=alt.datum(0.5)),
    ).properties(width=128, height=120)
    return themed(
        layers.facet(
            column=alt.Facet("protocol:N", title=None, sort=list(look.alternatives)),
            row=alt.Row("buffer:N", title=None, sort=[f"{b} packets" for b in BUFFERS]),
            data=data(rows),
        )
        if len(names) <= _ROWS
        else layers.facet(
            alt.Facet("protocol:N", title=None, sort=list(look.alternatives)),
            columns=6,
            data=data([row for row in rows if row["buffer"] == f"{BUFFERS[-1]} packets"]),
        )
    )
