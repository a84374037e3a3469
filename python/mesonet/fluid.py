"""A fluid companion of the engine: mean windows of equal flows, by delay differential equations.

Windows and the queue are continuous, and losses thin a stream instead of hitting a packet. One
solution takes the place of many runs where its error is small; the manual's page of this model
says where that is, measured beside the engine.

Sources: V. Misra, W.-B. Gong, D. Towsley, *Fluid-based Analysis of a Network of AQM Routers
Supporting TCP Flows with an Application to RED*, SIGCOMM 2000, for Reno; G. Vardoyan, C. Hollot,
D. Towsley, *Towards Stability Analysis of Data Transport Mechanisms: a Fluid Model and an
Application*, INFOCOM 2018, for CUBIC.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from mesonet.errors import Problem, ScenarioError, show
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.flows import Flow

if TYPE_CHECKING:
    from mesonet.scenario import Scenario

STEPS_PER_RTT = 50
"""Fewest steps of the solver in a base round-trip time."""
_MODELLED = {
    *("kind", "rate", "rtt", "buffer", "loss", "flows", "packet", "queue", "parameters"),
    *("profile", "transport", "initial_window", "initial_ssthresh", "duration", "interval"),
    *("warm_up", "periods", "record_transfers", "record_queues", "record_packets"),
    "record_segments",
}
"""Fields of a dumbbell that the equations contain, or that change nothing in them."""


def solve(scenario: Scenario) -> pl.DataFrame:
    """Solves the equations of equal Reno or CUBIC flows over a drop-tail dumbbell.

    The flows begin as a loss at a full buffer leaves them; there is no slow start. The method of
    steps with Euler's rule on a fixed grid, at least `STEPS_PER_RTT` a round trip.

    Returns:
        A row per interval, whose end is `time` [s], with means over it: `window` of a flow
        [segments], `queue` [packets], `rate` of a flow behind the queue [segments/s], and `loss`,
        the part of the packets that is lost.
    """
    if not isinstance(scenario, Dumbbell):
        raise ScenarioError([Problem("kind", "unsupported", "expected a dumbbell")])
    if problems := list(_problems(scenario)):
        raise ScenarioError(problems)
    path, rule = _path(scenario), _rule(scenario)
    per_row = math.ceil(scenario.interval * STEPS_PER_RTT / path.rtt)
    rows = max(round(scenario.duration / scenario.interval), 1)
    trace = _trace(path, rule, rows * per_row, scenario.interval / per_row)
    means = trace.reshape(rows, per_row, len(_COLUMNS)).mean(axis=1)
    means[:, 3] /= means[:, 0]  # Losses of a window over it: the part of packets, not of time.
    time = np.arange(1, rows + 1) * scenario.interval
    return pl.DataFrame({"time": time, **dict(zip(_COLUMNS, means.T, strict=True))})


_COLUMNS = ("window", "queue", "rate", "loss")


class _Path(NamedTuple):
    """What the equations know of the dumbbell."""

    rtt: float
    """Base round-trip time [s]."""
    rate: float
    """Capacity [packets/s]."""
    room: float
    """Room for waiting packets."""
    loss: float
    """Probability of a random loss."""
    flows: int
    """Number of flows."""
    limit: float
    """Largest window [segments]."""


class _Rule(Protocol):
    """How the mean window of a flow changes [segments]."""

    window: float

    def start(self, full: float) -> None:
        """Begins after a loss at the window `full`."""

    def step(self, dt: float, rtt: float, losses: float) -> None:
        """Moves on by `dt` [s] at a rate of losses noticed [1/s]."""


class _Reno:
    """`dw/dt = 1/T - w(t) p(t-T) w(t-T) / (2 T)`, as the first slide of NIST's talk prints it."""

    def start(self, full: float) -> None:
        self.window = full / 2

    def step(self, dt: float, rtt: float, losses: float) -> None:
        self.window += dt * (1 / rtt - self.window / 2 * losses)


class _Cubic:
    """State: the window before the last loss, and the time since, both as means.

    `dW/dt = -(W - w) l` and `ds/dt = 1 - s l` at the rate of losses `l`; `w = c (s - K)^3 + W`,
    or RFC 9438's estimate of Reno's window, if that is larger.
    """

    def __init__(self, c: float, beta: float, reno_friendly: bool) -> None:
        self.c, self.beta = c, beta
        self.alpha = 3 * (1 - beta) / (1 + beta) if reno_friendly else -math.inf

    def start(self, full: float) -> None:
        self.origin, self.since = full, 0.0
        self.window = self.beta * full

    def step(self, dt: float, rtt: float, losses: float) -> None:
        # RFC 9438 reduces once a round trip, however many are lost: a window cannot collapse.
        losses = min(losses, 1 / rtt)
        self.origin += dt * (self.window - self.origin) * losses
        self.since += dt * (1 - self.since * losses)
        flat = math.cbrt(self.origin * (1 - self.beta) / self.c)
        cubic = self.c * (self.since - flat) ** 3 + self.origin
        self.window = max(cubic, self.beta * self.origin + self.alpha * self.since / rtt)


def _trace(path: _Path, rule: _Rule, steps: int, dt: float) -> Any:
    """A row per step: window, queue, rate, and packets of the window that are lost."""
    trace = array("d")
    served = path.rate * dt
    queue, lost = 0.0, [0.0] * steps
    rule.start((path.rate * path.rtt + path.room) / path.flows)
    for now in range(steps):
        rule.window = window = min(max(rule.window, 1.0), path.limit)
        rtt = path.rtt + (queue + 1) / path.rate
        arrived = path.flows * window / rtt * dt * (1 - path.loss)
        before, queue = queue, max(queue + arrived - served, 0.0)
        over = max(queue - path.room, 0.0)
        queue -= over
        part = path.loss + (1 - path.loss) * over / arrived
        lost[now] = part * window / rtt
        left = before + arrived - over - queue
        trace.extend((window, queue, left / dt / path.flows, part * window))
        # Losses are noticed a round trip after the packets were sent.
        sent = now - int(rtt / dt)
        rule.step(dt, rtt, lost[sent] if sent >= 0 else 0.0)
    return np.frombuffer(trace).reshape(steps, len(_COLUMNS))


def _path(scenario: Dumbbell) -> _Path:
    spec = scenario.resolve()
    ((unit, room),) = spec["stations"][0]["buffer"].items()
    flow = scenario.flows[0]
    limit = spec["transport"]["receive_window"]
    return _Path(
        rtt=scenario.rtt if flow.rtt is None else flow.rtt,
        rate=scenario.bottleneck(),
        room=room if unit == "packets" else 8 * room / scenario.packet.bits,
        loss=scenario.loss,
        flows=scenario.flow_count(),
        limit=math.inf if limit is None else limit,
    )


def _rule(scenario: Dumbbell) -> _Rule:
    (algorithm,) = scenario.resolve()["algorithms"]
    if algorithm["name"] == "reno":
        return _Reno()
    params = algorithm["params"]
    friendly = params.get("reno_friendly", True)
    return _Cubic(params.get("c", 0.4), params.get("beta", 0.7), friendly)


def _problems(scenario: Dumbbell) -> Iterator[Problem]:
    """Everything in a dumbbell that the equations do not contain."""
    for name, field in Dumbbell.model_fields.items():
        plain = field.get_default(call_default_factory=True)
        if name not in _MODELLED and getattr(scenario, name) != plain:
            yield Problem(name, "unsupported", "expected its default: no equation contains it")
    spec = scenario.resolve()
    if spec["stations"][0]["discipline"] != {"name": "droptail", "mark_above": None}:
        yield Problem("queue", "unsupported", "expected droptail, without marks")
    if scenario.is_shared and spec["transport"]["ack_cost"]:
        message = "expected false where both directions share a station: no ACKs are modelled"
        yield Problem("transport.ack_cost", "unsupported", message)
    first = scenario.flows[0]
    if first.algorithm not in ("reno", "cubic"):
        message = f"expected reno or cubic, got {show(first.algorithm)}"
        yield Problem("flows[0].algorithm", "unsupported", message)
    equal = Flow(algorithm=first.algorithm, rtt=first.rtt)
    for here, flow in enumerate(scenario.flows):
        for name in Flow.model_fields:
            if name not in ("name", "count") and getattr(flow, name) != getattr(equal, name):
                message = "expected equal flows from time 0 on, without end or pauses"
                yield Problem(f"flows[{here}].{name}", "unsupported", message)
