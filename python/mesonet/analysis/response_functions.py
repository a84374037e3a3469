"""Published response functions: the mean window at a probability of marks or losses.

They hold for a signal every 1/p segments, an ACK per segment, and no timeouts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

from mesonet.conformance import reno_window

Signal = Literal["mark", "drop"]
"""Signals of congestion."""


class ResponseFunction(NamedTuple):
    """A published response function."""

    window: Callable[[float, float], float]
    """Mean window [segments] at a probability and a round-trip time [s]."""
    source: str


def published_response(algorithm: str, signal: Signal) -> ResponseFunction | None:
    """The published response of an algorithm to marks or drops; `None` if there is none.

    Variants such as `cubic:linux` have that of their algorithm.
    """
    name = algorithm.partition(":")[0]
    if signal == "mark" and name in _SCALABLE_MARKS:
        return _SCALABLE_MARKS[name]
    return _FUNCTIONS.get(name)


def hstcp_window(p: float) -> float:
    """RFC 3649, section 5: 0.12 / p^0.835, and standard TCP's below 38 segments."""
    return _above(38.0, 0.12 / p**0.835, p)


def scalable_window(p: float) -> float:
    """T. Kelly 2003: 0.075 / p, and standard TCP's below 16 segments."""
    return _above(16.0, 0.075 / p, p)


def ctcp_window(p: float) -> float:
    """draft-sridharan-tcpm-ctcp-02, section 3: 0.255 / p^0.8, and standard TCP's below 38."""
    return _above(38.0, 0.255 / p**0.8, p)


def _above(low_window: float, window: float, p: float) -> float:
    return window if window > low_window else reno_window(p)


def cubic_window(p: float, rtt: float) -> float:
    """RFC 9438, section 5.1 (C = 0.4, beta = 0.7), and the 1.2 / sqrt(p) of its tables below."""
    c, beta = 0.4, 0.7
    window: float = (c * (3 + beta) / (4 * (1 - beta))) ** 0.25 * (rtt / p) ** 0.75
    return max(window, 1.2 / math.sqrt(p))


def htcp_window(p: float, rtt: float) -> float:
    """draft-leith-tcp-htcp-06: the window at which gain and loss balance, integrated numerically.

    The draft prints no formula. The back-off is 0.8, as without a queue.
    """
    step, kept = rtt / 100, 0.8
    time = gain = area = 0.0
    while True:
        time += step
        gain += 2 * (1 - kept) * htcp_alpha(time, rtt) * step / rtt
        area += gain * step
        # What is won back is what was lost: gain = (1 - kept) peak.
        sent = (kept * gain / (1 - kept) * time + area) / rtt
        if sent >= 1 / p:
            return sent * rtt / time


def htcp_alpha(since_loss: float, rtt: float) -> float:
    """Increase of H-TCP per round trip [segments]; never less than standard TCP's."""
    delta = since_loss - 1
    return max(rtt / 0.1 * (1 + 10 * delta + 0.5 * delta * delta), 1.0) if delta > 0 else 1.0


def scalable_marks_window(p: float) -> float:
    """RFC 9332, appendix C.2: 2 / p, two marks in every round trip."""
    return 2.0 / p


_RENO = ResponseFunction(
    lambda p, _: reno_window(p), "1.22 / sqrt(p): Mathis et al. 1997; RFC 3649 section 2"
)
_FUNCTIONS = {
    "reno": _RENO,
    "cubic": ResponseFunction(cubic_window, "RFC 9438 section 5.1"),
    "hstcp": ResponseFunction(lambda p, _: hstcp_window(p), "RFC 3649 section 5"),
    "scalable": ResponseFunction(lambda p, _: scalable_window(p), "Kelly 2003"),
    "ctcp": ResponseFunction(lambda p, _: ctcp_window(p), "draft-sridharan-tcpm-ctcp-02"),
    "htcp": ResponseFunction(htcp_window, "draft-leith-tcp-htcp-06"),
    # They halve their windows after a loss: RFC 8257 section 3.5, draft-briscoe-iccrg-prague.
    "dctcp": _RENO,
    "prague": _RENO,
}
_TWO_MARKS = ResponseFunction(lambda p, _: scalable_marks_window(p), "2 / p: RFC 9332 appendix C.2")
_SCALABLE_MARKS = {"dctcp": _TWO_MARKS, "prague": _TWO_MARKS}
