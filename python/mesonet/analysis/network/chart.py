"""Congestion over the network map through time, and at a glance."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import NetworkCongestion
from mesonet.figures.chart import Chart
from mesonet.figures.network import (
    AT,
    BETWEEN,
    Geometry,
    has_map,
    links,
    map_of,
    network_chart,
    places,
)
from mesonet.figures.style import GREY, INK, VERMILLION, data, nothing_chart, rows, themed
from mesonet.numbers import percent

STEP = "step"
"""The parameter of the chart that says which time is shown; a page can count it up to play."""
_NAMED = 0.01
_COLOUR = alt.Color(
    "occupancy:Q",
    scale=alt.Scale(
        domain=[0, 0.5, 1], range=["#5B9BD5", "#E9C46A", VERMILLION], interpolate="rgb", clamp=True
    ),
    title="Buffer in use",
    legend=alt.Legend(format="%", gradientLength=180),
)
_TOOLTIP = [
    alt.Tooltip("label:N", title="at"),
    alt.Tooltip("station:N", title="fullest router"),
    alt.Tooltip("text:N", title="buffer in use"),
]

_WIDTH = 760


def congestion_map_chart(result: NetworkCongestion, *, geometry: Geometry) -> Any:
    """Places and links coloured by how full their routers are, at the time that a slider chooses.

    A place has the colour of the fullest watched router at or below its backbone router.

    Below the map the loss rate of the whole network over time, with a mark at the time shown.

    Args:
        geometry: Places of the routers, as a scenario's `geometry()` gives them.
    """
    count = result.network.height
    if not has_map(geometry) or result.nodes.is_empty() or count == 0:
        return nothing_chart(*result.notes)
    slider = alt.binding_range(min=0, max=count - 1, step=1, name="Time step ")
    step = alt.param(name=STEP, value=_fullest(result), bind=slider)
    now = f"datum.step === {STEP}"
    where = {node["name"]: node for node in places(geometry)}
    ends = {(link["a"], link["b"]): link for link in links(geometry)}
    states = [
        {**where[row["node"]], **row, "text": percent(row["occupancy"], signed=False)}
        for row in rows(result.nodes)
        if row["node"] in where and row["occupancy"] is not None
    ]
    roads = [
        {**ends[row["a"], row["b"]], **row}
        for row in rows(result.links)
        if (row["a"], row["b"]) in ends and row["occupancy"] is not None
    ]
    clock = [{"step": row["step"], "text": f"{row['time']:.1f} s"} for row in rows(result.network)]
    above = map_of(
        geometry,
        # On an innermost view: the parameter is seen everywhere, and declared once.
        Chart(data(roads))
        .mark_rule(strokeWidth=3.5, opacity=0.85)
        .encode(**BETWEEN, color=_COLOUR, tooltip=["link:N"])
        .transform_filter(now)
        .add_params(step),
        Chart(data(states))
        .mark_circle(opacity=1, stroke="white", strokeWidth=1.2, size=240)
        .encode(**AT, color=_COLOUR, tooltip=_TOOLTIP)
        .transform_filter(now),
        Chart(data(clock))
        .mark_text(color=INK, fontSize=15, fontWeight=600, align="left", baseline="top")
        .encode(x=alt.value(0), y=alt.value(0), text="text:N")
        .transform_filter(now),
        names=list(where.values()),
        width=_WIDTH,
    )
    line = Chart(data(result.network)).encode(alt.X("time:Q", title="Time (s)"))
    below = alt.layer(
        line.mark_area(color=GREY, opacity=0.35, line={"color": GREY}).encode(
            alt.Y("loss_rate:Q", title="Loss rate", axis=alt.Axis(tickCount=3, format="~g"))
        ),
        line.mark_rule(color=VERMILLION, strokeWidth=2).transform_filter(now),
    ).properties(width=_WIDTH, height=70)
    return themed(alt.vconcat(above, below, spacing=8))


def _fullest(result: NetworkCongestion) -> int:
    """The step with the highest mean occupancy."""
    means = result.nodes.group_by("step", maintain_order=True).agg(pl.col("occupancy").mean())
    measured = means.drop_nulls("occupancy").sort("occupancy", descending=True, maintain_order=True)
    return int(measured["step"][0]) if measured.height else 0


def network_glance_chart(geometry: Geometry, *, result: NetworkCongestion | None = None) -> Any:
    """The network at a glance: places and links, and how full routers were on average.

    Size and colour of a place say how full the fullest router there was; from 1 % on it has the
    short label of its router, for names of places have no room. Where nothing is known, it is the
    map of the network.

    Args:
        geometry: Places of the routers, as a scenario's `geometry()` gives them.
    """
    width = 400
    means = {} if result is None else dict(result.means().iter_rows())
    measured = [
        node | {"occupancy": occupancy, "text": percent(occupancy, signed=False)}
        for node in places(geometry)
        if (occupancy := means.get(node["name"])) is not None
    ]
    if not measured:
        return network_chart(geometry, width=width)
    circles = Chart(data(measured)).mark_circle(opacity=0.95, stroke="white", strokeWidth=1.2)
    size = alt.Scale(domain=[0, 1], range=[60, 1500], clamp=True)
    names = [
        node | {"label": f"{node['short']}, {node['text']}"}
        for node in measured
        if node["occupancy"] >= _NAMED
    ]
    return themed(
        map_of(
            geometry,
            circles.encode(
                **AT,
                color=_COLOUR,
                size=alt.Size("occupancy:Q", scale=size, legend=None),
                tooltip=[_TOOLTIP[0], alt.Tooltip("text:N", title="buffer in use, mean")],
            ),
            names=names,
            width=width,
        )
    )
