"""Harm with its intervals."""

from __future__ import annotations

from typing import Any

import altair as alt

from mesonet.analysis import Harm
from mesonet.figures.chart import Chart
from mesonet.figures.style import INK, Look, Names, data, nothing_chart, rows, themed
from mesonet.numbers import percent

_LIMIT = 0.05
_NOTHING = "No harm could be computed."


def harm_chart(result: Harm, *, look: Look, names: Names, width: int = 300) -> Any:
    """Harm of each alternative, with its interval, one row per response.

    Filled marks are those with more harm than among their own kind (Holm-adjusted p of the excess
    below 0.05); without such a bar none is filled.

    Args:
        result: Result to draw; rows without a value are left out.
        look: Colours and marks of the alternatives.
        names: Names of responses.
        width: Width of the picture between names and numbers [pixels].
    """
    points = _points(result, names)
    if not points:
        return nothing_chart(_NOTHING)
    order, labels = _order(points, result, look)
    axis = alt.Axis(title=_title(result))
    y = alt.Y(
        "name:N",
        sort=order,
        scale=alt.Scale(paddingInner=0.25),
        axis=alt.Axis(title=None, ticks=False, domain=False, labelLimit=270, labelFontSize=10.5),
    )
    colour = alt.Color("alternative:N", scale=look.scale(labels), title=None)
    base = Chart().encode(y, alt.YOffset("alternative:N", sort=labels))
    ink = {
        "color": colour,
        "tooltip": ["name:N", "alternative:N", alt.Tooltip("text:N", title="harm [interval]")],
    }
    drawn = alt.layer(
        Chart(data([{"zero": 0}]))
        .mark_rule(color=INK, opacity=0.5)
        .encode(alt.X("zero:Q", axis=axis)),
        base.mark_rule(strokeWidth=2).encode(alt.X("lower:Q", axis=axis), x2="upper:Q", **ink),
        base.mark_point(size=75, strokeWidth=2, opacity=1).encode(
            alt.X("middle:Q", axis=axis),
            fill=alt.condition("datum.sure", colour, alt.value("transparent")),
            shape=alt.Shape("alternative:N", scale=look.shapes(labels), title=None),
            **ink,
        ),
        base.mark_text(align="left", color=INK, fontSize=11).encode(
            x=alt.value(width + 14), text="text:N"
        ),
        data=data(points),
    )
    height = max(len(order) * (12 + 19 * len(labels)), 60)
    return themed(drawn.properties(width=width, height=height))


def _title(result: Harm) -> str:
    return f"Harm, % lost against {result.solo}"


def _order(points: list[dict[str, Any]], result: Harm, look: Look) -> tuple[list[str], list[str]]:
    """Names of responses and alternatives in the order of drawing."""
    labels = [label for label in look.alternatives if label != result.solo]
    return list(dict.fromkeys(point["name"] for point in points)), labels


def _points(result: Harm, names: Names) -> list[dict[str, Any]]:
    points = []
    for row in rows(result.frame):
        if row["harm"] is None:
            continue
        known = row["lower"] is not None
        text = percent(row["harm"])
        if known:
            text += f" [{percent(row['lower'])}, {percent(row['upper'])}]"
        p, excess = row["p_holm"], row["excess"]
        points.append(
            {
                "name": names.response(row["response"]),
                "alternative": row["alternative"],
                "middle": 100 * row["harm"],
                "lower": 100 * row["lower"] if known else None,
                "upper": 100 * row["upper"] if known else None,
                "sure": p is not None and p < _LIMIT and excess > 0,
                "text": text,
            }
        )
    return points
