"""Response functions measured by simulation: mean windows over time.

One flow on a path that never queues, with losses at random; every segment is acknowledged.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from mesonet.errors import PlanError, Problem, did_you_mean
from mesonet.numbers import percent
from mesonet.page.tables import Format, Table, headed
from mesonet.page.tables import table as table_of
from mesonet.run import Run
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.keywords import dumbbell
from mesonet.studies import Item, Options, RunResults, table
from mesonet.studies.study import Results
from mesonet_studies.response_function.curves import CURVES, Curve, expected_window, periodic_window

PROBABILITIES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
"""Loss probabilities of all sizes."""
_WARM_UP = 0.1


def runs(options: Options) -> list[Item]:
    """Every published function at the loss probabilities of the size."""
    published = list(dict.fromkeys(curve.algorithm for curve in CURVES))
    expected = f"expected {', '.join(published)}; no published response function of"
    unknown = [name for name in options.chosen if name not in published]
    if unknown:
        messages = [f'{expected} "{name}"{did_you_mean(name, published)}' for name in unknown]
        raise PlanError(Problem("algorithms", "unknown_algorithm", message) for message in messages)
    return [
        Item(
            run_name(curve, p),
            response_scenario(curve, p, losses=losses),
            measure_window,
            seed=options.run_seed,
            cost=losses / p,
        )
        for curve in CURVES
        if curve.algorithm in options.chosen
        for p, losses in options.values["losses"]
    ]


def response_scenario(curve: Curve, p: float, *, losses: float) -> Dumbbell:
    """One flow with so many losses at the published window, at which slow start ends."""
    return dumbbell(
        rate="100000 p/ms",
        rtt=f"{curve.rtt * 1000:g} ms",
        buffer="10000000 packets",
        loss=p,
        flows=[curve.algorithm],
        profile="mesonet",
        initial_ssthresh=max(round(curve.window(p)), 2),
        interval=f"{curve.rtt * 1000:g} ms",
        duration=f"{losses / p / curve.window(p) * curve.rtt:.6g} s",
    )


def run_name(curve: Curve, p: float) -> str:
    """Name of a run: unique in the study."""
    return f"{curve.algorithm}-{curve.rtt * 1000:g}ms-{p:g}"


def measure_window(run: Run) -> dict[str, Any]:
    """Mean window after the first tenth [segments], its standard error, and counts of losses."""
    begin = _WARM_UP * run.scenario.duration
    window = run.flows.filter(pl.col("time") > begin)["cwnd"].to_numpy()
    # Means over long stretches, each with many losses, are close to independent.
    batches = [part.mean() for part in np.array_split(window, 20) if part.size]
    return {
        "window": float(window.mean()),
        "error": float(np.std(batches, ddof=1) / math.sqrt(len(batches))),
        "recoveries": int(run.series["recoveries"].sum()),
        "timeouts": int(run.series["timeouts"].sum()),
    }


def response_frame(results: Results) -> pl.DataFrame:
    """One row per algorithm, round-trip time and loss probability that has been measured.

    Windows are in segments: `published` by the printed function, `random` by the rule under losses
    at random, and `carried`, the printed one times what randomness makes of the rule.
    """
    rows = []
    for curve, p in product(CURVES, PROBABILITIES):
        if result := results.get(run_name(curve, p)):
            printed, random = curve.window(p), expected_window(curve, p)
            periodic = periodic_window(curve, p)
            carried = printed * random / periodic
            rows.append(
                {
                    "algorithm": curve.label,
                    "name": curve.algorithm,
                    "rtt": curve.rtt,
                    "loss": p,
                    "published": printed,
                    "periodic": periodic,
                    "random": random,
                    "carried": carried,
                    **result,
                    "from_published": result["window"] / printed - 1,
                    "from_carried": result["window"] / carried - 1,
                    "source": curve.source,
                }
            )
    return pl.DataFrame(rows)


def figures(run: RunResults) -> dict[str, float]:
    """Largest difference from each function [%], and Reno's constant; NaN without runs."""
    rows = response_frame(run.results).rows(named=True)
    numbers: dict[str, float] = {}
    for curve in CURVES:
        off = [
            abs(row["from_carried"])
            for row in rows
            if (row["name"], row["rtt"]) == (curve.algorithm, curve.rtt)
            and applies(curve, row["loss"])
        ]
        name = f"{curve.label.lower()}-{curve.rtt * 1000:g}ms.largest_difference"
        numbers[name] = 100 * max(off, default=math.nan)
    reno: Mapping[str, float] = run.results.get(run_name(CURVES[0], 1e-4), {"window": math.nan})
    return numbers | {"reno.constant": reno["window"] * math.sqrt(1e-4)}


def applies(curve: Curve, p: float) -> bool:
    """Tests whether the printed function is meant for a loss probability.

    Kelly's is for windows above 16 segments. Near that bound the rule has two states.
    """
    return curve.label != "Scalable" or 0.075 / p > 16


def settings(options: Options) -> dict[str, str]:
    """Seed of the runs."""
    return {"Seed": str(options.run_seed)}


@table
def windows(run: RunResults) -> Table | None:
    """Published and measured windows."""
    if not run.results:
        return None
    rows = response_frame(run.results).with_columns(rtt_ms=pl.col("rtt") * 1000)
    forms: dict[str, Format] = {"loss": lambda p: f"{p:.0e}"}
    forms |= {"from_published": percent, "from_carried": percent}
    columns = headed(rows, run.options.values["headings"], forms)
    return table_of("response-function", rows, columns)
