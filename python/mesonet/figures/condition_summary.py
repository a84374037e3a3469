"""The summary of condition-response plots: who is an outlier, over all responses and conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from mesonet.analysis import ConditionSummary
from mesonet.figures.style import (
    FAINT,
    HIGH,
    LOW,
    Look,
    Names,
    data,
    paper,
    percent,
    rows,
    sheet,
    themed,
)

_KINDS = ["high outlier", "low outlier"]


def condition_summary_chart(
    result: ConditionSummary,
    *,
    look: Look,
    names: Names,
    order: list[int] | None = None,
    only: Sequence[str] | None = None,
    step: int = 20,
) -> Any:
    """Chart of the outlying alternative of every response and condition.

    Args:
        result: Result to draw.
        look: Numbers of the alternatives.
        names: Names of responses.
        order: Conditions from the least to the most congested; by number if `None`.
        only: Responses to draw; all if `None`.
        step: Width of a condition, in pixels.
    """
    conditions = order or list(result.conditions)
    title = "Condition, least congested first" if order else "Condition"
    shown = [name for name in (only or result.responses) if name in result.responses]
    rising = [names.response(name) for name in shown]
    cells = [
        {
            "response": names.response(row["response"]),
            "condition": row["condition"],
            "number": look.number(row["alternative"]),
            "kind": f"{row['direction']} outlier",
            "alternative": row["alternative"],
            "relative": percent(row["relative"]),
        }
        for row in rows(result.frame)
        if row["response"] in shown
    ]
    y = alt.Y(
        "response:N",
        sort=rising,
        scale=alt.Scale(domain=rising, paddingInner=0.12),
        axis=alt.Axis(title=None, ticks=False, domain=False, labelLimit=280),
    )
    x = alt.X(
        "condition:O",
        sort=conditions,
        scale=alt.Scale(domain=conditions, paddingInner=0.08),
        axis=alt.Axis(title=title, labelAngle=0, ticks=False, domain=False),
    )
    base = alt.Chart().encode(
        x,
        y,
        tooltip=["condition:O", "response:N", "kind:N", "alternative:N", "relative:N"],
    )
    colour = alt.Color("kind:N", scale=alt.Scale(domain=_KINDS, range=[HIGH, LOW]), title=None)
    width = max(len(conditions) * step, 240)
    # Empty cells need no mark of their own: a band per response is enough to read along.
    bands = alt.Chart(data([{"response": name} for name in rising])).mark_bar(color=FAINT)
    chart = alt.layer(
        bands.encode(y, x=alt.value(0), x2=alt.value(width)),
        base.mark_rect(cornerRadius=2).encode(color=colour),
        base.mark_text(fontWeight=700, fontSize=11, color="white").encode(text="number:N"),
        data=data(cells),
    )
    return themed(chart.properties(width=width, height=max(19 * len(shown), 40)))


def condition_summary_figure(
    result: ConditionSummary,
    *,
    look: Look,
    names: Names,
    levels: pl.DataFrame | None = None,
    order: list[int] | None = None,
    only: Sequence[str] | None = None,
) -> Figure:
    """The summary for papers, laid out as in the sources: conditions down, responses across.

    Args:
        result: Result to draw.
        look: Numbers of the alternatives.
        names: Names of factors.
        levels: Column `condition` and a column of -1/+1 per factor; left out if `None`.
        order: Conditions from top to bottom; by number if `None`.
        only: Responses to draw; all if `None`.
    """
    conditions = order or list(result.conditions)
    shown = [name for name in (only or result.responses) if name in result.responses]
    factors = [] if levels is None else [name for name in levels.columns if name != "condition"]
    columns = [*(names.factor(name) for name in factors), *shown]
    line = {condition: place for place, condition in enumerate(conditions)}
    with paper():
        width = min(0.9 + 0.17 * len(columns), 12.0)
        figure = sheet(max(width, 3.4), 1.5 + 0.14 * len(conditions))
        axes = figure.add_subplot()
        for row in [] if levels is None else levels.iter_rows(named=True):
            for place, name in enumerate(factors):
                if row["condition"] in line:
                    sign = "+" if row[name] > 0 else "−"
                    axes.text(place, line[row["condition"]], sign, ha="center", va="center", size=6)
        for row in rows(result.frame):
            if row["response"] not in shown or row["condition"] not in line:
                continue
            x, y = len(factors) + shown.index(row["response"]), line[row["condition"]]
            colour = HIGH if row["direction"] == "high" else LOW
            axes.add_patch(Rectangle((x - 0.46, y - 0.46), 0.92, 0.92, fc=colour, lw=0))
            number_of = look.number(row["alternative"])
            axes.text(
                x, y, number_of, ha="center", va="center", size=6, color="white", weight="bold"
            )
        axes.set_xlim(-0.6, len(columns) - 0.4)
        axes.set_ylim(len(conditions) - 0.4, -0.6)
        axes.set_xticks(range(len(columns)), columns, rotation=90, size=6)
        axes.set_yticks(range(len(conditions)), [str(value) for value in conditions], size=6)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.set_axisbelow(True)
        axes.grid(lw=0.25, color="0.88")
        if factors:
            axes.axvline(len(factors) - 0.5, color="0.5", lw=0.6)
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.set_ylabel("Condition, least congested first" if order else "Condition")
        key = ", ".join(f"{look.number(label)} {label}" for label in look.alternatives)
        found = result.frame.height or "No"
        axes.set_xlabel(
            f"{found} outlier{'' if found == 1 else 's'} in {result.tested} cells tested; {key}"
        )
    return figure
