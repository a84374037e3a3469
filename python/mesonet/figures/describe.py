"""Range, median and mean of responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from mesonet.analysis import Description
from mesonet.figures.chart import Chart
from mesonet.figures.style import INK, Look, Names, data, nothing_chart, rows, themed
from mesonet.numbers import number


def describe_chart(
    result: Description,
    *,
    look: Look,
    names: Names,
    only: Sequence[str] | None = None,
    most: int = 12,
    columns: int = 2,
    width: int = 230,
) -> Any:
    """Smallest to largest value, median (bar) and mean (mark) over conditions, by response.

    Mean and standard deviation stand beside it.

    Args:
        result: Result to draw; rows without a value are left out.
        look: Colours and marks of the alternatives.
        names: Names of responses.
        only: Responses to draw; all if `None`.
        most: Responses to draw, the first ones.
        columns: Panels side by side.
        width: Width of a panel without names and numbers [pixels].
    """
    points = [
        {
            **row,
            "text": f"{number(row['mean'], digits=3)} ± {number(row['sd'], digits=2)}",
            **{f"{key}_text": number(row[key], digits=3) for key in _TOLD},
        }
        for row in rows(result.frame.drop_nulls("mean").drop_nans("mean"))
        if only is None or row["response"] in only
    ]
    responses = list(dict.fromkeys(point["response"] for point in points))[:most]
    if not responses:
        return nothing_chart("No response has a value.", *result.notes)
    panels = [
        _panel([point for point in points if point["response"] == name], name, look, names, width)
        for name in responses
    ]
    grid = alt.concat(*panels, columns=columns, spacing={"row": 18, "column": 24})
    return themed(grid.resolve_scale(x="independent", y="independent"))


_TOLD = ("minimum", "median", "mean", "maximum")


def _panel(
    points: list[dict[str, Any]], response: str, look: Look, names: Names, width: int
) -> Any:
    labels = [name for name in look.alternatives if any(p["alternative"] == name for p in points)]
    colour = alt.Color("alternative:N", scale=look.scale(), legend=None)
    y = alt.Y(
        "alternative:N",
        sort=labels,
        axis=alt.Axis(title=None, ticks=False, domain=False, labelLimit=120),
    )
    axis = alt.Axis(title=None, tickCount=4, labelOverlap=True)
    scale = alt.Scale(zero=False, nice=True)
    told = [alt.Tooltip(f"{key}_text:N", title=key) for key in _TOLD]
    base = Chart().encode(y, tooltip=["alternative:N", *told, "conditions:Q"])

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", axis=axis, scale=scale)

    layers = [
        base.mark_rule(strokeWidth=2).encode(x("minimum"), colour, x2="maximum:Q"),
        base.mark_tick(thickness=2.5, size=13, opacity=1).encode(x("median"), colour),
        base.mark_point(filled=True, size=52, opacity=1).encode(
            x("mean"), colour, shape=alt.Shape("alternative:N", scale=look.shapes(), legend=None)
        ),
        base.mark_text(align="left", color=INK, fontSize=10.5).encode(
            x=alt.value(width + 10), text="text:N"
        ),
    ]
    chart = alt.layer(*layers, data=data(points))
    return chart.properties(width=width, height=22 * len(labels), title=names.axis(response))
