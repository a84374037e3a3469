"""Completed transfers: goodput by pair class (y9 to y32) and in the 24 flow groups, and counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from operator import and_

import polars as pl

from mesonet.responses.measurements import Measurements, Window, divide
from mesonet.responses.registry import EXPERIMENT_1, EXPERIMENT_2, Better, registry
from mesonet.tables.names import PATH_CLASSES

FILES = {
    "movie": "movies",
    "service_pack": "service packs",
    "document": "documents",
    "web_object": "Web objects",
}
SPEEDS = {"VF": "very fast", "F": "fast", "T": "typical"}

_COMBINATIONS = (
    (path, interface, file) for file in FILES for path in SPEEDS for interface in ("fast", "normal")
)
FLOW_GROUPS: dict[int, tuple[str, str, str]] = dict(enumerate(_COMBINATIONS, start=1))
"""The 24 flow groups by NIST's number: path class, interface, file."""

# The order in which Experiment 1 numbers the classes; it is not the order of the engine.
_PAIR_BLOCKS = {"DD": 9, "DF": 13, "DN": 17, "FF": 21, "FN": 25, "NN": 29}

_TRANSFERS = "transfers completed after the warm-up"
_OURS = " The source numbers this response without defining it in print; the choice is ours."


def _sums(run: Measurements, **where: str | None) -> dict[str, float]:
    """Sums over the groups that match; all zero without any."""
    columns = ("transfers", "goodput_sum", "goodput_sq_sum", "retransmission_sum")
    algorithm = where.get("algorithm")
    # Column by column: planning a query costs more than a few rows do, and this is asked often.
    if not run.has("groups") or (algorithm and algorithm not in run.groups["algorithm"].to_list()):
        return dict.fromkeys(columns, 0.0)
    rows = [run.groups[name] == value for name, value in where.items() if value is not None]
    chosen = run.groups
    if rows:
        chosen = chosen.filter(reduce(and_, rows))
    return {name: float(chosen[name].cast(pl.Float64).sum()) for name in columns}


def _mean_goodput(run: Measurements, **where: str | None) -> float:
    sums = _sums(run, **where)
    return divide(sums["goodput_sum"], sums["transfers"])


def _deviation(run: Measurements, pair: str) -> float:
    sums = _sums(run, pair=pair)
    n = sums["transfers"]
    if n < 2:
        return float("nan")
    # Rounding can leave a tiny negative number where all transfers went equally fast.
    squares = max(sums["goodput_sq_sum"] - sums["goodput_sum"] ** 2 / n, 0.0)
    return math.sqrt(squares / (n - 1))


def _transfer_rate(run: Measurements, pair: str) -> float:
    if not run.has("groups"):
        return float("nan")
    return divide(_sums(run, pair=pair)["transfers"], max(run.duration - run.groups_from, 0.0))


def _retransmission(run: Measurements, pair: str) -> float:
    sums = _sums(run, pair=pair)
    return divide(sums["retransmission_sum"], sums["transfers"])


def define_pair_classes() -> None:
    """Registers y9 to y32: four responses for each of six pair classes."""
    for pair, first in _PAIR_BLOCKS.items():
        where = f"{_TRANSFERS} on {pair} paths"
        _define_of_pair(
            f"y{first}",
            pair,
            f"mean goodput of {pair} flows",
            "segments/s",
            f"Mean over {where} ({SPEEDS[PATH_CLASSES[pair]]}) of file size over the time from the "
            "first segment sent to the last acknowledged.",
            lambda run, pair: _mean_goodput(run, pair=pair),
            "higher",
        )
        _define_of_pair(
            f"y{first + 1}",
            pair,
            f"standard deviation of goodput of {pair} flows",
            "segments/s",
            f"Sample standard deviation of that goodput over {where}.{_OURS}",
            _deviation,
            "neither",
        )
        _define_of_pair(
            f"y{first + 2}",
            pair,
            f"{pair} transfers per second",
            "1/s",
            f"Number of {where}, per second.{_OURS}",
            _transfer_rate,
            "higher",
        )
        _define_of_pair(
            f"y{first + 3}",
            pair,
            f"mean retransmission rate of {pair} flows",
            "1",
            f"Mean over {where} of 1 - file size / data segments sent.{_OURS}",
            _retransmission,
            "lower",
        )


def _define_of_pair(
    symbol: str,
    pair: str,
    name: str,
    unit: str,
    definition: str,
    compute: Callable[[Measurements, str], float],
    better: Better,
) -> None:
    registry.define(
        symbol,
        name,
        unit,
        definition,
        lambda window: compute(window.run, pair),
        source="NIST SP 500-282, Experiment 1",
        symbols={EXPERIMENT_1: symbol},
        better=better,
        periods=False,
    )


def define_flow_retransmission() -> None:
    """Registers the mean retransmission rate of flows."""
    registry.define(
        "flow_retransmission",
        "mean retransmission rate of flows",
        "1",
        f"Mean over {_TRANSFERS} of 1 - file size / data segments sent: every flow weighs the "
        "same, where in y6 every segment does.",
        lambda window, algorithm: _mean_retransmission(window.run, algorithm),
        source="NIST SP 500-282, the other reading of its retransmission rate",
        better="lower",
        periods=False,
        by_algorithm=True,
    )


def _mean_retransmission(run: Measurements, algorithm: str | None) -> float:
    if run.has("groups") or not run.has("transfers"):
        sums = _sums(run, algorithm=algorithm)
        return divide(sums["retransmission_sum"], sums["transfers"])
    # Named flows are in no group, but among the transfers, where these are recorded.
    kept = run.transfers.filter(pl.col("start") + pl.col("duration") >= run.groups_from)
    if algorithm is not None:
        kept = kept.filter(pl.col("algorithm") == algorithm)
    rates = kept.select(1.0 - pl.col("size") / pl.col("sent")).to_series()
    return divide(float(rates.sum()), len(rates))


def define_flow_groups() -> None:
    """Registers g1 to g24: mean goodput by path class, interface and file."""
    for number, (path, interface, file) in FLOW_GROUPS.items():
        registry.define(
            f"g{number}",
            f"mean goodput, {SPEEDS[path]} paths, {interface} interfaces, {FILES[file]}",
            "segments/s",
            f"Mean goodput over {_TRANSFERS}: {FILES[file]}, path class {path}, {interface} "
            f"interface (fast only if both ends are). `g{number}:NAME` takes the flows of one "
            "algorithm only.",
            _of_group(path, interface, file),
            source="NIST SP 500-282: flow groups of Experiment 2 and the sensitivity analysis",
            symbols={"groups": str(number)},
            better="higher",
            periods=False,
            by_algorithm=True,
        )


def define_file_shares() -> None:
    """Registers the shares of completed transfers by file, and how many there are by flow group."""
    symbols = ("y13", "y14", "y15", "y16")
    for symbol, file in zip(symbols, reversed(FILES), strict=True):
        registry.define(
            f"share_{file}",
            f"share of {FILES[file]} among completed transfers",
            "1",
            f"{FILES[file].capitalize()} over all {_TRANSFERS}.",
            _share_of(file),
            source="NIST SP 500-282, Experiment 2",
            symbols={EXPERIMENT_2: symbol},
            periods=False,
            by_algorithm=True,
        )
    for number, (path, interface, file) in FLOW_GROUPS.items():
        registry.define(
            f"n{number}",
            f"transfers, {SPEEDS[path]} paths, {interface} interfaces, {FILES[file]}",
            "transfers",
            f"Number of {_TRANSFERS} in flow group {number}: what stands behind the mean "
            f"g{number}.",
            _number_of(path, interface, file),
            periods=False,
            by_algorithm=True,
        )


def _share_of(file: str) -> Callable[[Window, str | None], float]:
    return lambda window, algorithm: divide(
        _sums(window.run, file=file, algorithm=algorithm)["transfers"],
        _sums(window.run, algorithm=algorithm)["transfers"],
    )


def _number_of(path: str, interface: str, file: str) -> Callable[[Window, str | None], float]:
    return lambda window, algorithm: (
        _sums(window.run, path_class=path, interface=interface, file=file, algorithm=algorithm)[
            "transfers"
        ]
        if window.run.has("groups")
        else float("nan")
    )


def _of_group(path: str, interface: str, file: str) -> Callable[[Window, str | None], float]:
    return lambda window, algorithm: _mean_goodput(
        window.run, path_class=path, interface=interface, file=file, algorithm=algorithm
    )
