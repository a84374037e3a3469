"""Charts of a comparison: measures of each algorithm alone, and shares versus each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from mesonet.comparison.measures import TESTED, Measure
from mesonet.comparison.question import Condition
from mesonet.figures.chart import Chart
from mesonet.figures.style import INK, NARROW, RANK_RANGE, Look, data, themed

if TYPE_CHECKING:
    from mesonet.comparison.result import Comparison

_ROW = 34


def comparison_chart(result: Comparison) -> Any:
    """The answer of a comparison, a row for each condition.

    Dots are means over replicates and bars their 95 % intervals, of each algorithm alone. The table
    right of them has the share that the algorithm of the row gets versus that of the column.
    """
    question = result.question
    look = Look.of(dict.fromkeys(question.algorithms + question.versus))
    several = len(question.conditions) > 1
    rows = []
    for condition in question.conditions:
        row = alt.hconcat(
            *(_dots(result, condition, measure, look) for measure in TESTED),
            _shares(result, condition),
            spacing=26,
        ).resolve_scale(color="independent")
        rows.append(row.properties(title=question.words(condition)) if several else row)
    return themed(alt.vconcat(*rows, spacing=22).properties(usermeta=NARROW))


def _dots(result: Comparison, condition: Condition, measure: Measure, look: Look) -> Any:
    frame = result.frame.filter(**condition.columns(), measure=measure.name, versus="")
    names = list(result.question.algorithms)
    ends = [pl.col(end) * measure.factor for end in ("mean", "low", "high")]
    title = [measure.title.capitalize(), f"alone ({measure.unit})"]
    axis = alt.Axis() if measure == TESTED[0] else None
    y = alt.Y("algorithm:N", title=None, sort=names, axis=axis)
    colour = alt.Color("algorithm:N", scale=look.scale(names), legend=None)
    scale, ticks = alt.Scale(zero=True, nice=True), alt.Axis(tickCount=3, labelOverlap=True)
    bar = Chart().mark_rule(strokeWidth=2.5, opacity=1)
    dot = Chart().mark_point(filled=True, size=90, opacity=1)
    return alt.layer(
        bar.encode(alt.X("low:Q", title=title), x2="high", y=y, color=colour),
        dot.encode(
            alt.X("mean:Q", title=title, scale=scale, axis=ticks),
            y,
            color=colour,
            tooltip=["algorithm:N", "mean:Q", "low:Q", "high:Q"],
        ),
        data=data(frame.select("algorithm", *ends)),
    ).properties(width=150, height=_ROW * len(names))


def _shares(result: Comparison, condition: Condition) -> Any:
    algorithms, versus = result.question.algorithms, result.question.versus
    frame = result.frame.filter(**condition.columns(), measure="share").filter(
        pl.col("versus") != "", pl.col("algorithm").is_in(algorithms)
    )
    share = pl.col("mean") * 100
    short = len(versus) < 5 and max(map(len, versus)) <= 10
    axis = alt.Axis(orient="bottom", labelAngle=0 if short else -40)
    title = ["Share of the goodput (%)", "versus"]
    x = alt.X("versus:N", title=title, sort=list(versus), axis=axis)
    y = alt.Y("algorithm:N", title=None, sort=list(algorithms), axis=alt.Axis())
    ends = alt.Scale(domain=[0, 50, 100], range=list(RANK_RANGE))
    cell = Chart().mark_rect(stroke=INK, strokeOpacity=0.2)
    text = Chart().mark_text(fontSize=12, color="#1a1a1a")
    return alt.layer(
        cell.encode(x, y, color=alt.Color("share:Q", scale=ends, legend=None)),
        text.encode(x, y, text=alt.Text("shown:Q", format=".0f")),
        data=data(frame.select("algorithm", "versus", share=share, shown=share.round(0))),
    ).properties(width=max(60 * len(versus), 110), height=_ROW * len(algorithms))
