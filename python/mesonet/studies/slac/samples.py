"""Measures of a test, and means over its repeats."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.responses.flow_series import (
    FlowSeries,
    flow_series,
    instantaneous_fairness,
    overall_fairness,
    windows,
)
from mesonet.run import Run
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.studies.slac.paths import SMSS, TEST_PREFIX, path_tests, run_name, seeds
from mesonet.studies.study import RunResults

FloatArray = NDArray[np.float64]

SECOND = 1.0
"""Windows of the source [s]."""
WINDOWS = (5, 10, 20, 50, 100)
"""Windows in base round-trip times."""
_POINTS = 120


def measure_test(run: Run) -> dict[str, Any]:
    """Figures and curves of a test; throughputs in Mbit/s of payload.

    Over the time in which all flows under test send: `total`, `flows` (by name), `sigma_f`,
    `xi_f_1s` and `xi_f_N` (windows of N base round-trip times), `spread` (root mean square over
    windows of 1 s of the deviation between flows, over the mean), `variation` and
    `flow_variation` (coefficients over windows of 1 s, of the sum and mean over flows).

    `spell` is the mean length [s] of the spells of such windows in which some flow gets less than
    half an equal share.

    Over the whole test: `retransmitted` (part of the segments), `climb` (mean growth of a window
    per second in the seconds in which it grows [segments]), `queued` (median of the part of a
    window that waits in queues [segments]) and `queue` (mean at the bottleneck [packets]).
    """
    series = tested(run)
    rates = series.competing() * SMSS * 8 / 1e6
    interval = series.interval
    per_second = windows(rates, interval=interval, length=SECOND)
    assert per_second is not None
    base = run.scenario.named_flows()[series.names[0]].base_rtt
    result: dict[str, Any] = {
        "flows": {name: float(rates[:, k].mean()) for k, name in enumerate(series.names)},
        "total": float(rates.sum(axis=1).mean()),
        "sigma_f": overall_fairness(rates),
        "xi_f_1s": instantaneous_fairness(rates, interval=interval, window=SECOND),
        "spread": _spread(per_second),
        "variation": _coefficient(per_second.sum(axis=1)),
        "flow_variation": float(np.mean([_coefficient(each) for each in per_second.T])),
        "spell": _spell(per_second),
        "retransmitted": float(series.retransmitted.sum() / max(_sent(series), 1.0)),
        "climb": _climb(series),
        "queued": _queued(series),
        "queue": float(
            run.queues.filter(pl.col("station") == "forward")["packets"].to_numpy().mean()
        ),
    }
    for count in WINDOWS:
        window = count * base
        result[f"xi_f_{count}"] = instantaneous_fairness(rates, interval=interval, window=window)
    return result | {"curves": curves(series)}


def tested(run: Run) -> FlowSeries:
    """The flows under test."""
    assert isinstance(run.scenario, Dumbbell)
    mine = run.flows.filter(pl.col("flow").str.starts_with(TEST_PREFIX))
    series = flow_series(mine, interval=run.scenario.interval)
    assert series is not None
    return series


def curves(series: FlowSeries) -> dict[str, Any]:
    """Throughput [Mbit/s], window and queued part [segments] of each flow, to draw."""
    size = max(round(len(series.ends) / _POINTS), 1)
    length = size * series.interval
    queued = np.where(series.srtt > 0, series.cwnd * (1 - _base(series) / _known(series)), 0.0)
    found: dict[str, Any] = {}
    for name, values, digits in (
        ("rate", series.goodput * SMSS * 8 / 1e6, 2),
        ("window", np.where(series.sending, series.cwnd, 0.0), 1),
        ("queued", queued, 1),
        ("rtt_ms", series.srtt * 1000, 2),
    ):
        means = windows(values, interval=series.interval, length=length)
        assert means is not None
        found[name] = [[round(value, digits) for value in row] for row in means.T.tolist()]
    steps = len(found["rate"][0])
    found["time"] = [round((step + 1) * length, 3) for step in range(steps)]
    return found


def _known(series: FlowSeries) -> FloatArray:
    return np.where(series.srtt > 0, series.srtt, math.inf)


def _base(series: FlowSeries) -> float:
    """The smallest smoothed round-trip time of any flow [s]."""
    return float(_known(series).min())


def _queued(series: FlowSeries) -> float:
    waiting = series.cwnd * (1 - _base(series) / _known(series))
    sending = series.sending & (series.srtt > 0)
    return float(np.median(waiting[sending])) if sending.any() else math.nan


def _sent(series: FlowSeries) -> float:
    return float(series.goodput.sum() * series.interval + series.retransmitted.sum())


def _climb(series: FlowSeries) -> float:
    """Mean growth without slow start, which is the same for all."""
    step = max(round(SECOND / series.interval), 1)
    window = np.where(series.phase > 0, series.cwnd, math.nan)[::step]
    growth = np.diff(window, axis=0)
    growing = growth[growth > 0]
    return float(growing.mean()) if growing.size else math.nan


def _spread(rates: FloatArray) -> float:
    if rates.shape[1] < 2 or rates.mean() == 0:
        return math.nan
    return float(np.sqrt((rates.std(axis=1) ** 2).mean()) / rates.mean())


def _spell(rates: FloatArray) -> float:
    unfair = rates.min(axis=1) < 0.5 * rates.mean(axis=1)
    begins = int(unfair[0]) + int((unfair[1:] & ~unfair[:-1]).sum())
    return float(unfair.sum() * SECOND / begins) if begins else 0.0


def _coefficient(values: FloatArray) -> float:
    return float(values.std() / values.mean()) if values.size and values.mean() else math.nan


@dataclass(frozen=True)
class Samples:
    """The repeats of every test of a study, by the key of the test."""

    runs: Mapping[str, Sequence[Mapping[str, Any]]]

    @classmethod
    def of(cls, run: RunResults) -> Samples:
        """Those of a study's results; failed runs are left out."""
        return cls(
            {
                test.key: [
                    run.results[name]
                    for seed in seeds(run.options, test.label)
                    if (name := run_name(test, seed)) in run.results
                ]
                for test in path_tests(run.options)
            }
        )

    def values(self, key: str, measure: str) -> list[float]:
        """Values of a measure, one per repeat."""
        return [float(run[measure]) for run in self.runs.get(key, ())]

    def mean(self, key: str, measure: str) -> float:
        """Mean over repeats; NaN without any."""
        return average(self.values(key, measure))

    def deviation(self, key: str, measure: str) -> float:
        """Sample standard deviation over repeats; NaN with fewer than two."""
        found = self.values(key, measure)
        return float(np.std(found, ddof=1)) if len(found) > 1 else math.nan

    def first(self, key: str) -> Mapping[str, Any] | None:
        """The first repeat, to draw."""
        return next(iter(self.runs.get(key, ())), None)


def average(values: Sequence[float]) -> float:
    """The mean; NaN without values or if any is NaN."""
    return sum(values) / len(values) if values else math.nan


def ratio(value: float, reference: float) -> float:
    """`value / reference`; NaN where that is not defined."""
    return value / reference if reference else math.nan


def highest(values: Sequence[float]) -> float:
    """The largest; NaN without values or if any is NaN."""
    return math.nan if not values or any(math.isnan(v) for v in values) else max(values)


def lowest(values: Sequence[float]) -> float:
    """The smallest; NaN without values or if any is NaN."""
    return -highest([-value for value in values])
