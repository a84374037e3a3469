"""Named flows as matrices of (interval, flow), and what is measured on them.

Goodputs are in segments/s, times in seconds. A measure that is undefined is NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

REACHED = 0.9
"""Fraction of the largest goodput that counts as the maximum transmission rate. Our choice."""
FAIR = 0.1
"""The delta of delta-fair convergence."""


@dataclass(frozen=True)
class FlowSeries:
    """Matrices with a row per measurement interval and a column per flow."""

    interval: float
    """Measurement interval [s]."""
    names: tuple[str, ...]
    """The flows."""
    ends: FloatArray
    """End of each interval [s]."""
    acked: FloatArray
    """Segments newly acknowledged in the interval."""
    cwnd: FloatArray
    """Congestion window at the end of the interval [segments]."""
    srtt: FloatArray
    """Smoothed round-trip time at the end of the interval [s]; 0 before the first sample."""
    phase: NDArray[np.int8]
    """0 slow start, 1 standard, 2 alternate, -1 not sending."""
    retransmitted: FloatArray
    """Segments retransmitted in the interval."""

    @cached_property
    def goodput(self) -> FloatArray:
        """Segments newly acknowledged per second."""
        return self.acked / self.interval

    @cached_property
    def sending(self) -> NDArray[np.bool_]:
        """True where a flow sends."""
        return self.phase >= 0

    def competing(self) -> FloatArray:
        """Goodputs in the intervals in which all flows send."""
        return self.goodput[self.sending.all(axis=1)]

    def only(self, names: Sequence[str]) -> FlowSeries:
        """Series of some of the flows."""
        kept = set(names)
        chosen = [place for place, name in enumerate(self.names) if name in kept]
        matrices = ("acked", "cwnd", "srtt", "phase", "retransmitted")
        columns = {name: getattr(self, name)[:, chosen] for name in matrices}
        return replace(self, names=tuple(self.names[place] for place in chosen), **columns)


def laid_out(
    names: tuple[str, ...], column: Callable[[str], FloatArray], *, interval: float
) -> FlowSeries | None:
    """Lays out columns by name, in which each interval has a row per flow, in the same order.

    `None` without rows, or if some intervals lack a flow.
    """
    times = column("time")
    ends = times[np.flatnonzero(np.diff(times, prepend=np.nan) != 0.0)]
    shape = (len(ends), len(names))
    if not times.size or times.size != shape[0] * shape[1]:
        return None

    def matrix(name: str) -> FloatArray:
        values = column(name)
        return values.reshape(shape) if values.size else np.zeros(shape)

    return FlowSeries(
        interval,
        names,
        ends,
        matrix("acked"),
        matrix("cwnd"),
        matrix("srtt"),
        matrix("phase").astype(np.int8),
        matrix("retransmitted"),
    )


def windows(rates: FloatArray, *, interval: float, length: float) -> FloatArray | None:
    """Means over windows of a length, one after the other; what is left at the end is dropped.

    A window is the nearest whole number of intervals. `None` if it is shorter than an interval.
    """
    size = _intervals(interval, length)
    if size is None:
        return None
    count = len(rates) // size
    means: FloatArray = rates[: count * size].reshape(count, size, *rates.shape[1:]).mean(axis=1)
    return means


def _intervals(interval: float, length: float) -> int | None:
    if not length >= interval * (1.0 - 1e-9):
        return None
    return max(round(length / interval), 1)


def jain_index(goodputs: FloatArray) -> FloatArray:
    """(Σx)² / (n Σx²) over the last axis; NaN where all are zero."""
    squares = goodputs.shape[-1] * (goodputs**2).sum(axis=-1)
    return _divide(goodputs.sum(axis=-1) ** 2, squares)


def overall_fairness(rates: FloatArray) -> float:
    """σ_f: the standard deviation over flows of their mean goodputs, over the mean of all.

    Rates are goodputs of (interval, flow) while all flows send.
    """
    if rates.shape[0] == 0 or rates.shape[1] < 2:
        return float("nan")
    means = rates.mean(axis=0)
    return float(_divide(means.std(), means.mean()))


def instantaneous_fairness(rates: FloatArray, *, interval: float, window: float) -> float:
    """ξ_f: how much the spread between flows varies over time, over the mean of all goodputs.

    In each window [s] the standard deviation over flows is taken; ξ_f is the standard deviation of
    these over windows, divided by the mean goodput. Rates are as for `overall_fairness`.
    """
    means = windows(rates, interval=interval, length=window)
    if means is None or means.shape[0] < 2 or means.shape[1] < 2:
        return float("nan")
    return float(_divide(means.std(axis=1).std(), means.mean()))


def variation(rates: FloatArray, *, interval: float, window: float) -> FloatArray | None:
    """Coefficient of variation over windows, per column; `None` with fewer than two windows."""
    means = windows(rates, interval=interval, length=window)
    if means is None or means.shape[0] < 2:
        return None
    return _divide(means.std(axis=0), means.mean(axis=0))


def convergence_time(series: FlowSeries, *, window: float) -> float:
    """Time from the start of the last flow until all shares are within a part `FAIR` of equal.

    Windows follow each other from that start; the time is the end of the first in which every flow
    sends and has a share between (1 - FAIR)/n and (1 + FAIR)/n. NaN for one flow, or if none.
    """
    n = len(series.names)
    first = series.sending.argmax(axis=0)
    if n < 2 or not series.sending.any(axis=0).all():
        return float("nan")
    start = int(first.max())
    means = windows(series.goodput[start:], interval=series.interval, length=window)
    active = windows(
        series.sending[start:].astype(np.float64), interval=series.interval, length=window
    )
    if means is None or active is None:
        return float("nan")
    shares = _divide(means, means.sum(axis=1, keepdims=True))
    fair = (np.abs(n * shares - 1.0) <= FAIR * (1.0 + 1e-12)) & (active == 1.0)
    reached = np.flatnonzero(fair.all(axis=1))
    size = round(window / series.interval)
    return float((reached[0] + 1) * size * series.interval) if len(reached) else float("nan")


def goodput_latency(series: FlowSeries, flow: int, *, window: float) -> float:
    """Time from the first segment until the goodput of a flow reaches its maximum.

    It is reached at the end of the first (sliding) window with `REACHED` times the largest goodput
    of any.
    """
    sliding = _sliding(series, flow, window)
    if sliding is None:
        return float("nan")
    ends, rates, start, _ = sliding
    reached = np.flatnonzero(rates >= REACHED * rates.max())
    return float(ends[reached[0]] - start) if rates.max() > 0 else float("nan")


def recovery_latency(series: FlowSeries, flow: int, *, window: float) -> float:
    """Time from the end of a flow's longest spell of loss until its goodput is at its maximum.

    A spell is a row of windows in each of which the flow retransmitted; the first wins where two
    are equally long. The maximum and when it is reached are as for `goodput_latency`, in windows
    that begin after the spell. NaN without loss, or if it is not reached again.
    """
    sliding = _sliding(series, flow, window)
    if sliding is None:
        return float("nan")
    ends, rates, start, size = sliding
    from_start = series.retransmitted[series.ends > start + 1e-9, flow]
    lossy = windows(from_start, interval=series.interval, length=window)
    spell = _longest(lossy > 0) if lossy is not None else None
    if spell is None:
        return float("nan")
    over = start + spell * size * series.interval
    later = (ends >= over + (size - 0.5) * series.interval) & (rates >= REACHED * rates.max())
    reached = np.flatnonzero(later)
    return float(ends[reached[0]] - over) if len(reached) else float("nan")


def congestion_latency(
    series: FlowSeries, flow: int, *, window: float, congestion: tuple[float, float], after: bool
) -> float:
    """Time until the goodput of a flow reaches its maximum: from its start, or `after` congestion.

    The maximum is `REACHED` times the largest goodput of any (sliding) window that lies before or
    after the `congestion`, which begins and ends then [s]. If it is not reached before, the time
    until the congestion begins, and if not after it, until the run ends: lower bounds. NaN for a
    flow that does not send then, and if the run ends before.
    """
    sliding = _sliding(series, flow, window)
    if sliding is None:
        return float("nan")
    ends, rates, start, size = sliding
    begins, room = ends - size * series.interval, 1e-6
    earlier, later = ends <= congestion[0] + room, begins >= congestion[1] - room
    outside = rates[earlier | later]
    searched = later if after else earlier
    if not searched.any() or outside.max() <= 0.0:
        return float("nan")
    origin = congestion[1] if after else start
    reached = np.flatnonzero(searched & (rates >= REACHED * outside.max()))
    bound = series.ends[-1] if after else congestion[0]
    return float((ends[reached[0]] if len(reached) else bound) - origin)


def _sliding(
    series: FlowSeries, flow: int, window: float
) -> tuple[FloatArray, FloatArray, float, int] | None:
    """Ends and goodputs of all windows of a flow from its start, that start [s], and intervals."""
    size = _intervals(series.interval, window)
    active = np.flatnonzero(series.sending[:, flow])
    if size is None or len(active) == 0:
        return None
    rates = series.goodput[active[0] :, flow]
    if len(rates) < size:
        return None
    sums = np.concatenate([[0.0], np.cumsum(rates)])
    means = (sums[size:] - sums[:-size]) / size
    start = float(series.ends[active[0]]) - series.interval
    return series.ends[active[0] + size - 1 :], means, start, size


def _longest(flags: NDArray[np.bool_]) -> int | None:
    """The place after the longest row of flags that are set; the first of equally long ones."""
    best = run = 0
    end = None
    for place, flag in enumerate(flags.tolist()):
        run = run + 1 if flag else 0
        if run > best:
            best, end = run, place + 1
    return end


def _divide(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    top, bottom = np.broadcast_arrays(
        np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64)
    )
    result: FloatArray = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom != 0)
    return result
