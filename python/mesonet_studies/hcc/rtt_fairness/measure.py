"""RTT fairness: two flows whose round-trip times differ; figure 12 of the slides, a table.

Efficiency is the sum of both throughputs, fairness Jain's index. The round-trip time of the first
flow is not printed; we take 40 ms, twice the 20 ms of the shared link. Nor is it printed when the
flows start; we start them together, and FAST shares equally then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl

from mesonet.page.tables import Table, numbers, words
from mesonet.page.tables import table as table_of
from mesonet.run import Run
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.studies import Item, Options, RunResults, table, value
from mesonet.studies.study import Results
from mesonet_studies.hcc.lab import BUFFERS, RATE, lab, lab_settings, model_of

_RATIOS = (1.0, 1.5, 2.0, 6.0)
_KEY = ["algorithm", "buffer", "ratio"]
_NUMBERS = ("first", "second", "efficiency", "jain")
_MANY = 8

settings = lab_settings


def runs(options: Options) -> list[Item]:
    """Two flows of each algorithm at every buffer and ratio of round-trip times."""
    cost = RATE * 125 * options.values["table_duration"]
    every = product(BUFFERS, options.values["ratios"], algorithms_compared(options))
    return [
        Item(
            run_name(algorithm, ratio, buffer),
            fairness_scenario(algorithm, ratio=ratio, buffer=buffer, options=options),
            measure_fairness,
            seed=options.run_seed,
            cost=cost,
        )
        for buffer, ratio, algorithm in every
    ]


def algorithms_compared(options: Options) -> Sequence[str]:
    """Algorithms of the table: those asked for, or the study's own."""
    own: Sequence[str] = options.values.get("table", options.chosen)
    return own if options.algorithms is None else options.chosen


def fairness_scenario(algorithm: str, *, ratio: float, buffer: int, options: Options) -> Dumbbell:
    """The second flow's round trip is `ratio` times the first's."""
    values = options.values
    flows: dict[str, dict[str, Any]] = {
        name: {"algorithm": model_of(algorithm, values), "name": name}
        for name in ("first", "second")
    }
    flows["second"]["rtt"] = f"{values['rtt'] * ratio:g} ms"
    if values["start"]:
        flows[values["late"]]["start"] = f"{values['start']:g} s"
    common: dict[str, Any] = {name: values.get(name) for name in ("rtt", "hosts", "transport")}
    common["duration"] = values["table_duration"]
    return lab(list(flows.values()), buffer=buffer, **common)


def run_name(algorithm: str, ratio: float, buffer: int) -> str:
    """Name of a run: unique in the study."""
    return f"{algorithm}-{ratio:g}-{buffer}"


def measure_fairness(run: Run) -> dict[str, Any]:
    """Throughputs of the two flows over the whole run [Mbit/s], headers included; mean queue."""
    assert isinstance(run.scenario, Dumbbell)
    packet = run.scenario.packet
    bits = 8 * (packet.smss + packet.header)
    segments = [float(run.flows.filter(flow=name)["acked"].sum()) for name in ("first", "second")]
    first, second = (count * bits / run.scenario.duration / 1e6 for count in segments)
    forward = run.queues.filter(station="forward")["packets"].to_numpy()
    return {"first": first, "second": second, "queue": float(forward.mean())}


def jain(*rates: float) -> float:
    """Jain's index of throughputs: 1 if all are equal, 1/n if one has everything."""
    squares = sum(rate * rate for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else 1.0


@cache
def printed() -> pl.DataFrame:
    """The printed table: throughputs and their sum [Mbit/s], and Jain's index."""
    return pl.read_csv(Path(__file__).parents[1] / "figure-12.csv")


def fairness_frame(results: Results, algorithms: Iterable[str]) -> pl.DataFrame:
    """One row per run: throughputs, efficiency and Jain's index, measured and published."""
    rows = [
        {
            **dict(zip(_KEY, key, strict=True)),
            **run,
            "efficiency": run["first"] + run["second"],
            "jain": jain(run["first"], run["second"]),
        }
        for key in ((name, buffer, r) for buffer in BUFFERS for name in algorithms for r in _RATIOS)
        if (run := results.get(run_name(key[0], key[2], key[1])))
    ]
    kinds = dict(zip(_KEY, (pl.String, pl.Int64, pl.Float64), strict=True))
    schema = kinds | dict.fromkeys(("first", "second", "queue", "efficiency", "jain"), pl.Float64)
    published = printed().select(*_KEY, pl.col(_NUMBERS).name.prefix("published_"))
    frame = pl.DataFrame(rows, schema=schema)
    return frame.join(published, on=_KEY, how="left", maintain_order="left")


@value
def crowded(run: RunResults) -> bool:
    """Tests whether the chart has too many algorithms to show both buffers."""
    return len(algorithms_compared(run.options)) > _MANY


@table
def fairness(run: RunResults, buffer: int) -> Table | None:
    """Measured and published throughputs, efficiency and index at a buffer size."""
    frame = fairness_frame(run.results, algorithms_compared(run.options)).filter(buffer=buffer)
    columns = [words("algorithm", "algorithm"), numbers("ratio", "RTT ratio")]
    headings = ("T1 (Mbit/s)", "T2 (Mbit/s)", "EI (Mbit/s)", "FI")
    for name, heading in zip(_NUMBERS, headings, strict=True):
        columns.append(numbers(name, heading))
        if frame[f"published_{name}"].count():
            columns.append(numbers(f"published_{name}", "published"))
    return None if frame.is_empty() else table_of(f"rtt-fairness-{buffer}", frame, columns)
