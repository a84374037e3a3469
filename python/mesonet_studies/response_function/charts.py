"""Charts of the response functions: windows against loss, and distances from the functions."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import polars as pl

from mesonet.figures import Look
from mesonet.figures.chart import Chart
from mesonet.figures.style import INK, data, themed
from mesonet.studies.study import RunResults, chart
from mesonet_studies.response_function.curves import CURVES
from mesonet_studies.response_function.measure import response_frame

_RTTS = ["100 ms", "10 ms"]
_FROM = {"carried over": "from_carried", "printed": "from_published"}


@chart
def curves(run: RunResults) -> Any:
    """Published lines and measured points, both axes logarithmic."""
    return curves_chart(response_frame(run.results)) if run.results else None


def curves_chart(frame: pl.DataFrame) -> Any:
    """Published lines and measured points, both axes logarithmic."""
    present = [c for c in CURVES if not frame.filter(name=c.algorithm, rtt=c.rtt).is_empty()]
    look = Look.of(dict.fromkeys(curve.label for curve in present))
    lines = [
        {
            "algorithm": curve.label,
            "rtt": f"{curve.rtt * 1000:g} ms",
            "p": float(p),
            "window": curve.window(float(p)),
        }
        for curve in present
        for p in np.logspace(-6, -2, 81)
    ]
    rtt = pl.format("{} ms", (pl.col("rtt") * 1000).cast(pl.Int64)).alias("rtt")
    points = frame.select("algorithm", rtt, pl.col("loss").alias("p"), "window")
    p_ticks = alt.Axis(format=".0e", values=[1e-6, 1e-5, 1e-4, 1e-3, 1e-2])
    ticks = alt.Axis(format="~s", values=[10, 100, 1000, 10_000, 100_000])
    log = alt.Scale(type="log")
    x = alt.X("p:Q", title="Probability that a segment is lost", scale=log, axis=p_ticks)
    y = alt.Y("window:Q", title="Mean window (segments)", scale=log, axis=ticks)
    colour = alt.Color("algorithm:N", title=None, scale=look.scale())
    dashes = alt.Scale(domain=_RTTS, range=[[1, 0], [5, 3]])
    dash = alt.StrokeDash("rtt:N", legend=None, scale=dashes)
    shapes = alt.Scale(domain=_RTTS, range=["circle", "square"])
    shape = alt.Shape("rtt:N", title=None, scale=shapes)
    window = alt.Tooltip("window:Q", format=",.1f")
    tooltip = ["algorithm:N", "rtt:N", alt.Tooltip("p:Q", format=".0e"), window]
    published = Chart(data(lines)).encode(x, y, colour, dash)
    measured = Chart(data(points)).encode(x, y, colour, shape, tooltip=tooltip)
    drawn = alt.layer(
        published.mark_line(strokeWidth=1.2), measured.mark_point(size=42, filled=True, opacity=1)
    )
    return themed(drawn.properties(width=620, height=380))


@chart
def differences(run: RunResults) -> Any:
    """Differences from the printed function and from the carried one, by algorithm."""
    if not run.results:
        return None
    rows = [
        {
            "curve": f"{row['algorithm']}, {row['rtt'] * 1000:g} ms",
            "p": f"{row['loss']:.0e}",
            "from": name,
            "difference": row[column],
        }
        for row in response_frame(run.results).iter_rows(named=True)
        for name, column in reversed(_FROM.items())
    ]
    order = list(dict.fromkeys(row["curve"] for row in rows))
    viridis = alt.Scale(scheme="viridis")
    shapes = alt.Scale(domain=list(_FROM), range=["circle", "triangle-up"])
    full = alt.Scale(domain=list(_FROM), range=[1, 0])
    tenth = Chart(data([{"low": -0.1, "high": 0.1}])).encode(alt.X("low:Q"), x2="high:Q")
    points = Chart(data(rows)).encode(
        alt.X("difference:Q", title="Measured against the function", axis=alt.Axis(format="+%")),
        alt.Y("curve:N", title=None, sort=order),
        alt.Color("p:N", title="p", legend=None, scale=viridis, sort="descending"),
        alt.Shape("from:N", title=None, scale=shapes),
        alt.Fill("p:N", title="p", scale=viridis, sort="descending"),
        alt.FillOpacity("from:N", legend=None, scale=full),
        tooltip=["curve:N", "p:N", "from:N", alt.Tooltip("difference:Q", format="+.1%")],
    )
    drawn = alt.layer(tenth.mark_rect(color=INK, opacity=0.08), points.mark_point(size=46))
    return themed(drawn.properties(width=560, height=alt.Step(30)))
