"""The laboratory of the slides: flows over one link of 200 Mbit/s, packets of 1000 bytes.

Source: M. Skala, slides "Hybrid congestion control for high-speed networks" (2011), after W. Xu et
al., JNCA 2011: ns-2, one shared link of 200 Mbit/s with d = 20 ms, FIFO queues in packets, alpha =
400 and gamma = 0.5 for FAST and HCC, 300 s. The access links are lost with the figure of the
topology, and no round-trip time is printed but the 120 ms of the homogeneous flows.

Where flows share a direction, every link has the rate and the buffer of the shared one, those of
hosts, too. One printed number says so: the second flow of STCP has 0.08 Mbit/s (figure 12, ratio
1.5, 600 packets), and no other answer that we tried gives less than 1.7. A single flow's queue
stands before its host's line then; a bench of one flow keeps it at the router, where figure 8 draws
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mesonet.controller import (
    CongestionEvent,
    Controller,
    Flow,
    Initial,
    RoundSample,
    discipline_for,
)
from mesonet.run import Run
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.keywords import dumbbell
from mesonet.studies import Options
from mesonet_studies.two_flow.runs import parameter_settings

RATE = 200.0
"""Capacity [Mbit/s]."""
BUFFERS = (600, 2000)
"""Buffers of figures with several flows [packets]."""
AMPLE = 2000
"""Buffer that has room for alpha and more [packets]."""
SCARCE = 200
"""Buffer smaller than alpha [packets]."""
FASTER = "infinitely fast"
ALIKE = "rate and buffer of the link"
"""Hosts that share a direction."""
_POINTS = 100
_HEADER = 40
_SMSS = 1000 - _HEADER
PARAMETERS: Mapping[str, Mapping[str, float]] = {
    "fast": {"alpha": 400.0},
    "fast:ns2": {"alpha": 400.0},
    "hcc": {"alpha": 400.0},
}
"""Settings that the source states."""
LABELS: Mapping[str, str] = {
    "reno": "Reno",
    "vegas": "Vegas",
    "hstcp": "HSTCP",
    "scalable": "STCP",
    "htcp": "HTCP",
    "bic": "BIC TCP",
    "illinois": "TCP-Illinois",
    "fast": "FAST TCP",
    "hcc": "HCC TCP",
}
"""Names of the protocols in the source."""


def label_of(algorithm: str) -> str:
    """Label of an algorithm in the source; its own name if the source does not have it."""
    return LABELS.get(algorithm, algorithm)


def model_of(algorithm: str, values: Mapping[str, Any]) -> str:
    """Algorithm that stands for a protocol of the slides: itself, or what a variant names."""
    return str(values.get("models", {}).get(algorithm, algorithm))


def lab(
    flows: Sequence[Mapping[str, Any]],
    *,
    buffer: int,
    duration: float,
    rtt: float = 40.0,
    rate: float = RATE,
    loss: float = 0.0,
    hosts: str = FASTER,
    transport: Mapping[str, Any] | None = None,
) -> Dumbbell:
    """Flows over the shared link, for a time [s].

    The buffer, in each direction, is in packets, the round-trip time of flows without one of their
    own in ms, the rate in Mbit/s; `loss` strikes the forward direction at random. Hosts that are
    `ALIKE` have rate and buffer of the link; `transport` has further options.
    """
    algorithms = [str(flow["algorithm"]) for flow in flows]
    needed = (discipline_for(name) for name in algorithms)
    alike = hosts == ALIKE
    return dumbbell(
        access_rate=f"{rate:g} Mbit/s" if alike else None,
        access_buffer=f"{buffer} packets" if alike else None,
        rate=f"{rate:g} Mbit/s",
        rtt=f"{rtt:g} ms",
        buffer=f"{buffer} packets",
        queue=next((name for name in needed if name != "droptail"), "droptail"),
        packet={"smss": _SMSS, "header": _HEADER, "control": 40},
        flows=list(flows),
        parameters={name: dict(PARAMETERS[name]) for name in algorithms if name in PARAMETERS},
        transport={"ack_every": 1} | dict(transport or {}),
        interval="100 ms",
        duration=f"{duration:g} s",
        loss=loss,
    )


def lab_settings(options: Options) -> dict[str, str]:
    """Parameters that the source states, and the seed."""
    return parameter_settings(PARAMETERS, options) | {"Seed": str(options.run_seed)}


class ConstantRate(Controller):
    """Sends at a constant rate [Mbit/s] with headers, whatever happens: reverse traffic."""

    cadence = "round"

    def __init__(self, initial: Initial, rate: float = 100.0) -> None:
        self.pacing_rate = rate * 125_000.0 * initial.smss / (initial.smss + _HEADER)
        # Never what limits sending: ten seconds at full rate.
        self.cwnd = 10.0 * self.pacing_rate

    def on_round(self, round: RoundSample, flow: Flow) -> None:  # noqa: A002
        """Nothing changes."""

    def on_congestion(self, event: CongestionEvent, flow: Flow) -> None:
        """Nothing changes."""


CONSTANT = f"python:{ConstantRate.__module__}.{ConstantRate.__qualname__}"
"""Name of the constant rate in scenarios."""


def scenarios(name: str, values: Mapping[str, Any]) -> Iterator[tuple[str, Dumbbell]]:
    """Figures 7 to 18 of an algorithm but for the table, by the names of the runs."""
    common = {name: values[name] for name in ("duration", "rtt", "transport")}
    shared = common | {"hosts": values["hosts"]}
    single = {"algorithm": model_of(name, values), "name": "flow"}
    for buffer in values["buffers"]:
        yield f"single-{name}-{buffer}", lab([single], buffer=buffer, **common)
    for buffer in (SCARCE, AMPLE):
        for p in values["losses"]:
            yield f"loss-{name}-{buffer}-{p:g}", lab([single], buffer=buffer, loss=p, **common)
    for buffer in BUFFERS:
        # Figure 11 is the only one that prints a round trip.
        equal = lab([{**single, "count": 3}], buffer=buffer, **(shared | {"rtt": 120}))
        yield f"equal-{name}-{buffer}", equal
    # Figure 16 does not print its buffer: both of the table.
    for buffer in BUFFERS if name != "reno" else ():
        both = [{**single, "count": 2}, {"algorithm": "reno", "name": "reno", "count": 2}]
        yield f"friendly-{name}-{buffer}", lab(both, buffer=buffer, **shared)
    for buffer in values["reverse_buffers"]:
        back = {"algorithm": "reno", "name": "back", "count": 4, "reverse": True}
        yield f"reverse-{name}-{buffer}", lab([single, back], buffer=buffer, **common)
    for load in values["loads"]:
        back = {"algorithm": CONSTANT, "name": "back", "reverse": True}
        scenario = lab([single, back], buffer=AMPLE, **common)
        parameters = {**scenario.parameters, CONSTANT: {"rate": float(load)}}
        yield f"load-{name}-{load:g}", scenario.replace({"parameters": parameters})
    if name == "hcc":
        yield from _dynamics(shared)
        for other in values["reverse_only"]:
            alone = {"algorithm": other, "name": "flow"}
            back = {"algorithm": "reno", "name": "back", "count": 4, "reverse": True}
            yield f"single-{other}-{AMPLE}", lab([alone], buffer=AMPLE, **common)
            yield f"reverse-{other}-{AMPLE}", lab([alone, back], buffer=AMPLE, **common)
        evenly = common | {"transport": {**common["transport"], "pacing": "fq"}}
        yield "paced-eefast", lab([alone, back], buffer=AMPLE, **evenly)


def _dynamics(shared: Mapping[str, Any]) -> Iterator[tuple[str, Dumbbell]]:
    """Figures 13 to 15: HCC's flows of equal and different round trips, and 1 Gbit/s."""
    first, second = ({"algorithm": "hcc", "name": name} for name in ("first", "second"))
    for buffer in BUFFERS:
        for ratio in (1.0, 6.0):
            far = {**second, "rtt": f"{shared['rtt'] * ratio:g} ms"}
            yield f"dynamics-{ratio:g}-{buffer}", lab([first, far], buffer=buffer, **shared)
    late = {**second, "start": f"{shared['duration'] / 3:g} s"}
    yield "gigabit", lab([first, late], buffer=AMPLE, rate=1000.0, **shared)


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
