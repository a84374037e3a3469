"""Aggressiveness and responsiveness, which the slides define (after RFC 5166) and do not measure.

One flow alone on the link, without slow start beyond 100 segments. For 10 s nothing is lost, then
a hundredth of all packets, some in each round trip: congestion that lasts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from mesonet.run import Run
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.studies import Item
from mesonet_studies.hcc.lab import AMPLE, lab

_BEGIN = 10.0
_RTT = 0.04
_HALF = 0.51
"""Half of a window of hundreds of segments, and one that still came in."""


def term_items(algorithms: Iterable[str], *, seed: int) -> list[Item]:
    """One run per algorithm."""
    return [
        Item(
            f"terms-{name}",
            lab([{"algorithm": name, "name": "flow"}], buffer=AMPLE, duration=_BEGIN + 4).replace(
                {
                    "initial_ssthresh": 100,
                    "interval": f"{_RTT:g} s",
                    "path": {"loss_changes": [[f"{_BEGIN:g} s", 0.01]]},
                }
            ),
            measure_terms,
            seed=seed,
            cost=25_000 * _BEGIN,
        )
        for name in dict.fromkeys(algorithms)
    ]


def measure_terms(run: Run) -> dict[str, Any]:
    """`aggressiveness`: largest rise of the rate in a round trip without loss [packets/s].

    From the first round trip after 100 segments on. `responsiveness`: base round trips of
    congestion until the window is half of the largest in it; infinite if it never is.
    """
    assert isinstance(run.scenario, Dumbbell)
    window, time = (run.flows[name].to_numpy().astype(float) for name in ("cwnd", "time"))
    free = window[time < _BEGIN]
    free = free[np.argmax(free >= 100) + 1 :]
    after = window[time >= _BEGIN]
    halved = np.flatnonzero(after <= np.maximum.accumulate(after) * _HALF)
    return {
        "aggressiveness": float(np.diff(free).max() / _RTT),
        "responsiveness": float(halved[0]) if halved.size else math.inf,
    }
