"""Measures of named flows: shares, stability, latencies, delays."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from mesonet.responses import flow_series
from mesonet.responses.flow_series import FloatArray, FlowSeries
from mesonet.responses.measurements import Window, divide, mean_of, percentile_of
from mesonet.responses.series import mean

ROUND_TRIPS = 10
"""Length of a window in base round-trip times of the flow that has the longest."""
STARVED = 0.05
"""Part of an equal share below which a flow counts as starved. Our choice."""
SECOND = 1.0
"""Length over which the goodput of a long-lived flow is taken [s]."""

_NAN = float("nan")

Measure = Callable[..., float]


def _of_flows(measure: Measure, *, whole: bool = False) -> Measure:
    """A measure of the window's flows, or of those of the whole run; NaN without any."""

    def compute(window: Window, *args: Any) -> float:
        series = window.run.whole.flow_series if whole else window.flow_series
        return _NAN if series is None else measure(window, series, *args)

    return compute


def _by_algorithm(measure: Measure, *, whole: bool = False) -> Measure:
    """A measure of the window's flows, or of some of them: see `_some`."""

    def compute(window: Window, flows: FlowSeries, called: str | None, *args: Any) -> float:
        if called is not None:
            flows = flows.only(_some(window, flows, called))
        return measure(window, flows, *args) if flows.names else _NAN

    return _of_flows(compute, whole=whole)


def _some(window: Window, flows: FlowSeries, called: str) -> list[str]:
    """Flows of an algorithm; if there are none, those of a name, numbered or not."""
    if called.startswith("@"):
        return [name for name in flows.names if called[1:] in group_names(name)]
    algorithms = window.run.flow_algorithms
    members = [name for name in flows.names if algorithms.get(name) == called]
    return members or [name for name in flows.names if called in group_names(name)]


def group_names(name: str) -> tuple[str, str, str]:
    """What a flow is called: also without a hop, its number, and that of its connection."""
    of_flow = re.sub(r"^hop \d+ |-\d+$", "", name)
    return name, of_flow, re.sub(r"-\d+$", "", of_flow)


def _length(window: Window, flows: FlowSeries, text: str = "10 rtt") -> float:
    """The length of a window [s]: a second, or NaN where base round-trip times are not known."""
    if text == "1 s":
        return SECOND
    rtts = [window.run.base_rtts[name] for name in flows.names if name in window.run.base_rtts]
    return ROUND_TRIPS * max(rtts) if rtts else _NAN


def _retransmitted(_: Window, flows: FlowSeries) -> float:
    again = float(flows.retransmitted.sum())
    return divide(again, again + float(flows.acked.sum()))


def _competing(window: Window, flows: FlowSeries) -> FloatArray:
    """Goodputs in the intervals in which all flows send, or connect and get nothing."""
    whole = window.run.whole.flow_series
    if whole is None or not window.run.flow_starts:
        return flows.competing()
    starts = [window.run.flow_starts[name] for name in flows.names]
    # A SYN that never gets through is the most that a flow can starve.
    begun = np.logical_or.accumulate(whole.sending | (whole.acked > 0.0), axis=0)
    connecting = (~begun & (whole.ends[:, None] > starts))[np.isin(whole.ends, flows.ends)]
    return flows.goodput[(flows.sending | connecting).all(axis=1)]


def _starved(window: Window, flows: FlowSeries, called: str | None) -> float:
    competing = _competing(window, flows)
    rates = flow_series.windows(competing, interval=flows.interval, length=SECOND)
    if rates is None or not rates.size:
        return _NAN
    starved = (rates < STARVED * rates.mean(axis=1, keepdims=True)) | (rates == 0.0)
    members = flows.names if called is None else _some(window, flows, called)
    return mean(
        starved[:, [flows.names.index(name) for name in members]].astype(np.float64).ravel()
    )


def _instantaneous_fairness(window: Window, flows: FlowSeries, length: str) -> float:
    return flow_series.instantaneous_fairness(
        flows.competing(), interval=flows.interval, window=_length(window, flows, length)
    )


def _jain(statistic: Callable[[FloatArray], Any]) -> Measure:
    """A statistic of Jain's index over windows."""

    def measure(window: Window, flows: FlowSeries, text: str) -> float:
        length = _length(window, flows, text)
        means = flow_series.windows(
            _competing(window, flows), interval=flows.interval, length=length
        )
        if means is None or means.shape[1] < 2:
            return _NAN
        return _statistic(statistic, flow_series.jain_index(means))

    return measure


def _statistic(statistic: Callable[[FloatArray], Any], values: FloatArray) -> float:
    finite = values[np.isfinite(values)]
    return float(statistic(finite)) if finite.size else _NAN


def _total_variation(window: Window, flows: FlowSeries, length: str) -> float:
    total = flows.goodput.sum(axis=1, keepdims=True)
    variation = flow_series.variation(
        total, interval=flows.interval, window=_length(window, flows, length)
    )
    return _NAN if variation is None else float(variation[0])


def _flow_variation(window: Window, flows: FlowSeries, text: str) -> float:
    length, variations = _length(window, flows, text), []
    for place in range(len(flows.names)):
        goodput = flows.goodput[flows.sending[:, place], place][:, None]
        variation = flow_series.variation(goodput, interval=flows.interval, window=length)
        if variation is not None:
            variations.append(float(variation[0]))
    return _statistic(np.mean, np.array(variations))


def _mean_latency(latency: Measure, window: Window, flows: FlowSeries) -> float:
    length = _length(window, flows)
    latencies = [latency(flows, place, window=length) for place in range(len(flows.names))]
    return _statistic(np.mean, np.array(latencies))


def _activation_threshold(_: Window, flows: FlowSeries) -> float:
    alternate = flows.cwnd[flows.phase == 2]
    return float(alternate.min()) if alternate.size else _NAN


def _flow_delay(window: Window, flows: FlowSeries, percent: str) -> float:
    base = np.array([window.run.base_rtts.get(name, _NAN) for name in flows.names])
    sampled = flows.sending & (flows.srtt > 0.0)
    return percentile_of(np.maximum(flows.srtt - base, 0.0)[sampled], float(percent))


def _around_congestion(latency: Measure, window: Window, flows: FlowSeries, name: str) -> float:
    congestion = window.run.congestion
    if congestion is None or name not in flows.names:
        return _NAN
    return latency(flows, flows.names.index(name), window=SECOND, congestion=congestion)


def _cwnd_deviation(_: Window, flows: FlowSeries) -> float:
    windows = [flows.cwnd[flows.sending[:, place], place] for place in range(len(flows.names))]
    deviations = [cwnd.std() for cwnd in windows if cwnd.size]
    return float(np.mean(deviations)) if deviations else _NAN


def _long_flow_goodput(window: Window, name: str) -> float:
    acked = window.column_of(name, "acked", "flows")
    return float(acked.mean()) / window.run.interval if acked.size else _NAN


def _while_sending(window: Window, name: str) -> float:
    values, phase = (window.column(column, "flows") for column in (name, "phase"))
    return mean(values[phase >= 0])


def _jain_index(window: Window) -> float:
    goodputs = _goodputs(window)
    return divide(sum(goodputs) ** 2, len(goodputs) * sum(x * x for x in goodputs))


def _goodputs(window: Window) -> list[float]:
    """Goodputs of the named flows [segments/s], in the order of their rows."""
    series = window.flow_series
    if series is not None:
        # Segments, not goodputs: sums of whole numbers do not depend on their order.
        sums = series.acked.sum(axis=0)
        return [float(total) / len(series.ends) / window.run.interval for total in sums]
    if window.flows.is_empty():
        return []
    # One pass over the rows: with a pass for each flow, time grows with the square of their number.
    counted = window.flows.group_by("flow", maintain_order=True).agg(
        pl.col("acked").cast(pl.Float64).sum(), rows=pl.len()
    )
    return [float(acked / rows) / window.run.interval for _, acked, rows in counted.iter_rows()]


def _latency(latency: Measure) -> Measure:
    return _by_algorithm(partial(_mean_latency, latency), whole=True)


def _congested(latency: Measure) -> Measure:
    return _of_flows(partial(_around_congestion, latency), whole=True)


MEASURES: dict[str, Callable[..., float]] = {
    "flow_goodput": _by_algorithm(lambda _, flows: mean_of(flows.goodput)),
    "flow_retransmitted": _by_algorithm(_retransmitted),
    "starved": _of_flows(_starved),
    "total_goodput": _of_flows(lambda _, flows: mean_of(flows.goodput.sum(axis=1))),
    "overall_fairness": _of_flows(lambda _, flows: flow_series.overall_fairness(flows.competing())),
    "instantaneous_fairness": _of_flows(_instantaneous_fairness),
    "mean_jain": _of_flows(_jain(np.mean)),
    "lowest_jain": _of_flows(_jain(np.min)),
    "total_variation": _of_flows(_total_variation),
    "flow_variation": _by_algorithm(_flow_variation),
    "convergence_time": _of_flows(
        lambda window, flows: flow_series.convergence_time(flows, window=_length(window, flows)),
        whole=True,
    ),
    "goodput_latency": _latency(flow_series.goodput_latency),
    "recovery_latency": _latency(flow_series.recovery_latency),
    "activation_threshold": _by_algorithm(_activation_threshold, whole=True),
    "flow_delay": _by_algorithm(_flow_delay),
    "latency_before": _congested(partial(flow_series.congestion_latency, after=False)),
    "latency_after": _congested(partial(flow_series.congestion_latency, after=True)),
    "cwnd_deviation": _of_flows(_cwnd_deviation),
    "long_flow_goodput": _long_flow_goodput,
    "while_sending": _while_sending,
    "jain_index": _jain_index,
}
