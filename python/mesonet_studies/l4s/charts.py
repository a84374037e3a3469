"""Charts of the study `l4s`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, INK, VERMILLION, data, themed
from mesonet.studies.study import RunResults, chart
from mesonet_studies.l4s.measure import PATHS, TOLERANCE, formula, published

_SIDES = {"ours": BLUE, "test bed": VERMILLION}


@chart
def shares(run: RunResults) -> Any:
    """Parts of the first of two flows: a dot for ours, a bar of tolerance for the test bed's."""
    points = [
        {
            "panel": f"{row['queue']}, {row['rate']} Mbit/s",
            "flows": row["flows"],
            "ours": run.figures[f"bed.{row['bottleneck']}.{row['pair']}.share"],
            "theirs": row["share"],
            "low": max(row["share"] - TOLERANCE, 0),
            "high": min(row["share"] + TOLERANCE, 1),
        }
        for row in published()
    ]
    panels = list(dict.fromkeys(point["panel"] for point in points))
    half = len(panels) // 2
    lines = [
        alt.hconcat(*(_share_panel(points, panel, panel == line[0]) for panel in line), spacing=14)
        for line in (panels[:half], panels[half:])
    ]
    return themed(alt.vconcat(*lines, spacing=18))


def _share_panel(points: Sequence[Mapping[str, Any]], panel: str, labelled: bool) -> Any:
    scale = alt.Scale(domain=[0, 1], nice=False)
    axis = alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1])
    y = alt.Y(
        "flows:N",
        sort=list(dict.fromkeys(point["flows"] for point in points)),
        title=None,
        axis=alt.Axis(labelLimit=220) if labelled else alt.Axis(labels=False, ticks=False),
    )
    tooltip = [
        "flows:N",
        alt.Tooltip("ours:Q", title="ours", format=".1%"),
        alt.Tooltip("theirs:Q", title="test bed", format=".1%"),
    ]
    colours = alt.Scale(domain=list(_SIDES), range=list(_SIDES.values()))
    legend = alt.Legend(title=None, symbolOpacity=1)
    base = Chart(data([point for point in points if point["panel"] == panel]))
    ours, printed = (
        base.encode(y, alt.Color(datum=side, scale=colours, legend=legend), tooltip=tooltip)
        for side in _SIDES
    )
    low = alt.X("low:Q", title="Part of the first flow", scale=scale, axis=axis)
    return alt.layer(
        printed.mark_bar(height=10, opacity=0.28).encode(low, alt.X2("high:Q")),
        printed.mark_tick(thickness=2, height=10).encode(alt.X("theirs:Q", scale=scale)),
        ours.mark_point(filled=True, size=55, opacity=1).encode(alt.X("ours:Q", scale=scale)),
    ).properties(width=170, height=alt.Step(19), title=alt.Title(panel))


@chart
def ratios(run: RunResults) -> Any:
    """Ratios of a Prague to a CUBIC flow on seven paths: measured, and by the formula."""
    names = ("measured", "formula")
    rows = [
        {
            "path": path["title"],
            "measured": run.figures[f"paths.{path['path']}.ratio"],
            "formula": formula(path["rtt"]),
        }
        for path in PATHS
    ]
    points = [
        {"path": row["path"], "what": name, "ratio": row[name]} for row in rows for name in names
    ]
    order = [row["path"] for row in rows]
    y = alt.Y("path:N", sort=order, title=None, axis=alt.Axis(labelLimit=240))
    x = alt.X("ratio:Q", title="Rate of Prague over CUBIC", scale=alt.Scale(domain=[0, 2.5]))
    colours = alt.Scale(domain=list(names), range=[BLUE, VERMILLION])
    even = Chart(data([{"x": 1.0}])).mark_rule(color=INK, strokeDash=[4, 3], opacity=0.4)
    lines = Chart(data(rows)).mark_rule(color=INK, opacity=0.35)
    dots = Chart(data(points)).mark_point(filled=True, size=70, opacity=1)
    layers = [
        even.encode(x="x:Q"),
        lines.encode(x=alt.X("formula:Q"), x2="measured:Q", y=y),
        dots.encode(
            x,
            y,
            alt.Color("what:N", title=None, scale=colours),
            alt.Shape("what:N", title=None, scale=alt.Scale(range=["circle", "diamond"])),
            tooltip=["path:N", "what:N", alt.Tooltip("ratio:Q", format=".2f")],
        ),
    ]
    return themed(alt.layer(*layers).properties(width=430, height=alt.Step(24)))
