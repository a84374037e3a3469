"""Warm-up of series: their course in one run, and where it ends in the runs of a campaign."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import WarmUp
from mesonet.figures.chart import Chart
from mesonet.figures.style import (
    BLUE,
    FAINT,
    INK,
    VERMILLION,
    Look,
    Names,
    data,
    names_along,
    nothing_chart,
    rows,
    themed,
)
from mesonet.numbers import number, percent

_NOT = "not settled"
_LEGEND = ["mean of a step", "running mean", "mean after the warm-up"]

_WIDTH = 280


def warm_up_chart(result: WarmUp, *, look: Look | None = None, names: Names | None = None) -> Any:
    """Each series with its running mean and the warm-up shaded; the ends alone for many runs.

    Series that never change, or are zero in every run, are left out.
    """
    names = names or Names()
    if "run" in result.frame.columns:
        return _ends_chart(result, look, names, 2 * _WIDTH)
    varying = (
        result.course.group_by("series", maintain_order=True)
        .agg(pl.col("value").drop_nulls().n_unique().alias("values"))
        .filter(pl.col("values") > 1)["series"]
    )
    if varying.is_empty():
        return nothing_chart("No series changes, so none warms up.", *result.notes)
    panels = [_panel(result, name, names, _WIDTH) for name in varying[:12]]
    grid = alt.concat(*panels, columns=2, spacing=18)
    return themed(grid.resolve_scale(x="independent", y="independent", color="shared"))


def _panel(result: WarmUp, series: str, names: Names, width: int) -> Any:
    course = result.course.filter(pl.col("series") == series)
    row = result.frame.filter(pl.col("series") == series).row(0, named=True)
    begin, end = 0.0, course["time"].to_list()[-1]
    x = alt.X(
        "time:Q",
        scale=alt.Scale(domain=[begin, end], nice=False),
        axis=alt.Axis(title="Time (s)", tickCount=5),
    )
    y = alt.Y("value:Q", scale=alt.Scale(zero=False), axis=alt.Axis(title=None, tickCount=4))
    colour = alt.Color(
        "line:N", scale=alt.Scale(domain=_LEGEND, range=["#8a9099", BLUE, VERMILLION]), title=None
    )
    lines = [
        {"line": line, "time": point["time"], "value": point[key]}
        for line, key in zip(_LEGEND, ("value", "running_mean"), strict=False)
        for point in rows(course)
    ]
    layers = []
    if row["settled"]:
        cut, mean = row["time"], row["mean_after"]
        lines += [{"line": _LEGEND[2], "time": at, "value": mean} for at in (cut, end)]
        title = f"{names.axis(series)}: {number(cut, digits=3)} s of warm-up"
        layers.append(
            Chart(data([{"time": begin, "cut": cut}]))
            .mark_rect(color=FAINT, opacity=1)
            .encode(x, x2="cut:Q")
        )
    else:
        title = f"{names.axis(series)}: {_NOT}"
    for line, stroke, dash in zip(_LEGEND, (1, 2, 1.5), ([], [], [6, 3]), strict=True):
        mark = {"strokeWidth": stroke, **({"strokeDash": dash} if dash else {})}
        points = [point for point in lines if point["line"] == line]
        tooltip = ["line:N", alt.Tooltip("time:Q", format=".3~g"), "value:Q"]
        layers.append(Chart(data(points)).mark_line(**mark).encode(x, y, colour, tooltip=tooltip))
    return alt.layer(*layers).properties(width=width, height=120, title=title)


def _ends_chart(result: WarmUp, look: Look | None, names: Names, width: int) -> Any:
    if result.frame.is_empty():
        return nothing_chart(*(result.notes or ("No run kept its series.",)), width=width)
    labels = result.frame["alternative"].unique(maintain_order=True).to_list()
    look = look or Look.of(labels)
    happened = {row["series"] for row in rows(result.frame) if row["mean"]}
    points = [
        {
            "series": names.response(row["series"]),
            "alternative": row["alternative"],
            "run": row["run"],
            "share": row["fraction"],
            "text": percent(row["fraction"], signed=False) if row["settled"] else _NOT,
        }
        for row in rows(result.frame)
        if row["series"] in happened
    ]
    y = names_along(alt.Y, "series:N", None, labelLimit=200)
    x = alt.X(
        "share:Q",
        scale=alt.Scale(domain=[0, 0.5], nice=False),
        axis=alt.Axis(title="Part of the run before the end of the warm-up", format="~%"),
    )
    lost = [
        {"series": name, "text": f"{missing} of {runs} {_NOT}"}
        for name, missing, runs in _unsettled(points)
        if missing
    ]
    base = Chart(data(points)).transform_filter("datum.share !== null").encode(y)
    layers = [
        base.mark_point(filled=True, size=36, opacity=0.55).encode(
            x,
            alt.YOffset("alternative:N", sort=labels),
            alt.Color("alternative:N", scale=look.scale(labels), title=None),
            alt.Shape("alternative:N", scale=look.shapes(labels), title=None),
            tooltip=["run:N", "series:N", "alternative:N", alt.Tooltip("text:N", title="warm-up")],
        ),
        Chart(data(lost))
        .mark_text(align="left", fontSize=11, color=INK)
        .encode(y, x=alt.value(width + 10), text="text:N"),
    ]
    many = len({point["series"] for point in points})
    height = many * (10 + 9 * len(labels))
    return themed(alt.layer(*layers).properties(width=width, height=height))


def _unsettled(points: list[dict[str, Any]]) -> list[tuple[str, int, int]]:
    """Each series with the number of runs in which it has not settled, and of all runs."""
    unsettled: dict[str, list[bool]] = {}
    for point in points:
        unsettled.setdefault(point["series"], []).append(point["share"] is None)
    return [(name, sum(flags), len(flags)) for name, flags in unsettled.items()]
