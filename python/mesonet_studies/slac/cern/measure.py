"""Measures of a test of `slac-2005`: four flows, one after the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl

from mesonet.responses.flow_series import FlowSeries, jain_index
from mesonet.run import Run
from mesonet.scenario.dumbbell import Dumbbell
from mesonet_studies.slac.paths import PACKET, SMSS
from mesonet_studies.slac.samples import (
    SECOND,
    FloatArray,
    coefficient,
    curves,
    growth,
    means_over,
    tested,
)

FAIRNESS_WINDOW = 10.0
"""Window of the lowest fairness [s]; ours."""
_POINTS = 120


def measure_phases(run: Run) -> dict[str, Any]:
    """Figures and curves of a test of four flows; throughputs in Mbit/s of payload.

    Over the whole test: `total` (mean of the sum), `deviation` (of the sum in windows of 1 s),
    `stability` (deviation over mean), `rtt_deviation` (of the round-trip time without smoothing
    [ms]), `climb_ratio` (largest over smallest mean growth of a window per second in which it
    grows, over flows; slow start apart).

    A phase is the time with one to four flows: `total.N`, `variation.N`. Of the second half of that
    with two: `fairness` (Jain's index of the means), `fairness_low` (lowest in windows of 10 s) and
    `second_share`. `early` is the largest sum of a second in the first tenth of the first phase,
    `trough` the lowest 10 s of the rest of the first two phases.
    """
    series = tested(run)
    interval = series.interval
    rates = series.goodput * SMSS * 8 / 1e6
    total = _sums(rates, interval)
    steps = len(rates) // len(series.names)
    phases = [rates[k * steps : (k + 1) * steps] for k in range(len(series.names))]
    second = phases[1][steps // 2 :, :2]
    means = second.mean(axis=0)
    first = _sums(np.concatenate(phases[:2]), interval)
    early = max(len(first) // 20, 1)
    rtts = _rtts(run)
    result: dict[str, Any] = {
        "total": float(total.mean()),
        "deviation": float(total.std()),
        "stability": coefficient(total),
        "rtt_deviation": float(rtts.std()),
        "climb_ratio": _climb_ratio(series),
        "fairness": float(jain_index(means)),
        "fairness_low": _least(jain_index(means_over(second, interval, FAIRNESS_WINDOW))),
        "second_share": float(means[1] / means.sum()) if means.sum() else math.nan,
        "early": float(first[:early].max()),
        "trough": _least(means_over(first[early:], SECOND, FAIRNESS_WINDOW)),
        "flows": {name: float(rates[:, k].mean()) for k, name in enumerate(series.names)},
    }
    for number, phase in enumerate(phases, start=1):
        sums = _sums(phase, interval)
        result |= {f"total.{number}": float(sums.mean()), f"variation.{number}": coefficient(sums)}
    parts = np.array_split(rtts, min(_POINTS, len(rtts)))
    rtt = [round(float(part.mean()), 2) for part in parts]
    return result | {"curves": curves(series) | {"rtt": rtt}}


def _sums(rates: FloatArray, interval: float) -> FloatArray:
    """Sums over flows in windows of 1 s."""
    return means_over(rates.sum(axis=1), interval, SECOND)


def _least(values: FloatArray) -> float:
    return float(values.min()) if values.size else math.nan


def _rtts(run: Run) -> FloatArray:
    """Round-trip time of a probe at the end of each interval [ms]."""
    scenario = run.scenario
    assert isinstance(scenario, Dumbbell)
    queue = run.queues.filter(pl.col("station") == "forward")["packets"].to_numpy()
    rtt: FloatArray = 1000 * (scenario.rtt + queue * PACKET * 8 / scenario.rate.value)
    return rtt


def _climb_ratio(series: FlowSeries) -> float:
    climbs = [growths[growths > 0].mean() for growths in growth(series).T if (growths > 0).any()]
    complete = len(climbs) == len(series.names)
    return float(max(climbs) / min(climbs)) if complete else math.nan
