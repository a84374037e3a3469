"""Charts of the slides' figures: curves by protocol, bars of flows, lines over time, fairness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from mesonet.figures import Look
from mesonet.figures.chart import Chart
from mesonet.figures.style import INK, data, themed
from mesonet.studies.study import RunResults, chart
from mesonet_studies.hcc.lab import BUFFERS, LABELS, RATE, label_of
from mesonet_studies.hcc.measure import AXES, points
from mesonet_studies.hcc.rtt_fairness.measure import algorithms_compared, crowded, fairness_frame

Rows = Sequence[Mapping[str, Any]]
_POWERS = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2]


@chart
def against(
    run: RunResults, kind: str, column: str = "throughput", level: float | None = None
) -> Any:
    """Throughput or queue of one flow, by protocol, against the buffer, losses or reverse load.

    Kinds of runs are "single", "loss", "reverse" and "load"; at `level` a dashed line is drawn.
    """
    rows, (_, *x) = points(run, kind), AXES[kind]
    if not rows:
        return None
    log = kind == "loss"
    top, y = (None, (column, "Mean queue (packets)"))
    if column == "throughput":
        top, y = RATE, (column, "Mean throughput (Mbit/s)")
    look = Look.of(dict.fromkeys(row["protocol"] for row in rows))
    scale = alt.Scale(type="log" if log else "linear", nice=False)
    axis = alt.Axis(format=".0e", values=_POWERS) if log else alt.Axis()
    height = alt.Scale(domain=[0, top], nice=False) if top else alt.Scale(zero=True)
    tooltip = [alt.Tooltip(f"{x[0]}:Q", title=x[1])]
    tooltip += [alt.Tooltip(f"{y[0]}:Q", title=y[1], format=",.1f")]
    base = Chart().encode(
        alt.X(f"{x[0]}:Q", title=x[1], scale=scale, axis=axis),
        alt.Y(f"{y[0]}:Q", title=y[1], scale=height),
        alt.Color("protocol:N", title=None, scale=look.scale()),
        alt.Shape("protocol:N", title=None, scale=look.shapes()),
        tooltip=["protocol:N", *tooltip],
    )
    layers = [base.mark_line(strokeWidth=1.3), base.mark_point(size=26, filled=True)]
    layers += [] if level is None else [_level(level)]
    if "panel" not in rows[0]:
        return themed(alt.layer(*layers).properties(width=620, height=260, data=data(rows)))
    return _by_panel(alt.layer(*layers).properties(width=290, height=260), rows)


def _by_panel(chart: Any, rows: Rows, **layout: int) -> Any:
    """A chart for each value of `panel`."""
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    facet = alt.Facet("panel:N", title=None, sort=panels)
    return themed(chart.facet(facet, data=data(rows), **layout))


@chart
def bars(run: RunResults, kind: str, flows: int) -> Any:
    """Throughputs [Mbit/s] stacked by protocol, one panel per buffer; dashed the fair one."""
    rows = [
        {
            "protocol": label_of(name),
            "panel": f"{buffer} packets",
            "flow": flow,
            "kind": "Reno" if flow.startswith("reno") else "the protocol",
            "throughput": rate,
        }
        for buffer in BUFFERS
        for name in run.options.chosen
        if (result := run.results.get(f"{kind}-{name}-{buffer}"))
        for flow, rate in result["throughputs"].items()
    ]
    if not rows:
        return None
    names = list(dict.fromkeys(row["protocol"] for row in rows))
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    colours = alt.Scale(domain=kinds, range=["#0072B2", "#808790"][: len(kinds)])
    stacks = Chart().encode(
        alt.X("throughput:Q", title="Throughput (Mbit/s)", scale=alt.Scale(domain=[0, 200])),
        alt.Y("protocol:N", title=None, sort=names),
        alt.Color("kind:N", title=None, scale=colours),
        alt.Order("place:Q"),
        tooltip=["protocol:N", "flow:N", alt.Tooltip("throughput:Q", format=".1f")],
    )
    rule = Chart().mark_rule(color=INK, opacity=0.5, strokeDash=[4, 3])
    layers = (
        stacks.mark_bar(stroke="white", strokeWidth=0.8, height=13),
        rule.encode(x=alt.datum(RATE / flows)),
    )
    chart = alt.layer(*layers).properties(width=250, height=alt.Step(20))
    return _by_panel(chart, [{**row, "place": k} for k, row in enumerate(rows)])


@chart
def over_time(run: RunResults, lines: Sequence[tuple[str, str, str, str]], title: str) -> Any:
    """Curves of runs over time: panel, line, name of a run and name of its curve."""
    rows = [
        {"time": time, "value": value, "line": line, "panel": panel}
        for panel, line, name, curve in lines
        if name in run.results
        for curves in [run.results[name]["curves"]]
        for time, value in zip(curves["time"], curves[curve], strict=True)
    ]
    if not rows:
        return None
    names = list(dict.fromkeys(row["line"] for row in rows))
    palette = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]
    colour = alt.Scale(domain=names, range=palette[: len(names)])
    base = Chart().encode(
        alt.X("time:Q", title="Time (s)", scale=alt.Scale(nice=False)),
        alt.Y("value:Q", title=title),
        alt.Color("line:N", title=None, scale=colour),
        tooltip=["line:N", alt.Tooltip("time:Q", format=".1f"), "value:Q"],
    )
    chart = alt.layer(base.mark_line(strokeWidth=1.2)).properties(width=290, height=190)
    return _by_panel(chart, rows, columns=2)


@chart
def jain_by_ratio(run: RunResults) -> Any:
    """Jain's index by algorithm, measured and published, in a row per buffer or of one buffer."""
    frame = fairness_frame(run.results, algorithms_compared(run.options))
    if frame.is_empty():
        return None
    frame = frame.filter(buffer=BUFFERS[-1]) if crowded(run) else frame
    rows = frame.select(
        pl.col("algorithm").replace(LABELS).alias("protocol"),
        pl.format("{} packets", "buffer").alias("buffer"),
        "ratio",
        pl.col("jain").alias("measured"),
        pl.col("published_jain").alias("published"),
    )
    look = Look.of(rows["protocol"].unique(maintain_order=True))
    x = alt.X("ratio:Q", title="Ratio of round-trip times", scale=alt.Scale(domain=[1, 6]))
    y = alt.Scale(domain=[0.5, 1.0], nice=False)
    colour = alt.Color("protocol:N", legend=None, scale=look.scale())
    tooltip = ["protocol:N", "buffer:N", "ratio:Q"]
    tooltip += [alt.Tooltip(f"{name}:Q", format=".4f") for name in ("measured", "published")]
    base = Chart().encode(x, colour, tooltip=tooltip)
    measured = alt.Y("measured:Q", title="Jain's index", scale=y)
    published = alt.Y("published:Q", scale=y)
    layers = alt.layer(
        base.mark_line(strokeWidth=1.4).encode(measured),
        base.mark_point(filled=True, size=36).encode(measured),
        base.mark_point(shape="cross", size=60, filled=False, strokeWidth=1.4).encode(published),
        _level(0.5, opacity=0.3, dash=[3, 3]),
    ).properties(width=128, height=120)
    sort = list(look.alternatives)
    if crowded(run):
        facet = alt.Facet("protocol:N", title=None, sort=sort)
        return themed(layers.facet(facet, columns=6, data=data(rows)))
    column = alt.Facet("protocol:N", title=None, sort=sort)
    row = alt.Row("buffer:N", title=None, sort=list(rows["buffer"].unique(maintain_order=True)))
    return themed(layers.facet(column=column, row=row, data=data(rows)))


def _level(value: float, *, opacity: float = 0.45, dash: Sequence[int] = (4, 3)) -> Any:
    rule = Chart().mark_rule(color=INK, opacity=opacity, strokeDash=list(dash))
    return rule.encode(y=alt.datum(value))
