"""The picture of one run, as `Run.plot` shows it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from mesonet.analysis import trace
from mesonet.analysis.traces.chart import PANELS, trace_chart

if TYPE_CHECKING:
    from mesonet.run import Run

DEFAULT_PANELS = tuple(name for name in PANELS if name != "sequence")
"""Panels of a run unless some are asked for."""
_POINTS = 600


def run_chart(
    run: Run,
    *panels: str,
    flows: Iterable[str] | None = None,
    stations: Iterable[str] | None = None,
    start: float = 0.0,
    end: float = math.inf,
) -> Any:
    """A run over time as an Altair chart: rates, windows, round trips, queues, losses, phases.

    Args:
        panels: Panels among `PANELS`, in order; all but `sequence` if none are given.
        flows: Named flows; all if `None`.
        stations: Watched stations; all if `None`.
        start: Begin of the chart [s].
        end: End of the chart [s].
    """
    result = trace(run, flows=flows, stations=stations, start=start, end=end, points=_POINTS)
    return trace_chart(result, panels=panels or DEFAULT_PANELS)
