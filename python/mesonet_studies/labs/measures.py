"""Numbers of a run of the laboratory: facts of every flow, and its curves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.run import Run
from mesonet_studies.labs.laboratory import SEGMENT

BIN = 0.1
"""Width of the bins of receive rates [s]; that of the course's plotting script."""
APART = 0.1
"""Losses closer than this are one event [s]: a round trip with a full queue."""
_MARGIN = 0.03
"""Time shown before and after the enlarged part [s]."""
_BESIDE = 20
"""Segments shown below and above the enlarged part."""

RunNumbers = Mapping[str, Any]
"""Numbers of a run, as `measure_segments` gives them."""


def measure_facts(run: Run) -> dict[str, Any]:
    """Facts of every flow by name, under `flows`, and times at which the queue was `full`.

    `first` segment sent, `last_sent` and `done`, the last acknowledgement [s], `completion` from
    the first to it; `losses`: events as [first, last, number of segments]; `restarts`: [time,
    window before] of every fall of the window; `additive`: stretches of congestion avoidance [from,
    to]; `sent` and `dropped` segments.
    """
    capacity = int(run.queues["capacity"][0])
    queue = run.queues.select("time", "packets")
    full = queue.filter(pl.col("packets") >= capacity)["time"].to_list()
    names = run.flows["flow"].unique(maintain_order=True).to_list()
    return {"flows": {name: _facts(run, name) for name in names}, "full": _rounded(full, 3)}


def measure_segments(run: Run) -> dict[str, Any]:
    """Facts of `measure_facts`, curves, and the fates of segments.

    `time` [s] and `queue` [packets] per interval; of every flow `window` [segments] per interval,
    `rate` [Mbit/s] in bins of `BIN` that begin at `bins` [s], and `sends`, `repeats`, `drops` and
    `acks` as [times, segments].
    """
    kept = measure_facts(run)
    ends = [flow["done"] for flow in kept["flows"].values()]
    ended = [end for end in ends if end is not None]
    end = float(run.scenario.duration)
    end = end if len(ended) < len(ends) else min(max(ended) + 0.05, end)
    queue = run.queues.filter(pl.col("time") <= end)
    bins = np.arange(0.0, end, BIN)
    kept |= {
        "time": _rounded(queue["time"].to_list(), 3),
        "queue": queue["packets"].to_list(),
        "bins": _rounded(bins.tolist(), 3),
    }
    fates = {
        "sends": "sent",
        "repeats": "retransmitted",
        "drops": "dropped",
        "acks": "acknowledged",
    }
    for name, flow in kept["flows"].items():
        segments = run.segments.filter(flow=name)
        arrived = segments.filter(fate="received")["time"].to_numpy()
        counts, _ = np.histogram(arrived, np.append(bins, bins[-1] + BIN))
        window = run.flows.filter(pl.col("flow") == name, pl.col("time") <= end)["cwnd"]
        flow |= {
            "rate": _rounded((counts * SEGMENT * 8 / BIN / 1e6).tolist(), 3),
            "window": _rounded(window.to_list(), 1),
        }
        flow |= {key: _points(segments, fate) for key, fate in fates.items()}
    return kept


def rates(measured: RunNumbers, flow: str, start: float, end: float) -> NDArray[np.float64]:
    """Receive rates in the bins that lie in a stretch of time [Mbit/s]."""
    bins = np.array(measured["bins"])
    inside = (bins >= start - 1e-9) & (bins + BIN <= end + 1e-9)
    return np.array(measured["flows"][flow]["rate"])[inside]


def mean_rate(measured: RunNumbers, flow: str, start: float, end: float) -> float:
    """Mean receive rate over the bins that lie in a stretch of time [Mbit/s]; NaN if none does."""
    sample = rates(measured, flow, start, end)
    return float(sample.mean()) if sample.size else math.nan


def slope(measured: RunNumbers, start: float, end: float) -> float:
    """Growth of the queue [packets/s] between two times, by least squares; NaN below two points."""
    time = np.array(measured["time"])
    inside = (time >= start) & (time <= end)
    if inside.sum() < 2:
        return math.nan
    return float(np.polyfit(time[inside], np.array(measured["queue"])[inside], 1)[0])


def queue_peak(measured: RunNumbers, start: float) -> float:
    """Longest queue from a time on [packets]; NaN if there is nothing later."""
    later = np.array(measured["queue"])[np.array(measured["time"]) >= start]
    return float(later.max()) if later.size else math.nan


def events(times: NDArray[np.float64]) -> list[list[float]]:
    """Losses in events: [first, last, how many]."""
    if not times.size:
        return []
    parts = np.split(times, np.flatnonzero(np.diff(times) > APART) + 1)
    return [[round(float(p[0]), 4), round(float(p[-1]), 4), len(p)] for p in parts]


def loss_events(measured: RunNumbers) -> list[list[float]]:
    """Events of losses of all flows together: [first, last, how many]."""
    merged: list[list[float]] = []
    for event in sorted(event for flow in measured["flows"].values() for event in flow["losses"]):
        if merged and event[0] - merged[-1][1] <= APART:
            merged[-1][1] = max(merged[-1][1], event[1])
            merged[-1][2] += event[2]
        else:
            merged.append(list(event))
    return merged


class Part(NamedTuple):
    """A part of a sequence plot."""

    start: float
    """First time [s]."""
    end: float
    """Last time [s]."""
    low: int
    """First segment."""
    high: int
    """Last segment."""

    def holds(self, time: float, segment: float) -> bool:
        """Tests whether a point lies in the part."""
        return self.start <= time <= self.end and self.low <= segment <= self.high


def repair(measured: RunNumbers, flow: str) -> Part | None:
    """The smallest loss event of a flow, from shortly before it to shortly after its repair.

    None if nothing that was lost at once has been retransmitted as a whole.
    """
    curve = measured["flows"][flow]
    for start, end, _ in sorted(curve["losses"], key=lambda event: event[2]):
        lost = {
            segment
            for time, segment in zip(*curve["drops"], strict=True)
            if start - 1e-4 <= time <= end + 1e-4
        }
        again: dict[int, float] = {}
        for time, segment in zip(*curve["repeats"], strict=True):
            if time > start and segment in lost:
                again.setdefault(segment, time)
        if len(again) == len(lost):
            low, high = min(lost) - _BESIDE, max(lost) + _BESIDE
            return Part(start - _MARGIN, max(again.values()) + _MARGIN, low, high)
    return None


def _facts(run: Run, name: str) -> dict[str, Any]:
    segments = run.segments.filter(flow=name)
    times = segments["time"].to_list()
    flows = run.scenario.resolve()["flows"]
    # A flow without an end has no size, and is never done.
    size = next(flow["size"] for flow in flows if flow["name"] == name)
    end = pl.col("segment").eq_missing(size)
    last = segments.filter(end, fate="acknowledged")
    sent = segments.filter(pl.col("fate").is_in(["sent", "retransmitted"]))["time"].to_list()
    first: float | None = times[0] if times else None
    done: float | None = last["time"].to_list()[0] if last.height else None
    series = run.flows.filter(flow=name)
    time, window = series["time"].to_numpy(), series["cwnd"].to_numpy()
    if done is not None:
        # The window of a flow that is over reads zero.
        window, time = window[time <= done], time[time <= done]
    falls = np.flatnonzero(np.diff(window) < -0.5)
    phase = series["phase"].to_numpy()[: time.size]
    counts = dict(segments["fate"].value_counts().iter_rows())
    return {
        "first": first,
        "done": done,
        "completion": None if done is None or first is None else round(done - first, 4),
        "last_sent": sent[-1] if sent else None,
        "losses": events(segments.filter(fate="dropped")["time"].to_numpy()),
        "restarts": [[round(float(time[k + 1]), 3), round(float(window[k]), 1)] for k in falls],
        "additive": _stretches(time, phase > 0),
        "sent": counts.get("sent", 0) + counts.get("retransmitted", 0),
        "dropped": counts.get("dropped", 0),
    }


def _stretches(time: NDArray[np.float64], holds: NDArray[np.bool_]) -> list[list[float]]:
    edges = np.flatnonzero(np.diff(np.concatenate(([False], holds, [False])).astype(int)))
    return [
        [round(float(time[start]), 3), round(float(time[end - 1]), 3)]
        for start, end in edges.reshape(-1, 2)
    ]


def _points(segments: pl.DataFrame, fate: str) -> list[list[float]]:
    chosen = segments.filter(fate=fate)
    return [_rounded(chosen["time"].to_list(), 4), chosen["segment"].to_list()]


def _rounded(values: list[float], digits: int) -> list[float]:
    return [round(value, digits) for value in values]
