"""Charts of the study `queues`: matrices of algorithms by disciplines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from mesonet.figures.chart import Chart
from mesonet.figures.style import data, themed
from mesonet.studies.study import RunResults, chart
from mesonet_studies.queues.measure import INCUMBENT, RESPONSES, VERSUS, label, shaded

_COLOURS = ("#D9722E", "#F3EFE6", "#3C86B8")
"""From the worst to the best of a response."""
_DARK = "#1b1f24"


@chart
def matrix(run: RunResults) -> Any:
    """Algorithms by disciplines, and a list to choose the response that colours them."""
    return choice_chart(shaded(run), {name: words for name, (words, *_) in RESPONSES.items()})


def choice_chart(cells: pl.DataFrame, words: Mapping[str, str]) -> Any:
    """The matrix of `cells`, whose `shade` is from 0, worst, to 1, best; responses by name."""
    chosen = alt.param(
        name="response",
        value=next(iter(words)),
        bind=alt.binding_select(options=list(words), labels=list(words.values()), name="Colour: "),
    )
    chart = (
        _cells(cells, size=13).add_params(chosen).transform_filter("datum.response === response")
    )
    return themed(chart.properties(width=alt.Step(84), height=alt.Step(30)))


@chart
def panels(run: RunResults) -> Any:
    """The matrix for paper: a panel per response."""
    names = ("sojourn_p50", "sojourn_p95", "utilization", "loss_rate", "jain_index", "excess")
    return panels_chart(shaded(run), {name: RESPONSES[name][0] for name in names})


def panels_chart(cells: pl.DataFrame, words: Mapping[str, str]) -> Any:
    """Matrices side by side, two in a row, one per response."""
    panels = [
        _cells(cells.filter(response=name), size=10).properties(
            width=alt.Step(47), height=alt.Step(20), title=title
        )
        for name, title in words.items()
    ]
    rows = [alt.hconcat(*panels[at : at + 2], spacing=18) for at in range(0, len(panels), 2)]
    return themed(alt.vconcat(*rows, spacing=18))


def _cells(cells: pl.DataFrame, *, size: float) -> Any:
    queues = cells["queue"].unique(maintain_order=True).to_list()
    algorithms = cells["algorithm"].unique(maintain_order=True).to_list()
    frame = cells.with_columns(
        text=pl.col("value").map_elements(_short, return_dtype=pl.String, skip_nulls=False)
    )
    x = alt.X(
        "queue:N",
        sort=queues,
        title=None,
        axis=alt.Axis(orient="top", labelAngle=-35, domain=False, ticks=False, labelLimit=120),
    )
    y = alt.Y("algorithm:N", sort=algorithms, title=None, axis=alt.Axis(domain=False, ticks=False))
    base = Chart(data(frame)).encode(
        x, y, tooltip=["algorithm:N", "queue:N", alt.Tooltip("text:N", title="value")]
    )
    tiles = base.mark_rect(stroke="white", strokeWidth=1).encode(
        alt.Color("shade:Q", legend=None, scale=alt.Scale(domain=[0, 0.5, 1], range=list(_COLOURS)))
    )
    return alt.layer(tiles, base.mark_text(fontSize=size, color=_DARK).encode(text="text:N"))


def _short(value: float | None) -> str:
    """A value in a cell: three digits at most."""
    if value is None:
        return "–"
    if value == 0 or abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2g}"


@chart
def levels(run: RunResults, response: str = "sojourn_p95") -> Any:
    """Means of a response over each level of the factors of the paths, two CUBIC flows."""
    everything = run.campaigns["matrix"].results()
    company = everything.filter(alternative=label(INCUMBENT) + VERSUS)
    title, scale, _ = RESPONSES[response]
    frame = pl.concat(
        company.group_by("queue_level", f"{name}_level", name, maintain_order=True)
        .agg(pl.col(response).mean() * scale)
        .select(
            queue=pl.col("queue_level").replace(run.options.values["names"]),
            factor=pl.lit(words),
            level=f"{name}_level",
            code=pl.col(name).cast(pl.Float64),
            value=response,
        )
        for name, words in (("rate", "Rate"), ("rtt", "Round-trip time"), ("buffer", "Buffer"))
    )
    queues = frame["queue"].unique(maintain_order=True).to_list()
    panels = []
    for at, factor in enumerate(frame["factor"].unique(maintain_order=True)):
        rows = frame.filter(factor=factor)
        order = rows.sort("code")["level"].unique(maintain_order=True).to_list()
        panels.append(
            Chart(data(rows))
            .mark_line(strokeWidth=1.6, point=alt.OverlayMarkDef(size=34))
            .encode(
                alt.X("level:O", sort=order, title=factor, axis=alt.Axis(labelAngle=-30)),
                alt.Y("value:Q", title=None if at else title, scale=alt.Scale(type="log")),
                alt.Color("queue:N", title=None, scale=alt.Scale(domain=queues)),
                tooltip=["queue:N", "level:N", alt.Tooltip("value:Q", format=".3~g")],
            )
            .properties(width=195, height=200)
        )
    return themed(alt.hconcat(*panels, spacing=14).resolve_scale(y="shared"))
