"""Response functions: what is published for losses at equal distances, and rules of its own.

A response function gives the mean window [segments] at a loss probability; the published ones hold
for a loss every 1/p segments. The same rules are written down here a second time and played without
a network: `periodic_window` has to give the published function, `expected_window` has losses at
random. What remains to a simulation is the transport's or a mistake.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from mesonet.analysis.response_functions import htcp_alpha, published_response


@dataclass
class WindowRule:
    """A window rule: standard TCP unless a subclass says otherwise. Times in seconds."""

    rtt: float
    window: float = 10.0

    def increase(self) -> float:
        """Growth in a round trip without a loss [segments]."""
        return 1.0

    def kept(self) -> float:
        """Part of the window that a loss leaves, of at least two segments."""
        return 0.5

    def grow(self, rounds: float) -> None:
        """Growth over `rounds` round trips, at most one, without a loss."""
        self.window += self.increase() * rounds

    def lose(self) -> None:
        """Decrease after a loss."""
        self.window = max(self.window * self.kept(), 2.0)

    def wait(self, seconds: float) -> None:
        """Time without growth, while a loss is repaired."""


class HighSpeed(WindowRule):
    """RFC 3649: a(w) and b(w) of its section 5, those of standard TCP up to 38 segments."""

    def _decrease(self) -> float:
        if self.window <= 38:
            return 0.5
        return (0.1 - 0.5) * math.log(self.window / 38) / math.log(83_000 / 38) + 0.5

    def increase(self) -> float:
        """Growth by a(w) [segments]."""
        if self.window <= 38:
            return 1.0
        slope = math.log(83_000 / 38) / math.log(1e-7 / 1e-3)
        p = 1e-3 * (self.window / 38) ** (1 / slope)
        b = self._decrease()
        increase: float = self.window**2 * p * 2 * b / (2 - b)
        return max(increase, 1.0)

    def kept(self) -> float:
        """All but b(w)."""
        return 1 - self._decrease()


class Scalable(WindowRule):
    """T. Kelly 2003: a hundredth of a segment per segment, and a loss costs an eighth."""

    def grow(self, rounds: float) -> None:
        """Growth by a hundredth of a segment per segment."""
        if self.window > 16:
            self.window *= 1.01**rounds
        else:
            self.window += rounds

    def kept(self) -> float:
        """All but an eighth."""
        return 0.875 if self.window > 16 else 0.5


class Compound(WindowRule):
    """draft-sridharan-tcpm-ctcp-02 with the increase of the Infocom paper; no queue.

    A loss halves the sum of both windows.
    """

    def increase(self) -> float:
        """A segment, and the delay window's part [segments]."""
        return 1 + (max(0.125 * self.window**0.75 - 1, 0.0) if self.window >= 38 else 0.0)


@dataclass
class Cubic(WindowRule):
    """RFC 9438."""

    largest: float = 10.0
    start: float = 10.0
    friendly: float = 10.0
    prior: float = 10.0
    since: float = 0.0

    def grow(self, rounds: float) -> None:
        """Growth along the cubic function, or as standard TCP where that is faster."""
        c, beta = 0.4, 0.7
        k = math.cbrt((self.largest - self.start) / c)
        self.since += rounds * self.rtt
        alpha = 1.0 if self.friendly >= self.prior else 3 * (1 - beta) / (1 + beta)
        self.friendly += alpha * rounds
        target = c * (self.since - k) ** 3 + self.largest
        if target < self.friendly:
            self.window = max(self.friendly, self.window)
        else:
            self.window = min(max(target, self.window), self.window * 1.5**rounds)

    def lose(self) -> None:
        """Decrease by three tenths, with fast convergence."""
        self.prior = self.window
        self.largest = self.window * (0.85 if self.window < self.largest else 1.0)
        self.window = max(self.window * 0.7, 2.0)
        self.start = self.friendly = self.window
        self.since = 0.0


@dataclass
class Hamilton(WindowRule):
    """draft-leith-tcp-htcp-06; no queue, so the back-off is 0.8 or, after a change, 0.5."""

    since: float = 0.0
    backoff: float = 0.5
    last: float = 0.0

    def grow(self, rounds: float) -> None:
        """Growth by the time since the loss."""
        self.since += rounds * self.rtt
        self.window += 2 * (1 - self.backoff) * htcp_alpha(self.since, self.rtt) * rounds

    def lose(self) -> None:
        """Decrease by a fifth, or half where the throughput has changed by more than a fifth."""
        changed = not self.last or abs(self.window - self.last) > 0.2 * self.last
        self.last = self.window
        self.backoff = 0.5 if changed else 0.8
        self.window = max(self.window * self.backoff, 2.0)
        self.since = 0.0

    def wait(self, seconds: float) -> None:
        """Advances the time since the loss."""
        self.since += seconds


@dataclass(frozen=True)
class Curve:
    """A published response function and the rule behind it."""

    label: str
    algorithm: str
    rtt: float
    """Round-trip time [s]."""
    rule: Callable[[float], WindowRule]
    """The rule at a round-trip time."""
    source: str

    def window(self, p: float) -> float:
        """Published mean window [segments] at a loss probability."""
        published = published_response(self.algorithm, "drop")
        assert published is not None
        return published.window(p, self.rtt)


CURVES = (
    Curve("Reno", "reno", 0.1, WindowRule, "Mathis et al. 1997"),
    Curve("HSTCP", "hstcp", 0.1, HighSpeed, "RFC 3649"),
    Curve("Scalable", "scalable", 0.1, Scalable, "Kelly 2003"),
    Curve("CTCP", "ctcp", 0.1, Compound, "draft-sridharan-tcpm-ctcp-02"),
    Curve("H-TCP", "htcp", 0.1, Hamilton, "draft-leith-tcp-htcp-06"),
    Curve("CUBIC", "cubic", 0.1, Cubic, "RFC 9438"),
    Curve("CUBIC", "cubic", 0.01, Cubic, "RFC 9438"),
)
"""All published response functions that are compared."""


@cache
def expected_window(curve: Curve, p: float, *, losses: int = 3000, seed: int = 1) -> float:
    """Mean window over time [segments] of the rule alone, under losses at random.

    A round trip acknowledges a window. A loss ends growth for a round trip, at the lower window;
    further losses of the same window cost nothing more. The first tenth of the episodes is left
    out.
    """
    # Not part of any run, so not one of the engine's streams.
    draw = random.Random(seed)
    return _played(curve, p, losses, lambda: math.log(1.0 - draw.random()) / math.log1p(-p), 1.0)


@cache
def periodic_window(curve: Curve, p: float, *, losses: int = 300) -> float:
    """Mean window over time [segments] of the rule alone, with a loss every 1/p segments.

    As in the derivations of the published functions, a loss costs no time.
    """
    return _played(curve, p, losses, lambda: 1 / p, 0.0)


def _played(
    curve: Curve, p: float, losses: int, distance: Callable[[], float], repair: float
) -> float:
    """Mean window with losses at distances [segments], each repaired in `repair` round trips."""
    rule = curve.rule(curve.rtt)
    rule.window = curve.window(p)
    area = time = 0.0
    for episode in range(losses):
        if episode == losses // 10:
            area = time = 0.0
        distance_left = distance()
        while distance_left > 0:
            rounds = min(distance_left / rule.window, 1.0)
            area += rule.window * rounds
            time += rounds
            distance_left -= rule.window
            rule.grow(rounds)
        rule.lose()
        if repair:
            rule.wait(rule.rtt * repair)
            area += rule.window * repair
            time += repair
    return area / time
