"""The runs of the study `hcc` at a size, figure by figure, and what is measured of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mesonet.scenario.dumbbell import Dumbbell
from mesonet.simulate import Run
from mesonet.studies.bench import Item
from mesonet.studies.hcc.constant import NAME as CONSTANT
from mesonet.studies.hcc.fairness import (
    BUFFERS,
    RATIOS,
    TimingInterpretation,
    fairness_items,
    fairness_scenario,
)
from mesonet.studies.hcc.scenarios import DURATION, PARAMETERS, lab
from mesonet.studies.study import Size

EDITION = 1
EQUAL_RTT = 0.12
"""Round-trip time of the three homogeneous flows of figure 11 [s]."""
LOSS_BUFFERS = (200, 2000)
"""Buffers of figure 9 [packets]."""
FRIENDLY_BUFFERS = BUFFERS
"""Buffers of figure 16, which does not print its own: both of the table [packets]."""
GIGABIT = 1000.0
"""Capacity in figure 15 [Mbit/s]."""
REVERSE_FLOWS = 4
"""Reno flows that fill the reverse path where its traffic is TCP; the number is ours."""
LOAD_BUFFER = 2000
"""Buffer where the reverse load varies [packets]; ours."""
CONSTANTS_BUFFERS = (200, 600)
"""Buffers at which one flow with other constants is measured [packets]."""
OTHER_BASE = 0.12
"""Other interpretation of the round-trip time of single flows [s]."""

_POINTS = 100


@dataclass(frozen=True)
class Grid:
    """Points of the figures at a size; times in seconds, buffers in packets, loads in Mbit/s."""

    duration: float
    fairness: float
    buffers: Sequence[int]
    losses: Sequence[float]
    reverse_buffers: Sequence[int]
    loads: Sequence[float]
    interpretations: Sequence[TimingInterpretation] = ()
    other_base: Sequence[int] = ()


INTERPRETATIONS = (
    TimingInterpretation(),
    TimingInterpretation(base=0.02),
    TimingInterpretation(base=0.12),
    TimingInterpretation(start=0.5),
    TimingInterpretation(start=10.0),
    TimingInterpretation(start=10.0, short_first=False),
)
"""Scored interpretation of the table, and the others that the slides allow."""
CONSTANTS: Mapping[str, Mapping[str, float]] = {
    "as scored": {},
    "mi_threshold 0.2 ms": {"mi_threshold": 0.0002},
    "mi_threshold 3 ms": {"mi_threshold": 0.003},
    "least 1 segment": {"least": 1.0},
}
"""HCC's constants that the slides do not print, as scored and otherwise."""
SENSITIVITY = 100.0
"""Simulated time of the runs that compare interpretations [s]."""

GRIDS: Mapping[Size, Grid] = {
    "pocket": Grid(
        duration=50.0,
        fairness=150.0,
        buffers=(200, 600, 2000),
        losses=(1e-5, 1e-3),
        reverse_buffers=(600, 2000),
        loads=(150.0,),
    ),
    "desk": Grid(
        duration=100.0,
        fairness=DURATION,
        buffers=(50, 100, 200, 400, 600, 800, 1000, 2000),
        losses=(1e-6, 1e-5, 1e-4, 1e-3, 1e-2),
        reverse_buffers=(200, 600, 1000, 2000),
        loads=(50.0, 100.0, 150.0, 190.0),
        interpretations=INTERPRETATIONS,
        other_base=(200, 600, 2000),
    ),
    "full": Grid(
        duration=DURATION,
        fairness=DURATION,
        buffers=(50, 100, 200, 300, 400, 500, 600, 800, 1000, 1200, 1500, 2000),
        losses=(1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2),
        reverse_buffers=(100, 200, 400, 600, 800, 1000, 1500, 2000),
        loads=(25.0, 50.0, 75.0, 100.0, 125.0, 150.0, 175.0, 190.0),
        interpretations=INTERPRETATIONS,
        other_base=(200, 600, 1000, 2000),
    ),
}
"""Grids by size. Full has the 300 s of the source; its points are ours, for the axes are lost."""


def items(size: Size, algorithms: Sequence[str], table: Sequence[str], *, seed: int) -> list[Item]:
    """Every run of a size.

    Args:
        size: size of the study.
        algorithms: algorithms of all figures.
        table: algorithms of the table of RTT fairness.
        seed: seed of every run.

    Raises:
        ScenarioError: an algorithm has no valid name.
    """
    grid = GRIDS[size]
    runs = fairness_items(table, duration=grid.fairness, seed=seed)
    for interpretation in grid.interpretations:
        for item in fairness_items(
            table, interpretation=interpretation, duration=SENSITIVITY, seed=seed
        ):
            runs.append(_renamed(item, f"short-{item.name}"))
    scenarios = dict(_scenarios(grid, algorithms))
    if grid.interpretations and "hcc" in algorithms:
        scenarios |= dict(_constants())
    runs += [
        Item(name, scenario, measure_flows, EDITION, seed, _cost(scenario))
        for name, scenario in scenarios.items()
    ]
    return runs


def _renamed(item: Item, name: str) -> Item:
    return Item(name, item.scenario, item.measure, item.edition, item.seed, item.cost)


def _cost(scenario: Dumbbell) -> float:
    directions = 1 + any(flow.reverse for flow in scenario.flows)
    return scenario.bottleneck() * scenario.duration * directions


def _scenarios(grid: Grid, algorithms: Sequence[str]) -> Iterator[tuple[str, Dumbbell]]:
    """Figures 7 to 18 but for the table, by the names of the runs."""
    time = grid.duration
    for name in algorithms:
        one = {"algorithm": name, "name": "flow"}
        for buffer in grid.buffers:
            yield single_name(name, buffer), lab([one], buffer=buffer, duration=time)
        for buffer in grid.other_base:
            scenario = lab([one], buffer=buffer, rtt=OTHER_BASE, duration=time)
            yield single_name(name, buffer, OTHER_BASE), scenario
        for buffer in LOSS_BUFFERS:
            for p in grid.losses:
                scenario = lab([one], buffer=buffer, loss=p, duration=time)
                yield loss_name(name, buffer, p), scenario
        for buffer in BUFFERS:
            three = [{"algorithm": name, "name": "flow", "count": 3}]
            scenario = lab(three, buffer=buffer, rtt=EQUAL_RTT, duration=time)
            yield f"equal-{name}-{buffer}", scenario
        for buffer in FRIENDLY_BUFFERS if name != "reno" else ():
            both = [
                {"algorithm": name, "name": "flow", "count": 2},
                {"algorithm": "reno", "name": "reno", "count": 2},
            ]
            yield f"friendly-{name}-{buffer}", lab(both, buffer=buffer, duration=time)
        for buffer in grid.reverse_buffers:
            back = {"algorithm": "reno", "name": "back", "count": REVERSE_FLOWS, "reverse": True}
            yield f"reverse-{name}-{buffer}", lab([one, back], buffer=buffer, duration=time)
        for load in grid.loads:
            yield load_name(name, load), _loaded(one, load, time)
        if name == "hcc":
            yield from _dynamics(time)


def _loaded(one: Mapping[str, Any], load: float, time: float) -> Dumbbell:
    back = {"algorithm": CONSTANT, "name": "back", "reverse": True}
    scenario = lab([one, back], buffer=LOAD_BUFFER, duration=time)
    parameters = {**scenario.parameters, CONSTANT: {"rate": load}}
    return scenario.replace({"parameters": parameters})


def _dynamics(time: float) -> Iterator[tuple[str, Dumbbell]]:
    """Figures 13 to 15: HCC's flows of equal and different round trips, and 1 Gbit/s."""
    for buffer in BUFFERS:
        for ratio in (1.0, 6.0):
            flows = [
                {"algorithm": "hcc", "name": "first"},
                {"algorithm": "hcc", "name": "second", "rtt": f"{40 * ratio:g} ms"},
            ]
            yield f"dynamics-{ratio:g}-{buffer}", lab(flows, buffer=buffer, duration=time)
    late = f"{time / 3:g} s"
    flows = [
        {"algorithm": "hcc", "name": "first"},
        {"algorithm": "hcc", "name": "second", "start": late},
    ]
    yield "gigabit", lab(flows, buffer=2000, rate=GIGABIT, duration=time)


def _constants() -> Iterator[tuple[str, Dumbbell]]:
    """One and two flows of HCC with other constants."""
    for name, constants in CONSTANTS.items():
        for buffer in CONSTANTS_BUFFERS:
            one = lab([{"algorithm": "hcc", "name": "flow"}], buffer=buffer, duration=SENSITIVITY)
            yield constants_name(name, buffer), _with(one, constants)
        for ratio in RATIOS:
            two = fairness_scenario("hcc", ratio=ratio, buffer=600, duration=SENSITIVITY)
            yield constants_name(name, 600, ratio), _with(two, constants)


def _with(scenario: Dumbbell, constants: Mapping[str, float]) -> Dumbbell:
    return scenario.replace({"parameters": {"hcc": {**PARAMETERS["hcc"], **constants}}})


def constants_name(name: str, buffer: int, ratio: float | None = None) -> str:
    """Name of a run of HCC with other constants; without a ratio, of one flow."""
    flows = "one" if ratio is None else f"{ratio:g}"
    return f"constants-{name.replace(' ', '-')}-{flows}-{buffer}"


def single_name(algorithm: str, buffer: int, rtt: float | None = None) -> str:
    """Name of a run of one flow alone."""
    base = "" if rtt is None else f"-{rtt * 1000:g}ms"
    return f"single-{algorithm}-{buffer}{base}"


def loss_name(algorithm: str, buffer: int, p: float) -> str:
    """Name of a run of one flow under random loss."""
    return f"loss-{algorithm}-{buffer}-{p:g}"


def load_name(algorithm: str, load: float) -> str:
    """Name of a run of one flow beside a constant load on the reverse path."""
    return f"load-{algorithm}-{load:g}"


def measure_flows(run: Run) -> dict[str, Any]:
    """Throughputs of forward flows by name and in sum [Mbit/s], queue, losses and curves.

    Means are over the whole run, headers included. `queue` is the mean of the forward queue
    [packets], `loss` the part of packets dropped there by the queue or at random. Curves have 100
    points: time [s], windows [segments], queue [packets], throughputs [Mbit/s].
    """
    scenario = run.scenario
    assert isinstance(scenario, Dumbbell)
    packet = scenario.packet
    bits = 8 * (packet.smss + packet.header)
    time = run.series["time"].to_numpy()
    queue = run.queues.filter(station="forward")["packets"].to_numpy().astype(float)
    parts = np.array_split(np.arange(time.size), min(_POINTS, time.size))
    curves = {"time": _means(time, parts, 2), "queue": _means(queue, parts, 1)}
    throughputs = {}
    for name in scenario.forward_flows():
        flow = run.flows.filter(flow=name)
        rate = flow["acked"].to_numpy().astype(float) * bits / scenario.interval / 1e6
        throughputs[name] = float(rate.mean())
        curves[f"{name}.window"] = _means(flow["cwnd"].to_numpy(), parts, 1)
        curves[f"{name}.rate"] = _means(rate, parts, 2)
    forward = run.stations.filter(station="forward").row(0, named=True)
    return {
        "throughputs": throughputs,
        "throughput": sum(throughputs.values()),
        "queue": float(queue.mean()),
        "loss": forward["drops"] / forward["arrivals"] if forward["arrivals"] else 0.0,
        "curves": curves,
    }


def _means(
    values: NDArray[np.float64], parts: Sequence[NDArray[np.int64]], digits: int
) -> list[float]:
    return [round(float(values[part].mean()), digits) for part in parts]
