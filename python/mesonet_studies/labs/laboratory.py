"""The student's laboratory: one link of 10 Mbit/s, files of 1 MB, TCP Tahoe.

Source: B. Elison, J. Eklund, "Congestion Control Part 2", 31 March 2016, a report in Brigham Young
University's course CS 460, with rate, delay, queue, file and threshold. Its exercise asks for TCP
Tahoe ("Congestion Control Part 1", winter 2016), with a threshold of half the window after a loss
(winter 2017); the course's simulator (GitHub, zappala/bene) has segments of 1000 bytes without
headers, free acknowledgements and a first timeout of 1 s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.keywords import dumbbell

RATE = 10e6
"""Rate of the link [bit/s]."""
DELAY = 0.010
"""Propagation, each way [s]."""
QUEUE = 100
"""Room for waiting packets."""
FILE = 1_000_000
"""Size of every transfer [bytes]."""
SEGMENT = 1000
"""Payload of a segment [bytes]."""
THRESHOLD = 500_000
"""Initial slow-start threshold [bytes]."""
FIVE_SIXTHS = 1 / 6
"""Fraction of the window that a loss takes away where five sixths are kept."""


def flow(algorithm: str, **options: Any) -> dict[str, Any]:
    """One transfer of 1 MB; `options` by the names of the fields of a flow."""
    return {"algorithm": algorithm, "size": f"{FILE} B", **options}


def laboratory(
    flows: Sequence[Mapping[str, Any]],
    *,
    recovery: str = "tahoe",
    duration: float = 6.0,
    threshold: float = THRESHOLD,
    **changes: Any,
) -> Dumbbell:
    """The laboratory with some flows, a recovery of losses, and options of `mesonet.dumbbell`.

    Numbers are seconds and bytes; of `transport`, only the entries that are given change.
    """
    transport = {
        "recovery": recovery,
        "ack_every": 1,
        "ack_cost": False,
        "restart_window": 1,
        "halve": "window",
        # As long as the link takes for a segment: no phase decides who loses.
        "host_jitter": "800 us",
        **changes.pop("transport", {}),
    }
    options: dict[str, Any] = {
        "rate": f"{RATE / 1e6:g} Mbit/s",
        "rtt": f"{2000 * DELAY:g} ms",
        "buffer": f"{QUEUE} packets",
        "packet": {"smss": SEGMENT, "header": 1, "control": 1},
        "initial_window": 1,
        "initial_ssthresh": threshold / SEGMENT,
        "interval": "10 ms",
        "duration": f"{duration:g} s",
        "record_segments": True,
    }
    return dumbbell(flows=flows, transport=transport, **(options | changes))
