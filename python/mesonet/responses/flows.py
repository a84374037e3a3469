"""Responses of named flows, completion times and queueing delays, from several sources."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import polars as pl

from mesonet.responses.flow_series import (
    FloatArray,
    FlowSeries,
    convergence_time,
    goodput_latency,
    instantaneous_fairness,
    jain_index,
    overall_fairness,
    recovery_latency,
    variation,
    windows,
)
from mesonet.responses.measurements import Window, divide
from mesonet.responses.registry import Better, registry

WAN = "Li, Testing TCP in the WAN, 2007 (SLAC and Microsoft)"
SLIDES = "NIST, Measurement Science for Complex Information Systems, slides 33 and 34"
PERCENTILES = (50, 95, 99)
ROUND_TRIPS = 10
"""Length of a window in base round-trip times of the flow that has the longest."""

_NAN = float("nan")
_WINDOW = f"windows of {ROUND_TRIPS} base round-trip times (the longest of the flows)"
_FLOWS = "over the named flows, while all of them send"

Measure = Callable[[Window, FlowSeries], float]


def define_flows() -> None:
    """Registers fairness, stability, convergence and latencies of the named flows."""
    _define_shares()
    _define_stability()
    _define_times()


def _define(
    response_id: str,
    name: str,
    unit: str,
    definition: str,
    measure: Measure,
    *,
    source: str = "mesonet",
    better: Better = "neither",
    whole: bool = False,
    by_algorithm: bool = False,
) -> None:
    def compute(window: Window, algorithm: str | None = None) -> float:
        series = window.run.whole.flow_series if whole else window.flow_series
        if series is not None and algorithm is not None:
            algorithms = window.run.flow_algorithms
            series = series.only([n for n in series.names if algorithms.get(n) == algorithm])
        return _NAN if series is None or not series.names else measure(window, series)

    registry.define(
        response_id,
        name,
        unit,
        definition,
        compute,
        source=source,
        better=better,
        periods=not whole,
        by_algorithm=by_algorithm,
        needs="flows",
    )


def _round_trips(window: Window, series: FlowSeries) -> float:
    """The length of a window [s]; NaN where base round-trip times are not known."""
    known = [window.run.base_rtts[name] for name in series.names if name in window.run.base_rtts]
    return ROUND_TRIPS * max(known) if known else _NAN


def _define_shares() -> None:
    _define(
        "flow_goodput",
        "goodput per named flow",
        "segments/s",
        "Segments newly acknowledged per second, mean over the named flows. With an algorithm, "
        "over its flows only: `flow_goodput:reno` beside another algorithm, against the same among "
        "Reno flows only, is that algorithm's impact on Reno.",
        lambda _, flows: float(flows.goodput.mean()) if flows.goodput.size else _NAN,
        better="higher",
        by_algorithm=True,
    )
    _define(
        "flow_sent_again",
        "share of segments sent again by named flows",
        "1",
        "Segments sent again by the named flows over these and the ones newly acknowledged.",
        lambda _, flows: divide(
            float(flows.retransmitted.sum()), float((flows.retransmitted + flows.acked).sum())
        ),
        better="lower",
        by_algorithm=True,
    )
    _define(
        "efficiency_index",
        "efficiency index",
        "segments/s",
        "Sum of the goodputs of the named flows.",
        lambda _, flows: float(flows.goodput.sum(axis=1).mean()) if flows.goodput.size else _NAN,
        source="Skala, Hybrid congestion control for high-speed networks, 2011 (EI)",
        better="higher",
    )
    _define(
        "sigma_f",
        "overall unfairness σ_f",
        "1",
        f"Standard deviation of the mean goodputs, divided by their mean, {_FLOWS}: 0 is equal.",
        lambda _, flows: overall_fairness(flows.competing()),
        source=WAN,
        better="lower",
    )
    _define(
        "xi_f",
        "instantaneous unfairness ξ_f",
        "1",
        f"In {_WINDOW} the standard deviation of goodput between flows is taken; ξ_f is the "
        f"standard deviation of these over time, divided by the mean goodput, {_FLOWS}.",
        lambda window, flows: instantaneous_fairness(
            flows.competing(), interval=flows.interval, window=_round_trips(window, flows)
        ),
        source=f"{WAN}; in round-trip times, as its last but one page recommends",
        better="lower",
    )
    _define(
        "xi_f_1s",
        "instantaneous unfairness ξ_f over seconds",
        "1",
        "The same as xi_f in windows of 1 s.",
        lambda _, flows: instantaneous_fairness(
            flows.competing(), interval=flows.interval, window=1.0
        ),
        source=WAN,
        better="lower",
    )
    _define(
        "jain_index_10rtt",
        "Jain's fairness index in windows",
        "1",
        f"Mean over {_WINDOW} of Jain's index of the goodputs in the window, {_FLOWS}.",
        lambda window, flows: _mean(_jain(flows, _round_trips(window, flows))),
        source="Jain, Chiu, Hawe 1984; RFC 5166",
        better="higher",
    )
    _define(
        "min_jain_index_1s",
        "lowest Jain's fairness index",
        "1",
        f"Lowest Jain's index of the goodputs in a window of 1 s, {_FLOWS}.",
        lambda _, flows: _lowest(_jain(flows, 1.0)),
        source=f"{WAN}, min(F)",
        better="higher",
    )


def _jain(flows: FlowSeries, window: float) -> FloatArray:
    means = windows(flows.competing(), interval=flows.interval, length=window)
    return np.empty(0) if means is None or means.shape[1] < 2 else jain_index(means)


def _mean(values: FloatArray) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else _NAN


def _lowest(values: FloatArray) -> float:
    known = values[np.isfinite(values)]
    return float(known.min()) if known.size else _NAN


def _define_stability() -> None:
    for suffix, name, length in (("", _WINDOW, None), ("_1s", "windows of 1 s", 1.0)):
        _define(
            f"stability{suffix}",
            f"variation of the total goodput{' over seconds' if suffix else ''}",
            "1",
            f"Coefficient of variation over {name} of the sum of the goodputs of the named flows: "
            "0 is steady.",
            lambda window, flows, length=length: _total_variation(  # type: ignore[misc]
                flows, length or _round_trips(window, flows)
            ),
            source=f"{WAN}, S = σ/μ; RFC 5166",
            better="lower",
        )
    _define(
        "flow_stability",
        "variation of the goodput of a flow",
        "1",
        f"Coefficient of variation over {_WINDOW} of a flow's goodput while it sends, mean over "
        "the named flows.",
        lambda window, flows: _flow_variation(flows, _round_trips(window, flows)),
        source="RFC 5166",
        better="lower",
        by_algorithm=True,
    )


def _total_variation(flows: FlowSeries, length: float) -> float:
    total = flows.goodput.sum(axis=1, keepdims=True)
    found = variation(total, interval=flows.interval, window=length)
    return _NAN if found is None else float(found[0])


def _flow_variation(flows: FlowSeries, length: float) -> float:
    found = []
    for place in range(len(flows.names)):
        mine = flows.goodput[flows.sending[:, place], place][:, None]
        one = variation(mine, interval=flows.interval, window=length)
        if one is not None:
            found.append(float(one[0]))
    return _mean(np.array(found))


def _define_times() -> None:
    _define(
        "convergence_time",
        "convergence time to fair shares",
        "s",
        "From the beginning of the interval in which the last named flow first sends, after its "
        f"handshake, to the end of the first of the {_WINDOW} after it "
        "in which the share of each of n flows lies between 0.9/n and 1.1/n; undefined if there is "
        "none (δ-fair convergence with δ = 0.1, for n flows and from the shares that arise).",
        lambda window, flows: convergence_time(flows, window=_round_trips(window, flows)),
        source="Bansal, Balakrishnan, Floyd, Shenker 2001; RFC 5166",
        better="lower",
        whole=True,
    )
    _define(
        "goodput_latency",
        "goodput latency",
        "s",
        "Time that a flow takes to its maximum transmission rate: from the beginning of the "
        f"interval in which it first sends to the end of the first of all {_WINDOW}, "
        "sliding, with 90 % of the largest goodput in any of them; mean over the named flows. "
        "The 90 % are ours; the source prints no number.",
        lambda window, flows: _each(goodput_latency, window, flows),
        source=SLIDES,
        better="lower",
        whole=True,
        by_algorithm=True,
    )
    _define(
        "recovery_latency",
        "recovery latency",
        "s",
        "Time that a flow takes to recover its maximum transmission rate after sustained losses: "
        f"from the end of its longest row of {_WINDOW} with retransmissions to when it is reached "
        "as for goodput_latency; mean over the named flows for which it is.",
        lambda window, flows: _each(recovery_latency, window, flows),
        source=SLIDES,
        better="lower",
        whole=True,
        by_algorithm=True,
    )
    _define(
        "activation_threshold",
        "activation threshold",
        "segments",
        "Smallest congestion window with which a named flow ended an interval under its "
        "algorithm's own rules: what switches the rules on, where a window does. It is seen only "
        "at the ends of intervals, so it comes out high where they are long.",
        _activation,
        source=SLIDES,
        whole=True,
        by_algorithm=True,
    )


def _each(measure: Callable[..., float], window: Window, flows: FlowSeries) -> float:
    length = _round_trips(window, flows)
    return _mean(np.array([measure(flows, k, window=length) for k in range(len(flows.names))]))


def _activation(_: Window, flows: FlowSeries) -> float:
    alternate = flows.cwnd[flows.phase == 2]
    return float(alternate.min()) if alternate.size else _NAN


def define_completion() -> None:
    """Registers completion times of transfers."""
    _define_transfers(
        "completion_time",
        "mean completion time",
        "Mean time from the first segment sent to the last acknowledged, over transfers completed "
        "after the warm-up.",
        _mean_completion,
    )
    for percent in PERCENTILES:
        _define_transfers(
            f"completion_time_p{percent}",
            f"completion time, percentile {percent}",
            f"Percentile {percent} of that time, interpolated between transfers; undefined unless "
            "the scenario has `record_transfers`.",
            partial(_completion, percent=percent),
        )


def _define_transfers(
    response_id: str, name: str, definition: str, compute: Callable[[Window, str | None], float]
) -> None:
    registry.define(
        response_id,
        name,
        "s",
        definition,
        compute,
        source="RFC 5166",
        better="lower",
        periods=False,
        by_algorithm=True,
    )


def _mean_completion(window: Window, algorithm: str | None) -> float:
    if not window.run.has("groups") or "duration_sum" not in window.run.groups.columns:
        # Named flows are in no group, but among the transfers, where these are recorded.
        return float(found.mean()) if (found := _durations(window, algorithm)).size else _NAN
    groups = window.run.groups
    chosen = groups if algorithm is None else groups.filter(pl.col("algorithm") == algorithm)
    return divide(float(chosen["duration_sum"].sum()), float(chosen["transfers"].sum()))


def _completion(window: Window, algorithm: str | None, percent: float) -> float:
    return percentile_of(_durations(window, algorithm), percent)


def _durations(window: Window, algorithm: str | None) -> FloatArray:
    """Durations of the transfers completed after the warm-up [s], where they are recorded."""
    if not window.run.has("transfers"):
        return np.empty(0)
    transfers = window.run.transfers
    kept = transfers.filter(pl.col("start") + pl.col("duration") >= window.run.groups_from)
    if algorithm is not None:
        kept = kept.filter(pl.col("algorithm") == algorithm)
    return kept["duration"].to_numpy()


def define_queueing() -> None:
    """Registers percentiles of queueing delays."""
    for percent in PERCENTILES:
        _define(
            f"queueing_delay_p{percent}",
            f"queueing delay of named flows, percentile {percent}",
            "s",
            f"Percentile {percent} over the named flows and intervals in which they send of the "
            "smoothed round-trip time less the propagation delay. Serialisation and the wait of a "
            "delayed ACK count. Round-trip times are measured to 16 ns; one that is measured "
            "shorter than the propagation delay has no queueing.",
            partial(_flow_delay, percent=percent),
            source="RFC 5166",
            better="lower",
            by_algorithm=True,
        )
    for percent in PERCENTILES:
        registry.define(
            f"network_queueing_delay_p{percent}",
            f"queueing delay of the network, percentile {percent}",
            "s",
            f"Percentile {percent} over intervals of the mean over active flows of the smoothed "
            "round-trip time less the propagation delay: y8 interval by interval. Serialisation "
            "and the wait of a delayed ACK count.",
            partial(_network_delay, percent=percent),
            source="RFC 5166",
            better="lower",
        )


def _flow_delay(window: Window, flows: FlowSeries, percent: float) -> float:
    base = np.array([window.run.base_rtts.get(name, _NAN) for name in flows.names])
    known = flows.sending & (flows.srtt > 0.0)
    return percentile_of(np.maximum(flows.srtt - base, 0.0)[known], percent)


def _network_delay(window: Window, percent: float) -> float:
    total, count = window.column("queueing_sum"), window.column("srtt_count")
    if total.size == 0 or count.size == 0:
        return _NAN
    return percentile_of(total[count > 0] / count[count > 0], percent)


def percentile_of(values: FloatArray, percent: float) -> float:
    """Percentile of the values that are finite; NaN where there is none."""
    known = values[np.isfinite(values)]
    return float(np.percentile(known, percent)) if known.size else _NAN
