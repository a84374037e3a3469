"""Congestion over the network map through time: a slider for the web, stills for print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure

from mesonet.analysis import NetworkCongestion
from mesonet.figures.network import Geometry, drawn, extent, has_map
from mesonet.figures.style import (
    GREY,
    INK,
    VERMILLION,
    data,
    number,
    paper,
    percent,
    rows,
    sheet,
    themed,
)

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
        mark = alt.Chart(data([{"text": text}])).mark_text(align="left", color=INK, fontSize=12)
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
        alt.Chart(data([{"x": link["x"], "y": link["y"], "x2": link["x2"], "y2": link["y2"]}
                        for link in links]))
        .mark_rule(color=GREY, opacity=0.35, strokeWidth=1)
        .encode(x, y, x2="x2:Q", y2="y2:Q"),
        alt.Chart(data(roads))
        .mark_rule(strokeWidth=3.5, opacity=0.85)
        .encode(x, y, x2="x2:Q", y2="y2:Q", color=colour, tooltip=["link:N"])
        .transform_filter(now),
        alt.Chart(data(states))
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
        alt.Chart(data(clock))
        .mark_text(color=INK, fontSize=15, fontWeight=600, align="left", baseline="top")
        .encode(x, y, text="text:N")
        .transform_filter(now),
    ]  # fmt: skip
    layers += [
        alt.Chart(
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
    line = alt.Chart(data(result.network)).encode(alt.X("time:Q", title="Time (s)"))
    below = alt.layer(
        line.mark_area(color=GREY, opacity=0.35, line={"color": GREY}).encode(
            alt.Y("loss_rate:Q", title="Loss rate", axis=alt.Axis(tickCount=3, format="~g"))
        ),
        line.mark_rule(color=VERMILLION, strokeWidth=2).transform_filter(now),
    ).properties(width=width, height=70)
    return themed(alt.vconcat(top, below, spacing=8))


def congestion_map_figure(
    result: NetworkCongestion, *, geometry: Geometry, times: Sequence[float] | None = None
) -> Figure:
    """Stills of the map for papers.

    Args:
        result: Result to draw.
        geometry: Places of the routers, as a scenario's `geometry()` gives them.
        times: Times [s]; the windows that hold them are drawn. Four, evenly spread and the fullest
            among them, if `None`.
    """
    if not has_map(geometry) or result.nodes.is_empty():
        with paper():
            figure = sheet(5.0, 0.5)
            figure.text(0.01, 0.4, " ".join(result.notes) or "There is nothing to show.", size=7)
        return figure
    grid, nodes, links = drawn(geometry)
    xs, ys = extent(grid, nodes)
    steps = _steps(result, times)
    colours = LinearSegmentedColormap.from_list("occupancy", _RANGE)
    columns = min(len(steps), 2)
    lines = -(-len(steps) // columns)
    with paper():
        figure = sheet(3.5 * columns, 3.5 * (ys[1] - ys[0]) / (xs[1] - xs[0]) * lines + 0.35)
        panels = figure.subplots(lines, columns, squeeze=False)
        for axes, step in zip(panels.flat, steps, strict=False):
            states = dict(
                result.nodes.filter(pl.col("step") == step).select("node", "occupancy").iter_rows()
            )
            roads = {
                (row["a"], row["b"]): row["occupancy"]
                for row in result.links.filter(pl.col("step") == step).iter_rows(named=True)
            }
            for link in links:
                occupancy = roads.get((link["a"], link["b"]))
                ends = [link["x"], link["x2"]], [link["y"], link["y2"]]
                colour = "0.8" if occupancy is None else colours(occupancy)
                axes.plot(*ends, color=colour, lw=1.0 if occupancy is None else 1.8, zorder=2)
            for node in nodes:
                occupancy = states.get(node["name"])
                face = "0.8" if occupancy is None else colours(occupancy)
                axes.plot(node["x"], node["y"], "o", color=face, mec="white", ms=7, zorder=3)
                text = node["name"] if occupancy is None else percent(occupancy, signed=False)
                axes.annotate(
                    text, (node["x"], node["y"]), (0, 5), textcoords="offset points",
                    ha="center", size=5.5,
                )  # fmt: skip
            time = result.network.filter(pl.col("step") == step)["time"].item()
            axes.set_title(f"{number(time)} s", size=8)
            axes.set(xlim=xs, ylim=ys, aspect="equal")
            axes.set_axis_off()
        for axes in list(panels.flat)[len(steps) :]:
            axes.set_axis_off()
        scale = ScalarMappable(Normalize(0, 1), colours)
        bar = figure.colorbar(scale, ax=panels, shrink=0.5, aspect=30)
        bar.set_label("Buffer in use")
    return figure


def _fullest(result: NetworkCongestion) -> int:
    """The step with the highest mean occupancy."""
    means = result.nodes.group_by("step", maintain_order=True).agg(pl.col("occupancy").mean())
    known = means.drop_nulls("occupancy").sort("occupancy", descending=True, maintain_order=True)
    return int(known["step"][0]) if known.height else 0


def _steps(result: NetworkCongestion, times: Sequence[float] | None) -> list[int]:
    count = result.network.height
    if times is None:
        spread = {round(k * (count - 1) / 3) for k in range(4)} - {0}
        return sorted({_fullest(result), *spread})[:4]
    ends = result.network["time"].to_list()
    return [next((k for k, end in enumerate(ends) if time <= end), count - 1) for time in times]
