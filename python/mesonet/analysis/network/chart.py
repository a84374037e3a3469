"""Congestion over the network map through time, and at a glance."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import NetworkCongestion
from mesonet.figures.chart import Chart
from mesonet.figures.network import Geometry, Map, has_map
from mesonet.figures.style import GREY, INK, VERMILLION, data, rows, themed
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
    legend=alt.Legend(format="%"),
)

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
        text = " ".join(result.notes) or "There is nothing to show."
        mark = Chart(data([{"text": text}])).mark_text(align="left", color=INK, fontSize=12)
        return themed(mark.encode(x=alt.value(0), y=alt.value(12), text="text:N"))
    drawn = Map.of(geometry, width=_WIDTH)
    x, y = drawn.x, drawn.y
    slider = alt.binding_range(min=0, max=count - 1, step=1, name="Time step ")
    step = alt.param(name=STEP, value=_fullest(result), bind=slider)
    now = f"datum.step === {STEP}"
    where = {node["name"]: node for node in drawn.nodes}
    states = [
        {
            "step": row["step"],
            "occupancy": row["occupancy"],
            "label": where[row["node"]]["label"],
            "station": row["station"],
            "x": where[row["node"]]["x"],
            "y": where[row["node"]]["y"],
            "text": percent(row["occupancy"], signed=False),
        }
        for row in rows(result.nodes)
        if row["node"] in where and row["occupancy"] is not None
    ]
    ends = {(link["a"], link["b"]): link for link in drawn.links}
    roads = [
        {
            "step": row["step"],
            "occupancy": row["occupancy"],
            **{key: ends[row["a"], row["b"]][key] for key in ("link", "x", "y", "x2", "y2")},
        }
        for row in rows(result.links)
        if (row["a"], row["b"]) in ends and row["occupancy"] is not None
    ]
    left, top = drawn.corner
    clock = [
        {"step": row["step"], "text": f"{row['time']:.1f} s", "x": left, "y": top}
        for row in rows(result.network)
    ]
    layers = [
        Chart(data([{"x": link["x"], "y": link["y"], "x2": link["x2"], "y2": link["y2"]}
                        for link in drawn.links]))
        .mark_rule(color=GREY, opacity=0.9, strokeWidth=1)
        .encode(x, y, x2="x2:Q", y2="y2:Q"),
        Chart(data(roads))
        .mark_rule(strokeWidth=3.5, opacity=0.85)
        .encode(x, y, x2="x2:Q", y2="y2:Q", color=_COLOUR, tooltip=["link:N"])
        .transform_filter(now),
        Chart(data(states))
        .mark_circle(opacity=1, stroke="white", strokeWidth=1.2, size=240)
        .encode(
            x,
            y,
            color=_COLOUR,
            tooltip=[
                alt.Tooltip("label:N", title="at"),
                alt.Tooltip("station:N", title="fullest router"),
                alt.Tooltip("text:N", title="buffer in use"),
            ],
        )
        .transform_filter(now),
        Chart(data(clock))
        .mark_text(color=INK, fontSize=15, fontWeight=600, align="left", baseline="top")
        .encode(x, y, text="text:N")
        .transform_filter(now),
    ]  # fmt: skip
    layers.append(drawn.names(size=11))
    # On the innermost view: the parameter is seen everywhere, and declared once.
    layers[1] = layers[1].add_params(step)
    line = Chart(data(result.network)).encode(alt.X("time:Q", title="Time (s)"))
    below = alt.layer(
        line.mark_area(color=GREY, opacity=0.35, line={"color": GREY}).encode(
            alt.Y("loss_rate:Q", title="Loss rate", axis=alt.Axis(tickCount=3, format="~g"))
        ),
        line.mark_rule(color=VERMILLION, strokeWidth=2).transform_filter(now),
    ).properties(width=_WIDTH, height=70)
    return themed(alt.vconcat(drawn.of_layers(layers), below, spacing=8))


def _fullest(result: NetworkCongestion) -> int:
    """The step with the highest mean occupancy."""
    means = result.nodes.group_by("step", maintain_order=True).agg(pl.col("occupancy").mean())
    known = means.drop_nulls("occupancy").sort("occupancy", descending=True, maintain_order=True)
    return int(known["step"][0]) if known.height else 0


def network_glance_chart(geometry: Geometry, *, result: NetworkCongestion | None = None) -> Any:
    """The network at a glance: places and links, and how full routers were on average.

    Size and colour of a place say how full the fullest router there was; from 1 % on it has its
    name. Places of which nothing is known are grey, and all have names where nothing is known.

    Args:
        geometry: Places of the routers, as a scenario's `geometry()` gives them.
    """
    drawn = Map.of(geometry, width=400, globe=False)
    means = {} if result is None else dict(result.means().iter_rows())
    places = [
        {
            **{key: node[key] for key in ("name", "label", "x", "y")},
            "occupancy": means.get(node["name"]),
            "text": percent(means.get(node["name"]), signed=False),
        }
        for node in drawn.nodes
    ]
    known = [place for place in places if place["occupancy"] is not None]
    full = {
        str(place["name"]): f"{place['label']}, {place['text']}"
        for place in known
        if place["occupancy"] >= _NAMED
    }
    at = alt.Tooltip("label:N", title="at")
    layers = [
        Chart(data(drawn.links))
        .mark_rule(color=GREY, opacity=0.9, strokeWidth=1.4)
        .encode(drawn.x, drawn.y, x2="x2:Q", y2="y2:Q"),
        Chart(data([place for place in places if place["occupancy"] is None]))
        .mark_circle(color=GREY, opacity=1, size=60)
        .encode(drawn.x, drawn.y, tooltip=[at]),
    ]
    if not known:
        return themed(drawn.of_layers([*layers, drawn.names(size=10)]))
    size = alt.Scale(domain=[0, 1], range=[60, 1500], clamp=True)
    colour = _COLOUR.copy()
    colour.legend = alt.Legend(format="%", orient="bottom", gradientLength=180)
    layers += [
        Chart(data(known))
        .mark_circle(opacity=0.95, stroke="white", strokeWidth=1.2)
        .encode(
            drawn.x,
            drawn.y,
            color=colour,
            size=alt.Size("occupancy:Q", scale=size, legend=None),
            tooltip=[at, alt.Tooltip("text:N", title="buffer in use, mean")],
        ),
        drawn.names(size=11, weight=600, text=full),
    ]
    return themed(drawn.of_layers(layers))
