"""Does a controller do what every controller has to do? `check_controller` tries it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from mesonet.controller import (
    Controller,
    Demand,
    Demands,
    algorithm_name,
    demands,
    discipline_for,
)
from mesonet.errors import ControllerError, InputError
from mesonet.run import Run
from mesonet.scenario.keywords import dumbbell
from mesonet.simulation import MAX_SEED, beyond, simulate

MAX_STEPS = 1_000_000_000
"""Most random events that are played; they take minutes."""
_SIMULATED = "two flows of it share a lossy bottleneck, use at least a tenth of it"
_REPEATED = "the same scenario and seed give the same run"
_RESPONDS = (
    "the window does not grow with the loss probability up to 1e-2, and is halved by 1e-1 or before"
)

# Losses that standard TCP has in a run at a loss probability; with it the cost is bounded, for the
# path holds no more than so many segments.
_LOSSES = {1e-1: 300, 1e-2: 300, 1e-3: 100, 1e-4: 40}
_PATH = 1000
_RTT = 0.1
_WARM_UP = 0.1
_ROUNDS = 1000
"""Fewest round trips of a run: ten probes for the least round-trip time, of those who probe."""
_ENOUGH = 0.8
"""Part of the losses that the rest of a run must see to be long enough."""
_STEADY = 0.1
"""Most by which the mean of its second half may differ from that of its first."""
# Means are known to about a tenth. Beyond 1e-2 it is the repair of timeouts that decides.
_NOISE = 1.2
_JUDGED = 1e-2


class ResponsePoint(NamedTuple):
    """Mean window of a controller at one probability of loss, beside that of standard TCP."""

    loss: float
    """Probability that a segment is lost."""
    window: float
    """Mean window in use: segments delivered per round trip of the unloaded path."""
    reno: float
    """Standard TCP's mean window, `reno_window`."""

    @property
    def ratio(self) -> float:
        """Mean window as a multiple of standard TCP's."""
        return self.window / self.reno

    @property
    def is_limited(self) -> bool:
        """The path, not loss, limits the window: on a larger one it may be larger."""
        return self.window > 0.9 * _PATH


def reno_window(p: float) -> float:
    """Mean window of standard TCP [segments] at a loss probability: sqrt(3 / (2 p)).

    Source: Mathis et al. 1997, for a loss every 1/p segments, an ACK each and no timeouts; with
    timeouts, as at 1e-1, it is less.
    """
    return math.sqrt(1.5 / p)


def check_controller(
    controller: str | type[Controller],
    *,
    seed: int = 1,
    steps: int = 4000,
    response: bool = True,
    parameters: Mapping[str, float] | None = None,
) -> Demands:
    """Tries a controller, built in or not, and says what it does and what it fails to do.

    Args:
        controller: A name such as "reno", "python:package.module.Class" or "library:PATH:NAME", or
            the class itself.
        seed: Seed of the events that are played at random, and of the runs.
        steps: Number of random events.
        response: Measure the response function, too, which takes most of the time.
        parameters: Parameters of the controller by name.

    One that cannot be made is tried only once: the first demand alone is in the answer. One that
    asks for single segments, of which no script tells, has those that simulate.

    Examples:
        >>> [demand.name for demand in check_controller("reno") if demand.problem]
        []
    """
    if problems := beyond(seed=(seed, 0, MAX_SEED), steps=(steps, 1, MAX_STEPS)):
        raise InputError(problems)
    name, values = algorithm_name(controller), dict(parameters or {})
    played = Demands(demands(controller, seed=seed, steps=steps, parameters=values))
    if len(played) == 1:
        return played
    tried = (*played, *_in_the_engine(name, seed, values))
    return Demands((*tried, _responds(name, seed, values)) if response else tried)


def _in_the_engine(name: str, seed: int, values: Mapping[str, float]) -> tuple[Demand, Demand]:
    options: dict[str, Any] = {
        "rate": "10 Mbit/s",
        "rtt": "40 ms",
        "loss": 0.001,
        "flows": [name, {"algorithm": name, "start": "2 s"}],
        "duration": "10 s",
    }
    try:
        run, again = (_run(name, seed, values, **options) for _ in range(2))
    except ControllerError as error:
        return Demand("simulation", _SIMULATED, str(error)), Demand(
            "repetition", _REPEATED, "not tried: there is no run to repeat"
        )
    used = run.responses["utilization"]
    poor = f"{used:.3f} of it is used" if used < 0.1 else None
    same = run.series.equals(again.series) and run.flows.equals(again.flows)
    different = None if same else "two runs have different time series"
    return Demand("simulation", _SIMULATED, poor), Demand("repetition", _REPEATED, different)


def _run(name: str, seed: int, values: Mapping[str, float], **options: Any) -> Run:
    scenario = dumbbell(
        queue=discipline_for(name), parameters={name: dict(values)} if values else {}, **options
    )
    return simulate(scenario, seed=seed, partial=False)


def response_function(
    controller: str | type[Controller],
    *,
    seed: int = 1,
    parameters: Mapping[str, float] | None = None,
) -> tuple[ResponsePoint, ...]:
    """Measures the mean window of a controller under random loss, from 1e-4 to 1e-1.

    One flow on a path of 1000 segments and a round-trip time of 100 ms; the means are known to
    about a tenth. `parameters` are the controller's, by name.
    """
    name = algorithm_name(controller)
    return tuple(
        ResponsePoint(p, _mean_window(name, p, seed, parameters or {}), reno_window(p))
        for p in sorted(_LOSSES)
    )


def _mean_window(name: str, p: float, seed: int, values: Mapping[str, float]) -> float:
    window, losses = reno_window(p), _LOSSES[p]
    # Standard TCP sees so many losses in this time. What fills the path sees them sooner, and
    # would take minutes to simulate for as long.
    whole = losses / p / window
    soon = max(losses / p / _PATH, _ROUNDS)
    for rounds in (soon, whole) if soon < whole / 2 else (whole,):
        run = _run(
            name,
            seed,
            values,
            rate=f"{_PATH / _RTT / 1000:g} p/ms",
            rtt=f"{_RTT * 1000:g} ms",
            loss=p,
            flows=[name],
            profile="mesonet",
            initial_ssthresh=max(round(window), 2),
            interval=f"{_RTT * 1000:g} ms",
            duration=f"{rounds * _RTT:.6g} s",
        )
        kept = pl.col("time") > _WARM_UP * run.scenario.duration
        delivered = run.flows.filter(kept)["acked"].to_numpy()
        early, late = (half.mean() for half in np.array_split(delivered, 2))
        if p * delivered.sum() > _ENOUGH * losses and abs(late - early) < _STEADY * early:
            break
    return float(delivered.mean())


def _responds(name: str, seed: int, values: Mapping[str, float]) -> Demand:
    try:
        points = response_function(name, seed=seed, parameters=values)
    except ControllerError as error:
        return Demand("response-function", _RESPONDS, str(error))
    rows = tuple({**point._asdict(), "ratio": point.ratio} for point in points)
    return Demand("response-function", _RESPONDS, response_problem(points), rows)


def response_problem(points: Sequence[ResponsePoint]) -> str | None:
    """Problem of a response function, ordered by the probability of loss; None if there is none.

    RFC 9743 section 5.1.3 wants less to be sent under high loss. How a controller compares with
    standard TCP is not judged: section 5.2.1 does not demand to be as friendly.
    """
    for rare, frequent in itertools.pairwise(points):
        if frequent.loss <= _JUDGED and frequent.window > _NOISE * rare.window:
            return (
                f"{rare.window:.1f} segments at {exponent(rare.loss)} become "
                f"{frequent.window:.1f} at {exponent(frequent.loss)}"
            )
    rarest, lowest = points[0], min(points, key=lambda point: point.window)
    if lowest.window > 0.5 * rarest.window:
        return (
            f"it is {rarest.window:.1f} segments at {exponent(rarest.loss)} and never less than "
            f"{lowest.window:.1f}"
        )
    return None


def beside_reno(point: ResponsePoint) -> str:
    """A comparison with standard TCP in words: `4.1 times Reno's window at 1e-4`."""
    bound = "at least " if point.is_limited else ""
    return f"{bound}{point.ratio:.1f} times Reno's window at {exponent(point.loss)}"


def exponent(p: float) -> str:
    """A probability as `1e-4`."""
    return f"1e{round(math.log10(p))}"
