"""Forest plots of paired differences."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from typing import Any

import altair as alt

from mesonet.analysis import PairedDifferences
from mesonet.figures.chart import Chart
from mesonet.figures.intervals import interval_layers, interval_point, interval_rows
from mesonet.figures.style import INK, Look, Names, data, nothing_chart, rows, themed
from mesonet.numbers import percent, probability

_LIMIT = 0.05
_COMPRESSED, _CUT = " (compressed scale)", " (longer bars are cut)"
# Axes reach so many times as far as the farthest mark; without an end, an interval of few blocks
# would leave all marks in the middle.
_FARTHEST = 4

_WIDTH, _FOREST_WIDTH = 330, 300


def forest_chart(
    result: PairedDifferences, *, look: Look, names: Names, better: Mapping[str, str] | None = None
) -> Any:
    """Relative differences from the baseline with their intervals, one row per response.

    Filled marks are differences whose Holm-adjusted p is below 0.05.
    """
    points = _points(result, names, better)
    if not points:
        return nothing_chart(_nothing(result), width=_WIDTH)
    order = [names.response(name) for name in result.responses]
    labels = [label for label in look.alternatives if label != result.baseline]
    base = interval_rows(order, labels)
    title = f"Difference from {result.baseline}, % of its mean{_extras(points)}"
    drawn = alt.layer(
        *_marks(base, points, labels, look, result, title, _ends(points) if _cut(points) else None),
        *(
            base.mark_text(
                align="left", color=INK, fontSize=11, fontWeight=700 if field == "verdict" else 400
            ).encode(x=alt.value(_FOREST_WIDTH + at), text=f"{field}:N")
            for field, _, at in _COLUMNS
        ),
        *(
            Chart(data([{"text": _heading(text, result)}]))
            .mark_text(align="left", color=INK, fontSize=10.5, opacity=0.75, fontWeight=600)
            .encode(x=alt.value(_FOREST_WIDTH + at), y=alt.value(-8), text="text:N")
            for field, text, at in _COLUMNS
            if field != "verdict" or better
        ),
        data=data(points),
    )
    height = max(len(order) * (12 + 19 * max(len(labels), 1)), 60)
    return themed(drawn.properties(width=_FOREST_WIDTH, height=height))


def answer_chart(
    result: PairedDifferences,
    *,
    look: Look,
    names: Names,
    better: Mapping[str, str],
    limit: int = 8,
) -> Any:
    """The answer at a glance: right of the line an alternative is better than the baseline.

    Differences of responses of which less is better are turned round. Filled marks are differences
    whose Holm-adjusted p is below 0.05. The name of a response stands above its marks.

    Args:
        limit: Most responses.
    """
    judged = judged_responses(result, better=better)[:limit]
    points = _points(result.on(judged), names, better)
    if not points:
        return nothing_chart(_nothing(result), width=_WIDTH)
    labels = [label for label in look.alternatives if label != result.baseline]
    less = {names.response(name) for name in judged if better[name] == "lower"}
    for point in points:
        if point["name"] in less:
            for key in ("lower", "middle", "upper"):
                point[key] = None if point[key] is None else -point[key]
    reach = 1.06 * _reach(points)
    title = [
        f"Better by, % of the mean of {result.baseline}{_extras(points)}",
        "\N{LEFTWARDS ARROW} worse · better \N{RIGHTWARDS ARROW}",
    ]
    base = Chart().encode(alt.Y("alternative:N", axis=None, sort=labels))
    marks = _marks(base, points, labels, look, result, title, [-reach, reach])
    order = [names.response(name) for name in judged]
    lines = {name: textwrap.wrap(name, _WIDTH // 7 + 6) or [""] for name in order}
    header = alt.Header(
        title=None,
        labelExpr=f"{json.dumps(lines)}[datum.value]",
        labelAnchor="start",
        labelAngle=0,
        labelOrient="top",
        labelBaseline="bottom",
        labelPadding=4,
    )
    rows_of = alt.layer(*marks).properties(width=_WIDTH, height={"step": 15})
    faceted = rows_of.facet(
        row=alt.Row("name:N", sort=order, header=header), spacing=8, data=data(points)
    )
    return themed(faceted)


def _marks(
    base: Any,
    points: list[dict[str, Any]],
    labels: list[str],
    look: Look,
    result: PairedDifferences,
    title: str | list[str],
    domain: list[float] | None,
) -> list[Any]:
    """Intervals on an axis of percents, compressed where a linear one would squeeze some."""
    wide = _wide(points)
    axis = alt.Axis(
        title=title,
        **({"values": _ticks(points)} if wide else {}),
        labelExpr="datum.value > 0 ? '+' + datum.label : datum.label",
    )
    scale = alt.Scale(
        **({"type": "symlog", "constant": 5} if wide else {"nice": domain is None}),
        **({"domain": domain, "clamp": True} if domain else {}),
    )
    tooltip = [
        alt.Tooltip("text:N", title="difference [interval]"),
        alt.Tooltip("p_text:N", title="p (Holm)"),
        alt.Tooltip("n:Q", title=f"{result.unit}s"),
    ]
    return interval_layers(base, labels, look=look, axis=axis, scale=scale, tooltip=tooltip)


def judged_responses(result: PairedDifferences, *, better: Mapping[str, str]) -> tuple[str, ...]:
    """Responses with a better end, of which some relative difference is known."""
    defined = set(result.frame.drop_nulls("relative").drop_nans("relative")["response"])
    sides = ("higher", "lower")
    return tuple(name for name in result.responses if name in defined and better.get(name) in sides)


# Columns of numbers beside the picture: field, heading, distance from the picture in pixels.
_COLUMNS = (
    ("text", "Difference [{confidence} interval]", 14),
    ("p_text", "p (Holm)", 190),
    ("count", "{unit}s", 248),
    ("verdict", "Verdict", 318),
)


def _heading(text: str, result: PairedDifferences) -> str:
    share = percent(result.confidence, digits=3, signed=False)
    return text.format(confidence=share, unit=result.unit.capitalize())


def _nothing(result: PairedDifferences) -> str:
    reason = "" if result.frame.is_empty() else f"The mean of {result.baseline} is zero or missing."
    return reason or "There is nothing to compare."


def _points(
    result: PairedDifferences, names: Names, better: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    points = []
    for row in rows(result.frame):
        if row["relative"] is None:
            continue
        drawn = interval_point(row, "relative", "relative_lower", "relative_upper")
        p = probability(row["p_holm"])
        sure = row["p_holm"] is not None and row["p_holm"] < _LIMIT
        side = (better or {}).get(row["response"])
        gain = side == ("higher" if row["difference"] > 0 else "lower")
        points.append(
            {
                "name": names.response(row["response"]),
                "alternative": row["alternative"],
                **drawn,
                "sure": sure,
                "n": row["n"],
                "p_text": p,
                "count": f"{row['above']}↑ {row['below']}↓",
                "verdict": ("better" if gain else "worse")
                if sure and side in ("higher", "lower")
                else "",
                "caption": f"{drawn['text']} · p {p if p.startswith('<') else f'= {p}'} · "
                f"{row['above']}↑ {row['below']}↓",
            }
        )
    return points


def _sizes(points: list[dict[str, Any]], *keys: str) -> list[float]:
    return [abs(point[key]) for point in points for key in keys if point[key]]


def _reach(points: list[dict[str, Any]]) -> float:
    """Distance from zero to the farther end of an axis [%]."""
    longest = max(_sizes(points, "lower", "middle", "upper"), default=1.0)
    return min(longest, _FARTHEST * max(_sizes(points, "middle"), default=longest))


def _ends(points: list[dict[str, Any]]) -> list[float]:
    ends = [point[key] for point in points for key in ("lower", "upper") if point[key] is not None]
    reach = _reach(points)
    return [max(min(0.0, *ends), -reach), min(max(0.0, *ends), reach)]


def _cut(points: list[dict[str, Any]]) -> bool:
    return max(_sizes(points, "lower", "upper"), default=0.0) > _reach(points)


def _extras(points: list[dict[str, Any]]) -> str:
    return (_COMPRESSED if _wide(points) else "") + (_CUT if _cut(points) else "")


def _wide(points: list[dict[str, Any]]) -> bool:
    """Tests whether a linear axis would squeeze the small differences into a dot."""
    middles = sorted(abs(point["middle"]) for point in points)
    return bool(middles) and _reach(points) > 60 and middles[0] < 15


def _ticks(points: list[dict[str, Any]]) -> list[float]:
    limit = _reach(points)
    sizes = [size for size in (5.0, 20.0, 100.0, 500.0, 2500.0, 10000.0) if size < 2 * limit]
    return [*(-size for size in reversed(sizes)), 0.0, *sizes]
