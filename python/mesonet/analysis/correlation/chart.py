"""The correlation matrix and the distribution of its coefficients."""

from __future__ import annotations

from typing import Any, NamedTuple

import altair as alt
import polars as pl

from mesonet.analysis import Correlations
from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, GREY, INK, VERMILLION, Names, data, nothing_chart, themed

# The paper prints coefficients of 80 and more red, below 30 green, others blue; here the weak ones
# are grey, for red and green look alike to many.
_STRONG, _WEAK = 0.8, 0.3
_BANDS = {"strong": VERMILLION, "medium": BLUE, "weak": GREY}


def correlation_chart(
    result: Correlations, *, names: Names, limit: int = 12, step: int = 62
) -> Any:
    """Scatter plots above the diagonal, coefficients times 100 below.

    Args:
        limit: Most responses to draw, those with the largest mean `abs(r)`.
        step: Width of a cell, in pixels.
    """
    drawn = _matrix(result, names, limit)
    if drawn is None:
        return nothing_chart("There are not two responses to correlate.", *result.notes)
    n = drawn.size
    across = alt.Scale(domain=[0, n], nice=False, zero=False)
    x = alt.X("x:Q", scale=across, axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[n, 0], nice=False, zero=False), axis=None)
    colour = alt.Color(
        "band:N", scale=alt.Scale(domain=list(_BANDS), range=list(_BANDS.values())), legend=None
    )
    frames = [{"x": a, "x2": a + 1, "y": b, "y2": b + 1} for a in range(n) for b in range(n)]
    texts = Chart(data(drawn.texts)).encode(x, y, text="text:N", tooltip=["tip:N"])
    layers = [
        Chart(data(frames))
        .mark_rect(fill=None, stroke=INK, strokeOpacity=0.16)
        .encode(x, y, x2="x2:Q", y2="y2:Q"),
        Chart(data(drawn.points))
        .mark_point(filled=True, size=5, opacity=0.55)
        .encode(x, y, colour),
        texts.mark_text(fontSize=12, fontWeight=600).encode(colour),
        Chart(data(drawn.diagonal))
        .mark_text(fontSize=11, fontWeight=700, color=INK, limit=step - 4)
        .encode(x, y, text="text:N", tooltip=["tip:N"]),
    ]
    chart = alt.layer(*layers).properties(width=n * step, height=n * step, title=drawn.title)
    return themed(chart)


def frequency_chart(result: Correlations, *, threshold: float | None = None) -> Any:
    """The frequency distribution of `abs(r)`, with a threshold."""
    if result.frame["size"].drop_nans().is_empty():
        return nothing_chart("There are not two responses to correlate.", *result.notes)
    limit = result.suggestion if threshold is None else threshold
    bars = [
        row | {"above": limit is not None and row["high"] > limit + 1e-9}
        for row in result.frequencies.iter_rows(named=True)
    ]
    y = alt.Y("count:Q", title="Pairs of responses")
    layers = [
        Chart(data(bars))
        .mark_bar(orient="vertical")
        .encode(
            alt.X("low:Q", title="|r|", scale=alt.Scale(domain=[0, 1], nice=False, padding=0)),
            y,
            x2="high:Q",
            color=alt.condition("datum.above", alt.value(VERMILLION), alt.value(GREY)),
            tooltip=["low:Q", "high:Q", "count:Q"],
        )
    ]
    for value, text in _rules(result, threshold):
        rule = Chart(data([{"low": value, "text": text}])).encode(x="low:Q")
        layers += [
            rule.mark_rule(color=INK, strokeDash=[4, 3]),
            rule.mark_text(align="right", dx=-5, baseline="top", fontSize=11, color=INK).encode(
                y=alt.value(2), text="text:N"
            ),
        ]
    return themed(alt.layer(*layers).properties(width=560, height=230))


class _Drawn(NamedTuple):
    size: int
    title: str
    points: list[dict[str, Any]]
    texts: list[dict[str, Any]]
    diagonal: list[dict[str, Any]]


def _matrix(result: Correlations, names: Names, limit: int) -> _Drawn | None:
    order = result.order["response"].to_list()[:limit]
    if len(order) < 2:
        return None
    place = {name: k for k, name in enumerate(order)}
    within = {name: _scaled(result.observations[name]) for name in order}
    pairs = result.frame.filter(pl.col("first").is_in(order) & pl.col("second").is_in(order))
    points: list[dict[str, Any]] = []
    texts = []
    for row in pairs.iter_rows(named=True):
        above, right = sorted((row["first"], row["second"]), key=lambda name: place[name])
        size = row["size"]
        band = "weak" if not size >= _WEAK else "medium" if size < _STRONG else "strong"
        points += [
            {"x": round(place[right] + a, 3), "y": round(place[above] + 1 - b, 3), "band": band}
            for a, b in zip(within[right], within[above], strict=True)
            if a is not None and b is not None
        ]
        text = f"{100 * row['r']:.0f}".replace("-", "−") if size == size else "–"
        tip = f"{names.response(above)}, {names.response(right)}: n = {row['n']}"
        texts.append(
            {"x": place[above] + 0.5, "y": place[right] + 0.5, "text": text, "band": band}
            | {"tip": tip}
        )
    diagonal = [
        {"x": k + 0.5, "y": k + 0.5, "text": name, "tip": names.response(name)}
        for name, k in place.items()
    ]
    title = "r × 100 below the diagonal"
    if len(order) < len(result.responses):
        title += (
            f"; the {len(order)} of {len(result.responses)} responses with the largest mean |r|"
        )
    return _Drawn(len(order), title, points, texts, diagonal)


def _scaled(values: pl.Series) -> list[float | None]:
    """Scales values into the middle of a cell."""
    low, high = values.min(), values.max()
    span = (high - low) or 1.0  # type: ignore[operator]
    return [None if v is None else 0.12 + 0.76 * (v - low) / span for v in values]


def _rules(result: Correlations, threshold: float | None) -> list[tuple[float, str]]:
    rules = []
    if result.suggestion is not None and threshold != result.suggestion:
        rules.append((result.suggestion, f"suggested {result.suggestion:.2f}"))
    if threshold is not None:
        rules.append((threshold, f"chosen {threshold:.2f}"))
    return rules
