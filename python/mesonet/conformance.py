"""Does a controller do what every controller has to? `check_controller` tries it."""

from __future__ import annotations

from mesonet.controller import Controller, Demand, algorithm_name, demands, discipline_for
from mesonet.dumbbell import dumbbell
from mesonet.errors import ControllerError
from mesonet.simulate import Run, simulate

_SIMULATED = "two flows of it share a lossy bottleneck, use at least a tenth of it"
_REPEATED = "the same scenario and seed give the same run"


def check_controller(
    controller: str | type[Controller], *, seed: int = 1, steps: int = 4000
) -> tuple[Demand, ...]:
    """Tries a controller, built in or in Python, and says what it does and what it fails to do.

    Args:
        controller: a name such as "reno" or "python:package.module.Class", or the class itself.
        seed: chooses the events that are played at random, and the runs.
        steps: how many random events are played.

    Raises:
        ControllerError: there is no such controller.

    Examples:
        >>> [demand.name for demand in check_controller("reno") if demand.problem]
        []
    """
    played = demands(controller, seed=seed, steps=steps)
    return (*played, *_in_the_engine(algorithm_name(controller), seed))


def _in_the_engine(name: str, seed: int) -> tuple[Demand, Demand]:
    try:
        run, again = (_run(name, seed) for _ in range(2))
    except ControllerError as error:
        return Demand("simulation", _SIMULATED, str(error)), Demand(
            "repetition", _REPEATED, "not tried: there is no run to repeat"
        )
    used = run.responses["utilization"]
    poor = f"{used:.3f} of it is used" if used < 0.1 else None
    same = run.series.equals(again.series) and run.flows.equals(again.flows)
    different = None if same else "two runs have different time series"
    return Demand("simulation", _SIMULATED, poor), Demand("repetition", _REPEATED, different)


def _run(name: str, seed: int) -> Run:
    scenario = dumbbell(
        rate="10 Mbit/s",
        rtt="40 ms",
        loss=0.001,
        discipline=discipline_for(name),
        flows=[name, {"algorithm": name, "start": "2 s"}],
        duration="10 s",
    )
    return simulate(scenario, seed=seed)
