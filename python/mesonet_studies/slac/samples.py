"""Measures of a test, and means over its repeats."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.responses.flow_series import (
    FlowSeries,
    instantaneous_fairness,
    laid_out,
    overall_fairness,
    windows,
)
from mesonet.run import Run
from mesonet.studies.bench import Item
from mesonet.studies.study import Options, RunResults
from mesonet_studies.slac.paths import (
    SMSS,
    TEST_PREFIX,
    PathTest,
    path_tests,
    run_name,
    seeds,
    taken,
    test_items,
)

FloatArray = NDArray[np.float64]

SECOND = 1.0
"""Windows of the source [s]."""
WINDOWS = (5, 10, 20, 50, 100)
"""Windows in base round-trip times."""
_POINTS = 120


def runs(options: Options) -> list[Item]:
    """Every test with every seed."""
    return test_items(options, measure_test)


def measure_test(run: Run) -> dict[str, Any]:
    """Figures and curves of a test; throughputs in Mbit/s of payload.

    Over the time in which all flows under test send: `total`, `flows` (by name), `sigma_f`,
    `xi_f_1s` and `xi_f_N` (windows of N base round-trip times); over windows of 1 s `spread` (root
    mean square of the deviation between flows, over the mean), `variation` and `flow_variation`
    (coefficients, of the sum and mean over flows), and `spell`, the mean length [s] of spells in
    which some flow gets less than half an equal share.

    Over the whole test: `retransmitted` (part of the segments), `climb` (mean growth of a window
    per second in the seconds in which it grows [segments]), `queued` (median of the part of a
    window that waits in queues [segments]) and `queue` (mean at the bottleneck [packets]).
    """
    series = tested(run)
    rates = series.competing() * SMSS * 8 / 1e6
    interval = series.interval
    per_second = means_over(rates, interval, SECOND)
    base = run.scenario.named_flows()[series.names[0]].base_rtt
    queue = run.queues.filter(pl.col("station") == "forward")["packets"].to_numpy()
    result: dict[str, Any] = {
        "flows": {name: float(rates[:, k].mean()) for k, name in enumerate(series.names)},
        "total": float(rates.sum(axis=1).mean()),
        "sigma_f": overall_fairness(rates),
        "xi_f_1s": instantaneous_fairness(rates, interval=interval, window=SECOND),
        "spread": _spread(per_second),
        "variation": coefficient(per_second.sum(axis=1)),
        "flow_variation": float(np.mean([coefficient(rates) for rates in per_second.T])),
        "spell": _spell(per_second),
        "retransmitted": _retransmitted(series),
        "climb": _climb(series),
        "queued": _queued(series),
        "queue": float(queue.mean()),
    }
    result |= {
        f"xi_f_{count}": instantaneous_fairness(rates, interval=interval, window=count * base)
        for count in WINDOWS
    }
    return result | {"curves": curves(series)}


def tested(run: Run) -> FlowSeries:
    """The flows under test."""
    rows = run.flows.filter(pl.col("flow").str.starts_with(TEST_PREFIX))
    names = tuple(rows["flow"].unique(maintain_order=True))

    def column(name: str) -> FloatArray:
        return rows[name].cast(pl.Float64).to_numpy()

    series = laid_out(names, column, interval=run.scenario.interval)
    assert series is not None
    return series


def means_over(values: FloatArray, interval: float, length: float) -> FloatArray:
    """Means over windows of a length [s], one after the other, that is at least an interval."""
    means = windows(values, interval=interval, length=length)
    assert means is not None
    return means


def curves(series: FlowSeries) -> dict[str, Any]:
    """Throughput [Mbit/s], window and queued part [segments] of each flow, to draw."""
    size = max(round(len(series.ends) / _POINTS), 1)
    length = size * series.interval
    courses: dict[str, Any] = {}
    for name, values, digits in (
        ("rate", series.goodput * SMSS * 8 / 1e6, 2),
        ("window", np.where(series.sending, series.cwnd, 0.0), 1),
        ("queued", _waiting(series), 1),
        ("rtt_ms", series.srtt * 1000, 2),
    ):
        means = means_over(values, series.interval, length).T.tolist()
        courses[name] = [[round(value, digits) for value in row] for row in means]
    steps = len(courses["rate"][0])
    courses["time"] = [round((step + 1) * length, 3) for step in range(steps)]
    return courses


def _waiting(series: FlowSeries) -> FloatArray:
    """Parts of windows that wait in queues [segments]; 0 without a round-trip time."""
    rtts = np.where(series.srtt > 0, series.srtt, math.inf)
    # The smallest of any flow stands for the path's own.
    return np.where(series.srtt > 0, series.cwnd * (1 - rtts.min() / rtts), 0.0)


def _queued(series: FlowSeries) -> float:
    waiting = _waiting(series)[series.sending & (series.srtt > 0)]
    return float(np.median(waiting)) if waiting.size else math.nan


def _retransmitted(series: FlowSeries) -> float:
    again = series.retransmitted.sum()
    return float(again / max(float(series.goodput.sum() * series.interval + again), 1.0))


def growth(series: FlowSeries) -> FloatArray:
    """Growth of windows in each second [segments], but in slow start, which is the same for all."""
    step = max(round(SECOND / series.interval), 1)
    return np.diff(np.where(series.phase > 0, series.cwnd, math.nan)[::step], axis=0)


def _climb(series: FlowSeries) -> float:
    change = growth(series)
    growing = change[change > 0]
    return float(growing.mean()) if growing.size else math.nan


def _spread(rates: FloatArray) -> float:
    if rates.shape[1] < 2 or rates.mean() == 0:
        return math.nan
    return float(np.sqrt((rates.std(axis=1) ** 2).mean()) / rates.mean())


def _spell(rates: FloatArray) -> float:
    unfair = rates.min(axis=1) < 0.5 * rates.mean(axis=1)
    begins = int(unfair[0]) + int((unfair[1:] & ~unfair[:-1]).sum())
    return float(unfair.sum() * SECOND / begins) if begins else 0.0


def coefficient(values: FloatArray) -> float:
    """Coefficient of variation; NaN without values or for a mean of zero."""
    return float(values.std() / values.mean()) if values.size and values.mean() else math.nan


class Spread(NamedTuple):
    """A mean and its error, the sample standard deviation; NaN where there are too few values."""

    value: float
    error: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """That of some values."""
        error = float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
        return cls(average(values), error)


@dataclass(frozen=True)
class Samples:
    """Some tests of a study, and the repeats of all of them by key; failed runs are left out."""

    options: Options
    tests: Sequence[PathTest]
    runs: Mapping[str, Sequence[Mapping[str, Any]]]

    @classmethod
    def of(cls, run: RunResults, among: str = "") -> Samples:
        """Tests of a selection in `values.among`; all without a name.

        Its entries are the least and largest number of flows, the path, algorithms that are `only`
        taken or left out, and false if tests with reverse flows are.
        """
        table = run.options.values["among"][among] if among else {}
        minimum, maximum = table.get("flows", (1, math.inf))
        every = path_tests(run.options)
        chosen = [
            test
            for test in every
            if minimum <= len(test.flows) <= maximum
            and test.path.name == table.get("path", test.path.name)
            and taken(test.flows[-1], table)
            and (table.get("reverse", True) or not test.reverse)
        ]
        runs = {
            test.key: [
                run.results[name]
                for seed in seeds(run.options, test.label)
                if (name := run_name(test, seed)) in run.results
            ]
            for test in every
        }
        return cls(run.options, chosen, runs)

    def spread(self, key: str, measure: str) -> Spread:
        """Mean and deviation of a measure over repeats."""
        return Spread.of([float(run[measure]) for run in self.runs.get(key, ())])

    def mean(self, key: str, measure: str) -> float:
        """Mean over repeats; NaN without any."""
        return self.spread(key, measure).value

    def means(self, measure: str, *parts: Sequence[object]) -> FloatArray:
        """Means of tests whose keys are made of such parts; an axis for each of the parts."""
        keys = [".".join(map(str, key)) for key in product(*parts)]
        means = [self.mean(key, measure) for key in keys]
        return np.reshape(means, [len(part) for part in parts])

    def first_curves(self) -> Iterator[tuple[PathTest, dict[str, Any]]]:
        """Curves of the first repeat of each test, to draw; tests without any are left out."""
        for test in self.tests:
            for first in self.runs.get(test.key, ())[:1]:
                yield test, first["curves"]


def average(values: Sequence[float]) -> float:
    """The mean; NaN without values or if any is NaN."""
    return sum(values) / len(values) if values else math.nan


def ratio(value: Any, reference: Any) -> Any:
    """`value / reference` of numbers or arrays; NaN where that is not defined."""
    return value / np.where(reference == 0, math.nan, reference)
