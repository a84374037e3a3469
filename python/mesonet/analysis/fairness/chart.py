"""Harm and impact with their intervals."""

from __future__ import annotations

from typing import Any

import altair as alt

from mesonet.analysis import Harm, Impact
from mesonet.figures.intervals import interval_layers, interval_point, interval_rows
from mesonet.figures.style import INK, Look, Names, data, nothing_chart, rows, themed

_LIMIT = 0.05
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
    return _chart(points, labels, look=look, title=title, heading="harm [interval]", width=300)


def impact_chart(result: Impact, *, look: Look, names: Names) -> Any:
    """Change of each response with each alternative, with its interval, one row per response.

    Filled marks are changes whose Holm-adjusted p is below 0.05.
    """
    points = [
        {
            "name": names.response(row["response"]),
            "alternative": row["alternative"],
            **interval_point(row, "change", "lower", "upper"),
            "sure": row["p_holm"] is not None and row["p_holm"] < _LIMIT,
        }
        for row in rows(result.frame.drop_nulls("change").drop_nans("change"))
    ]
    if not points:
        return nothing_chart("No change could be computed.", *result.notes)
    labels = [label for label in look.alternatives if label != result.baseline]
    title = f"Change of the mean against {result.baseline}, %"
    return _chart(points, labels, look=look, title=title, heading="change [interval]", width=300)


def _chart(
    points: list[dict[str, Any]],
    labels: list[str],
    *,
    look: Look,
    title: str,
    heading: str,
    width: int,
) -> Any:
    order = list(dict.fromkeys(point["name"] for point in points))
    base = interval_rows(order, labels)
    tooltip = [alt.Tooltip("text:N", title=heading)]
    axis = alt.Axis(
        title=title, tickCount=6, labelExpr="datum.value > 0 ? '+' + datum.label : datum.label"
    )
    drawn = alt.layer(
        *interval_layers(base, labels, look=look, axis=axis, tooltip=tooltip),
        base.mark_text(align="left", color=INK, fontSize=11).encode(
            x=alt.value(width + 14), text="text:N"
        ),
        data=data(points),
    )
    height = max(len(order) * (12 + 19 * len(labels)), 60)
    return themed(drawn.properties(width=width, height=height))


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
