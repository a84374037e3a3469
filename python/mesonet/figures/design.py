"""The picture of a design: the level of every factor in every condition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from mesonet.design import Design
from mesonet.figures.chart import Chart
from mesonet.figures.style import RANK_RANGE, data, themed

if TYPE_CHECKING:
    from mesonet.plan import Plan

_WIDE = 900
_MOST = 256

_STEP = 18


def design_chart(design: Design, *, labels: Mapping[str, str] | None = None) -> Any:
    """A design as a grid: a column per condition, a row per factor, coloured from low to high.

    Args:
        labels: Labels of factors by name; names without them.
    """
    called = labels or {}
    conditions = design.matrix.head(_MOST)
    values = (
        conditions.unpivot(index="condition", variable_name="factor", value_name="code")
        .with_columns(pl.col("factor").replace(dict(called)), pl.col("code").cast(pl.Float64))
        .to_dicts()
    )
    order = [called.get(name, name) for name in design.factors]
    # Designs without a formula have the number in their names.
    title = design.name
    if "condition" not in title:
        title += f": {design.runs} conditions"
    if design.runs > _MOST:
        title += f", the first {_MOST}"
    chart = (
        Chart(data(values), title=title)
        .mark_rect(stroke="white", strokeWidth=0.5)
        .encode(
            x=alt.X(
                "condition:O", title="condition", axis=alt.Axis(labelOverlap=True, labelAngle=0)
            ),
            y=alt.Y("factor:N", sort=order, title=None, axis=alt.Axis(labelLimit=260)),
            color=alt.Color(
                "code:Q",
                title="level",
                scale=alt.Scale(domain=[-1, 0, 1], range=list(RANK_RANGE)),
                legend=alt.Legend(
                    values=[-1, 1], labelExpr="datum.value < 0 ? 'low' : 'high'", gradientLength=60
                ),
            ),
            tooltip=["condition:O", "factor:N", "code:Q"],
        )
        .properties(
            width=min(max(conditions.height * _STEP, 160), _WIDE),
            height=_STEP * len(design.factors),
        )
    )
    return themed(chart)


def plan_chart(plan: Plan) -> Any:
    """The design of a plan with the labels of its factors; `None` for a plan without factors."""
    if plan.design is None:
        return None
    labels = {factor.name: factor.label or factor.name for factor in plan.factors}
    return design_chart(plan.design, labels=labels)
