"""Effects of factors and their products: Youden, size, half-normal and residual plots."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import altair as alt

from mesonet.analysis import TermEffects
from mesonet.figures.chart import Chart
from mesonet.figures.style import (
    BLUE,
    INK,
    VERMILLION,
    Names,
    data,
    names_along,
    nothing_chart,
    rows,
    themed,
)
from mesonet.numbers import number

_KINDS = ["factor", "product"]
_HUES = [BLUE, VERMILLION]
_NAMED = 8


class _Plot(NamedTuple):
    """A scatter of terms: columns, axes, and straight lines (x, y, x2, y2, text)."""

    x: str
    y: str
    x_title: str
    y_title: str
    lines: list[tuple[float, float, float, float, str]]
    zero: bool


_MOST = 24


def youden_chart(result: TermEffects, *, names: Names) -> Any:
    """Mean response where a term is high against where it is low; far off the diagonal matters."""
    return _nothing_chart(result) or _scatter_chart(result, _youden(result, names), 380)


def half_normal_chart(result: TermEffects, *, names: Names) -> Any:
    """Sizes of effects against what chance gives; real ones leave the line through the others."""
    return _nothing_chart(result) or _scatter_chart(result, _half_normal(result, names), 520)


def effect_sizes_chart(result: TermEffects, *, names: Names) -> Any:
    """The sizes of the effects, largest first, with Lenth's margins."""
    if empty := _nothing_chart(result):
        return empty
    terms = _terms(result)[:_MOST]
    base = Chart().encode(
        alt.X("absolute:Q", title=_size_axis(result, names)),
        names_along(alt.Y, "shown:N", None, labelLimit=320),
        tooltip=["shown:N", "text:N", "relative_text:N", "aliases:N"],
    )
    layers = [
        base.mark_bar(height=11, cornerRadiusEnd=2).encode(_colour()),
        base.mark_text(align="left", dx=5, fontSize=11, color=INK).encode(text="text:N"),
    ]
    for value, text in _margins(result):
        rule = Chart(data([{"absolute": value, "text": text}])).encode(x="absolute:Q")
        dashed = rule.mark_rule(color=INK, strokeDash=[4, 3], opacity=0.6)
        layers.append(dashed.encode(tooltip="text:N"))
    chart = alt.layer(*layers, data=data(terms)).properties(
        width=520,
        height=20 * len(terms),
        title=" ".join(filter(None, (_some(result, _MOST), _legend(result)))),
    )
    return themed(chart)


def residual_sd_chart(result: TermEffects, *, names: Names) -> Any:
    """The residual standard deviation as the model gets the next largest term."""
    if empty := _nothing_chart(result):
        return empty
    models = _models(result)[: _MOST + 1]
    base = Chart().encode(
        alt.X(
            "shown:N",
            sort=None,
            axis=alt.Axis(title="Term added to the model", labelAngle=-40, labelLimit=200),
        ),
        alt.Y(
            "residual_sd:Q",
            scale=alt.Scale(domainMin=0),
            title=f"Residual standard deviation of {names.axis(result.response)}",
        ),
        tooltip=["shown:N", "text:N", "explained_text:N"],
    )
    chart = alt.layer(
        base.mark_line(color=BLUE, strokeWidth=1.6),
        base.mark_point(filled=True, color=BLUE, size=40, opacity=1),
        data=data(models),
    ).properties(width=max(26 * len(models), 240), height=270)
    return themed(chart)


def _nothing_chart(result: TermEffects) -> Any:
    nothing = result.frame.is_empty() or not result.frame["absolute"].max()
    return nothing_chart(*result.notes) if nothing else None


def _youden(result: TermEffects, names: Names) -> _Plot:
    lows, highs = result.frame["low"].to_list(), result.frame["high"].to_list()
    ends = (min(*lows, *highs), max(*lows, *highs))
    return _Plot(
        x="low",
        y="high",
        x_title=f"Mean where the term is low: {names.axis(result.response)}",
        y_title="Mean where the term is high",
        lines=[(ends[0], ends[0], ends[1], ends[1], "no effect")],
        zero=False,
    )


def _half_normal(result: TermEffects, names: Names) -> _Plot:
    end = max(result.frame["quantile"].to_list())
    lines = [(0.0, value, end, value, text) for value, text in _margins(result)]
    error = result.standard_error
    if math.isfinite(error) and error:
        top = max(result.frame["absolute"].to_list())
        reach = min(end, top / error)
        lines.append((0.0, 0.0, reach, error * reach, "chance, after Lenth"))
    return _Plot(
        x="quantile",
        y="absolute",
        x_title="Median of the order statistic of the half-normal distribution",
        y_title=_size_axis(result, names),
        lines=lines,
        zero=True,
    )


def _scatter_chart(result: TermEffects, plot: _Plot, width: int) -> Any:
    scale = alt.Scale(zero=plot.zero)
    x = alt.X(f"{plot.x}:Q", title=plot.x_title, scale=scale)
    y = alt.Y(f"{plot.y}:Q", title=plot.y_title, scale=scale)
    base = Chart().encode(x, y, tooltip=["shown:N", "text:N", "relative_text:N", "aliases:N"])
    ends = [
        {plot.x: a, plot.y: b, "x2": c, "y2": d, "line": text} for a, b, c, d, text in plot.lines
    ]
    layers = [
        Chart(data(ends))
        .mark_rule(color=INK, strokeDash=[4, 3], opacity=0.5)
        .encode(x, y, x2="x2:Q", y2="y2:Q", tooltip="line:N"),
        base.mark_point(filled=True, size=52, opacity=1).encode(_colour()),
        base.transform_filter(f"datum.position <= {_NAMED}")
        .mark_text(align="left", dx=7, dy=-4, fontSize=11, color=INK)
        .encode(text="shown:N"),
    ]
    chart = alt.layer(*layers, data=data(_terms(result))).properties(width=width, height=320)
    return themed(chart)


def _terms(result: TermEffects) -> list[dict[str, Any]]:
    return [
        row
        | {
            "shown": row["term"].replace("*", " × "),
            "kind": _KINDS[row["order"] > 1],
            "text": number(row["effect"], digits=3, signed=True),
            "relative_text": "" if row["relative"] is None else f"{100 * row['relative']:+.1f} %",
        }
        for row in rows(result.frame)
    ]


def _models(result: TermEffects) -> list[dict[str, Any]]:
    return [
        row
        | {
            "shown": row["added"].replace("*", " × "),
            "text": number(row["residual_sd"]),
            "explained_text": ""
            if row["explained"] is None
            else f"explains {100 * row['explained']:.1f} % of the variance",
        }
        for row in rows(result.models)
    ]


def _colour() -> alt.Color:
    return alt.Color("kind:N", scale=alt.Scale(domain=_KINDS, range=_HUES), title=None)


def _size_axis(result: TermEffects, names: Names) -> str:
    return f"Size of the effect on {names.axis(result.response)}"


def _margins(result: TermEffects) -> list[tuple[float, str]]:
    margins = [
        (result.margin, "margin of error of one effect"),
        (result.simultaneous_margin, "margin of error of all together"),
    ]
    largest = max(result.frame["absolute"].to_list())
    return [(value, text) for value, text in margins if 0.0 < value <= 1.3 * largest]


def _some(result: TermEffects, limit: int) -> str:
    total = result.frame.height
    return f"The {limit} largest of {total} effects." if total > limit else ""


def _legend(result: TermEffects) -> str:
    drawn = _margins(result)
    if not drawn:
        return ""
    both = ", of one effect and of all together" if len(drawn) > 1 else ""
    return f"Dashed: Lenth's margin of error{both}"
