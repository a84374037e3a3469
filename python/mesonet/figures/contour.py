"""Lines of equal response over two factors."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl
from matplotlib.figure import Figure

from mesonet.analysis import Contour
from mesonet.figures.style import (
    BLUE,
    INK,
    Names,
    data,
    nothing_chart,
    nothing_figure,
    number,
    paper,
    sheet,
    themed,
)


def contour_chart(result: Contour, *, names: Names, side: int = 380) -> Any:
    """The contour plot: the corners that were simulated, and the lines between and beyond them."""
    if result.lines.is_empty():
        return nothing_chart(_why(result, names), *result.notes)
    reach = float(result.surface["x"].max())  # type: ignore[arg-type]
    lines, labels, corners = _drawn(result)
    x_name, y_name = result.factors
    scale = alt.Scale(domain=[-reach, reach], nice=False)
    x = alt.X("x:Q", scale=scale, axis=_axis(x_name, names))
    y = alt.Y("y:Q", scale=scale, axis=_axis(y_name, names))
    square = [{"x": -1, "y": -1, "x2": 1, "y2": 1}]
    layers = [
        alt.Chart(data(square))
        .mark_rect(fill=None, stroke=INK, strokeOpacity=0.3, strokeDash=[3, 3])
        .encode(x, y, x2="x2:Q", y2="y2:Q"),
        alt.Chart(data(lines))
        .mark_line(color=BLUE, strokeWidth=1.4)
        .encode(x, y, detail="piece:N", order="step:Q", tooltip=["text:N"]),
        alt.Chart(data(labels))
        .mark_text(color=BLUE, fontSize=10.5, dy=-6, fontWeight=600)
        .encode(x, y, text="text:N"),
        alt.layer(
            alt.Chart().mark_point(filled=True, size=70, color=INK, opacity=1).encode(x, y),
            alt.Chart()
            .mark_text(color=INK, fontSize=11.5, fontWeight=600, dy=15)
            .encode(x, y, text="text:N"),
            data=data(corners),
        ),
    ]
    title = names.axis(result.response)
    return themed(alt.layer(*layers).properties(width=side, height=side, title=title))


def contour_figure(result: Contour, *, names: Names) -> Figure:
    """Draws `contour_chart` with matplotlib, for papers."""
    if result.lines.is_empty():
        return nothing_figure(_why(result, names), *result.notes)
    reach = float(result.surface["x"].max())  # type: ignore[arg-type]
    lines, labels, corners = _drawn(result)
    with paper():
        figure = sheet(3.8, 3.8)
        axes = figure.add_subplot(xlim=(-reach, reach), ylim=(-reach, reach))
        pieces: dict[int, list[dict[str, Any]]] = {}
        for point in lines:
            pieces.setdefault(point["piece"], []).append(point)
        for points in pieces.values():
            axes.plot([p["x"] for p in points], [p["y"] for p in points], color=BLUE, lw=1.0)
        for label in labels:
            axes.text(
                label["x"], label["y"], label["text"], color=BLUE, size=6, ha="center",
                va="center", bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
            )  # fmt: skip
        axes.plot((-1, 1, 1, -1, -1), (-1, -1, 1, 1, -1), color="0.6", lw=0.7, ls="--")
        for corner in corners:
            axes.plot(corner["x"], corner["y"], "o", color="0.1", ms=4)
            axes.annotate(
                corner["text"], (corner["x"], corner["y"]), (0, -9), textcoords="offset points",
                ha="center", weight="bold", size=7,
            )  # fmt: skip
        for setter, ticks, name in (
            (axes.set_xlabel, axes.set_xticks, result.factors[0]),
            (axes.set_ylabel, axes.set_yticks, result.factors[1]),
        ):
            setter(names.factor(name))
            ticks((-1, 1), names.levels(name))
        axes.set_title(names.axis(result.response))
        for text in axes.get_yticklabels():
            text.set(rotation=90, va="center")
    return figure


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
