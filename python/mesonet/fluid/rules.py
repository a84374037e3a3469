"""Rules of the fluid model: what a flow of an algorithm sends, as a mean."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

_LEAST = 4.0
"""Smallest window of BBR, which it has in ProbeRTT [segments]."""
_QUANTA = 3.0
"""What the draft adds to BBR's window, as the engine does [segments]."""
_PHASE = 4.0
"""Phase of ProbeBW in which BBR begins it; the engine draws it."""


class Path(NamedTuple):
    """What the equations know of a dumbbell or a parking lot, whose hops are alike."""

    rtt: float
    """Base round-trip time [s]."""
    rate: float
    """Capacity [packets/s]."""
    room: float
    """Room for waiting packets."""
    loss: float
    """Probability of a random loss."""
    flows: dict[str, int]
    """Number of flows by algorithm that meet at a hop."""
    limit: float
    """Largest window [segments]."""
    hops: int = 1
    """Number of queues in a row."""

    def full(self) -> float:
        """Window of a flow when the buffer is full [segments]."""
        return (self.rate * self.rtt + self.room) / sum(self.flows.values())


class Rule:
    """How the mean window of a flow changes [segments]; it begins after a loss at a full buffer."""

    losses = 0.0
    """Rate of the losses that a flow notices [1/s]."""
    delivered = 0.0
    """Rate at which its probes turn out to be delivered [segments/s]."""

    def __init__(self, path: Path, params: Mapping[str, float]) -> None:
        """Takes the parameters of the algorithm that the scenario gives."""
        self.window, self.params = path.full() / 2, params

    def rate(self, rtt: float) -> float:
        """What a flow sends at a round-trip time [segments/s]."""
        return self.window / rtt

    def probe(self, rtt: float) -> float:
        """What a flow sends whose filter the rule follows [segments/s]."""
        return self.rate(rtt)

    def step(self, dt: float, rtt: float) -> None:
        """Moves on by `dt` at a round-trip time [s]."""
        raise NotImplementedError


class _Reno(Rule):
    """`dw/dt = 1/T - w(t) p(t-T) w(t-T) / (2 T)`, as the first slide of NIST's talk prints it."""

    def step(self, dt: float, rtt: float) -> None:
        self.window += dt * (1 / rtt - self.window / 2 * self.losses)


class _Cubic(Rule):
    """State: the window before the last loss, and the time since, both as means.

    `dW/dt = -(W - w) l` and `ds/dt = 1 - s l` at the rate of losses `l`; `w = c (s - K)^3 + W`,
    or RFC 9438's estimate of Reno's window, if that is larger.
    """

    def __init__(self, path: Path, params: Mapping[str, float]) -> None:
        self.c, self.beta = params.get("c", 0.4), params.get("beta", 0.7)
        friendly = params.get("reno_friendly", True)
        self.alpha = 3 * (1 - self.beta) / (1 + self.beta) if friendly else -math.inf
        self.origin, self.since = path.full(), 0.0
        self.window = self.beta * self.origin

    def step(self, dt: float, rtt: float) -> None:
        # RFC 9438 reduces once a round trip, however many are lost: a window cannot collapse.
        losses = min(self.losses, 1 / rtt)
        self.origin += dt * (self.window - self.origin) * losses
        self.since += dt * (1 - self.since * losses)
        flat = math.cbrt(self.origin * (1 - self.beta) / self.c)
        cubic = self.c * (self.since - flat) ** 3 + self.origin
        self.window = max(cubic, self.beta * self.origin + self.alpha * self.since / rtt)


class _Bbr(Rule):
    """State: largest rates of delivery by round trip, the smallest round-trip time and its age.

    Flows are in all phases of ProbeBW at a time, so that together they pace at their estimates.
    Their filters are that of one flow, which probes in one round trip of eight; ProbeRTT comes to
    all of them at once.
    """

    def __init__(self, path: Path, params: Mapping[str, float]) -> None:
        self.probe_gain, self.cwnd_gain = params.get("probe_gain", 1.25), params.get("cwnd_gain", 2)
        self.filter = params.get("min_rtt_filter", 10.0)
        self.end = self.filter + params.get("probe_rtt_duration", 0.2)
        self.bandwidth, self.smallest = path.rate / sum(path.flows.values()), path.rtt
        self.rounds = deque([self.bandwidth], maxlen=int(params.get("bw_rounds", 10)))
        self.age, self.elapsed, self.phase = 0.0, 0.0, _PHASE
        self._bound()

    def rate(self, rtt: float) -> float:
        return min(self.bandwidth, self.window / rtt)

    def probe(self, rtt: float) -> float:
        gain = self.probe_gain if self.phase < 1 else 1.0
        return min(gain * self.bandwidth, self.window / rtt)

    def step(self, dt: float, rtt: float) -> None:
        before = self.age
        self.age += dt
        if self.age > self.end + rtt:
            self.age, self.phase = 0.0, _PHASE
        elif self.age > self.filter:
            # Rates of this time are those of the window, not of the path: no round ends.
            self.smallest = min(self.smallest, rtt) if before > self.filter else rtt
            self.window = _LEAST
            return
        self.smallest = min(self.smallest, rtt)
        self.phase = (self.phase + dt / self.smallest) % 8
        self.elapsed += dt
        if self.elapsed > rtt:
            self.elapsed = 0.0
            self.rounds.append(self.delivered)
            self.bandwidth = max(self.rounds)
        elif self.delivered > self.rounds[-1]:
            self.rounds[-1] = self.delivered
            self.bandwidth = max(self.bandwidth, self.delivered)
        self._bound()

    def _bound(self) -> None:
        product = self.bandwidth * self.smallest
        self.window = max(self.cwnd_gain * product + _QUANTA, _LEAST)


RULES: dict[str, type[Rule]] = {"reno": _Reno, "cubic": _Cubic, "bbr1": _Bbr}
"""By the name of the algorithm."""
