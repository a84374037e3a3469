"""Elementary effects of a Morris design: spread against mean size."""

from __future__ import annotations

from typing import Any

import altair as alt

from mesonet.analysis import ElementaryEffects
from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, INK, Names, data, nothing_chart, rows, themed
from mesonet.numbers import number

_RATIOS = (1.0, 0.5, 0.1)
"""Slopes of the lines that help to read the spread against the size."""
_DIRECTIONS = {"rises": "triangle-up", "falls": "triangle-down", "rises or falls": "circle"}


def elementary_effects_chart(result: ElementaryEffects, *, names: Names) -> Any:
    """Standard deviation of elementary effects against the mean of their sizes, by response.

    Factors to the right matter. Those near the lowest line act alike everywhere; above the highest,
    an effect depends on the other factors or is not linear.
    """
    points = _points(result, names)
    responses = list(dict.fromkeys(point["response"] for point in points))[:12]
    if not responses:
        return nothing_chart("No factor has two elementary effects.", *result.notes)
    panels = [
        _panel([point for point in points if point["response"] == name], name, names, 270)
        for name in responses
    ]
    # Colours and marks mean the same everywhere; units do not.
    grid = alt.concat(*panels, columns=2, spacing=28)
    return themed(grid.resolve_scale(x="independent", y="independent"))


def _panel(points: list[dict[str, Any]], response: str, names: Names, size: int) -> Any:
    right = max((point["size"] for point in points), default=0.0) or 1.0
    top = max((point["sd"] for point in points), default=0.0) or right
    x = alt.X(
        "size:Q",
        scale=alt.Scale(domain=[0, 1.3 * right], nice=False),
        axis=alt.Axis(title="Mean size of the effects, μ*", tickCount=4),
    )
    y = alt.Y(
        "sd:Q",
        scale=alt.Scale(domain=[0, 1.25 * top], nice=False),
        axis=alt.Axis(title="Standard deviation, σ", tickCount=5),
    )
    ends = [_end(ratio, 1.3 * right, 1.25 * top) for ratio in _RATIOS]
    lines = Chart(data(ends))
    marks = Chart().encode(x, y)
    shape = alt.Scale(domain=list(_DIRECTIONS), range=list(_DIRECTIONS.values()))
    layers = [
        lines.mark_rule(color=INK, strokeDash=[4, 3], opacity=0.4).encode(
            alt.X("x0:Q"), alt.Y("y0:Q"), x2="size:Q", y2="sd:Q"
        ),
        lines.mark_text(
            align="right", baseline="bottom", dx=-4, fontSize=10, color=INK, opacity=0.7
        ).encode(alt.X("text_x:Q"), alt.Y("text_y:Q"), text="text:N"),
        marks.mark_point(filled=True, size=64, opacity=0.9).encode(
            color=alt.value(BLUE),
            shape=alt.Shape("direction:N", scale=shape, title="As the factor grows, the response"),
            tooltip=[
                alt.Tooltip("factor:N"),
                alt.Tooltip("mean_text:N", title="mean, μ"),
                alt.Tooltip("size_text:N", title="mean size, μ*"),
                alt.Tooltip("sd_text:N", title="sd, σ"),
                alt.Tooltip("n:Q", title="effects"),
            ],
        ),
        marks.mark_text(align="left", dx=7, fontSize=11, color=INK).encode(text="factor:N"),
    ]
    chart = alt.layer(*layers, data=data(points))
    return chart.properties(width=size, height=0.8 * size, title=names.axis(response))


def _end(ratio: float, right: float, top: float) -> dict[str, Any]:
    """A line through the origin, to where it leaves the panel."""
    reach = min(right, top / ratio)
    text = "σ = μ*" if ratio == 1.0 else f"σ = {ratio:g} μ*"
    near = 0.94 * reach
    return {
        "x0": 0.0,
        "y0": 0.0,
        "size": reach,
        "sd": ratio * reach,
        "text_x": near,
        "text_y": ratio * near,
        "text": text,
    }


def _points(result: ElementaryEffects, names: Names) -> list[dict[str, Any]]:
    defined = result.frame.drop_nulls(["mean_absolute", "sd"]).drop_nans(["mean_absolute", "sd"])
    return [
        {
            "response": row["response"],
            "factor": names.factor(row["factor"]),
            "size": row["mean_absolute"],
            "sd": row["sd"],
            "n": row["n"],
            "direction": _direction(row["mean"], row["mean_absolute"]),
            "mean_text": number(row["mean"], digits=3, signed=True),
            "size_text": number(row["mean_absolute"], digits=3),
            "sd_text": number(row["sd"], digits=3),
        }
        for row in rows(defined)
    ]


def _direction(mean: float, size: float) -> str:
    """Direction of a factor all of whose effects have one sign."""
    if size == 0.0 or abs(mean) < size * (1.0 - 1e-9):
        return "rises or falls"
    return "rises" if mean > 0 else "falls"
