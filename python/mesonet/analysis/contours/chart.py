"""Lines of equal response over two factors."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import Contour
from mesonet.analysis.contours.estimate import EXTENT
from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, INK, Names, data, nothing_chart, themed
from mesonet.numbers import number

_SIDE = 380


def contour_chart(result: Contour, *, names: Names) -> Any:
    """The contour plot: the corners that were simulated, and the lines between and beyond them."""
    if result.lines.is_empty():
        return nothing_chart(_why(result, names), *result.notes)
    lines, labels, corners = _drawn(result)
    x_name, y_name = result.factors
    scale = alt.Scale(domain=[-EXTENT, EXTENT], nice=False)
    x = alt.X("x:Q", scale=scale, axis=_axis(x_name, names))
    y = alt.Y("y:Q", scale=scale, axis=_axis(y_name, names))
    square = [{"x": -1, "y": -1, "x2": 1, "y2": 1}]
    layers = [
        Chart(data(square))
        .mark_rect(fill=None, stroke=INK, strokeOpacity=0.3, strokeDash=[3, 3])
        .encode(x, y, x2="x2:Q", y2="y2:Q"),
        Chart(data(lines))
        .mark_line(color=BLUE, strokeWidth=1.4)
        .encode(x, y, detail="piece:N", order="step:Q", tooltip=["text:N"]),
        Chart(data(labels))
        .mark_text(color=BLUE, fontSize=10.5, dy=-6, fontWeight=600)
        .encode(x, y, text="text:N"),
        alt.layer(
            Chart().mark_point(filled=True, size=70, color=INK, opacity=1).encode(x, y),
            Chart()
            .mark_text(color=INK, fontSize=11.5, fontWeight=600, dy=15)
            .encode(x, y, text="text:N"),
            data=data(corners),
        ),
    ]
    title = names.axis(result.response)
    return themed(alt.layer(*layers).properties(width=_SIDE, height=_SIDE, title=title))


def _why(result: Contour, names: Names) -> str:
    first, second = (names.factor(name) for name in result.factors)
    return (
        f"{names.response(result.response)} does not vary over {first} and {second}, or is not "
        "defined for all their combinations."
    )


def _axis(name: str, names: Names) -> alt.Axis:
    low, high = (text.replace("\\", "\\\\").replace("'", "\\'") for text in names.levels(name))
    return alt.Axis(
        title=names.factor(name), values=[-1, 1], grid=False,
        labelExpr=f"datum.value < 0 ? '{low}' : '{high}'",
    )  # fmt: skip


def _drawn(
    result: Contour,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    lines = [
        row | {"text": number(row["value"], digits=3), "step": step}
        for step, row in enumerate(result.lines.iter_rows(named=True))
    ]
    labels = []
    for _, piece in result.lines.group_by("piece", maintain_order=True):
        if piece.height > 12:
            middle = piece.row(piece.height // 2, named=True)
            labels.append(middle | {"text": number(middle["value"], digits=3)})
    corners = [
        {"x": row["x"], "y": row["y"], "text": number(row["mean"], digits=4)}
        for row in result.frame.filter(pl.col("n") > 0).iter_rows(named=True)
    ]
    return lines, labels, corners
