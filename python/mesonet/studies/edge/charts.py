"""Charts of the study `edge`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, GREEN, INK, ORANGE, VERMILLION, data, themed

GROUPS = {
    "both routers": BLUE,
    "one of two": GREEN,
    "neither": ORANGE,
}
"""Groups of transfers, by the access routers on their way that have the discipline."""
SIDES = {"routers with it": BLUE, "routers without": ORANGE, "the same before": VERMILLION}


def answer_chart(rows: Sequence[Mapping[str, Any]], queues: Sequence[Mapping[str, Any]]) -> Any:
    """Changes of completion time and goodput, and sojourn times, over the share of routers.

    Args:
        rows: `discipline`, `share` [%], `group`, `measure` ("web" or "long"), `mean`, `lower`,
            `upper`, as parts of the value before the deployment.
        queues: `discipline`, `share`, `side` and `mean` [ms].
    """
    names = list(dict.fromkeys(row["discipline"] for row in rows))
    web = [row for row in rows if row["measure"] == "web"]
    long = [row for row in rows if row["measure"] == "long"]
    changes = alt.vconcat(
        alt.hconcat(*(_changes(web, name, "Time of Web objects", named=True) for name in names)),
        alt.hconcat(*(_changes(long, name, "Goodput, long", named=False) for name in names)),
        spacing=6,
    )
    delays = alt.hconcat(*(_queues(queues, name) for name in names))
    return themed(alt.vconcat(changes, delays, spacing=14).resolve_scale(color="independent"))


def _x(*, titled: bool) -> Any:
    return alt.X(
        "share:Q",
        title="Access routers with the discipline (%)" if titled else None,
        scale=alt.Scale(domain=[0, 100]),
        axis=alt.Axis(values=[0, 25, 50, 75, 100]),
    )


def _changes(rows: Sequence[Mapping[str, Any]], name: str, title: str, *, named: bool) -> Any:
    mine = [row for row in rows if row["discipline"] == name]
    colour = alt.Color(
        "group:N",
        title="Routers on the way with it",
        scale=alt.Scale(domain=list(GROUPS), range=list(GROUPS.values())),
        legend=alt.Legend(orient="bottom", titleLimit=300, direction="horizontal", symbolOpacity=1),
    )
    tooltip = [
        "group:N",
        alt.Tooltip("share:Q", title="share (%)"),
        alt.Tooltip("mean:Q", format="+.1%"),
        alt.Tooltip("lower:Q", format="+.1%"),
        alt.Tooltip("upper:Q", format="+.1%"),
    ]
    base = Chart(data(mine))
    scale = alt.Scale(domain=_domain(rows), clamp=True, nice=True)
    y = alt.Y("mean:Q", title=title, axis=alt.Axis(format="+%"), scale=scale)
    bars = base.mark_rule(strokeWidth=1.2, opacity=1).encode(
        _x(titled=False), alt.Y("lower:Q"), alt.Y2("upper:Q"), colour, tooltip=tooltip
    )
    line = base.mark_line(strokeWidth=1.6, point=alt.OverlayMarkDef(size=38)).encode(
        _x(titled=False), y, colour, tooltip=tooltip
    )
    none = Chart(data([{"y": 0.0}])).mark_rule(color=INK, opacity=0.45).encode(y="y:Q")
    panel = alt.layer(none, bars, line).properties(width=190, height=150)
    return panel.properties(title=name) if named else panel


def _domain(rows: Sequence[Mapping[str, Any]]) -> list[float]:
    """Range of all means with a margin; intervals of small groups may end beyond it."""
    means = [row["mean"] for row in rows] or [0.0]
    margin = 0.3 * (max(means) - min(means)) + 0.02
    return [min(*means, 0.0) - margin, max(*means, 0.0) + margin]


def _queues(rows: Sequence[Mapping[str, Any]], name: str) -> Any:
    mine = [row for row in rows if row["discipline"] == name]
    colour = alt.Color(
        "side:N",
        title="Access routers",
        scale=alt.Scale(domain=list(SIDES), range=list(SIDES.values())),
        legend=alt.Legend(orient="bottom", titleLimit=300, direction="horizontal", symbolOpacity=1),
    )
    highest = max((row["mean"] for row in rows), default=1.0)
    return (
        Chart(data(mine))
        .mark_line(strokeWidth=1.6, point=alt.OverlayMarkDef(size=38))
        .encode(
            _x(titled=True),
            alt.Y(
                "mean:Q",
                title="Delay, 95 % (ms)",
                scale=alt.Scale(domain=[0, highest * 1.05]),
            ),
            colour,
            tooltip=["side:N", "share:Q", alt.Tooltip("mean:Q", title="ms", format=".1f")],
        )
        .properties(width=190, height=150)
    )
