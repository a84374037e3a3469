"""The laboratory of the slides: flows over one link of 200 Mbit/s, packets of 1000 bytes.

Source: M. Skala, slides "Hybrid congestion control for high-speed networks" (2011), after W. Xu et
al., JNCA 2011: ns-2, one shared link of 200 Mbit/s with d = 20 ms, FIFO queues in packets,
alpha = 400 and gamma = 0.5 for FAST and HCC, 300 s. The figure of the topology and with it the
access links are lost, and no round-trip time is printed but the 120 ms of the homogeneous flows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mesonet.controller import discipline_for
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.keywords import dumbbell

RATE = 200.0
"""Capacity [Mbit/s]."""
PACKET = 1000
"""Size of a data packet [bytes]."""
BASE_RTT = 0.04
"""Round-trip time where none is printed [s]: the 20 ms of the shared link, there and back."""
DURATION = 300.0
"""Simulated time [s]."""
PARAMETERS: Mapping[str, Mapping[str, float]] = {"fast": {"alpha": 400.0}, "hcc": {"alpha": 400.0}}
"""Settings that the source states."""

PROTOCOLS: Mapping[str, str] = {
    "Reno": "reno",
    "Vegas": "vegas",
    "HSTCP": "hstcp",
    "STCP": "scalable",
    "HTCP": "htcp",
    "BIC TCP": "bic",
    "TCP-Illinois": "illinois",
    "FAST TCP": "fast",
    "HCC TCP": "hcc",
}
"""The source's protocols by the names they have here."""
HIGH_SPEED = ("HSTCP", "STCP", "HTCP", "BIC TCP", "TCP-Illinois", "FAST TCP", "HCC TCP")
"""Algorithms that the source compares as high-speed variants."""


def label_of(algorithm: str) -> str:
    """Label of an algorithm in the source; its own name if the source does not have it.

    Examples:
        >>> label_of("bic"), label_of("cubic")
        ('BIC TCP', 'cubic')
    """
    return next((label for label, name in PROTOCOLS.items() if name == algorithm), algorithm)


def lab(
    flows: Sequence[Mapping[str, Any]],
    *,
    buffer: int,
    rtt: float = BASE_RTT,
    rate: float = RATE,
    loss: float = 0.0,
    duration: float = DURATION,
) -> Dumbbell:
    """Flows over the shared link.

    Args:
        flows: flows, as arguments of `mesonet.flow`.
        buffer: buffer of the link, in each direction [packets].
        rtt: base round-trip time of flows without one of their own [s].
        rate: capacity [Mbit/s].
        loss: probability that a packet of the forward direction is lost at random.
        duration: simulated time [s].

    Raises:
        ScenarioError: an algorithm has no valid name.
    """
    algorithms = [str(flow["algorithm"]) for flow in flows]
    return dumbbell(
        rate=f"{rate:g} Mbit/s",
        rtt=f"{rtt * 1000:g} ms",
        buffer=f"{buffer} packets",
        queue=_discipline(algorithms),
        packet={"smss": PACKET - 40, "header": 40, "control": 40},
        flows=list(flows),
        parameters={name: dict(PARAMETERS[name]) for name in algorithms if name in PARAMETERS},
        transport={"ack_every": 1},
        interval="100 ms",
        duration=f"{duration:g} s",
        loss=loss,
    )


def _discipline(algorithms: Iterable[str]) -> str:
    needed = (discipline_for(name) for name in algorithms)
    return next((name for name in needed if name != "droptail"), "droptail")
