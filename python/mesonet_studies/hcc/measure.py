"""Runs, figures, charts and tables of the slides on HCC, figure by figure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from operator import itemgetter
from typing import Any

import numpy as np

from mesonet.page.tables import Table, rows_table
from mesonet.studies import Item, Options, RunResults, table, value
from mesonet.studies.study import Results
from mesonet_studies.hcc.lab import (
    AMPLE,
    BUFFERS,
    RATE,
    SCARCE,
    lab_settings,
    label_of,
    measure_flows,
    scenarios,
)
from mesonet_studies.hcc.rtt_fairness import measure as rtt_fairness
from mesonet_studies.hcc.rtt_fairness.measure import jain, printed, run_name
from mesonet_studies.hcc.terms import term_items

LOSS_BASED = ("hstcp", "scalable", "htcp", "bic")
"""Protocols that the slides call loss-based."""
_LOSS_DELAY = ("ctcp", "illinois")
"""Protocols of which the slides say that some lose throughput by reverse traffic."""
_QUICK = ("hstcp", "scalable", "htcp")
"""Protocols of which the slides say that they take free capacity rapidly."""
_RATIOS = (1.5, 2.0, 6.0)

Row = dict[str, Any]
throughput = itemgetter("throughput")
Figure = Callable[[Mapping[str, Any]], float]

settings, crowded = lab_settings, rtt_fairness.crowded
fairness = rtt_fairness.fairness


def runs(options: Options) -> list[Item]:
    """The table of RTT fairness, then the runs of all other figures."""
    items = rtt_fairness.runs(options)
    for algorithm in options.chosen:
        for name, scenario in scenarios(algorithm, options.values):
            directions = 1 + any(flow.reverse for flow in scenario.flows)
            cost = scenario.bottleneck() * scenario.duration * directions
            items.append(Item(name, scenario, measure_flows, seed=options.run_seed, cost=cost))
    return items + term_items(options.chosen, seed=options.run_seed)


def figures(run: RunResults) -> dict[str, float]:
    """Figures that claims need, NaN where any of their runs is missing, as in numpy's min."""
    results, values = run.results, run.options.values

    def of(name: str, figure: Figure) -> float:
        return figure(results[name]) if name in results else math.nan

    def single(algorithm: str, buffer: int = AMPLE) -> float:
        return of(f"single-{algorithm}-{buffer}", throughput) or math.nan

    rivals = [name for name in values["table"] if name != "hcc"]
    over = [
        single("hcc", value) / np.max([single(name, value) for name in rivals])
        for value in values["buffers"]
    ]
    loads = [of(f"load-hcc-{load:g}", throughput) / single("hcc") for load in values["loads"]]
    reno, stcp = (
        [of(f"friendly-{name}-{buffer}", reno_part) for buffer in BUFFERS]
        for name in ("hcc", "scalable")
    )
    numbers = {
        "hcc.over-best-other": np.min(over),
        "hcc.use": single("hcc", 600) / RATE,
        "hcc.filled": of("single-hcc-600", filled),
        "hcc.equal-fi": np.min([of(f"equal-hcc-{buffer}", index_of) for buffer in BUFFERS]),
        "hcc.reno-part": np.min(reno),
        "hcc.reno-part-2000": reno[-1],
        "hcc.mean-reno-part": statistics.fmean(reno),
        "stcp.mean-reno-part": statistics.fmean(stcp),
        "hcc.kept-load": np.min(loads),
        "fast.use": single("fast") / RATE,
        "fast.settled": of(f"single-fast-{AMPLE}", settled),
    }
    for name in ("fast", "hcc", "vegas", "illinois", *values["reverse_only"]):
        against = of(f"reverse-{name}-{AMPLE}", throughput)
        numbers[f"{name}.kept-reverse"] = against / single(name)
    numbers["eefast.kept-paced"] = of("paced-eefast", throughput) / single("eefast")
    for name, term in product(run.options.chosen, ("aggressiveness", "responsiveness")):
        numbers[f"{name}.{term}"] = of(f"terms-{name}", itemgetter(term))
    quick = [of(f"terms-{name}", itemgetter("aggressiveness")) for name in _QUICK]
    numbers["quick.least-aggressiveness"] = np.min(quick)
    numbers["loss-delay.least-kept"] = min(numbers[f"{it}.kept-reverse"] for it in _LOSS_DELAY)
    for name in ("fast", "hcc", "vegas"):
        numbers[f"{name}.scarce"] = single(name, SCARCE) / single(name)
        numbers[f"{name}.queue"] = of(f"single-{name}-{AMPLE}", late_queue)
    for name, figure in (("loss", itemgetter("loss")), ("swing", swing)):
        values_of = [of(f"single-{algorithm}-{AMPLE}", figure) for algorithm in LOSS_BASED]
        numbers[f"loss-based.least-{name}"] = np.min(values_of)
        numbers[f"fast.{name}"] = of(f"single-fast-{AMPLE}", figure)
    return {name: float(value) for name, value in (numbers | _table_figures(results)).items()}


def _table_figures(results: Results) -> dict[str, float]:
    """Cells of the table, and means and least values of its indices, by protocol."""
    numbers: dict[str, float] = {}
    missing = {"first": math.nan, "second": math.nan}
    for (name,), cells in printed().group_by("id", maintain_order=True):
        indices: dict[int, list[float]] = {buffer: [] for buffer in BUFFERS}
        for cell in cells.iter_rows(named=True):
            buffer, ratio = cell["buffer"], cell["ratio"]
            run = results.get(run_name(cell["algorithm"], ratio, buffer), missing)
            both = run["first"], run["second"]
            numbers[f"table.{name}-{buffer}-{ratio:g}.ei"] = sum(both)
            numbers[f"table.{name}-{buffer}-{ratio:g}.fi"] = jain(*both)
            numbers[f"table.{name}-{buffer}-{ratio:g}.t2"] = run["second"]
            indices[buffer].append(jain(*both))
        numbers |= {f"{name}.fi-{buffer}": statistics.fmean(indices[buffer]) for buffer in BUFFERS}
        numbers[f"{name}.fi"] = statistics.fmean(index for few in indices.values() for index in few)
        numbers[f"{name}.least-fi-{AMPLE}"] = np.min(indices[AMPLE])
    return numbers


def index_of(run: Mapping[str, Any]) -> float:
    """Jain's index of the flows of a run."""
    return jain(*run["throughputs"].values())


def reno_part(run: Mapping[str, Any]) -> float:
    """Reno flows' part of the throughput of a run."""
    reno = sum(x for name, x in run["throughputs"].items() if name.startswith("reno"))
    return float(reno / run["throughput"])


def late_queue(run: Mapping[str, Any]) -> float:
    """Mean queue in the second half of a run [packets]."""
    return statistics.fmean(_late(run["curves"]["queue"]))


def swing(run: Mapping[str, Any]) -> float:
    """Standard deviation of the window in the second half of a run, as a part of its mean."""
    window = _late(run["curves"]["flow.window"])
    return statistics.pstdev(window) / statistics.fmean(window)


def settled(run: Mapping[str, Any]) -> float:
    """Time from which the window stays within 5 % of its mean in the second half [s]."""
    window, times = run["curves"]["flow.window"], run["curves"]["time"]
    level = statistics.fmean(_late(window))
    away = [k for k, value in enumerate(window) if abs(value / level - 1) > 0.05]
    last = float(times[away[-1]]) if away else 0.0
    return math.inf if away and away[-1] + 1 == len(window) else last


def filled(run: Mapping[str, Any]) -> float:
    """Time at which a flow first has nine tenths of the capacity [s]."""
    both = zip(run["curves"]["time"], run["curves"]["flow.rate"], strict=True)
    return next((time for time, rate in both if rate >= 0.9 * RATE), math.inf)


def _late(values: Sequence[float]) -> Sequence[float]:
    return values[len(values) // 2 :]


AXES = {
    "single": ("buffers", "buffer", "Buffer (packets)"),
    "reverse": ("reverse_buffers", "buffer", "Buffer (packets)"),
    "loss": ("losses", "p", "Probability of loss"),
    "load": ("loads", "load", "Reverse load (Mbit/s)"),
}
"""Values of a size, and name and title of the axis, by kind of runs."""


def points(run: RunResults, kind: str) -> list[Row]:
    """Rows of runs of one flow, by protocol and the value on the axis."""
    values, x, _ = AXES[kind]
    buffers = (SCARCE, AMPLE) if kind == "loss" else (0,)
    places = [0.0] * (kind == "load") + run.options.values[values]
    rows: list[Row] = []
    for buffer, algorithm, place in product(buffers, run.options.chosen, places):
        middle = f"{algorithm}-{buffer}" if buffer else algorithm
        name = f"{kind}-{middle}-{place:g}" if place else f"single-{algorithm}-{AMPLE}"
        if outcome := run.results.get(name):
            row: Row = {"protocol": label_of(algorithm), x: place}
            row |= {"panel": f"{buffer} packets"} if buffer else {}
            row |= {"throughput": outcome["throughput"]}
            row |= (
                {"queue": outcome["queue"], "loss": 100 * outcome["loss"]} if x == "buffer" else {}
            )
            rows.append(row)
    return rows


@table
def every_run(run: RunResults, kind: str) -> Table | None:
    """Runs of one flow by buffer ("single", "reverse") or by loss ("loss")."""
    rows, headings = points(run, kind), run.options.values["headings"]
    present = {name: heading for name, heading in headings.items() if rows and name in rows[0]}
    return rows_table(kind, rows, present)


@value
def varied(run: RunResults) -> bool:
    """Tests whether any variant has been run."""
    return bool(run.variants)


@table
def readings(run: RunResults) -> Table | None:
    """Cells of figure 12 within the tolerances, by round trip and starts, and by protocol."""
    rows = []
    for reading in _under(run, "timing"):
        row: Row = {"reading": reading.options.values["timing"], "fi": 0, "ei": 0, "of": 0}
        for cell in printed().iter_rows(named=True):
            name = f"table.{cell['id']}-{cell['buffer']}-{cell['ratio']:g}"
            index, total = (reading.figures[f"{name}.{kind}"] for kind in ("fi", "ei"))
            if math.isnan(index):
                continue
            near = abs(index - cell["jain"]) <= 0.05
            row["fi"] += near
            row["ei"] += abs(total / cell["efficiency"] - 1) <= 0.02
            row["of"] += 1
            row[cell["label"]] = row.get(cell["label"], 0) + near
        rows += [row] if row["of"] else []
    if len(rows) < 2:
        return None
    headings = dict(zip(rows[0], rows[0], strict=True))
    headings |= {"reading": "interpretation", "fi": "FI within 0.05"}
    headings |= {"ei": "EI within 2 %", "of": "cells of each"}
    return rows_table("readings", rows, headings, dict.fromkeys(headings, str))


@table
def bases(run: RunResults) -> Table | None:
    """Throughput of one flow by round trip and buffer."""
    under = _under(run, "rtt")
    rows = [
        {"protocol": label_of(name)}
        | {
            f"{under_base.options.values['rtt']:g} ms, {buffer} packets": outcome["throughput"]
            for under_base in under
            for buffer in (SCARCE, 600, AMPLE)
            if (outcome := under_base.results.get(f"single-{name}-{buffer}"))
        }
        for name in run.options.chosen
    ]
    return _plain("bases", rows, 1 + 3 * len(under)) if len(under) > 1 else None


@table
def constants(run: RunResults) -> Table | None:
    """HCC by constants that are not printed: one flow, and the index of two."""
    under = _under(run, "constants")
    rows = [
        {"constants": variant.options.values["constants"]}
        | {
            f"one flow, {buffer} packets (Mbit/s)": outcome["throughput"]
            for buffer in (SCARCE, 600)
            if (outcome := variant.results.get(f"single-hcc-{buffer}"))
        }
        | {
            f"FI at {ratio:g}, 600 packets": variant.figures[f"table.hcc-600-{ratio:g}.fi"]
            for ratio in _RATIOS
        }
        for variant in under
    ]
    return _plain("constants", rows, 6) if len(under) > 1 else None


def _under(run: RunResults, name: str) -> list[RunResults]:
    """The scored results, and those under variants that change a value."""
    ours, variants = run.options.values[name], run.variants.values()
    return [run, *(variant for variant in variants if variant.options.values[name] != ours)]


def _plain(identifier: str, rows: Sequence[Row], width: int) -> Table | None:
    """A table of the rows that have every column, a name and numbers; None without any."""
    whole = [row for row in rows if len(row) == width]
    return rows_table(identifier, whole, {name: name for row in whole[:1] for name in row})
