"""Conditions of the study `l4s`, in the order of its plans, and figures of its runs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl

from mesonet.studies.study import RunResults

HERE = Path(__file__).parent
PATHS = pl.read_csv(HERE / "paths.csv").to_dicts()
"""Paths of `plan-paths.toml`: name, round-trip time [ms] and title of each."""
TOLERANCE = 0.1
"""Largest difference of shares that agree, as a part of the link."""


def run_name(plan: str, number: int, replicate: int) -> str:
    """Name of a run: its plan, the number of its condition from 0, and its replicate from 0."""
    return f"{plan}-{number}-{replicate}"


PAIR_NUMBERS: Mapping[str, Callable[..., float]] = {
    "first": lambda result: result["goodput"]["0"] / 1e6,
    "second": lambda result: result["goodput"]["1"] / 1e6,
    "share": lambda result: result["goodput"]["0"] / sum(result["goodput"].values()),
    "ratio": lambda result: result["goodput"]["0"] / result["goodput"]["1"],
}
"""Numbers of the result of a pair of flows: goodputs [Mbit/s], and part and ratio of the first."""
PATH_NUMBERS: Mapping[str, Callable[..., float]] = {
    "ratio": lambda result: result["goodput"]["l"] / result["goodput"]["c"],
    "prague": lambda result: (
        result["cwnd"]["l"] * 2 * result["p"] * max(25e-3 / result["srtt"]["l"], 1)
    ),
    "cubic": lambda result: result["cwnd"]["c"] * result["p"],
    "rtt_prague": lambda result: result["srtt"]["l"] * 1e3,
    "rtt_cubic": lambda result: result["srtt"]["c"] * 1e3,
}
"""Numbers of the result of a path: ratio, constants of the formula, round-trip times [ms]."""
LOG_RATIO: Mapping[str, Callable[..., float]] = {
    "log": lambda result: math.log(result["goodput"]["l"] / result["goodput"]["c"])
}
"""Logarithm of the ratio of a Prague to a classic flow."""


def conditions(values: Mapping[str, Any]) -> dict[str, list[str]]:
    """Names of the conditions of plans in their order, from the values of the study."""
    names = values["conditions"]
    bed = itertools.product(names["pairs"], names["bottlenecks"])
    shared = itertools.product(names["classic"], names["queues"])
    return {
        "bed": [f"bed.{bottleneck}.{pair}" for pair, bottleneck in bed],
        "second": ["second"],
        "shared": [f"shared.{queue}.{classic}" for classic, queue in shared],
        "paths": [f"paths.{each['path']}" for each in PATHS],
    }


def figures(run: RunResults) -> Mapping[str, float]:
    """Means over replicates by condition and number; NaN without any result."""
    return {
        f"{condition}.{name}": value
        for plan, names in conditions(run.options.values).items()
        for number, condition in enumerate(names)
        for name, value in _means(
            run, plan, number, PATH_NUMBERS if plan == "paths" else PAIR_NUMBERS
        ).items()
    } | _design_figures(run)


def _means(
    run: RunResults, plan: str, number: int, numbers: Mapping[str, Callable[..., float]]
) -> dict[str, float]:
    names = [run_name(plan, number, at) for at in range(int(run.options.values["replicates"]))]
    found = [run.results[name] for name in names if name in run.results]
    return {name: fmean(map(of, found)) if found else math.nan for name, of in numbers.items()}


def _design_figures(run: RunResults) -> dict[str, float]:
    """Geometric mean and range of the ratio, and factors by which the second levels multiply it."""
    factors = run.options.values["factors"]
    y = [_means(run, "design", number, LOG_RATIO)["log"] for number in range(2 ** len(factors))]
    found = {"mean": fmean(y), "least": min(y), "most": max(y)}
    for at, name in enumerate(factors):
        low, high = (
            fmean(log for number, log in enumerate(y) if number >> at & 1 == level)
            for level in (0, 1)
        )
        found[f"effect.{name}"] = high - low
    return {f"design.{name}": math.exp(log) for name, log in found.items()}


def formula(rtt: float) -> float:
    """Rate of a Prague flow over that of a CUBIC flow by RFC 9332, appendix C.2.

    Args:
        rtt: base round-trip time of both [ms].
    """
    return (rtt + 15) / (1.4 * max(rtt, 25))


def published() -> list[dict[str, Any]]:
    """Rows of the first test bed: goodputs [Mbit/s] and the part of the first flow."""
    return pl.read_csv(HERE / "test-bed.csv").to_dicts()
