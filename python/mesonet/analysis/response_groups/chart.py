"""The index-index plot: pairs of responses that say the same."""

from __future__ import annotations

import json
from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import ResponseClusters
from mesonet.figures.chart import Chart
from mesonet.figures.style import (
    BLUE,
    GREEN,
    GREY,
    INDIGO,
    ORANGE,
    PURPLE,
    VERMILLION,
    Names,
    data,
    nothing_chart,
    themed,
)

_CLUSTERS = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, INDIGO)


def index_chart(result: ResponseClusters, *, names: Names, step: int = 13) -> Any:
    """The sorted index-index plot: a dot for each correlated pair, a square for each cluster.

    Args:
        step: Width of a response, in pixels.
    """
    if result.pairs.is_empty():
        return nothing_chart(_no_pairs(result), *result.notes)
    dots, boxes, labels = _indices(result, names)
    n = len(labels)
    quoted = json.dumps(labels, ensure_ascii=False)
    names_of = f"{quoted}[datum.value - 1]"
    axis = {
        "title": None, "values": list(range(1, n + 1)), "grid": False, "ticks": False,
        "domain": False, "labelOverlap": False, "labelFontSize": 9, "labelExpr": names_of,
    }  # fmt: skip
    scale = alt.Scale(domain=[0.5, n + 0.5], nice=False, zero=False)
    x = alt.X("x:Q", scale=scale, axis=alt.Axis(**axis, labelAngle=-90))
    y = alt.Y("y:Q", scale=scale, axis=alt.Axis(**axis))
    colour = alt.Color("colour:N", scale=None)
    layers = [
        Chart(data(boxes))
        .mark_rect(fillOpacity=0.08, strokeOpacity=0.8)
        .encode(
            x, y, x2="x2:Q", y2="y2:Q", fill=alt.Fill("colour:N", scale=None),
            stroke=alt.Stroke("colour:N", scale=None), tooltip=["text:N"],
        ),
        Chart(data(dots))
        .mark_point(filled=True, size=34, opacity=1)
        .encode(x, y, colour, tooltip=["pair:N", "r:N"]),
    ]  # fmt: skip
    chart = alt.layer(*layers).properties(width=n * step, height=n * step, title=_found(result))
    return themed(chart)


def _found(result: ResponseClusters) -> str:
    several = result.clusters.filter(pl.col("size") > 1).height
    alone = result.clusters.height - several
    how = "suggested" if result.suggested else "chosen"
    return (
        f"|r| > {result.threshold:.2f} ({how}): {result.pairs.height} pairs in {several} clusters, "
        f"{alone} responses alone"
    )


def _no_pairs(result: ResponseClusters) -> str:
    if result.frame.is_empty():
        return "There are no clusters."
    return (
        f"No two of {result.frame.height} responses have |r| > {result.threshold:.2f}: "
        "each is a cluster of its own."
    )


def _indices(
    result: ResponseClusters, names: Names
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[str]]:
    index = dict(result.frame.select("response", "index").iter_rows())
    dots, boxes = [], []
    for row in result.pairs.iter_rows(named=True):
        pair = f"{names.response(row['first'])}, {names.response(row['second'])}"
        a, b = index[row["first"]], index[row["second"]]
        about = {"pair": pair, "r": f"{row['r']:+.2f}", "colour": _hue(row["cluster"])}
        dots += [{"x": x, "y": y, **about} for x, y in ((a, b), (b, a))]
    for row in result.clusters.filter(pl.col("size") > 1).iter_rows(named=True):
        own = result.frame.filter(cluster=row["cluster"])["index"]
        low, high = own.min() - 0.5, own.max() + 0.5  # type: ignore[operator]
        text = f"{row['size']} responses, {row['pairs']} of {row['possible']} pairs: "
        text += row["responses"]
        box = {"x": low, "x2": high, "y": low, "y2": high, "text": text}
        boxes.append(box | {"colour": _hue(row["cluster"])})
    return dots, boxes, result.frame["response"].to_list()


def _hue(cluster: int) -> str:
    return _CLUSTERS[cluster - 1] if cluster <= len(_CLUSTERS) else GREY
