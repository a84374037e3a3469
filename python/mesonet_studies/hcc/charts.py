"""Charts of the slides' figures: curves by protocol, bars of flows, lines over time, fairness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from mesonet.figures import Look
from mesonet.figures.chart import Chart
from mesonet.figures.style import INK, data, themed
from mesonet_studies.hcc.lab import LABELS

Rows = Sequence[Mapping[str, Any]]
_POWERS = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2]


def curves_chart(
    rows: Rows,
    *,
    x: tuple[str, str],
    y: tuple[str, str],
    log: bool = False,
    top: float | None = None,
    level: float | None = None,
) -> Any:
    """Lines by protocol, one panel per value of `panel` if rows have it.

    `x` and `y` are fields and titles, `log` is for the x axis, `top` the largest value of the y
    axis, `level` that of a dashed line.
    """
    look = Look.of(dict.fromkeys(row["protocol"] for row in rows))
    scale = alt.Scale(type="log" if log else "linear", nice=False)
    axis = alt.Axis(format=".0e", values=_POWERS) if log else alt.Axis()
    height = alt.Scale(domain=[0, top], nice=False) if top else alt.Scale(zero=True)
    told = [alt.Tooltip(f"{x[0]}:Q", title=x[1])]
    told += [alt.Tooltip(f"{y[0]}:Q", title=y[1], format=",.1f")]
    base = Chart().encode(
        alt.X(f"{x[0]}:Q", title=x[1], scale=scale, axis=axis),
        alt.Y(f"{y[0]}:Q", title=y[1], scale=height),
        alt.Color("protocol:N", title=None, scale=look.scale()),
        alt.Shape("protocol:N", title=None, scale=look.shapes()),
        tooltip=["protocol:N", *told],
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


def bars_chart(rows: Rows, *, fair: float) -> Any:
    """Throughputs [Mbit/s] stacked by protocol, one panel per buffer; dashed the fair one."""
    names = list(dict.fromkeys(row["protocol"] for row in rows))
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    colours = alt.Scale(domain=kinds, range=["#0072B2", "#808790"][: len(kinds)])
    bars = Chart().encode(
        alt.X("throughput:Q", title="Throughput (Mbit/s)", scale=alt.Scale(domain=[0, 200])),
        alt.Y("protocol:N", title=None, sort=names),
        alt.Color("kind:N", title=None, scale=colours),
        alt.Order("place:Q"),
        tooltip=["protocol:N", "flow:N", alt.Tooltip("throughput:Q", format=".1f")],
    )
    rule = Chart().mark_rule(color=INK, opacity=0.5, strokeDash=[4, 3])
    layers = (
        bars.mark_bar(stroke="white", strokeWidth=0.8, height=13),
        rule.encode(x=alt.datum(fair)),
    )
    chart = alt.layer(*layers).properties(width=250, height=alt.Step(20))
    return _by_panel(chart, [{**row, "place": k} for k, row in enumerate(rows)])


def time_chart(rows: Rows, *, title: str) -> Any:
    """Values over time [s] by `line`, one panel per value of `panel`."""
    lines = list(dict.fromkeys(row["line"] for row in rows))
    palette = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]
    colour = alt.Scale(domain=lines, range=palette[: len(lines)])
    base = Chart().encode(
        alt.X("time:Q", title="Time (s)", scale=alt.Scale(nice=False)),
        alt.Y("value:Q", title=title),
        alt.Color("line:N", title=None, scale=colour),
        tooltip=["line:N", alt.Tooltip("time:Q", format=".1f"), "value:Q"],
    )
    chart = alt.layer(base.mark_line(strokeWidth=1.2)).properties(width=290, height=190)
    return _by_panel(chart, rows, columns=2)


def jain_chart(frame: pl.DataFrame, *, in_rows: bool) -> Any:
    """Jain's index by algorithm, measured and published, in a row per buffer or of one buffer."""
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
    told = ["protocol:N", "buffer:N", "ratio:Q"]
    told += [alt.Tooltip(f"{name}:Q", format=".4f") for name in ("measured", "published")]
    base = Chart().encode(x, colour, tooltip=told)
    measured = alt.Y("measured:Q", title="Jain's index", scale=y)
    published = alt.Y("published:Q", scale=y)
    layers = alt.layer(
        base.mark_line(strokeWidth=1.4).encode(measured),
        base.mark_point(filled=True, size=36).encode(measured),
        base.mark_point(shape="cross", size=60, filled=False, strokeWidth=1.4).encode(published),
        _level(0.5, opacity=0.3, dash=[3, 3]),
    ).properties(width=128, height=120)
    sort = list(look.alternatives)
    if not in_rows:
        each = alt.Facet("protocol:N", title=None, sort=sort)
        return themed(layers.facet(each, columns=6, data=data(rows)))
    column = alt.Facet("protocol:N", title=None, sort=sort)
    row = alt.Row("buffer:N", title=None, sort=list(rows["buffer"].unique(maintain_order=True)))
    return themed(layers.facet(column=column, row=row, data=data(rows)))


def _level(value: float, *, opacity: float = 0.45, dash: Sequence[int] = (4, 3)) -> Any:
    rule = Chart().mark_rule(color=INK, opacity=opacity, strokeDash=list(dash))
    return rule.encode(y=alt.datum(value))
