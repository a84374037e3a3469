"""Harm with its intervals."""

from __future__ import annotations

from typing import Any

import altair as alt

from mesonet.analysis import Harm
from mesonet.figures.intervals import interval_layers, interval_point, interval_rows
from mesonet.figures.style import INK, Look, Names, data, nothing_chart, rows, themed

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
    labels = [label for label in look.alternatives if label != result.solo]
    order = list(dict.fromkeys(point["name"] for point in points))
    axis = alt.Axis(title=f"Harm, % lost against {result.solo}")
    base = interval_rows(order, labels)
    told = [alt.Tooltip("text:N", title="harm [interval]")]
    drawn = alt.layer(
        *interval_layers(base, labels, look=look, axis=axis, tooltip=told),
        base.mark_text(align="left", color=INK, fontSize=11).encode(
            x=alt.value(width + 14), text="text:N"
        ),
        data=data(points),
    )
    height = max(len(order) * (12 + 19 * len(labels)), 60)
    return themed(drawn.properties(width=width, height=height))


def _points(result: Harm, names: Names) -> list[dict[str, Any]]:
    known = result.frame.drop_nulls("harm").drop_nans("harm")
    return [
        {
            "name": names.response(row["response"]),
            "alternative": row["alternative"],
            **interval_point(row, "harm", "lower", "upper"),
            "sure": row["p_holm"] is not None and row["p_holm"] < _LIMIT and row["excess"] > 0,
        }
        for row in rows(known)
    ]
