"""Queue management over time: queue, sojourn time, control variable, signals by cause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl
import polars.selectors as cs

from mesonet.analysis import QueueRecords
from mesonet.analysis.queues.estimate import PERCENTILES
from mesonet.analysis.traces.chart import station_look
from mesonet.figures.chart import Chart
from mesonet.figures.style import NARROW, Look, data, nothing_chart, themed

_DIGITS = 5
_SIGNAL_HEIGHT = 0.6
_SIGNALS = {"marked": "Marks", "dropped": "Drops"}
_CAUSES = {
    "overlimit": "the buffer is full",
    "early": "active queue management",
    "overload": "beyond what signals can do",
    "step": "above a threshold",
    "policed": "no token",
    "random": "at random",
}

_WIDTH, _HEIGHT = 620, 110


def queues_chart(result: QueueRecords, *, flows: Sequence[str] = ()) -> Any:
    """Queue, sojourn time, control variable and signals over time; histogram of sojourn times.

    Colours are stations. The thin line is the longest sojourn time of a window. Rules in the
    histogram stand at the 50th, 95th and 99th percentile.

    Args:
        flows: Flows that are drawn on the same page; stations have other colours then.
    """
    if not result.stations:
        return nothing_chart(*result.notes, width=_WIDTH)
    sheet = _Sheet(
        frame=result.with_meaning(),
        signals=result.signals,
        sojourns=result.sojourns,
        percentiles=result.percentiles,
        look=station_look(result.stations, Look.of(flows)) if flows else Look.of(result.stations),
    )
    return themed(sheet.chart().properties(usermeta=NARROW))


@dataclass(frozen=True)
class _Sheet:
    """Panels below one another; colours are stations."""

    frame: pl.DataFrame
    signals: pl.DataFrame
    sojourns: pl.DataFrame
    percentiles: pl.DataFrame
    look: Look

    def chart(self) -> Any:
        """All panels."""
        groups = [self._states(), self._signals(), self._histogram()]
        return alt.vconcat(*(group for group in groups if group is not None), spacing=14)

    def _colour(self) -> alt.Color:
        legend = alt.Legend(columns=6, labelLimit=300)
        return alt.Color("station:N", scale=self.look.scale(), title=None, legend=legend)

    def _panel(self, chart: Any, title: str, height: float) -> Any:
        heading = alt.Title(title, fontSize=11.5, fontWeight=500, offset=4, frame="group")
        return chart.properties(width=_WIDTH, height=round(height), title=heading)

    def _time(self, *, last: bool) -> alt.X:
        title = "Time (s)" if last else None
        axis = alt.Axis(labels=last, title=title, tickCount=10, labelFlush=False)
        return alt.X("time:Q", axis=axis)

    def _line(self, field: str, unit: str | None, *, last: bool, thin: bool = False) -> Any:
        stroke, opacity = (0.7, 0.55) if thin else (1.3, 1.0)
        return (
            Chart()
            .mark_line(strokeWidth=stroke, opacity=opacity)
            .encode(
                self._time(last=last),
                alt.Y(f"{field}:Q", title=unit, axis=alt.Axis(tickCount=4)),
                color=self._colour(),
            )
        )

    def _rows(self, chart: Any, column: str, order: list[str], height: float) -> Any:
        """A panel for each value of a column that the chosen part has."""
        header = alt.Header(
            title=None,
            labelOrient="top",
            labelAnchor="start",
            labelFontSize=11.5,
            labelFontWeight=500,
            labelPadding=4,
        )
        row = alt.Row(f"{column}:N", header=header, sort=order, spacing=24)
        faceted = chart.encode(row=row).properties(width=_WIDTH, height=round(height))
        return faceted.resolve_scale(y="independent")

    def _states(self) -> Any:
        last = not self.signals.height
        managed = self.frame.filter(pl.col("meaning") != "")
        meanings = managed["meaning"].unique(maintain_order=True).to_list()
        queue = self._line("packets", "Packets", last=False)
        sojourn = alt.layer(
            self._line("sojourn_max", "ms", last=last and not meanings, thin=True),
            self._line("sojourn_mean", "ms", last=last and not meanings),
        )
        title = "Sojourn time: mean of the packets, and the longest (thin line)"
        panels = [
            self._panel(queue, "Queue: packets waiting or in service", _HEIGHT),
            self._panel(sojourn, title, _HEIGHT),
        ]
        if meanings:
            control = self._line("control", None, last=last).transform_filter(
                "datum.meaning !== ''"
            )
            control = control.transform_calculate(panel="'Control variable: ' + datum.meaning")
            order = [f"Control variable: {meaning}" for meaning in meanings]
            panels.append(self._rows(control, "panel", order, _HEIGHT))
        return alt.vconcat(*panels, data=_values(self.frame), spacing=14)

    def _signals(self) -> Any:
        if not self.signals.height:
            return None
        kinds = self.signals.select("signal", "cause").unique(maintain_order=True)
        names = {
            (signal, cause): f"{_SIGNALS[signal]}, {cause}: {_CAUSES[cause]}"
            for signal, cause in kinds.iter_rows()
        }
        titles = pl.DataFrame(
            [(*key, title) for key, title in names.items()],
            schema=["signal", "cause", "panel"],
            orient="row",
        )
        frame = self.signals.join(titles, on=["signal", "cause"], maintain_order="left").drop(
            "signal", "cause"
        )
        # In order of the counts, marks before drops.
        order = sorted(names.values(), key=lambda title: not title.startswith(_SIGNALS["marked"]))
        line = self._line("rate", "Packets/s", last=True)
        panel = self._rows(line, "panel", order, _HEIGHT * _SIGNAL_HEIGHT)
        return panel.properties(data=_values(frame))

    def _histogram(self) -> Any:
        scale = alt.Scale(nice=False)
        shares = (
            Chart()
            .mark_line(interpolate="step-after", strokeWidth=1.3)
            .encode(
                alt.X("from:Q", scale=scale, axis=alt.Axis(labels=False, title=None)),
                alt.Y("share:Q", title="Packets", axis=alt.Axis(format="%", tickCount=4)),
                color=self._colour(),
            )
            .properties(data=_values(_closed(self.sojourns)))
        )
        long = _percentiles(self.percentiles)
        base = Chart().properties(data=_values(long))
        at = alt.X("delay:Q", scale=scale)
        rules = base.mark_rule(strokeWidth=1, strokeDash=[3, 2], opacity=1).encode(
            at, color=self._colour()
        )
        title = "Sojourn times after the warm-up; dashed: 50th, 95th and 99th percentile"
        above = self._panel(alt.layer(shares, rules), title, _HEIGHT)
        row = alt.Y("station:N", title=None, axis=None, sort=list(self.look.alternatives))
        below = alt.X(
            "delay:Q", scale=scale, title="Sojourn time (ms)", axis=alt.Axis(labelFlush=False)
        )
        tips = [
            alt.Tooltip("station:N"),
            alt.Tooltip("percentile:N"),
            alt.Tooltip("delay:Q", title="ms"),
        ]
        marks = base.mark_tick(thickness=2, size=11).encode(
            below, row, color=self._colour(), tooltip=tips
        )
        texts = base.mark_text(align="left", dx=3, fontSize=9.5).encode(
            below, row, text="percentile:N", color=self._colour()
        )
        strip = alt.layer(marks, texts).properties(width=_WIDTH, height=alt.Step(13))
        return alt.vconcat(above, strip, spacing=2).resolve_scale(x="shared")


def _percentiles(frame: pl.DataFrame) -> pl.DataFrame:
    """A row per percentile that is known."""
    names = {f"p{percent}": str(percent) for percent in PERCENTILES}
    keys = [name for name in frame.columns if name not in names]
    long = frame.unpivot(list(names), index=keys, variable_name="percentile", value_name="delay")
    return long.with_columns(pl.col("percentile").replace(names)).drop_nans("delay")


def _values(frame: pl.DataFrame) -> alt.Data:
    """Inline data; five digits are more than a screen shows."""
    return data(frame.with_columns(cs.float().round_sig_figs(_DIGITS)))


def _closed(sojourns: pl.DataFrame) -> pl.DataFrame:
    """Classes with the end of the last: a step needs it."""
    keys = [name for name in sojourns.columns if name not in ("from", "below", "share")]
    ends = sojourns.group_by(keys, maintain_order=True).agg(
        pl.col("below").last().alias("from"), pl.col("below").last(), pl.lit(0.0).alias("share")
    )
    return pl.concat([sojourns, ends.select(sojourns.columns)]).sort(
        *keys, "from", maintain_order=True
    )
