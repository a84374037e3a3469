"""The significance summary, and the influence of factors over sets of responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from mesonet.analysis import Influence, Significance
from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, INK, ORANGE, Names, data, names_along, nothing_chart, themed

_FILLS = {"**": BLUE, "*": ORANGE}
_INKS = {"**": "#ffffff", "*": "#1d2126"}
_WHOLE = "Ψ × 100"


def significance_chart(
    result: Significance, *, names: Names, only: Sequence[str] | None = None
) -> Any:
    """Responses against factors: the sign and the stars of every main effect."""
    grid = _grid(result, names, only)
    if not grid:
        return nothing_chart("No effect could be tested.", *result.notes)
    columns = [names.factor(name) for name in result.factors]
    rows = list(dict.fromkeys(cell["row"] for cell in grid))
    base = Chart().encode(
        names_along(alt.X, "column:N", columns, orient="top", labelAngle=-35, labelLimit=220),
        names_along(alt.Y, "row:N", rows, labelLimit=300),
        tooltip=["row:N", "column:N", "text:N"],
    )
    paint = alt.Color(
        "stars:N", scale=alt.Scale(domain=["**", "*"], range=list(_FILLS.values())), legend=None
    )
    marked = base.transform_filter("datum.stars != ''")
    layers = [
        base.mark_rect(fill=INK, fillOpacity=0.05, stroke=None, cornerRadius=2),
        marked.mark_rect(cornerRadius=2).encode(paint),
        *(
            base.transform_filter(alt.datum.stars == stars).mark_text(
                fontSize=11, color=_INKS.get(stars, INK), fontWeight=600
            ).encode(text="text:N")
            for stars in ("**", "*", "")
        ),
    ]  # fmt: skip
    chart = alt.layer(*layers, data=data(grid)).properties(
        width=max(54 * len(columns), 120), height=19 * len(rows)
    )
    return themed(chart)


def influence_sets_chart(result: Influence, *, names: Names) -> Any:
    """Sets of responses against factors: the influence fraction, and its weighted mean."""
    grid = _sets(result, names)
    rows = [*result.sets, "Weighted mean"]
    columns = [names.factor(name) for name in result.overall["factor"]]
    base = Chart().encode(
        names_along(alt.X, "column:N", columns, orient="top", labelAngle=-35, labelLimit=220),
        names_along(alt.Y, "row:N", rows),
        tooltip=["row:N", "column:N", "text:N"],
    )
    layers = [
        base.mark_rect(cornerRadius=2, color=BLUE).encode(
            opacity=alt.Opacity("share:Q", scale=alt.Scale(domain=[0, 1]), legend=None)
        ),
        base.transform_filter("datum.share < 0.6").mark_text(fontSize=11.5, color=INK),
        base.transform_filter("datum.share >= 0.6").mark_text(fontSize=11.5, color="#ffffff"),
    ]
    layers = [layers[0], *(layer.encode(text="text:N") for layer in layers[1:])]
    chart = alt.layer(*layers, data=data(grid)).properties(
        width=max(54 * len(columns), 120), height=26 * len(rows), title=f"Influence {_WHOLE}"
    )
    return themed(chart)


def _grid(result: Significance, names: Names, only: Sequence[str] | None) -> list[dict[str, str]]:
    cells = []
    for row in result.frame.iter_rows(named=True):
        if only is not None and row["response"] not in only:
            continue
        for name in result.factors:
            text = row[name]
            cells.append(
                {
                    "row": names.response(row["response"]),
                    "column": names.factor(name),
                    "text": "–" if text is None else text.replace("-", "−"),
                    "stars": (text or "").lstrip("+-"),
                }
            )
    if cells:
        cells += [
            {
                "row": _WHOLE,
                "column": names.factor(row["factor"]),
                "text": "–" if row["influence"] is None else f"{100 * row['influence']:.0f}",
                "stars": "",
            }
            for row in result.influence.iter_rows(named=True)
        ]
    return cells


def _sets(result: Influence, names: Names) -> list[dict[str, Any]]:
    influences = [
        (row["set"], row["factor"], row["influence"]) for row in result.frame.iter_rows(named=True)
    ]
    influences += [
        ("Weighted mean", row["factor"], row["influence"])
        for row in result.overall.iter_rows(named=True)
    ]
    return [
        {
            "row": name,
            "column": names.factor(factor),
            "share": share,
            "text": "–" if share is None else f"{100 * share:.0f}",
        }
        for name, factor, share in influences
    ]
