"""Response functions measured by simulation.

One flow without limit on a path that never queues, with losses at random; every segment is
acknowledged. The measure is the mean window over time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.keywords import dumbbell
from mesonet.simulate import Run
from mesonet.studies.bench import Item, Results
from mesonet.studies.response_function.curves import (
    CURVES,
    Curve,
    expected_window,
    periodic_window,
)
from mesonet.studies.study import Size

PROBABILITIES: Mapping[Size, tuple[float, ...]] = {
    "pocket": (1e-2, 1e-3, 1e-4),
    "desk": (1e-2, 1e-3, 1e-4, 1e-5),
    "full": (1e-2, 1e-3, 1e-4, 1e-5, 1e-6),
}
"""Loss probabilities of a size."""
EDITION = 1

_WARM_UP = 0.1
_LOSSES = {1e-5: 500.0, 1e-6: 300.0}
_LOSSES_ELSE = 2000.0
_LOSSES_POCKET = 500.0


def losses(p: float, *, size: Size = "full") -> float:
    """Losses that a run should have; their number decides how well the mean is known."""
    return _LOSSES_POCKET if size == "pocket" else _LOSSES.get(p, _LOSSES_ELSE)


def duration(curve: Curve, p: float, *, size: Size = "full") -> float:
    """Simulated time [s] in which the published window has that many losses."""
    return losses(p, size=size) / p / curve.window(p) * curve.rtt


def response_scenario(curve: Curve, p: float, *, size: Size = "full") -> Dumbbell:
    """One flow at a loss probability; slow start ends at the published window."""
    return dumbbell(
        rate="100000 p/ms",
        rtt=f"{curve.rtt * 1000:g} ms",
        buffer="10000000 packets",
        loss=p,
        flows=[curve.algorithm],
        profile="mesonet",
        initial_ssthresh=max(round(curve.window(p)), 2),
        interval=f"{curve.rtt * 1000:g} ms",
        duration=f"{duration(curve, p, size=size):.6g} s",
    )


def run_name(curve: Curve, p: float) -> str:
    """Name of a run: unique in the study."""
    return f"{curve.algorithm}-{curve.rtt * 1000:g}ms-{p:g}"


def response_items(size: Size, algorithms: Iterable[str], *, seed: int = 1) -> list[Item]:
    """The runs of the study, for those algorithms that have a published function."""
    wanted = set(algorithms)
    return [
        Item(
            run_name(curve, p),
            response_scenario(curve, p, size=size),
            measure_window,
            edition=EDITION,
            seed=seed,
            cost=losses(p, size=size) / p,
        )
        for curve in CURVES
        if curve.algorithm in wanted
        for p in PROBABILITIES[size]
    ]


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

    `published` is the printed function, for a loss every 1/p segments; `random` is what the
    published rule gives under losses at random; `carried` is the printed function times what
    randomness makes of the rule, `random` over `periodic`. Windows in segments.
    """
    rows = []
    for curve in CURVES:
        for p in PROBABILITIES["full"]:
            result = results.get(run_name(curve, p))
            if result is None:
                continue
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
