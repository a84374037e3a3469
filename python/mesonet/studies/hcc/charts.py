"""Charts of the study `hcc`: curves by protocol, bars of flows, windows over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from mesonet.figures import Look
from mesonet.figures.chart import Chart
from mesonet.figures.style import INK, data, themed

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

    Args:
        rows: records with `protocol`, the fields of both axes and perhaps `panel`.
        x: field and title.
        y: field and title.
        log: true for a logarithmic x axis.
        top: largest value of the y axis.
        level: a dashed line across.
    """
    look = _look(rows)
    panels = list(dict.fromkeys(row["panel"] for row in rows if "panel" in row))
    scale = alt.Scale(type="log" if log else "linear", nice=False)
    format_ = alt.Axis(format=".0e", values=_POWERS) if log else alt.Axis()
    base = Chart().encode(
        alt.X(f"{x[0]}:Q", title=x[1], scale=scale, axis=format_),
        alt.Y(
            f"{y[0]}:Q",
            title=y[1],
            scale=alt.Scale(domain=[0, top], nice=False) if top else alt.Scale(zero=True),
        ),
        alt.Color("protocol:N", title=None, scale=look.scale()),
        alt.Shape("protocol:N", title=None, scale=look.shapes()),
        tooltip=[
            "protocol:N",
            alt.Tooltip(f"{x[0]}:Q", title=x[1]),
            alt.Tooltip(f"{y[0]}:Q", title=y[1], format=",.1f"),
        ],
    )
    layers = [base.mark_line(strokeWidth=1.3), base.mark_point(size=26, filled=True)]
    if level is not None:
        layers.append(_level(level))
    width = 620 if not panels else 290
    chart = alt.layer(*layers).properties(width=width, height=260)
    if panels:
        return themed(chart.facet(alt.Facet("panel:N", title=None, sort=panels), data=data(rows)))
    return themed(chart.properties(data=data(rows)))


def bars_chart(rows: Rows, *, fair: float) -> Any:
    """Throughputs of flows stacked by protocol, one panel per buffer.

    Args:
        rows: records with `protocol`, `panel`, `flow`, `kind` and `throughput` [Mbit/s].
        fair: an equal share of all flows of one kind, dashed [Mbit/s].
    """
    names = list(dict.fromkeys(row["protocol"] for row in rows))
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    colours = alt.Scale(domain=kinds, range=["#0072B2", "#808790"][: len(kinds)])
    bars = (
        Chart()
        .mark_bar(stroke="white", strokeWidth=0.8, height=13)
        .encode(
            alt.X("throughput:Q", title="Throughput (Mbit/s)", scale=alt.Scale(domain=[0, 200])),
            alt.Y("protocol:N", title=None, sort=names),
            alt.Color("kind:N", title=None, scale=colours),
            alt.Order("place:Q"),
            tooltip=["protocol:N", "flow:N", alt.Tooltip("throughput:Q", format=".1f")],
        )
    )
    rule = Chart().mark_rule(color=INK, opacity=0.5, strokeDash=[4, 3]).encode(x=alt.datum(fair))
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    placed = [{**row, "place": k} for k, row in enumerate(rows)]
    chart = alt.layer(bars, rule).properties(width=250, height=alt.Step(20))
    return themed(chart.facet(alt.Facet("panel:N", title=None, sort=panels), data=data(placed)))


def time_chart(rows: Rows, *, title: str, level: float | None = None, width: int = 290) -> Any:
    """Lines over time by `line`, one panel per value of `panel`.

    Args:
        rows: records with `time` [s], `value`, `line` and `panel`.
        title: title of the y axis.
        level: a dashed line across.
        width: width of a panel [pixels].
    """
    lines = list(dict.fromkeys(row["line"] for row in rows))
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    palette = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]
    colour = alt.Scale(domain=lines, range=palette[: len(lines)])
    base = Chart().encode(
        alt.X("time:Q", title="Time (s)", scale=alt.Scale(nice=False)),
        alt.Y("value:Q", title=title),
        alt.Color("line:N", title=None, scale=colour),
        tooltip=["line:N", alt.Tooltip("time:Q", format=".1f"), "value:Q"],
    )
    layers = [base.mark_line(strokeWidth=1.2)]
    if level is not None:
        layers.append(_level(level))
    chart = alt.layer(*layers).properties(width=width, height=190)
    facet = alt.Facet("panel:N", title=None, sort=panels)
    return themed(chart.facet(facet, columns=2, data=data(rows)))


def _level(value: float) -> Any:
    return Chart().mark_rule(color=INK, opacity=0.45, strokeDash=[4, 3]).encode(y=alt.datum(value))


def _look(rows: Rows) -> Look:
    return Look.of(dict.fromkeys(row["protocol"] for row in rows))
