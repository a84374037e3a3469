"""Condition-response plots."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import ConditionResponse
from mesonet.figures.chart import Chart
from mesonet.figures.style import GREY, HIGH, INK, LOW, Look, Names, data, names_along, rows, themed
from mesonet.numbers import number, percent

_KINDS = ["high outlier", "low outlier", "no outlier", "indistinguishable"]

_STEP = 23


def condition_response_chart(
    result: ConditionResponse, *, look: Look, names: Names, levels: pl.DataFrame | None = None
) -> Any:
    """Residuals around the mean of each condition, the factor levels and the statistics below."""
    order = result.frame["condition"].to_list()
    width = max(len(order) * _STEP, 240)
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
    spread_px = min(8.0, (_STEP - 6.0) / len(look.alternatives))
    spread = alt.layer(
        Chart(data([{"zero": 0}]))
        .mark_rule(color=INK, opacity=0.35)
        .encode(y=alt.Y("zero:Q", title=f"Residual: {names.axis(result.response)}")),
        Chart(data(boxes))
        .mark_bar(opacity=0.22)
        .encode(x(axis=axis), alt.Y("lowest:Q"), y2="highest:Q", color=colour),
        *(
            # Side by side, or equal residuals would hide each other.
            Chart(data([mark for mark in marks if mark["alternative"] == label]))
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
        parts.append(level_rows(levels, order, names, x(axis=None), width))
    parts.append(_statistic_rows(result, look, kinds, x, width, colour))
    chart = alt.vconcat(*parts, spacing=6).resolve_scale(color="independent", x="independent")
    return themed(chart)


def level_rows(
    levels: pl.DataFrame, order: list[int], names: Names, x: alt.X, width: int
) -> alt.LayerChart:
    """A row of signs per factor, below conditions along `x`."""
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
    y = names_along(alt.Y, "factor:N", [names.factor(name) for name in factors], labelLimit=220)
    base = Chart().encode(x, y)
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
    y = names_along(alt.Y, "statistic:N", list(_STATISTICS), labelLimit=150)
    base = Chart().encode(x(axis=None), y)
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


def _kinds(result: ConditionResponse) -> list[str]:
    return [
        "indistinguishable"
        if row["direction"] == "same"
        else f"{row['direction']} outlier"
        if row["outlier"]
        else "no outlier"
        for row in result.frame.iter_rows(named=True)
    ]
