"""Condition-response plots."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from mesonet.analysis import ConditionResponse
from mesonet.figures.style import (
    GREY,
    HIGH,
    INK,
    LOW,
    Look,
    Names,
    data,
    number,
    paper,
    percent,
    rows,
    sheet,
    themed,
)

_KINDS = ["high outlier", "low outlier", "no outlier", "indistinguishable"]


def condition_response_chart(
    result: ConditionResponse,
    *,
    look: Look,
    names: Names,
    levels: pl.DataFrame | None = None,
    step: int = 23,
) -> Any:
    """Residuals around the mean of each condition, the factor levels and the statistics below.

    Args:
        result: Result to draw.
        look: Colours and numbers of the alternatives.
        names: Names of responses and factors.
        levels: Column `condition` and a column of -1/+1 per factor; left out if `None`.
        step: Width of a condition, in pixels.
    """
    order = result.frame["condition"].to_list()
    width = max(len(order) * step, 240)
    kinds = dict(zip(order, _kinds(result), strict=True))

    def x(*, axis: alt.Axis | None) -> alt.X:
        return alt.X("condition:O", sort=order, axis=axis, scale=alt.Scale(paddingInner=0.12))

    colour = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=_KINDS, range=[HIGH, LOW, GREY, "rgba(128,134,144,0.35)"]),
        legend=None,
    )
    axis = alt.Axis(title=None, labelAngle=0, ticks=False, domain=False)
    boxes = [
        {
            "condition": row["condition"],
            "kind": kinds[row["condition"]],
            "lowest": min(row["residuals"]),
            "highest": max(row["residuals"]),
        }
        for row in result.residuals.group_by("condition", maintain_order=True)
        .agg(pl.col("residual").alias("residuals"))
        .iter_rows(named=True)
    ]
    marks = [
        {
            **row,
            "number": look.number(row["alternative"]),
            "text": number(row["value"]),
            "away": number(row["residual"], signed=True),
        }
        for row in rows(result.residuals)
    ]
    spread_px = min(8.0, (step - 6.0) / len(look.alternatives))
    spread = alt.layer(
        alt.Chart(data([{"zero": 0}]))
        .mark_rule(color=INK, opacity=0.35)
        .encode(y=alt.Y("zero:Q", title=f"Residual: {names.axis(result.response)}")),
        alt.Chart(data(boxes))
        .mark_bar(opacity=0.22)
        .encode(x(axis=axis), alt.Y("lowest:Q"), y2="highest:Q", color=colour),
        *(
            # Side by side, or equal residuals would hide each other.
            alt.Chart(data([mark for mark in marks if mark["alternative"] == label]))
            .mark_text(
                fontSize=12,
                fontWeight=700,
                color=look.colour(label),
                dx=(place - (len(look.alternatives) - 1) / 2) * spread_px,
            )
            .encode(
                x(axis=axis),
                alt.Y("residual:Q"),
                text="number:N",
                tooltip=[
                    "condition:O",
                    "alternative:N",
                    alt.Tooltip("text:N", title="value"),
                    alt.Tooltip("away:N", title="residual"),
                ],
            )
            for place, label in enumerate(look.alternatives)
        ),
    ).resolve_scale(color="independent")
    parts = [spread.properties(width=width, height=300)]
    if levels is not None and levels.width > 1:
        parts.append(_level_rows(levels, order, names, x, width))
    parts.append(_statistic_rows(result, look, kinds, x, width, colour))
    chart = alt.vconcat(*parts, spacing=6).resolve_scale(color="independent", x="independent")
    return themed(chart)


def _level_rows(
    levels: pl.DataFrame, order: list[int], names: Names, x: Any, width: int
) -> alt.LayerChart:
    factors = [name for name in levels.columns if name != "condition"]
    cells = [
        {
            "condition": row["condition"],
            "factor": names.factor(name),
            "level": row[name],
            "sign": "+" if row[name] > 0 else "−",
            "text": names.levels(name)[row[name] > 0],
        }
        for row in levels.iter_rows(named=True)
        if row["condition"] in set(order)
        for name in factors
    ]
    y = alt.Y(
        "factor:N",
        sort=[names.factor(name) for name in factors],
        axis=alt.Axis(title=None, ticks=False, domain=False, labelLimit=220),
    )
    base = alt.Chart().encode(x(axis=None), y)
    return alt.layer(
        base.mark_rect(cornerRadius=1, color=INK).encode(
            opacity=alt.Opacity(
                "level:Q", scale=alt.Scale(domain=[-1, 1], range=[0.05, 0.28]), legend=None
            ),
            tooltip=["condition:O", "factor:N", alt.Tooltip("text:N", title="level")],
        ),
        base.mark_text(fontSize=11, color=INK).encode(text="sign:N"),
        data=data(cells),
    ).properties(width=width, height=17 * len(factors))


_STATISTICS = ("Extreme", "log₁₀ |residual|", "Relative, %", "Grubbs G")


def _statistic_rows(
    result: ConditionResponse, look: Look, kinds: dict[int, str], x: Any, width: int, colour: Any
) -> alt.LayerChart:
    cells = []
    for row in rows(result.frame):
        relative = row["relative"] if row["extreme"] else None
        texts = (
            look.number(row["extreme"]) if row["extreme"] else "–",
            number(row["magnitude"], digits=2),
            "–" if relative is None else f"{100 * relative:+.0f}".replace("-", "−"),
            "–" if row["g"] is None else f"{row['g']:.2f}",
        )
        for name, text in zip(_STATISTICS, texts, strict=True):
            cells.append(
                {
                    "condition": row["condition"],
                    "kind": kinds[row["condition"]],
                    "statistic": name,
                    "text": text,
                    "extreme": row["extreme"] or "–",
                    "relative": percent(relative),
                }
            )
    y = alt.Y(
        "statistic:N",
        sort=list(_STATISTICS),
        axis=alt.Axis(title=None, ticks=False, domain=False, labelLimit=150),
    )
    base = alt.Chart().encode(x(axis=None), y)
    flagged = alt.FieldOneOfPredicate(field="kind", oneOf=_KINDS[:2])
    return alt.layer(
        base.mark_rect(opacity=0.2).encode(color=colour),
        base.mark_text(fontSize=9).encode(
            text="text:N",
            opacity=alt.condition(flagged, alt.value(1.0), alt.value(0.75)),
            tooltip=[
                "condition:O",
                "kind:N",
                alt.Tooltip("extreme:N", title="extreme alternative"),
                alt.Tooltip("relative:N", title="of the mean"),
            ],
        ),
        data=data(cells),
    ).properties(width=width, height=18 * len(_STATISTICS))


def condition_response_figure(
    result: ConditionResponse,
    *,
    look: Look,
    names: Names,
    levels: pl.DataFrame | None = None,
) -> Figure:
    """The condition-response plot for papers, laid out as in the sources."""
    colours = dict(zip(_KINDS, (HIGH, LOW, "0.45", "0.7"), strict=True))
    kinds = [colours[kind] for kind in _kinds(result)]
    order = result.frame["condition"].to_list()
    factors = [] if levels is None else [name for name in levels.columns if name != "condition"]
    with paper():
        lines = len(factors) + len(_STATISTICS) + 1
        figure = sheet(7.2, 2.6 + 0.13 * lines)
        top, below = figure.subplots(2, 1, sharex=True, height_ratios=[2.4, 0.13 * lines])
        for row in (
            result.residuals.group_by("position", maintain_order=True)
            .agg(pl.col("residual").min().alias("low"), pl.col("residual").max().alias("high"))
            .iter_rows(named=True)
        ):
            corner = (row["position"] - 0.42, row["low"])
            edge = kinds[row["position"] - 1]
            top.add_patch(
                Rectangle(corner, 0.84, row["high"] - row["low"], fc=edge, alpha=0.16, lw=0)
            )
        for row in result.residuals.iter_rows(named=True):
            k = len(look.alternatives)
            aside = 0.6 * ((int(look.number(row["alternative"])) - 0.5) / k - 0.5)
            top.text(
                row["position"] + aside,
                row["residual"],
                look.number(row["alternative"]),
                color=look.colour(row["alternative"]),
                ha="center",
                va="center",
                weight="bold",
                size=7,
            )
        top.axhline(0.0, color="0.6", lw=0.5, zorder=0)
        bounds = result.residuals["residual"]
        if result.residuals.height and float(bounds.max()) > float(bounds.min()):  # type: ignore[arg-type]
            top.set_ylim(*_padded(float(bounds.min()), float(bounds.max())))  # type: ignore[arg-type]
        top.set(xlim=(0.4, len(order) + 0.6), ylabel=f"Residual\n{names.axis(result.response)}")
        key = ", ".join(f"{look.number(label)} {label}" for label in look.alternatives)
        top.set_title(
            f"{names.response(result.response)}: {number(result.minimum)} to "
            f"{number(result.maximum)}   ({key})"
        )
        _paper_rows(below, result, look, names, levels, kinds)
    return figure


def _padded(low: float, high: float) -> tuple[float, float]:
    margin = 0.08 * (high - low)
    return low - margin, high + margin


def _paper_rows(
    axes: Any,
    result: ConditionResponse,
    look: Look,
    names: Names,
    levels: pl.DataFrame | None,
    colours: list[str],
) -> None:
    factors = [] if levels is None else [name for name in levels.columns if name != "condition"]
    labels = ["Condition", *(names.factor(name) for name in factors), *_STATISTICS]
    size = 5.2 if result.frame.height <= 24 else 4.2
    coded = (
        {} if levels is None else {row["condition"]: row for row in levels.iter_rows(named=True)}
    )
    for row, colour in zip(rows(result.frame), colours, strict=True):
        signs = ["+" if coded[row["condition"]][name] > 0 else "−" for name in factors]
        relative = (
            "–"
            if row["relative"] is None or not row["extreme"]
            else f"{100 * row['relative']:+.0f}"
        )
        texts = [
            str(row["condition"]),
            *signs,
            look.number(row["extreme"]) if row["extreme"] else "–",
            number(row["magnitude"], digits=2),
            relative.replace("-", "−"),
            "–" if row["g"] is None else f"{row['g']:.2f}",
        ]
        for line, text in enumerate(texts):
            axes.text(
                row["position"], line, text, ha="center", va="center", size=size, color=colour
            )
    axes.set_ylim(len(labels) - 0.5, -0.6)
    axes.set_yticks(range(len(labels)), labels, size=6)
    axes.set_xticks([])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _kinds(result: ConditionResponse) -> list[str]:
    return [
        "indistinguishable"
        if row["direction"] == "same"
        else f"{row['direction']} outlier"
        if row["outlier"]
        else "no outlier"
        for row in result.frame.iter_rows(named=True)
    ]
