"""Main effects plots: two means per factor, the overall mean, the effect and its significance."""

from __future__ import annotations

import json
import math
import textwrap
from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import MainEffects
from mesonet.analysis.terms.chart import half_normal_chart
from mesonet.figures.chart import Chart
from mesonet.figures.style import (
    BLUE,
    INK,
    NARROW,
    Look,
    Names,
    data,
    nothing_chart,
    rows,
    themed,
)
from mesonet.numbers import number, percent

_HALF = 0.24


def main_effects_chart(
    result: MainEffects,
    *,
    response: str,
    names: Names,
    look: Look | None = None,
    alternatives: MainEffects | None = None,
    step: int | None = None,
) -> Any:
    """The main effects plot of one response.

    Args:
        step: Width of a factor, in pixels; by default so that the chart is as wide as the others.
    """
    overall = _effects(result, response)
    if not any(math.isfinite(row["effect"]) for row in overall):
        return nothing_chart(_why(response, names))
    factors = [row["factor"] for row in overall]
    step = step or min(max(860 // max(len(factors), 1), 84), 150)
    titles = _titles([names.factor(factor) for factor in factors], max(step // 7, 10))
    labels = [[*title, *_label(row, names)] for title, row in zip(titles, overall, strict=True)]
    x_axis = alt.Axis(
        title=None,
        values=list(range(len(factors))),
        labelExpr=f"{json.dumps(labels)}[datum.value]",
        domain=False,
        ticks=False,
        grid=False,
        labelLineHeight=15,
        labelPadding=10,
        labelOverlap=False,
        labelLimit=step,
    )
    x = alt.X("x:Q", scale=alt.Scale(domain=[-0.5, len(factors) - 0.5], nice=False), axis=x_axis)
    title = transformed(result, response, names).axis(response)
    y = alt.Y("mean:Q", scale=alt.Scale(zero=False, padding=14), title=title)
    ends = _ends(overall, factors, names)
    layers = [
        Chart(data([{"mean": overall[0]["mean"]}] if overall else []))
        .mark_rule(color=INK, opacity=0.4, strokeDash=[4, 4])
        .encode(y=y)
    ]
    if alternatives is not None and look is not None and len(look.alternatives) > 1:
        thin = _ends(_effects(alternatives, response), factors, names)
        layers.append(
            Chart(data(thin))
            .mark_line(strokeWidth=1.6, opacity=0.75, point={"size": 22})
            .encode(
                x,
                y,
                color=alt.Color("group:N", scale=look.scale(), title=None),
                detail="factor:N",
                tooltip=["group:N", "factor_name:N", "level:N", "value:N"],
            )
        )
    solid = Chart(data(ends)).encode(x, y, detail="factor:N")
    layers += [
        solid.mark_line(color=INK, strokeWidth=2.6, opacity=0.9),
        solid.mark_point(filled=True, color=INK, size=70, opacity=1).encode(
            tooltip=["factor_name:N", "level:N", "value:N"]
        ),
        solid.mark_text(fontSize=13, fontWeight=700, dy=-14, color=INK).encode(text="stars:N"),
    ]
    chart = alt.layer(*layers)
    return themed(chart.properties(width=max(len(factors) * step, 240), height=270))


def effects_half_normal_chart(result: MainEffects, *, response: str, names: Names) -> Any:
    """Sizes of all effects of a response against what chance gives, with Lenth's margins."""
    if not _residuals(result, response):
        return nothing_chart(_why(response, names))
    return half_normal_chart(result.contrasts(response), names=transformed(result, response, names))


def residuals_chart(result: MainEffects, *, response: str, names: Names) -> Any:
    """Residuals of a response against normal quantiles, and against the fitted values."""
    points = _residuals(result, response)
    if not points:
        return nothing_chart(_why(response, names))
    spread = math.sqrt(sum(row["residual"] ** 2 for row in points) / len(points))
    ends = [min(row["quantile"] for row in points), max(row["quantile"] for row in points)]
    normal = [{"quantile": end, "residual": spread * end} for end in ends]
    zero = [{"fitted": row["fitted"], "residual": 0.0} for row in points]
    axis = transformed(result, response, names).axis(response)
    residual = alt.Y("residual:Q", title=f"Residual of {axis}")
    panels = []
    for field, title, line in (
        ("quantile", "Quantile of the normal distribution", normal),
        ("fitted", f"Fitted {axis}", zero),
    ):
        x = alt.X(f"{field}:Q", title=title, scale=alt.Scale(zero=False))
        tooltip = ["condition:Q", alt.Tooltip("residual:Q", format=".3~g")]
        rule = Chart(data(line)).mark_line(color=INK, strokeDash=[4, 3], opacity=0.5)
        dots = Chart(data(points)).mark_point(filled=True, color=BLUE, size=45, opacity=0.9)
        layers = alt.layer(rule.encode(x, residual), dots.encode(x, residual, tooltip=tooltip))
        panels.append(layers.properties(width=300, height=240))
    return themed(alt.hconcat(*panels, spacing=26, usermeta=NARROW))


def influence_chart(result: MainEffects, *, names: Names) -> Any:
    """The fraction of responses that each factor influences."""
    if not result.influence["influence"].count():
        return nothing_chart("No response had a value that a factor could influence.")
    ordered = result.influence.sort("influence", descending=True, maintain_order=True)
    values = [
        {
            "name": names.factor(row["factor"]),
            "influence": row["influence"] or 0.0,
            "text": (
                f"{number(row['influence'], digits=2)} ({row['at_1_percent']} at p < .01, "
                f"{row['at_5_percent']} at p < .05, of {row['responses']})"
            ),
        }
        for row in ordered.iter_rows(named=True)
    ]
    y = alt.Y("name:N", sort=None, title=None, axis=alt.Axis(ticks=False, labelLimit=240))
    x = alt.X(
        "influence:Q",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format=".1~f", tickCount=5),
        title="Influence Ψ (fraction of responses)",
    )
    base = Chart().encode(x, y)
    chart = alt.layer(
        base.mark_bar(color=BLUE, height=12, cornerRadiusEnd=2),
        base.mark_text(align="left", dx=6, color=INK, fontSize=11).encode(text="text:N"),
        data=data(values),
    )
    return themed(chart.properties(width=620, height=max(len(values) * 26, 40)))


def _effects(result: MainEffects, response: str) -> list[dict[str, Any]]:
    return list(result.frame.filter(pl.col("response") == response).iter_rows(named=True))


def _residuals(result: MainEffects, response: str) -> list[dict[str, Any]]:
    """Residuals of the mean over alternatives, or of the whole response."""
    return rows(result.residuals.filter(response=response, group="all"))


def transformed(result: MainEffects, response: str, names: Names) -> Names:
    """Names, in which the response is its logarithm where that was analysed."""
    if result.transformation == "none":
        return names
    return Names({response: (f"log10 of {names.axis(response)}", "")}, names.factors)


def _why(response: str, names: Names) -> str:
    return (
        f"No main effect of {names.response(response)} could be estimated: "
        "too few conditions have a value."
    )


def _label(row: dict[str, Any], names: Names) -> list[str]:
    low, high = names.levels(row["factor"])
    stars = f" {row['stars']}" if row["stars"] else ""
    change = f"{number(row['effect'], digits=3, signed=True)}{stars}"
    return [f"{low} → {high}", change, percent(row["relative"])]


def _titles(titles: list[str], width: int) -> list[list[str]]:
    """Titles broken into lines, all into as many."""
    broken = [textwrap.wrap(title, width) or [""] for title in titles]
    lines = max(map(len, broken), default=0)
    return [title + [""] * (lines - len(title)) for title in broken]


def _ends(effects: list[dict[str, Any]], factors: list[str], names: Names) -> list[dict[str, Any]]:
    ends = []
    for row in effects:
        place = factors.index(row["factor"])
        higher = "high" if row["effect"] > 0 else "low"
        for side, level in zip(("low", "high"), names.levels(row["factor"]), strict=True):
            ends.append(
                {
                    "group": row["group"],
                    "factor": f"{row['group']} {row['factor']}",
                    "factor_name": names.factor(row["factor"]),
                    "x": place + (_HALF if side == "high" else -_HALF),
                    "mean": row[side],
                    "level": level,
                    "value": number(row[side]),
                    "stars": row["stars"] if side == higher else "",
                }
            )
    return [end for end in ends if end["mean"] == end["mean"]]
