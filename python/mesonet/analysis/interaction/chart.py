"""The interaction matrix: main effects on the diagonal, what two factors do together beside it."""

from __future__ import annotations

import textwrap
from typing import Any, NamedTuple

import altair as alt
import polars as pl

from mesonet.analysis import Interactions
from mesonet.analysis.effects.chart import transformed
from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, INK, Names, data, nothing_chart, themed
from mesonet.numbers import number, percent

# Of a cell of width and height 1: where the low and the high level are, and how much is drawn on.
_LOW, _HIGH, _FLOOR, _TALL = 0.2, 0.8, 0.16, 0.54
_GREY = "#808790"

_STEP = 104


def interactions_chart(result: Interactions, *, response: str, names: Names, limit: int = 8) -> Any:
    """The interaction matrix of one response.

    Args:
        limit: Most factors: those with the largest main effects and interactions are drawn.
    """
    drawn = _matrix(result, response, names, limit)
    if drawn is None:
        return nothing_chart(
            f"No interaction of {names.response(response)} could be estimated.", *result.notes
        )
    n = len(drawn.factors)
    scale = alt.Scale(domain=[0, n], nice=False, zero=False)
    x = alt.X("x:Q", scale=scale, axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[n, 0], nice=False, zero=False), axis=None)
    colour = alt.Color(
        "level:N",
        scale=alt.Scale(domain=["at its low level", "at its high level"], range=[_GREY, BLUE]),
        title="Factor of the row",
    )
    base = Chart().encode(x, y, detail="line:N").transform_filter("isValid(datum.line)")
    crossing = base.transform_filter("datum.level != ''").encode(colour)
    main = base.transform_filter("datum.level == ''")
    tip = ["line:N", "value:N"]
    words = Chart().encode(x, y, text="text:N")
    layers = [
        Chart()
        .transform_filter("isValid(datum.x2)")
        .mark_rect(fill=None, stroke=INK, strokeOpacity=0.2)
        .encode(alt.X("x:Q", scale=scale, axis=None), y, x2="x2:Q", y2="y2:Q"),
        crossing.mark_line(strokeWidth=1.8),
        crossing.mark_point(filled=True, size=24, opacity=1).encode(tooltip=tip),
        main.mark_line(strokeWidth=2.4, color=INK),
        main.mark_point(filled=True, size=34, color=INK, opacity=1).encode(tooltip=tip),
        *(
            words.transform_filter(alt.datum.size == size).mark_text(
                fontSize=size, color=INK, fontWeight=weight, limit=int(_STEP * 0.94)
            )
            for size, weight in ((11, 600), (10, 400))
        ),
    ]
    frames = [{"x": a, "x2": a + 1, "y": b, "y2": b + 1} for a in range(n) for b in range(n)]
    chart = alt.layer(*layers, data=data([*drawn.ends, *drawn.texts, *frames]))
    chart = chart.properties(width=n * _STEP, height=n * _STEP, title=drawn.title)
    return themed(chart)


class _Drawn(NamedTuple):
    title: str
    factors: list[str]
    ends: list[dict[str, Any]]
    texts: list[dict[str, Any]]


def _matrix(result: Interactions, response: str, names: Names, limit: int) -> _Drawn | None:
    chosen = pl.col("response") == response
    pairs = result.frame.filter(chosen & pl.col("effect").is_not_nan())
    main = {row["factor"]: row for row in result.main.frame.filter(chosen).iter_rows(named=True)}
    if pairs.is_empty():
        return None
    size = {name: abs(row["effect"]) for name, row in main.items()}
    for row in pairs.iter_rows(named=True):
        for name in (row["first"], row["second"]):
            size[name] = max(size[name], abs(row["effect"]))
    largest = sorted(result.factors, key=lambda name: -size[name])[:limit]
    factors = [name for name in result.factors if name in largest]
    pairs = pairs.filter(pl.col("first").is_in(factors) & pl.col("second").is_in(factors))
    title = transformed(result.main, response, names).axis(response)
    if len(factors) < len(result.factors):
        title += f": the {len(factors)} factors of {len(result.factors)} with the largest effects"
    corners = ("low_low", "high_low", "low_high", "high_high")
    values = [row[corner] for row in pairs.iter_rows(named=True) for corner in corners]
    values = [value for value in values if value == value]
    low, high = min(values), max(values)
    span = high - low or 1.0

    def end(column: int, row: int, level: int, value: float) -> dict[str, Any]:
        return {
            "x": column + (_HIGH if level else _LOW),
            "y": row + 1.0 - _FLOOR - _TALL * (value - low) / span,
            "value": number(value),
        }

    ends, texts = [], []
    for place, name in enumerate(factors):
        row = main[name]
        lines = textwrap.wrap(names.factor(name), 16, max_lines=2, placeholder=" …")
        for number_of_line, line in enumerate(lines):
            y = place + 0.1 + 0.13 * number_of_line
            texts.append({"x": place + 0.5, "y": y, "text": line, "size": 11})
        # Least-squares means may lie beyond the means of the corners.
        for level, value in enumerate((row["low"], row["high"])):
            if value == value:
                inside = min(max(value, low), high)
                point = end(place, place, level, inside) | {"value": number(value)}
                ends.append(point | {"level": "", "line": names.factor(name)})
        change = f"{number(row['effect'], digits=3, signed=True)}{row['stars']}"
        texts.append({"x": place + 0.5, "y": place + 0.93, "text": change, "size": 10})
    for row in pairs.iter_rows(named=True):
        a, b = factors.index(row["first"]), factors.index(row["second"])
        for upper, state in enumerate(("at its low level", "at its high level")):
            line = f"{names.factor(row['first'])} {state}, by {names.factor(row['second'])}"
            for right, corner in enumerate(("low", "high")):
                value = row[f"{'high' if upper else 'low'}_{corner}"]
                if value == value:
                    ends.append(end(b, a, right, value) | {"level": state, "line": line})
        change = f"{number(row['effect'], digits=3, signed=True)}{row['stars']}"
        texts += [
            {"x": a + 0.5, "y": b + 0.42, "text": change, "size": 11},
            {"x": a + 0.5, "y": b + 0.62, "text": percent(row["relative"]), "size": 10},
        ]
        if row["aliases"]:
            aliases = row["aliases"].split(", ")
            # Whole aliases stand first; what begins with a digit is a share of another effect.
            whole = sum(not alias[0].isdigit() for alias in aliases)
            text = f"= {whole} more" if whole else f"with parts of {len(aliases)}"
            texts.append({"x": a + 0.5, "y": b + 0.8, "text": text, "size": 10})
    return _Drawn(title, factors, ends, texts)
