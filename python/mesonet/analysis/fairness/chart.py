"""Harm with its intervals."""

from __future__ import annotations

from typing import Any

import altair as alt

from mesonet.analysis import Harm
from mesonet.figures.intervals import interval_layers, interval_point, interval_rows
from mesonet.figures.style import INK, Look, Names, data, nothing_chart, rows, themed

_LIMIT = 0.05
_WIDTH = 300
_NOTHING = "No harm could be computed."


def harm_chart(result: Harm, *, look: Look, names: Names) -> Any:
    """Harm of each alternative, with its interval, one row per response.

    Filled marks are those with more harm than among their own kind (Holm-adjusted p of the excess
    below 0.05); without such a bar none is filled.
    """
    points = _points(result, names)
    if not points:
        return nothing_chart(_NOTHING)
    labels = [label for label in look.alternatives if label != result.solo]
    title = f"Harm, % lost against {result.solo}"
    order = list(dict.fromkeys(point["name"] for point in points))
    base = interval_rows(order, labels)
    tooltip = [alt.Tooltip("text:N", title="harm [interval]")]
    axis = alt.Axis(
        title=title, tickCount=6, labelExpr="datum.value > 0 ? '+' + datum.label : datum.label"
    )
    drawn = alt.layer(
        *interval_layers(base, labels, look=look, axis=axis, tooltip=tooltip),
        base.mark_text(align="left", color=INK, fontSize=11).encode(
            x=alt.value(_WIDTH + 14), text="text:N"
        ),
        data=data(points),
    )
    height = max(len(order) * (12 + 19 * len(labels)), 60)
    return themed(drawn.properties(width=_WIDTH, height=height))


def _points(result: Harm, names: Names) -> list[dict[str, Any]]:
    defined = result.frame.drop_nulls("harm").drop_nans("harm")
    return [
        {
            "name": names.response(row["response"]),
            "alternative": row["alternative"],
            **interval_point(row, "harm", "lower", "upper"),
            "sure": row["p_holm"] is not None and row["p_holm"] < _LIMIT and row["excess"] > 0,
        }
        for row in rows(defined)
    ]
