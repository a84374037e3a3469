"""Measures, figures, charts and tables of `slac-2005`: four flows, one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.page.tables import Column, Table, numbers, words
from mesonet.page.tables import table as table_of
from mesonet.responses.flow_series import jain_index, windows
from mesonet.run import Run
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.studies.bench import Item
from mesonet.studies.folders.parts import chart, table
from mesonet.studies.slac.charts import (
    Chosen,
    name_of,
    nothing,
    over_time,
    plus_minus,
    printed_or_measured,
    printed_rows,
)
from mesonet.studies.slac.paths import PACKET, SMSS, settings, test_items
from mesonet.studies.slac.samples import Samples, curves, highest, lowest, ratio, tested
from mesonet.studies.study import Options, RunResults

__all__ = ["over_time", "settings"]

FloatArray = NDArray[np.float64]

ALGORITHMS = ("hstcp", "fast", "scalable", "htcp", "bic", "reno")
MEASURES = {
    "throughput": "total",
    "stability": "stability",
    "fairness": "fairness",
    "rtt": "rtt_deviation",
}
"""Columns of the printed summary and what is kept of a run for them."""
FAIRNESS_WINDOW = 10.0
"""Window of the lowest fairness [s]; ours."""
_POINTS = 120
_HEADINGS = {
    "throughput": "Throughput (Mbit/s)",
    "stability": "Deviation over mean",
    "fairness": "Fairness of two flows",
    "rtt": "Deviation of RTT (ms)",
}


def runs(options: Options) -> Sequence[Item]:
    """Every test with every seed."""
    return test_items(options, measure_phases)


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


def figures(run: RunResults) -> dict[str, float]:
    """Figures of the claims."""
    samples = Samples.of(run)

    def of(name: str, measure: str) -> float:
        return samples.mean(f"cern.{name}.4", measure)

    found = {
        f"{label}.{name}": of(name, column)
        for name in ALGORITHMS
        for label, column in MEASURES.items()
    }
    for name in ("htcp", "bic"):
        found |= {f"{name}.{count}": of(name, f"total.{count}") for count in (1, 2)}
    high = [found[f"throughput.{name}"] for name in ("scalable", "htcp", "bic")]
    pairs = [(found[f"{label}.bic"], found[f"{label}.htcp"]) for label in MEASURES]
    return found | {
        "throughput.low": highest([found["throughput.hstcp"], found["throughput.reno"]]),
        "throughput.high": lowest(high),
        "fairness.bic and htcp": lowest([found["fairness.bic"], found["fairness.htcp"]]),
        "bic and htcp": highest([abs(ratio(one, other) - 1) for one, other in pairs]),
        "rtt.others": lowest([found[f"rtt.{name}"] for name in ALGORITHMS if name != "fast"]),
        "stability.worst": lowest([found["stability.reno"], found["stability.hstcp"]]),
        "fast.second": of("fast", "second_share"),
        "htcp.variation.2": of("htcp", "variation.2"),
        "htcp.variation.many": highest([of("htcp", "variation.3"), of("htcp", "variation.4")]),
        "reno.early": ratio(of("reno", "early"), of("reno", "total.1")),
        "reno.trough": ratio(of("reno", "trough"), of("reno", "early")),
        "reno.climb": of("reno", "climb_ratio"),
    }


def _printed(options: Options) -> dict[str, dict[str, float]]:
    """The printed summary: its columns by algorithm."""
    rows = {row.pop("algorithm"): row for row in printed_rows(options)}
    return {
        name: {column: float(text) for column, text in row.items()} for name, row in rows.items()
    }


@table
def summary(run: RunResults) -> Table | None:
    """Four metrics of every algorithm, printed and measured."""
    chosen = Chosen.of(run, "")
    printed = _printed(run.options)
    rows = []
    for test in chosen.tests:
        theirs = printed.get(test.flows[0], {})
        found = {
            name: chosen.samples.mean(test.key, measure)
            for name, measure in (MEASURES | {"fairness_low": "fairness_low"}).items()
        }
        deviation = chosen.samples.mean(test.key, "deviation")
        shown = (theirs.get("throughput", math.nan), theirs.get("throughput_error", math.nan))
        rows.append(
            found
            | {f"{name}_printed": theirs.get(name) for name in MEASURES}
            | {
                "algorithm": name_of(run.options, test.flows[0]),
                "throughput": plus_minus(found["throughput"], deviation),
                "throughput_printed": plus_minus(*shown),
            }
        )
    columns: list[Column] = [
        words("algorithm", "Algorithm"),
        words("throughput_printed", "Throughput (Mbit/s), printed"),
        words("throughput", "measured"),
        numbers("stability_printed", "Deviation over mean, printed"),
        numbers("stability", "measured"),
        numbers("fairness_printed", "Fairness, printed"),
        numbers("fairness", "measured"),
        numbers("fairness_low", "lowest"),
        numbers("rtt_printed", "Deviation of RTT (ms), printed"),
        numbers("rtt", "measured"),
    ]
    if not rows:
        return None
    frame = pl.DataFrame(rows, infer_schema_length=None).select([each.name for each in columns])
    return table_of("summary", frame, columns)


@chart
def metrics(run: RunResults) -> Any:
    """Bars of the four metrics, printed and measured."""
    import altair as alt

    from mesonet.figures.chart import Chart
    from mesonet.figures.style import data, themed

    chosen = Chosen.of(run, "")
    printed = _printed(run.options)
    panels = []
    for measure, column in MEASURES.items():
        rows = []
        for test in chosen.tests:
            name = name_of(run.options, test.flows[0])
            if theirs := printed.get(test.flows[0]):
                rows.append({"algorithm": name, "what": "printed", "value": theirs[measure]})
            value = chosen.samples.mean(test.key, column)
            if not math.isnan(value):
                rows.append({"algorithm": name, "what": "measured", "value": value})
        panels.append(
            Chart(data(rows))
            .mark_bar()
            .encode(
                alt.X("algorithm:N", title=None, sort=None, axis=alt.Axis(labelAngle=-30)),
                alt.XOffset("what:N", sort=["printed", "measured"]),
                alt.Y("value:Q", title=_HEADINGS[measure]),
                printed_or_measured(),
                tooltip=["algorithm:N", "what:N", "value:Q"],
            )
            .properties(width=330, height=150)
        )
    return themed(alt.concat(*panels, columns=2, spacing=26))


@chart
def round_trips(run: RunResults) -> Any:
    """The round-trip time of the first repeat over time, a panel per algorithm."""
    import altair as alt

    from mesonet.figures.chart import Chart
    from mesonet.figures.style import VERMILLION, data, themed

    chosen = Chosen.of(run, "")
    panels = []
    for test in chosen.tests:
        first = chosen.samples.first(test.key)
        if first is None:
            continue
        curve = first["curves"]["rtt"]
        step = first["curves"]["time"][-1] / len(curve)
        rows = [{"time": (k + 1) * step, "rtt": value} for k, value in enumerate(curve)]
        panels.append(
            Chart(data(rows))
            .mark_line(strokeWidth=1.1, color=VERMILLION)
            .encode(
                alt.X("time:Q", title="Time (s)"),
                alt.Y("rtt:Q", title="RTT (ms)", scale=alt.Scale(zero=False)),
            )
            .properties(width=250, height=110, title=name_of(run.options, test.flows[0]))
        )
    return themed(alt.concat(*panels, columns=3, spacing=24)) if panels else nothing()
