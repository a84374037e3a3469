"""The page of the response functions: the curves, and published beside measured windows."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from matplotlib.figure import Figure

from mesonet.figures import Look
from mesonet.figures.style import INK, data, paper, sheet, themed
from mesonet.report.charts import picture
from mesonet.report.tables import Column, numbers, percents, table, words
from mesonet.studies.bench import Results
from mesonet.studies.page import CaptionedChart, Section
from mesonet.studies.response_function.curves import CURVES, Curve
from mesonet.studies.response_function.runs import response_frame


def sections(results: Results) -> list[Section]:
    """Sections: the curves, the distances of the points from them, and the table."""
    frame = response_frame(results)
    if frame.is_empty():
        return []
    lines = CaptionedChart(
        picture("curves", curves_chart(frame), "Mean window against loss probability"),
        "Mean window of one flow at a loss probability: measured points on the published lines. "
        "Both axes are logarithmic; solid lines and dots are for 100 ms, dashed and squares for "
        "10 ms. Points a little above their line are what random losses do: see below.",
    )
    rest = CaptionedChart(
        picture("differences", differences_chart(frame), "Differences from the functions"),
        "Difference of the measured window from the printed function (hollow), and from that "
        "function carried over to losses at random (full). The band is the tolerance of 10 %.",
    )
    randomness = (
        "The published functions hold for a loss every 1/p segments. Random losses raise the mean "
        "of a window that grows linearly by up to 7 %, of a convex one more: CUBIC by 13 to 25 %, "
        "H-TCP by 10 to 27 %. For Scalable, whose growth is proportional to its window, nothing "
        "changes but below and around the low window."
    )
    edges = (
        "Around the low windows (HSTCP and CTCP at 1e-3, Scalable at 1e-2) a random window is now "
        "on one side and now on the other; the published line is a kink. At 1e-2 timeouts count, "
        "and windows are too small for averages over round trips to be smooth. At 1e-6 a run has "
        "300 losses: its standard error is 3 to 6 %."
    )
    how = (
        "To carry a function over, the published rule is played round trip by round trip without "
        "a network, once with a loss every 1/p segments and once with losses at random; the "
        "printed window times the second over the first is what is compared."
    )
    return [
        Section("curves", "Curves", charts=(lines, rest)),
        Section(
            "windows",
            "Windows",
            (how,),
            tables=(("Published and measured", _table(frame)),),
            notes=(randomness, edges),
        ),
    ]


def _table(frame: pl.DataFrame) -> Any:
    rows = frame.with_columns(rtt_ms=pl.col("rtt") * 1000)
    return table(
        "response-function",
        rows,
        [
            words("algorithm", "algorithm"),
            numbers("rtt_ms", "RTT (ms)"),
            Column("loss", "p", lambda p: f"{p:.0e}"),
            numbers("published", "printed function"),
            numbers("carried", "carried to random loss"),
            numbers("window", "measured"),
            numbers("error", "standard error"),
            numbers("timeouts", "timeouts"),
            percents("from_published", "from printed"),
            percents("from_carried", "from carried"),
            words("source", "source"),
        ],
    )


def curves_chart(frame: pl.DataFrame) -> Any:
    """Published lines and measured points."""
    present = _present(frame)
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
    points = [
        {
            "algorithm": row["algorithm"],
            "rtt": f"{row['rtt'] * 1000:g} ms",
            "p": row["loss"],
            "window": row["window"],
        }
        for row in frame.iter_rows(named=True)
    ]
    x = alt.X(
        "p:Q",
        title="Probability that a segment is lost",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(format=".0e", values=[1e-6, 1e-5, 1e-4, 1e-3, 1e-2]),
    )
    y = alt.Y(
        "window:Q",
        title="Mean window (segments)",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(format="~s", values=[10, 100, 1000, 10_000, 100_000]),
    )
    colour = alt.Color("algorithm:N", title=None, scale=look.scale())
    dash = alt.StrokeDash(
        "rtt:N", legend=None, scale=alt.Scale(domain=["100 ms", "10 ms"], range=[[1, 0], [5, 3]])
    )
    shape = alt.Shape(
        "rtt:N", title=None, scale=alt.Scale(domain=["100 ms", "10 ms"], range=["circle", "square"])
    )
    told = [
        "algorithm:N",
        "rtt:N",
        alt.Tooltip("p:Q", format=".0e"),
        alt.Tooltip("window:Q", format=",.1f"),
    ]
    drawn = alt.layer(
        alt.Chart(data(lines)).mark_line(strokeWidth=1.2).encode(x, y, colour, dash),
        alt.Chart(data(points))
        .mark_point(size=42, filled=True, opacity=1)
        .encode(x, y, colour, shape, tooltip=told),
    )
    return themed(drawn.properties(width=620, height=380))


def differences_chart(frame: pl.DataFrame) -> Any:
    """Differences from the printed function and from the carried one, by algorithm."""
    rows = [
        {
            "curve": f"{row['algorithm']}, {row['rtt'] * 1000:g} ms",
            "p": f"{row['loss']:.0e}",
            "from": name,
            "difference": row[column],
        }
        for row in frame.iter_rows(named=True)
        for name, column in (("printed", "from_published"), ("carried over", "from_carried"))
    ]
    order = [f"{curve.label}, {curve.rtt * 1000:g} ms" for curve in _present(frame)]
    loss = alt.Color(
        "p:N", title="p", legend=None, scale=alt.Scale(scheme="viridis"), sort="descending"
    )
    which = alt.Shape(
        "from:N",
        title=None,
        scale=alt.Scale(domain=["carried over", "printed"], range=["circle", "triangle-up"]),
    )
    full = alt.FillOpacity(
        "from:N", legend=None, scale=alt.Scale(domain=["carried over", "printed"], range=[1, 0])
    )
    band = (
        alt.Chart(data([{"low": -0.1, "high": 0.1}]))
        .mark_rect(color=INK, opacity=0.08)
        .encode(alt.X("low:Q"), x2="high:Q")
    )
    points = (
        alt.Chart(data(rows))
        .mark_point(size=46)
        .encode(
            alt.X(
                "difference:Q", title="Measured against the function", axis=alt.Axis(format="+%")
            ),
            alt.Y("curve:N", title=None, sort=order),
            loss,
            which,
            alt.Fill("p:N", title="p", scale=alt.Scale(scheme="viridis"), sort="descending"),
            full,
            tooltip=["curve:N", "p:N", "from:N", alt.Tooltip("difference:Q", format="+.1%")],
        )
    )
    return themed(alt.layer(band, points).properties(width=560, height=alt.Step(30)))


def _present(frame: pl.DataFrame) -> list[Curve]:
    return [c for c in CURVES if not frame.filter(name=c.algorithm, rtt=c.rtt).is_empty()]


def response_figure(frame: pl.DataFrame) -> Figure:
    """Measured points on the published lines, both axes logarithmic; for paper."""
    present = _present(frame)
    look = Look.of(dict.fromkeys(curve.label for curve in present))
    with paper():
        figure = sheet(6.4, 4.2)
        axes = figure.subplots()
        p = np.logspace(-6, -2, 121)
        for curve in present:
            colour, dash = look.colour(curve.label), "-" if curve.rtt == 0.1 else "--"
            axes.plot(p, [curve.window(float(each)) for each in p], dash, color=colour, lw=1.0)
            mine = frame.filter(name=curve.algorithm, rtt=curve.rtt)
            axes.plot(
                mine["loss"],
                mine["window"],
                look.marker(curve.label),
                color=colour,
                ms=4.5,
                mfc=colour if curve.rtt == 0.1 else "none",
                label=f"{curve.label}, {curve.rtt * 1000:g} ms",
            )
        axes.set(
            xscale="log",
            yscale="log",
            xlabel="Probability that a segment is lost",
            ylabel="Mean window (segments)",
        )
        axes.grid(which="major", lw=0.3, alpha=0.5)
        axes.legend(loc="upper right")
    return figure


def response_markdown(frame: pl.DataFrame) -> str:
    """The table of the manual."""
    head = (
        "| Algorithm, RTT | p | Printed, periodic loss | Carried to random loss | Measured "
        "| Timeouts | From printed | From carried |\n|---|---|---|---|---|---|---|---|\n"
    )
    lines = []
    for row in frame.iter_rows(named=True):
        power = round(math.log10(row["loss"]))
        lines.append(
            f"| {row['algorithm']}, {row['rtt'] * 1000:g} ms | 1e{power} "
            f"| {_window(row['published'])} | {_window(row['carried'])} "
            f"| {_window(row['window'])} ± {_window(row['error'])} "
            f"| {row['timeouts']} | {row['from_published']:+.1%} | {row['from_carried']:+.1%} |\n"
        )
    return head + "".join(lines)


def _window(value: float) -> str:
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"
