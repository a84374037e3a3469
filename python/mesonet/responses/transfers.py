"""Measures of completed transfers, by pair class, flow group, kind of file and algorithm."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from operator import and_

import numpy as np
import polars as pl

from mesonet.responses.applications import request_durations
from mesonet.responses.flows import group_names
from mesonet.responses.measurements import (
    FloatArray,
    Measurements,
    Window,
    divide,
    mean_of,
    percentile_of,
)

_NAN = float("nan")


def _sums(run: Measurements, **where: str | None) -> dict[str, float]:
    """Sums over the groups that match; all zero without any."""
    columns = ("transfers", "goodput_sum", "goodput_sq_sum", "retransmission_sum")
    algorithm = where.get("algorithm")
    # Column by column: planning a query costs more than a few rows do, and this is asked often.
    if not run.has("groups") or (algorithm and algorithm not in run.groups["algorithm"].to_list()):
        return dict.fromkeys(columns, 0.0)
    rows = [run.groups[name] == value for name, value in where.items() if value is not None]
    groups = run.groups.filter(reduce(and_, rows)) if rows else run.groups
    return {name: float(groups[name].cast(pl.Float64).sum()) for name in columns}


def pair_goodput(window: Window, pair: str) -> float:
    """Mean goodput of transfers between two classes of access routers [segments/s]."""
    sums = _sums(window.run, pair=pair)
    return divide(sums["goodput_sum"], sums["transfers"])


def pair_deviation(window: Window, pair: str) -> float:
    """Sample standard deviation of that goodput [segments/s]."""
    sums = _sums(window.run, pair=pair)
    n = sums["transfers"]
    if n < 2:
        return _NAN
    # Rounding can leave a tiny negative number where all transfers went equally fast.
    squares = max(sums["goodput_sq_sum"] - sums["goodput_sum"] ** 2 / n, 0.0)
    return math.sqrt(squares / (n - 1))


def pair_rate(window: Window, pair: str) -> float:
    """Transfers per second between two classes of access routers."""
    run = window.run
    if not run.has("groups"):
        return _NAN
    return divide(_sums(run, pair=pair)["transfers"], max(run.duration - run.groups_from, 0.0))


def pair_retransmission(window: Window, pair: str) -> float:
    """Mean part of segments that were retransmitted, between two classes of access routers."""
    sums = _sums(window.run, pair=pair)
    return divide(sums["retransmission_sum"], sums["transfers"])


def flow_retransmission(window: Window, algorithm: str | None) -> float:
    """Mean part of a transfer's segments that were retransmitted."""
    run = window.run
    if run.has("groups") or not run.has("transfers"):
        sums = _sums(run, algorithm=algorithm)
        return divide(sums["retransmission_sum"], sums["transfers"])
    # Named flows are in no group, but among the transfers, where these are recorded.
    transfers = _completed(run, algorithm)
    rates = transfers.select(1.0 - pl.col("size") / pl.col("sent")).to_series()
    return divide(float(rates.sum()), len(rates))


def group_goodput(
    window: Window, algorithm: str | None, path: str, interface: str, file: str
) -> float:
    """Mean goodput of a flow group [segments/s]."""
    where = {"path_class": path, "interface": interface, "file": file, "algorithm": algorithm}
    sums = _sums(window.run, **where)
    return divide(sums["goodput_sum"], sums["transfers"])


def group_transfers(
    window: Window, algorithm: str | None, path: str, interface: str, file: str
) -> float:
    """Number of transfers of a flow group."""
    where = {"path_class": path, "interface": interface, "file": file, "algorithm": algorithm}
    return _sums(window.run, **where)["transfers"] if window.run.has("groups") else _NAN


def file_share(window: Window, algorithm: str | None, file: str) -> float:
    """Transfers of a kind of file over all."""
    return divide(
        _sums(window.run, file=file, algorithm=algorithm)["transfers"],
        _sums(window.run, algorithm=algorithm)["transfers"],
    )


def completion_time(window: Window, algorithm: str | None) -> float:
    """Mean duration of transfers, and of requests [s]."""
    run = window.run
    if not run.has("groups") or "duration_sum" not in run.groups.columns:
        # Named flows are in no group, but among the transfers, where these are recorded.
        return mean_of(_durations(run, algorithm))
    groups, requests = run.groups, request_durations(run, algorithm)
    if algorithm is not None:
        groups = groups.filter(pl.col("algorithm") == algorithm)
    seconds = float(groups["duration_sum"].sum()) + float(requests.sum())
    return divide(seconds, float(groups["transfers"].sum()) + requests.size)


def completion_percentile(window: Window, algorithm: str | None, percent: str) -> float:
    """Percentile of the durations of transfers [s]."""
    return percentile_of(_durations(window.run, algorithm), float(percent))


def file_time(window: Window, algorithm: str | None, percent: str | None = None) -> float:
    """Percentile, or mean, of the times of files and requests, unfinished ones at their age."""
    run = window.run
    if run.files and not run.transfers.columns:
        return _NAN
    never = set(run.files).difference(run.transfers["flow"] if run.files else ())
    ages = [
        run.duration - run.flow_starts[name]
        for name in run.files
        if name in never and run.flow_starts[name] < run.duration
        if algorithm in (None, run.flow_algorithms[name], *(f"@{it}" for it in group_names(name)))
    ]
    requests = request_durations(run, algorithm, until=run.duration)
    times = np.concatenate([_recorded(run, algorithm), ages, requests])
    return mean_of(times) if percent is None else percentile_of(times, float(percent))


def _durations(run: Measurements, algorithm: str | None) -> FloatArray:
    """Durations of transfers, where they are recorded, and requests, after the warm-up [s]."""
    return np.concatenate([_recorded(run, algorithm), request_durations(run, algorithm)])


def _recorded(run: Measurements, algorithm: str | None) -> FloatArray:
    """Durations of the recorded transfers after the warm-up [s]."""
    durations = _completed(run, algorithm)["duration"] if run.has("transfers") else np.empty(0)
    return np.asarray(durations)


def _completed(run: Measurements, algorithm: str | None) -> pl.DataFrame:
    """Transfers completed after the warm-up."""
    transfers = run.transfers.filter(pl.col("start") + pl.col("duration") >= run.groups_from)
    if algorithm is None:
        return transfers
    if algorithm.startswith("@"):
        # Those of a population have no name.
        names = transfers["flow"].drop_nulls().unique()
        own = [name for name in names if algorithm[1:] in group_names(name)]
        return transfers.filter(pl.col("flow").is_in(own))
    return transfers.filter(pl.col("algorithm") == algorithm)


_OF_PAIRS = (pair_goodput, pair_deviation, pair_rate, pair_retransmission)
_OF_GROUPS = (group_goodput, group_transfers, file_share)
_OF_FLOWS = (flow_retransmission, completion_time, completion_percentile, file_time)
MEASURES: dict[str, Callable[..., float]] = {
    it.__name__: it for it in (*_OF_PAIRS, *_OF_GROUPS, *_OF_FLOWS)
}
