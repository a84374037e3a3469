"""Principal components: how much they explain, what they are made of, and what separates them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import Components
from mesonet.figures.chart import Chart
from mesonet.figures.style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    VERMILLION,
    Look,
    Names,
    data,
    names_along,
    nothing_chart,
    themed,
)
from mesonet.numbers import number, percent

# Low-low, high-low, low-high, high-high of the two factors that colour the points.
_HUES = (BLUE, VERMILLION, GREEN, ORANGE)

_SIDE = 430
_COMPONENTS, _RESPONSES = 3, 30


def scree_chart(result: Components, *, limit: int = 15) -> Any:
    """The fraction of the variance that each component has, and all up to it."""
    if result.scree.is_empty():
        return nothing_chart(*result.notes)
    rows = [
        row | {"text": percent(row["fraction"], signed=False)}
        for row in result.scree.head(limit).iter_rows(named=True)
    ]
    x = alt.X("component:O", axis=alt.Axis(title="Principal component", labelAngle=0))
    axis = alt.Axis(format=".0%", title="Fraction of the variance")
    chart = alt.layer(
        Chart().mark_bar(color=BLUE, width={"band": 0.7}).encode(
            x, alt.Y("fraction:Q", axis=axis), tooltip=["component:O", "text:N"]
        ),
        Chart().mark_line(color=INK, strokeWidth=1.4, point={"color": INK, "size": 26}).encode(
            x, alt.Y("cumulative:Q", axis=axis)
        ),
        data=data(rows),
    )  # fmt: skip
    return themed(chart.properties(width=max(34 * len(rows), 160), height=230))


def loadings_chart(result: Components, *, names: Names) -> Any:
    """Correlations of the responses with the first components."""
    cells = _loadings(result, names)
    if not cells:
        return nothing_chart(*result.notes)
    order = list(dict.fromkeys(cell["name"] for cell in cells))
    base = Chart().encode(
        names_along(alt.X, "component:N", None, orient="top", labelAngle=0),
        names_along(alt.Y, "name:N", order, labelLimit=300),
        tooltip=["name:N", "component:N", "text:N"],
    )
    chart = alt.layer(
        base.mark_rect(cornerRadius=2).encode(
            color=alt.condition("datum.loading < 0", alt.value(VERMILLION), alt.value(BLUE)),
            opacity=alt.Opacity("size:Q", scale=alt.Scale(domain=[0, 1.1]), legend=None),
        ),
        base.mark_text(fontSize=10.5, color=INK).encode(text="text:N"),
        data=data(cells),
    )
    return themed(chart.properties(width=70 * _COMPONENTS, height=18 * len(order)))


def components_chart(
    result: Components, *, look: Look, names: Names, by: Sequence[str] | None = None
) -> Any:
    """PC1 against PC2: a point for each algorithm under each condition."""
    drawn = _scatter(result, names, by)
    if drawn is None:
        alone = "There is one principal component only: all responses say the same."
        return nothing_chart(*([alone] if result.scree.height == 1 else []), *result.notes)
    points, groups = drawn
    colour = alt.Color(
        "level:N",
        scale=alt.Scale(domain=groups, range=list(_HUES[: len(groups)])),
        title=None,
        legend=alt.Legend(columns=1, labelLimit=420),
    )
    x = alt.X("x:Q", title=_axis(result, 1), scale=alt.Scale(zero=False))
    y = alt.Y("y:Q", title=_axis(result, 2), scale=alt.Scale(zero=False))
    labels = [name for name in look.alternatives if name in set(result.scores["group"])]
    dots = Chart(data(points)).mark_point(filled=True, size=46, opacity=0.85)
    dots = dots.encode(x, y, colour, tooltip=["group:N", "condition:O", "settings:N"])
    if len(labels) > 1:
        grey = alt.Legend(symbolFillColor=GREY, symbolStrokeColor=GREY)
        dots = dots.encode(
            shape=alt.Shape("group:N", scale=look.shapes(labels), title=None, legend=grey)
        )
    return themed(dots.properties(width=_SIDE, height=_SIDE))


def _axis(result: Components, component: int) -> str:
    fraction = result.scree["fraction"][component - 1]
    return f"PC{component} ({percent(fraction, signed=False)} of the variance)"


def _loadings(result: Components, names: Names) -> list[dict[str, Any]]:
    own = result.frame.filter(pl.col("component") <= _COMPONENTS)
    strongest = (
        own.group_by("response", maintain_order=True)
        .agg(pl.col("loading").abs().max())
        .sort("loading", descending=True, maintain_order=True)
        .head(_RESPONSES)["response"]
        .to_list()
    )
    # By the component that a response belongs to, then by its loading.
    table = {
        (row["response"], row["component"]): row["loading"] for row in own.iter_rows(named=True)
    }
    count = own["component"].n_unique()
    home = {name: max(range(1, count + 1), key=lambda k: abs(table[name, k])) for name in strongest}
    order = sorted(strongest, key=lambda name: (home[name], -table[name, home[name]]))
    return [
        {
            "name": names.response(name),
            "component": f"PC{k}",
            "loading": table[name, k],
            "size": abs(table[name, k]),
            "text": number(round(table[name, k], 2), digits=2),
        }
        for name in order
        for k in range(1, count + 1)
    ]


def _scatter(
    result: Components, names: Names, by: Sequence[str] | None
) -> tuple[list[dict[str, Any]], list[str]] | None:
    if result.scree.height < 2:
        return None
    chosen = list(by)[:2] if by is not None else _explaining(result)
    levels = list(product((-1, 1), repeat=len(chosen)))
    labels = {
        setting: ", ".join(
            f"{names.factor(name)} {names.levels(name)[level > 0]}"
            for name, level in zip(chosen, setting, strict=True)
        )
        or "all conditions"
        for setting in levels
    }
    points = [
        {
            "x": row["pc1"],
            "y": row["pc2"],
            "group": row["group"],
            "condition": row["condition"],
            "level": labels[tuple(row[name] for name in chosen)],
            "settings": ", ".join(
                f"{names.factor(name)} {names.levels(name)[row[name] > 0]}"
                for name in result.factors
            ),
        }
        for row in result.scores.iter_rows(named=True)
    ]
    return points, list(labels.values())


def _explaining(result: Components) -> list[str]:
    """The factor that explains most of PC1, and the next that explains most of PC1 and PC2."""
    share = {
        (row["component"], row["factor"]): row["fraction"]
        for row in result.separation.iter_rows(named=True)
    }
    if not result.factors:
        return []
    first = max(result.factors, key=lambda name: share[1, name])
    # PC1 counts as much more as it has more of the variance.
    weight = result.scree["variance"].to_list()
    remaining = [name for name in result.factors if name != first]
    both = {name: weight[0] * share[1, name] + weight[1] * share[2, name] for name in remaining}
    return [first, *([max(remaining, key=lambda name: both[name])] if remaining else [])]
