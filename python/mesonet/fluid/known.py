"""Means of the equations after the warm-up, and how far they were from the engine's where both ran.

The errors are those of the manual's page of the fluid model, whose program writes them.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import NamedTuple

import polars as pl

from mesonet.fluid import path_of, solve
from mesonet.scenario.dumbbell import Dumbbell

_NEAR = 1.1
"""Factor within which a measured level is the level of a scenario."""


class Means(NamedTuple):
    """Means over the measured time, or the largest errors of these."""

    share: float
    """Part of the capacity that all flows of the algorithm have together [1]."""
    window: float
    """Window of a flow [segments]; as an error, over the engine's [1]."""
    queue: float
    """Queue over the buffer [1]."""


def means(scenario: Dumbbell) -> dict[str, Means]:
    """Solves the equations of a scenario and takes the means."""
    return averaged(scenario, solve(scenario))


def averaged(scenario: Dumbbell, solved: pl.DataFrame) -> dict[str, Means]:
    """Means of what `solve` returned, from the end of the warm-up on, by algorithm."""
    path = path_of(scenario)
    measured = solved.filter(pl.col("time") > scenario.warm_up * scenario.duration)
    averages = {}
    for name, count in path.flows.items():
        own = measured.filter(pl.col("algorithm") == name)
        window, queue, rate = own.select("window", "queue", "rate").mean().row(0)
        averages[name] = Means(rate * count / path.rate, window, queue / path.room)
    return averages


def known_error(scenario: Dumbbell, algorithm: str) -> Means | None:
    """The largest errors of the conditions that were measured around a scenario.

    None where there are none: a level of the scenario has no measured one on both sides, or its
    profile, its transport or a parameter of an algorithm is another one.
    """
    own, usual = scenario.resolve(), scenario.replace({"transport": {}, "parameters": {}}).resolve()
    same = all(own[name] == usual[name] for name in ("transport", "algorithms"))
    if scenario.effective_profile() != "rfc" or not same:
        return None
    path = path_of(scenario)
    (beside, others), *_ = [it for it in path.flows.items() if it[0] != algorithm] or [("", 0)]
    rows = measured().filter((pl.col("algorithm") == algorithm) & (pl.col("beside") == beside))
    levels = {
        "rate": path.rate,
        "rtt": path.rtt,
        "random": path.loss,
        "flows": path.flows[algorithm],
        "others": others,
        "buffer": path.room / path.rate / path.rtt,
    }
    for name, level in levels.items():
        there = rows[name]
        around = (
            there.filter(there <= level * _NEAR).max(),
            there.filter(there * _NEAR >= level).min(),
        )
        rows = rows.filter(pl.col(name).is_in(around))
        if None in around:
            return None
    return Means(*rows.select(pl.col(Means._fields).abs().max()).row(0))


@cache
def measured() -> pl.DataFrame:
    """Fluid minus engine, a row per algorithm and condition; rates are in packets per second."""
    file = resources.files("mesonet") / "data" / "fluid-errors.csv"
    return pl.read_csv(file.read_bytes()).with_columns(pl.col("beside").fill_null(""))
