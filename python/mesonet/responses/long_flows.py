"""Latencies of the three long-lived flows around the congestion, and how far windows swing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mesonet.responses.experiment1 import LONG_FLOWS
from mesonet.responses.flow_series import FlowSeries, latency_after, latency_before
from mesonet.responses.flows import SLIDES
from mesonet.responses.measurements import Window
from mesonet.responses.registry import registry

PAPER = "NIST, methodology paper, results of Experiment 1"
WINDOW = 1.0
"""Length over which a goodput is taken [s]."""

_NAN = float("nan")
_MAXIMUM = (
    "90 % of its largest goodput in any second outside the time in which files on very fast paths "
    "are larger. The second and the 90 % are ours; the source prints no definition."
)


def define_long_flow_latencies() -> None:
    """Registers goodput and recovery latency of L1, L2 and L3, and the deviation of windows."""
    for flow, distance in LONG_FLOWS.items():
        _define(
            f"goodput_latency_{flow}",
            f"goodput latency of the {distance}-distance flow ({flow})",
            f"Time from the start of {flow} to the end of the first of all seconds, sliding, with "
            f"{_MAXIMUM} If that is not reached before the congestion, the time until it begins.",
            flow,
            latency_before,
        )
    for flow, distance in LONG_FLOWS.items():
        _define(
            f"recovery_latency_{flow}",
            f"recovery latency of the {distance}-distance flow ({flow})",
            f"Time from the end of the congestion to the end of {flow}'s first second after it "
            f"with {_MAXIMUM} If that is not reached, the time until the run ends.",
            flow,
            latency_after,
        )
    registry.define(
        "cwnd_deviation",
        "deviation of the congestion window of named flows",
        "segments",
        "Standard deviation over the intervals in which a named flow sends of its congestion "
        "window at their ends; mean over the named flows.",
        lambda window: _deviation(window.flow_series),
        source=f"{PAPER}, which says that windows oscillate and shows traces",
        better="lower",
    )


def _define(
    response_id: str, name: str, definition: str, flow: str, measure: Callable[..., float]
) -> None:
    def compute(window: Window) -> float:
        series, congestion = window.run.whole.flow_series, window.run.congestion
        if series is None or congestion is None or flow not in series.names:
            return _NAN
        place = series.names.index(flow)
        return measure(series, place, window=WINDOW, congestion=congestion)

    registry.define(
        response_id, name, "s", definition, compute, source=SLIDES, better="lower", periods=False
    )


def _deviation(series: FlowSeries | None) -> float:
    if series is None:
        return _NAN
    windows = [series.cwnd[series.sending[:, k], k] for k in range(len(series.names))]
    deviations = [each.std() for each in windows if each.size]
    return float(np.mean(deviations)) if deviations else _NAN
