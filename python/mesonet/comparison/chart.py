"""Charts of a comparison: measures of each algorithm alone, and shares beside each other."""

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

    Dots are means over repeats and bars their 95 % intervals, of each algorithm alone. The table
    beside them has the share that the algorithm of the row gets beside that of the column.
    """
    question = result.question
    look = Look.of(question.algorithms)
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
    frame = result.frame.filter(**condition.columns()).filter(measure=measure.name, beside="")
    ends = (pl.col(end) * measure.factor for end in ("mean", "low", "high"))
    frame = frame.select("algorithm", *ends)
    y = alt.Y(
        "algorithm:N",
        title=None,
        sort=list(look.alternatives),
        axis=alt.Axis() if measure == TESTED[0] else None,
    )
    colour = alt.Color("algorithm:N", scale=look.scale(), legend=None)
    title = [measure.title.capitalize(), f"alone ({measure.unit})"]
    x = alt.X(
        "mean:Q",
        title=title,
        scale=alt.Scale(zero=True, nice=True),
        axis=alt.Axis(tickCount=3, labelOverlap=True),
    )
    bar = Chart().mark_rule(strokeWidth=2.5, opacity=1)
    dot = Chart().mark_point(filled=True, size=90, opacity=1)
    layers = [
        bar.encode(alt.X("low:Q", title=title), x2="high", y=y, color=colour),
        dot.encode(x, y, color=colour, tooltip=["algorithm:N", "mean:Q", "low:Q", "high:Q"]),
    ]
    return alt.layer(*layers, data=data(frame)).properties(
        width=150, height=_ROW * len(look.alternatives)
    )


def _shares(result: Comparison, condition: Condition) -> Any:
    question = result.question
    frame = result.frame.filter(**condition.columns()).filter(
        (pl.col("measure") == "share")
        & (pl.col("beside") != "")
        & pl.col("algorithm").is_in(list(question.algorithms))
    )
    frame = frame.with_columns(
        (pl.col("mean") * 100).alias("share"), (pl.col("mean") * 100).round(0).alias("shown")
    )
    short = len(question.beside) < 5 and max(map(len, question.beside)) <= 10
    x = alt.X(
        "beside:N",
        title=["Share of the goodput (%)", "beside"],
        sort=list(question.beside),
        axis=alt.Axis(orient="bottom", labelAngle=0 if short else -40),
    )
    y = alt.Y("algorithm:N", title=None, sort=list(question.algorithms), axis=alt.Axis())
    ends = alt.Scale(domain=[0, 50, 100], range=list(RANK_RANGE))
    cell = Chart().mark_rect(stroke=INK, strokeOpacity=0.2)
    text = Chart().mark_text(fontSize=12, color="#1a1a1a")
    return alt.layer(
        cell.encode(x, y, color=alt.Color("share:Q", scale=ends, legend=None)),
        text.encode(x, y, text=alt.Text("shown:Q", format=".0f")),
        data=data(frame.select("algorithm", "beside", "share", "shown")),
    ).properties(width=max(60 * len(question.beside), 110), height=_ROW * len(question.algorithms))
