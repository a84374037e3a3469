"""Small runs whose packets are recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import mesonet

Lab = Callable[..., mesonet.Run]


@pytest.fixture(scope="module")
def lab() -> Lab:
    """Simulates flows over 5 Mbit/s and 40 ms whose buffer is too small, recorded."""

    def simulated(*flows: Any, seed: int = 3, **changes: Any) -> mesonet.Run:
        options: dict[str, Any] = {
            "rate": "5 Mbit/s",
            "rtt": "40 ms",
            "buffer": "0.5 bdp",
            "duration": "4 s",
            "profile": "linux",
            "record_packets": True,
        }
        scenario = mesonet.dumbbell(flows=list(flows), **(options | changes))
        return mesonet.simulate(scenario, seed=seed)

    return simulated
