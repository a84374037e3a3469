"""Runs, figures, charts and tables of the two-flow bench.

Source of the claims: K. Mills et al., the methodology paper of NIST SP 500-282: 162 ms, no initial
threshold. Ranges for words are ours; `assumptions.csv` has figures under another assumption.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import polars as pl

from mesonet.numbers import percent
from mesonet.page.tables import Table, rows_table
from mesonet.studies import Item, Options, RunResults, table, value
from mesonet_studies.two_flow.bounds import bound_figures, bound_items
from mesonet_studies.two_flow.runs import (
    JOIN,
    PARAMETERS,
    REFERENCE_RTT,
    SETTINGS,
    parameter_settings,
    path_packets,
    run_name,
    threshold_text,
    two_flow_items,
)

PATH = path_packets(REFERENCE_RTT)
"""Capacity of the path at 162 ms [packets]."""
_ASSUMPTIONS = pl.read_csv(Path(__file__).with_name("assumptions.csv"))
_WINDOW = 10
"""Points of a curve that a mean over 50 s has."""


def runs(options: Options) -> list[Item]:
    """Every algorithm under every setting of the size, and flows under other bounds."""
    benches = two_flow_items(
        _settings(options),
        options.chosen,
        seed=options.run_seed,
        transport=options.values["transport"],
        models=options.values["models"],
    )
    return benches + bound_items(options.chosen, seed=options.run_seed)


def _settings(options: Options) -> Sequence[tuple[int, float]]:
    """Pairs of round-trip time [ms] and threshold [segments], the published one first."""
    return SETTINGS[:1] if options.values["published_only"] else SETTINGS


def settings(options: Options) -> dict[str, str]:
    """Parameters that the source states, and the seed."""
    parameters = parameter_settings(PARAMETERS, options)
    return parameters | {"Seed": f"{options.run_seed} and those that follow"}


def facts(run: RunResults) -> dict[str, str]:
    """Number of algorithms."""
    return {"Algorithms": str(len(run.options.chosen))}


def figures(run: RunResults) -> dict[str, float]:
    """Figures of the published setting by algorithm, undefined where the size does not run it."""
    numbers: dict[str, float] = {}
    names: dict[str, float] = {}
    absent = []
    for algorithm, prefix in run.options.values["prefixes"].items():
        result = run.results.get(run_name(algorithm, REFERENCE_RTT, math.inf))
        if result is None:
            absent.append(prefix)
            continue
        measured = {**result["figures"], "convergence": convergence(result["curves"])}
        measured["alone_excess_late"] = measured["alone_window_late"] - PATH
        names |= dict.fromkeys(measured, math.nan)
        numbers |= {f"{prefix}.{name}": value for name, value in measured.items()}
    numbers |= bound_figures(run.results)
    if run.options.algorithms is None and not run.failures:
        numbers |= {f"{prefix}.{name}": value for prefix in absent for name, value in names.items()}
    return numbers


def convergence(curves: Mapping[str, Sequence[float]]) -> float:
    """Time from blue's start until its part of the goodput is 40 to 60 % over 50 s [s].

    It is that of the first point of those 50 s; infinite if that never happens.
    """
    times, red, blue = curves["time"], curves["red_use"], curves["blue_use"]
    for k in range(len(times) - _WINDOW + 1):
        if times[k] < JOIN:
            continue
        both = sum(red[k : k + _WINDOW]) + sum(blue[k : k + _WINDOW])
        if both and 0.4 <= sum(blue[k : k + _WINDOW]) / both <= 0.6:
            return times[k] - JOIN
    return math.inf


@value
def has_windows(run: RunResults) -> bool:
    """Tests whether any window is measured under two assumptions."""
    return any(name in run.figures for name in _ASSUMPTIONS["other"])


@table
def windows(run: RunResults) -> Table | None:
    """Windows under other assumptions, beside the printed ones."""
    figures = run.figures
    rows = [
        {
            **row,
            "printed": float(row["printed"]),
            "scored": figures[row["scored"]],
            "other": figures[row["other"]],
            "off": figures[row["other"]] / row["printed"] - 1,
        }
        for row in _ASSUMPTIONS.iter_rows(named=True)
        if row["scored"] in figures and row["other"] in figures
    ]
    headings = {"choice": "assumption", "what": "what", "printed": "published"}
    headings |= {"scored": "as scored", "other": "under the other assumption", "off": "then off by"}
    return rows_table("two-flow-readings", rows, headings, {"off": partial(percent, digits=2)})


@table
def every_run(run: RunResults) -> Table | None:
    """Every figure of every run."""
    rows = [
        {
            "algorithm": algorithm,
            "rtt_ms": rtt,
            "ssthresh": threshold_text(threshold),
            **run.results[name]["figures"],
        }
        for rtt, threshold, algorithm, name in finished(run)
    ]
    headings = {"algorithm": "algorithm", "rtt_ms": "RTT (ms)", "ssthresh": "threshold"}
    measured = run.options.values["headings"]
    parts = [name for name in measured if not name.endswith(("_window", "_queue"))]
    form = partial(percent, digits=3, signed=False)
    return rows_table("two-flow", rows, headings | measured, dict.fromkeys(parts, form))


def finished(run: RunResults) -> list[tuple[int, float, str, str]]:
    """Round-trip time, threshold, algorithm and name of every run that has results."""
    return [
        (*setting, algorithm, name)
        for setting in _settings(run.options)
        for algorithm in run.options.chosen
        if (name := run_name(algorithm, *setting)) in run.results
    ]
