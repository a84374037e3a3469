"""Measures of the tests of 2005: four flows that start one after the other and end together."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.responses.flow_series import jain_index, windows
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.simulate import Run
from mesonet.studies.slac.paths import PACKET, SMSS
from mesonet.studies.slac.samples import curves, tested

FloatArray = NDArray[np.float64]

FAIRNESS_WINDOW = 10.0
"""Window of the lowest fairness [s]; ours."""
_POINTS = 120


def measure_phases(run: Run) -> dict[str, Any]:
    """Figures and curves of a test of four flows; throughputs in Mbit/s of payload.

    Over the whole test: `total` (mean of the sum), `deviation` (of the sum in windows of 1 s),
    `stability` (deviation over mean), `rtt_deviation` (of the round-trip time without the flows'
    own smoothing [ms]), `climb_ratio` (largest over smallest mean growth of a window per second in
    the seconds in which it grows, over flows; slow start apart).

    A phase is the time with one, two, three or four flows: `total.N`, `variation.N`. Of the phase
    with two flows: `fairness` (Jain's index of the mean throughputs), `fairness_low` (lowest in
    windows of 10 s), both in its second half, when the flows had time to stabilise, and
    `second_share` (of the second flow, likewise). `early` is the largest sum of a second in the
    first tenth of the first phase, `trough` the lowest 10 s of the rest of the first two phases.
    """
    series = tested(run)
    scenario = run.scenario
    assert isinstance(scenario, Dumbbell)
    interval = series.interval
    rates = series.goodput * SMSS * 8 / 1e6
    total = _windows(rates.sum(axis=1, keepdims=True), interval, 1.0)[:, 0]
    steps = len(rates) // len(series.names)
    phases = [rates[k * steps : (k + 1) * steps] for k in range(len(series.names))]
    second = phases[1][steps // 2 :, :2]
    means = second.mean(axis=0)
    first = _windows(np.concatenate(phases[:2]).sum(axis=1, keepdims=True), interval, 1.0)[:, 0]
    early = max(len(first) // 20, 1)
    ten = _windows(first[early:, None], 1.0, FAIRNESS_WINDOW)[:, 0]
    result: dict[str, Any] = {
        "total": float(total.mean()),
        "deviation": float(total.std()),
        "stability": float(total.std() / total.mean()) if total.mean() else math.nan,
        "rtt_deviation": _rtt_deviation(run, scenario),
        "climb_ratio": _climb_ratio(series.cwnd, series.phase, round(1.0 / interval)),
        "fairness": float(jain_index(means)),
        "fairness_low": _least(jain_index(_windows(second, interval, FAIRNESS_WINDOW))),
        "second_share": float(means[1] / means.sum()) if means.sum() else math.nan,
        "early": float(first[:early].max()),
        "trough": _least(ten),
        "flows": {name: float(rates[:, k].mean()) for k, name in enumerate(series.names)},
    }
    for number, phase in enumerate(phases, start=1):
        each = _windows(phase.sum(axis=1, keepdims=True), interval, 1.0)
        result[f"total.{number}"] = float(each.mean())
        result[f"variation.{number}"] = float(each.std() / each.mean()) if each.mean() else math.nan
    return result | {"curves": curves(series) | {"rtt": _rtt_curve(run, scenario)}}


def _windows(rates: FloatArray, interval: float, length: float) -> FloatArray:
    found = windows(rates, interval=interval, length=length)
    assert found is not None
    return found


def _least(values: FloatArray) -> float:
    return float(values.min()) if values.size else math.nan


def _rtts(run: Run, scenario: Dumbbell) -> FloatArray:
    """Round-trip time of a probe at the end of each interval [ms]."""
    queue = run.queues.filter(pl.col("station") == "forward")["packets"].to_numpy()
    rtt: FloatArray = 1000 * (scenario.rtt + queue * PACKET * 8 / scenario.rate.value)
    return rtt


def _rtt_deviation(run: Run, scenario: Dumbbell) -> float:
    return float(_rtts(run, scenario).std())


def _rtt_curve(run: Run, scenario: Dumbbell) -> list[float]:
    rtts = _rtts(run, scenario)
    parts = np.array_split(rtts, min(_POINTS, len(rtts)))
    return [round(float(part.mean()), 2) for part in parts]


def _climb_ratio(cwnd: FloatArray, phase: NDArray[np.int8], step: int) -> float:
    growth = np.diff(np.where(phase > 0, cwnd, math.nan)[::step], axis=0)
    climbs = [each[each > 0].mean() for each in growth.T if (each > 0).any()]
    return float(max(climbs) / min(climbs)) if len(climbs) == growth.shape[1] else math.nan
