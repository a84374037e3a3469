"""Charts of the study `edge`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import altair as alt

from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, GREEN, INK, ORANGE, VERMILLION, data, themed
from mesonet.studies.study import RunResults, chart
from mesonet_studies.edge.measure import CHANGES, CONDITIONS, DISCIPLINES, GROUPS

_GROUPS = {"both routers": BLUE, "one of two": GREEN, "neither": ORANGE}
"""Groups of transfers, by the access routers on their way that have the discipline."""
_SIDES = {"routers with it": BLUE, "routers without": ORANGE, "the same before": VERMILLION}
_SIZE = {"width": 190, "height": 150}

Rows = Sequence[Mapping[str, Any]]


@chart
def answer(run: RunResults, traffic: str = "cubic", buffers: str = "deep") -> Any:
    """Changes of completion time and goodput, and sojourn times, over the share of routers."""
    words, numbers = run.options.values["names"]["disciplines"], run.figures
    places = [
        (condition.prefix, {"discipline": words[condition.discipline], "share": condition.share})
        for condition in CONDITIONS
        if (condition.traffic, condition.buffers) == (traffic, buffers)
        and condition.discipline in DISCIPLINES
    ]
    rows = [
        place
        | {"group": named, "measure": kind, "mean": numbers[name]}
        | {end: numbers.get(f"{name}.{end}", math.nan) for end in ("lower", "upper")}
        for prefix, place in places
        for group, named in zip(GROUPS, _GROUPS, strict=True)
        for kind, what in CHANGES.items()
        for name in [f"{prefix}.{group}.{kind}.{what}"]
        if name in numbers
    ]
    ends = zip(("with.p95", "without.p95", "with.p95.before"), _SIDES, strict=True)
    queues = [
        place | {"side": named, "mean": numbers[f"{prefix}.{end}"]}
        for (prefix, place), (end, named) in product(places, list(ends))
        if not math.isnan(numbers.get(f"{prefix}.{end}", math.nan))
    ]
    names = list(dict.fromkeys(row["discipline"] for row in rows))
    web, long = ([row for row in rows if row["measure"] == kind] for kind in ("web", "long"))
    changes = alt.vconcat(
        alt.hconcat(
            *(_changes(web, name, "Time of Web objects").properties(title=name) for name in names)
        ),
        alt.hconcat(*(_changes(long, name, "Goodput, long") for name in names)),
        spacing=6,
    )
    delays = alt.hconcat(*(_queues(queues, name) for name in names))
    return themed(alt.vconcat(changes, delays, spacing=14).resolve_scale(color="independent"))


def _base(
    rows: Rows, name: str, field: str, colours: Mapping[str, str], title: str, along: str | None
) -> Any:
    """A chart of a discipline over the share of routers, with colours for the values of a field."""
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    legend = alt.Legend(orient="bottom", titleLimit=300, direction="horizontal", symbolOpacity=1)
    return Chart(data([row for row in rows if row["discipline"] == name])).encode(
        alt.X(
            "share:Q",
            title=along,
            scale=alt.Scale(domain=[0, 100]),
            axis=alt.Axis(values=[0, 25, 50, 75, 100]),
        ),
        alt.Color(f"{field}:N", title=title, scale=scale, legend=legend),
    )


def _line(base: Any) -> Any:
    return base.mark_line(strokeWidth=1.6, point=alt.OverlayMarkDef(size=38))


def _changes(rows: Rows, name: str, title: str) -> Any:
    ends = (alt.Tooltip(f"{end}:Q", format="+.1%") for end in ("mean", "lower", "upper"))
    tooltip = ["group:N", alt.Tooltip("share:Q", title="share (%)"), *ends]
    base = _base(rows, name, "group", _GROUPS, "Routers on the way with it", None)
    bars = base.mark_rule(strokeWidth=1.2, opacity=1).encode(
        alt.Y("lower:Q"), alt.Y2("upper:Q"), tooltip=tooltip
    )
    means = [row["mean"] for row in rows] or [0.0]
    # Intervals of small groups may end beyond the axis.
    margin = 0.3 * (max(means) - min(means)) + 0.02
    domain = [min(*means, 0.0) - margin, max(*means, 0.0) + margin]
    scale = alt.Scale(domain=domain, clamp=True, nice=True)
    y = alt.Y("mean:Q", title=title, axis=alt.Axis(format="+%"), scale=scale)
    none = Chart(data([{"y": 0.0}])).mark_rule(color=INK, opacity=0.45).encode(y="y:Q")
    return alt.layer(none, bars, _line(base).encode(y, tooltip=tooltip)).properties(**_SIZE)


def _queues(rows: Rows, name: str) -> Any:
    highest = max((row["mean"] for row in rows), default=1.0)
    along = "Access routers with the discipline (%)"
    line = _line(_base(rows, name, "side", _SIDES, "Access routers", along))
    scale = alt.Scale(domain=[0, highest * 1.05])
    return line.encode(
        alt.Y("mean:Q", title="Delay, 95 % (ms)", scale=scale),
        tooltip=["side:N", "share:Q", alt.Tooltip("mean:Q", title="ms", format=".1f")],
    ).properties(**_SIZE)
