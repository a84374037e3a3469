"""Curves over the share of a newcomer, with 95 % intervals over replicates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from mesonet.figures.chart import Chart
from mesonet.figures.style import (
    BLUE,
    GREEN,
    INK,
    PURPLE,
    VERMILLION,
    Look,
    data,
    nothing_chart,
    themed,
)
from mesonet.studies.study import RunResults, chart
from mesonet_studies.deployment.bottleneck import FLOWS
from mesonet_studies.deployment.cohorts import FILES
from mesonet_studies.deployment.measure import mix_results, newcomer_of, shown_cells

WIDTH, HEIGHT = 190, 150
_FILE_COLOURS = (BLUE, GREEN, VERMILLION)
_EMPTY = "No run gave a number to show here."


@chart
def share(
    run: RunResults,
    newcomer: str,
    of: str,
    title: str,
    measure: str = "",
    level: float | None = None,
    floor: float | None = None,
    part: bool = True,
) -> Any:
    """Cells over the share of the newcomer: lines with bands, a panel for each condition.

    Cells are those of `shown_cells`, perhaps of one measure; values that are a `part` of a whole
    are shown in percent. There is a dashed line at `level`, such as that of no effect, and
    intervals end at `floor`. Sides have a row, with its own scale, for each kind of file.
    """
    it = newcomer_of(run, newcomer)
    frame, columns = shown_cells(it, of), it.conditions
    frame = frame.filter(measure=measure) if measure else frame
    colour: tuple[str, Mapping[str, str]] = ("measure", {measure: PURPLE})
    if of in ("gains", "harm"):
        colour = ("file", dict(zip(FILES.values(), _FILE_COLOURS, strict=True)))
    elif of in ("sides", "starved"):
        colour = ("who", _side_colours(it.incumbent, it.name))
    files = of == "sides"
    parts: list[tuple[pl.DataFrame, str | list[str]]] = [(frame, title)]
    if files:
        parts = [(frame.filter(file=name), [name, title]) for name in FILES.values()]
    rows = [
        _panels(rows_of_panels, colour, columns, name, level, floor, part)
        for rows_of_panels, name in parts
    ]
    drawn = [row for row in rows if row is not None]
    if not drawn:
        return nothing_chart(_EMPTY)
    return themed(alt.vconcat(*drawn, spacing=8) if files else drawn[0])


def _panels(
    frame: pl.DataFrame,
    colour: tuple[str, Mapping[str, str]],
    columns: Mapping[int, str],
    title: str | list[str],
    level: float | None,
    floor: float | None,
    percent: bool,
) -> Any | None:
    """One row of panels; None without anything to show."""
    field, colours = colour
    selected = pl.col("condition").is_in(list(columns))
    rows = frame.filter(pl.col(field).is_in(list(colours)), selected)
    if rows.is_empty():
        return None
    points = rows.with_columns(
        pl.col("condition").cast(pl.Int64).replace_strict(columns, return_dtype=pl.String),
        pl.col("lower", "upper").fill_nan(None),
    )
    low, high = _range(points, level)
    low = low if floor is None else max(low, floor)
    points = points.with_columns(
        pl.col("lower").clip(low, high).alias("low"), pl.col("upper").clip(low, high).alias("high")
    )
    x = alt.X(
        "percent:Q",
        title="Share of the newcomer (%)",
        scale=alt.Scale(domain=[0, 100], nice=False),
        axis=alt.Axis(values=[0, 25, 50, 75, 100]),
    )
    vertical = {
        "title": title,
        "scale": alt.Scale(domain=[low, high], nice=False, zero=False, clamp=True),
        "axis": alt.Axis(format="~%" if percent else "~g"),
    }
    number = ".1%" if percent else ".4~g"
    tooltip = [
        alt.Tooltip(f"{field}:N"),
        alt.Tooltip("percent:Q", title="share (%)"),
        *(alt.Tooltip(f"{name}:Q", format=number) for name in ("mean", "lower", "upper")),
        alt.Tooltip("n:Q", title="replicates"),
    ]
    # A single curve is named by the axis.
    legend = {"legend": alt.Legend() if len(colours) > 1 else None}
    look = alt.Color(f"{field}:N", scale=_scale(colours), title=None, **legend)
    band = Chart().mark_area(opacity=0.18)
    drawn = _curves(band, x, vertical, look, tooltip, level).properties(width=WIDTH, height=HEIGHT)
    panels = alt.Column("condition:N", sort=list(columns.values()), title=None)
    return drawn.facet(data=data(points), column=panels, spacing=14)


def _scale(colours: Mapping[str, str]) -> Any:
    return alt.Scale(domain=list(colours), range=list(colours.values()))


def _curves(
    ranges: Any,
    x: Any,
    vertical: Mapping[str, Any],
    look: Any,
    tooltip: Sequence[Any],
    level: float | None,
) -> Any:
    """Lines of `mean` over marks from `low` to `high`, and a dashed line at a level."""
    layers = [
        ranges.encode(x, alt.Y("low:Q", **vertical), y2="high:Q", color=look),
        Chart()
        .mark_line(strokeWidth=1.8, point=alt.OverlayMarkDef(size=34))
        .encode(x, alt.Y("mean:Q", **vertical), color=look, tooltip=tooltip),
    ]
    if level is not None:
        rule = Chart().mark_rule(color=INK, opacity=0.45, strokeDash=[4, 3])
        layers.insert(0, rule.encode(y=alt.datum(level, type="quantitative")))
    return alt.layer(*layers)


def _range(points: pl.DataFrame, level: float | None) -> tuple[float, float]:
    """Range of an axis: all means, and as much of the intervals as leaves the means legible."""
    mean_low, mean_high = _extent(points.select("mean"), level)
    room = 0.6 * max(mean_high - mean_low, 1e-9)
    low, high = _extent(points.select("lower", "upper", "mean"), level)
    return max(low, mean_low - room), min(high, mean_high + room)


def _extent(values: pl.DataFrame, level: float | None) -> tuple[float, float]:
    numbers = [number for column in values for number in column.drop_nulls()]
    numbers += [] if level is None else [level]
    return min(numbers), max(numbers)


def _side_colours(incumbent: str, newcomer: str) -> dict[str, str]:
    """Colours of those who still use the incumbent and those who use the newcomer."""
    look = Look.of([incumbent, newcomer])
    return {incumbent: look.colour(incumbent), newcomer: look.colour(newcomer)}


@chart
def bottleneck(run: RunResults, newcomer: str) -> Any:
    """Goodput per flow, in fair shares, over the number of flows that use the newcomer."""
    game, incumbent = mix_results(run).game, mix_results(run).incumbent
    rows = game.filter(pl.col("newcomer") == newcomer)
    sides = {"incumbent_goodput": incumbent, "newcomer_goodput": newcomer}
    points = (
        rows.unpivot(on=list(sides), index=["buffer", "count"], variable_name="who")
        .drop_nans("value")
        .group_by("buffer", "count", "who", maintain_order=True)
        .agg(
            pl.col("value").mean().alias("mean"),
            pl.col("value").min().alias("low"),
            pl.col("value").max().alias("high"),
        )
        .with_columns(
            pl.col("who").replace_strict(sides, return_dtype=pl.String),
            pl.format("buffer of {} BDP", "buffer").alias("panel"),
        )
    )
    if points.is_empty():
        return nothing_chart(_EMPTY)
    look = alt.Color("who:N", scale=_scale(_side_colours(incumbent, newcomer)), title=None)
    x = alt.X(
        "count:Q",
        title=f"Flows of {FLOWS} that use {newcomer}",
        scale=alt.Scale(domain=[0, FLOWS], nice=False),
    )
    vertical = {
        "scale": alt.Scale(type="log", nice=True),
        "title": "Goodput per flow (fair shares)",
    }
    tooltip = ["who:N", "count:Q", alt.Tooltip("mean:Q", format=".3~g")]
    ranges = Chart().mark_rule(strokeWidth=1.2, opacity=1)
    drawn = _curves(ranges, x, vertical, look, tooltip, 1).properties(width=250, height=190)
    panels = [f"buffer of {buffer} BDP" for buffer in sorted(set(rows["buffer"]))]
    column = alt.Column("panel:N", sort=panels, title=None)
    return themed(drawn.facet(data=data(points), column=column, spacing=16))
