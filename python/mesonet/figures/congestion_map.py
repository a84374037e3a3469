"""Congestion over the network map through time: with a slider, or as stills."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import NetworkCongestion
from mesonet.figures.chart import Chart
from mesonet.figures.network import Geometry, drawn, extent, has_map
from mesonet.figures.style import GREY, INK, VERMILLION, data, nothing_chart, rows, themed
from mesonet.numbers import number, percent

STEP = "step"
"""The parameter of the chart that says which time is shown; a page can count it up to play."""
_RANGE = ("#5B9BD5", "#E9C46A", VERMILLION)


def congestion_map_chart(result: NetworkCongestion, *, geometry: Geometry, width: int = 760) -> Any:
    """Places and links coloured by how full their routers are, at the time that a slider chooses.

    A place has the colour of the fullest watched router at or below its backbone router.

    Below the map the loss rate of the whole network over time, with a mark at the time shown.

    Args:
        result: Result to draw.
        geometry: Places of the routers, as a scenario's `geometry()` gives them.
        width: Width of the map [pixels].
    """
    count = result.network.height
    if not has_map(geometry) or result.nodes.is_empty() or count == 0:
        text = " ".join(result.notes) or "There is nothing to show."
        mark = Chart(data([{"text": text}])).mark_text(align="left", color=INK, fontSize=12)
        return themed(mark.encode(x=alt.value(0), y=alt.value(12), text="text:N"))
    grid, nodes, links = drawn(geometry)
    xs, ys = extent(grid, nodes)
    height = round(width * (ys[1] - ys[0]) / (xs[1] - xs[0]))
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=list(xs), nice=False, zero=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=list(ys), nice=False, zero=False))
    slider = alt.binding_range(min=0, max=count - 1, step=1, name="Time step ")
    step = alt.param(name=STEP, value=_fullest(result), bind=slider)
    now = f"datum.step === {STEP}"
    colour = alt.Color(
        "occupancy:Q",
        scale=alt.Scale(domain=[0, 0.5, 1], range=list(_RANGE), interpolate="rgb", clamp=True),
        title="Buffer in use",
        legend=alt.Legend(format="%"),
    )
    where = {node["name"]: node for node in nodes}
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
    ends = {(link["a"], link["b"]): link for link in links}
    roads = [
        {
            "step": row["step"],
            "occupancy": row["occupancy"],
            **{key: ends[row["a"], row["b"]][key] for key in ("link", "x", "y", "x2", "y2")},
        }
        for row in rows(result.links)
        if (row["a"], row["b"]) in ends and row["occupancy"] is not None
    ]
    clock = [
        {"step": row["step"], "text": f"{row['time']:.1f} s", "x": xs[0], "y": ys[1]}
        for row in rows(result.network)
    ]
    layers = [
        Chart(data([{"x": link["x"], "y": link["y"], "x2": link["x2"], "y2": link["y2"]}
                        for link in links]))
        .mark_rule(color=GREY, opacity=0.35, strokeWidth=1)
        .encode(x, y, x2="x2:Q", y2="y2:Q"),
        Chart(data(roads))
        .mark_rule(strokeWidth=3.5, opacity=0.85)
        .encode(x, y, x2="x2:Q", y2="y2:Q", color=colour, tooltip=["link:N"])
        .transform_filter(now),
        Chart(data(states))
        .mark_circle(opacity=1, stroke="white", strokeWidth=1.2, size=240)
        .encode(
            x,
            y,
            color=colour,
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
    layers += [
        Chart(
            data(
                [
                    {"x": node["label_x"], "y": node["label_y"], "text": node["label"]}
                    for node in nodes
                    if node["align"] == align
                ]
            )
        )
        .mark_text(color=INK, fontSize=11, align=align)
        .encode(x, y, text="text:N")
        for align in sorted({node["align"] for node in nodes})
    ]
    # On the innermost view: the parameter is seen everywhere, and declared once.
    layers[1] = layers[1].add_params(step)
    top = alt.layer(*layers).properties(width=width, height=height)
    line = Chart(data(result.network)).encode(alt.X("time:Q", title="Time (s)"))
    below = alt.layer(
        line.mark_area(color=GREY, opacity=0.35, line={"color": GREY}).encode(
            alt.Y("loss_rate:Q", title="Loss rate", axis=alt.Axis(tickCount=3, format="~g"))
        ),
        line.mark_rule(color=VERMILLION, strokeWidth=2).transform_filter(now),
    ).properties(width=width, height=70)
    return themed(alt.vconcat(top, below, spacing=8))


def _fullest(result: NetworkCongestion) -> int:
    """The step with the highest mean occupancy."""
    means = result.nodes.group_by("step", maintain_order=True).agg(pl.col("occupancy").mean())
    known = means.drop_nulls("occupancy").sort("occupancy", descending=True, maintain_order=True)
    return int(known["step"][0]) if known.height else 0


def congestion_stills_chart(
    result: NetworkCongestion,
    *,
    geometry: Geometry,
    times: Sequence[float] | None = None,
    width: int = 340,
) -> Any:
    """Stills of the map, two beside each other, for papers.

    Args:
        result: Result to draw.
        geometry: Places of the routers, as a scenario's `geometry()` gives them.
        times: Times [s]; the windows that hold them are drawn. Four, evenly spread and the fullest
            among them, if `None`.
        width: Width of a map [pixels].
    """
    if not has_map(geometry) or result.nodes.is_empty():
        return nothing_chart(*result.notes)
    grid, nodes, links = drawn(geometry)
    xs, ys = extent(grid, nodes)
    height = round(width * (ys[1] - ys[0]) / (xs[1] - xs[0]))
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=list(xs), nice=False, zero=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=list(ys), nice=False, zero=False))
    colour = alt.Color(
        "occupancy:Q",
        scale=alt.Scale(domain=[0, 0.5, 1], range=list(_RANGE), interpolate="rgb", clamp=True),
        title="Buffer in use",
        legend=alt.Legend(format="%"),
    )
    known = (alt.value(GREY), alt.value(0.5))
    panels = []
    for step in _steps(result, times):
        full = dict(result.nodes.filter(step=step).select("node", "occupancy").iter_rows())
        roads = {
            (a, b): occupancy
            for a, b, occupancy in result.links.filter(step=step)
            .select("a", "b", "occupancy")
            .iter_rows()
        }
        lines = [{**link, "occupancy": roads.get((link["a"], link["b"]))} for link in links]
        places = [
            {
                "x": node["x"],
                "y": node["y"],
                "occupancy": full.get(node["name"]),
                "text": node["name"]
                if full.get(node["name"]) is None
                else percent(full[node["name"]], signed=False),
            }
            for node in nodes
        ]
        unknown = "datum.occupancy === null"
        drawing = alt.layer(
            Chart(data(lines))
            .mark_rule()
            .encode(
                x,
                y,
                x2="x2:Q",
                y2="y2:Q",
                color=alt.condition(unknown, known[0], colour),
                opacity=alt.condition(unknown, known[1], alt.value(0.9)),
                strokeWidth=alt.condition(unknown, alt.value(1), alt.value(2.5)),
            ),
            Chart(data(places))
            .mark_circle(opacity=1, stroke="white", strokeWidth=1, size=90)
            .encode(x, y, color=alt.condition(unknown, known[0], colour)),
            Chart(data(places))
            .mark_text(color=INK, fontSize=9, dy=-10)
            .encode(x, y, text="text:N"),
        )
        time = result.network.filter(step=step)["time"].item()
        panels.append(drawing.properties(width=width, height=height, title=f"{number(time)} s"))
    return themed(alt.concat(*panels, columns=2))


def _steps(result: NetworkCongestion, times: Sequence[float] | None) -> list[int]:
    count = result.network.height
    if times is None:
        spread = {round(k * (count - 1) / 3) for k in range(4)} - {0}
        return sorted({_fullest(result), *spread})[:4]
    ends = result.network["time"].to_list()
    return [next((k for k, end in enumerate(ends) if time <= end), count - 1) for time in times]
