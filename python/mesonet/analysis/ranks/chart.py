"""Rank matrices, and the plot of the spread of ranks against their mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from mesonet.analysis import RankMatrix
from mesonet.figures.chart import Chart
from mesonet.figures.style import INK, RANK_RANGE, Look, Names, data, names_along, rows, themed
from mesonet.numbers import number

DARK = "#1d2126"
"""Colour of ranks on their colours."""

_STEP = 96


def rank_matrix_chart(
    result: RankMatrix, *, names: Names, only: Sequence[str] | None = None
) -> Any:
    """The rank of every alternative under every condition, one block per response."""
    conditions = result.frame["condition"].unique(maintain_order=True).to_list()
    n = len(result.alternatives)
    cells = [
        {
            "response": names.response(row["response"]),
            "condition": row["condition"],
            "alternative": row["alternative"],
            "value": number(row["value"]),
            "rank": row["rank"],
            "text": "" if row["rank"] is None else f"{row['rank']:g}",
        }
        for row in rows(result.frame)
        if only is None or row["response"] in only
    ]
    ordered = "least congested first" if result.order_by else "by number"
    base = Chart().encode(
        names_along(alt.X, "condition:O", conditions, title=f"Condition, {ordered}", labelAngle=0),
        names_along(alt.Y, "alternative:N", list(result.alternatives)),
        tooltip=["response:N", "condition:O", "alternative:N", "value:N", "rank:Q"],
    )
    inner = alt.layer(
        base.mark_rect(cornerRadius=2).encode(color=rank_colour("rank", n)),
        base.mark_text(fontSize=10.5, color=DARK).encode(text="text:N"),
    ).properties(width=max(len(conditions) * 26, 240), height=21 * n)
    chart = inner.facet(
        row=alt.Row(
            "response:N",
            sort=[
                names.response(name) for name in result.responses if only is None or name in only
            ],
            title=None,
            header=alt.Header(labelAngle=0, labelOrient="top", labelAnchor="start", labelPadding=4),
        ),
        data=data(cells),
        spacing=8,
    )
    return themed(chart)


def rank_overview_chart(result: RankMatrix, *, names: Names) -> Any:
    """The mean rank of every alternative on every response, over all conditions."""
    n = len(result.alternatives)
    cells = [
        {
            "response": names.response(row["response"]),
            "alternative": row["alternative"],
            "mean": row["mean"],
            "text": f"{row['mean']:.2f}",
            "sd": number(row["sd"], digits=2),
            "n": row["n"],
        }
        for row in rows(result.per_response)
        if row["mean"] is not None
    ]
    base = Chart().encode(
        names_along(
            alt.X,
            "alternative:N",
            list(result.alternatives),
            orient="top",
            labelAngle=0,
            labelLimit=_STEP,
        ),
        names_along(
            alt.Y, "response:N", [names.response(name) for name in result.responses], labelLimit=430
        ),
        tooltip=[
            "response:N",
            "alternative:N",
            alt.Tooltip("text:N", title="mean rank"),
            alt.Tooltip("sd:N", title="sd"),
            alt.Tooltip("n:Q", title="conditions"),
        ],
    )
    chart = alt.layer(
        base.mark_rect(cornerRadius=2).encode(color=rank_colour("mean", n)),
        base.mark_text(fontSize=10.5, color=DARK).encode(text="text:N"),
        data=data(cells),
    )
    height = max(19 * len(result.responses), 40)
    return themed(chart.properties(width=_STEP * n, height=height))


def rank_colour(field: str, n: int) -> alt.Color:
    """The colour of a rank among `n` alternatives."""
    domain = [1, (n + 1) / 2, max(n, 1.5)]
    scale = alt.Scale(domain=domain, range=list(RANK_RANGE), interpolate="rgb")
    return alt.Color(f"{field}:Q", scale=scale, legend=None)


def rank_scatter_chart(result: RankMatrix, *, look: Look) -> Any:
    """Standard deviation against mean of the ranks; the ideal is the lower right corner."""
    points = [
        {**row, "mean_text": number(row["mean"]), "sd_text": number(row["sd"])}
        for row in rows(result.summary)
        if row["mean"] is not None and row["sd"] is not None
    ]
    n = max(len(result.alternatives), 2)
    base = Chart().encode(
        alt.X("mean:Q", scale=alt.Scale(domain=[1, n]), title=f"Mean rank ({n} is best)"),
        alt.Y("sd:Q", scale=alt.Scale(zero=False, padding=26), title="Standard deviation of ranks"),
        tooltip=[
            "alternative:N",
            alt.Tooltip("mean_text:N", title="mean rank"),
            alt.Tooltip("sd_text:N", title="sd"),
            alt.Tooltip("n:Q", title="ranks"),
        ],
    )
    chart = alt.layer(
        base.mark_point(filled=True, size=130, opacity=1).encode(
            color=alt.Color("alternative:N", scale=look.scale(), legend=None),
            shape=alt.Shape("alternative:N", scale=look.shapes(), legend=None),
        ),
        base.mark_text(dy=-14, fontSize=12, fontWeight=600, color=INK).encode(text="alternative:N"),
        data=data(points),
    )
    return themed(chart.properties(width=380, height=230))
