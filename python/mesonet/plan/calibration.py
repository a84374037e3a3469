"""Measurement of this machine's speed."""

from __future__ import annotations

import time

from mesonet.scenario.keywords import internet
from mesonet.simulation import simulate


def measure_seconds_per_event() -> float:
    """Processor time that the kernel takes here for an event [s].

    From two simulated seconds of a network of experiment 1b's size, about a million packets; a
    shorter run first, so that nothing that is done once counts.
    """
    simulate(internet(duration="0.2 s"), partial=False)
    begun = time.process_time()
    run = simulate(internet(duration="2 s"), partial=False)
    return (time.process_time() - begun) / run.totals["events"]
