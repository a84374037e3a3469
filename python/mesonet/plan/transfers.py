"""Duration of transfers, for estimates of the cost of runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mesonet.plan.network import Numbers

SIZES = np.concatenate([[0.5], np.geomspace(1.0, 1e10, 111)])
"""Grid of sizes [packets]."""


@dataclass(frozen=True)
class Growth:
    """Growth of windows.

    Attributes:
        initial: Initial window [packets].
        threshold: Window at which slow start ends [packets].
        limit: Window of receivers [packets].
    """

    initial: float
    threshold: float
    limit: float

    @classmethod
    def of(cls, spec: Mapping[str, Any]) -> Growth:
        """The growth of a resolved scenario."""
        options = spec["transport"]
        threshold, limit = options["initial_ssthresh"], options["receive_window"]
        return cls(
            options["initial_window"],
            np.inf if threshold is None else threshold,
            np.inf if limit is None else limit,
        )

    def seconds(self, sizes: Numbers, rate: Numbers, rtt: Numbers, loss: Numbers) -> Numbers:
        """Time of transfers of `sizes` [packets] that no queue delays, connecting included [s].

        One round trip to connect; then the window doubles in each until it fills the path or
        reaches the threshold; then it grows by a packet in each until it fills the path. With
        losses it stays, on average, at most as large as Reno's: sqrt(1.5 / loss).

        Args:
            sizes: any shape; the others have to broadcast with it.
            rate: rate of the slowest station or interface [packets/s].
            rtt: round-trip time [s].
            loss: probability that a packet is lost.
        """
        with np.errstate(divide="ignore", over="ignore"):
            lossy = np.sqrt(1.5 / loss)
        full = np.maximum(np.minimum(np.minimum(rate * rtt, lossy), self.limit), self.initial)
        grown = np.clip(full, self.initial, max(self.threshold, self.initial))
        doubling = np.minimum(sizes, grown - self.initial)
        rest = sizes - doubling
        slowly = np.minimum(rest, (full**2 - grown**2) / 2)
        rounds = 1 + np.log2(doubling / self.initial + 1) + np.sqrt(grown**2 + 2 * slowly) - grown
        with np.errstate(divide="ignore"):
            pace = np.maximum(1 / rate, rtt / full)
        return np.asarray(rounds * rtt + (rest - slowly) * pace)


def sent_within(times: Numbers, seconds: Numbers) -> Numbers:
    """Packets of an endless transfer that are sent within some times.

    Args:
        times: (any number,) [s].
        seconds: (..., sizes), how long each of `SIZES` takes.

    Returns:
        (..., times) [packets].
    """
    rows = seconds.reshape(-1, SIZES.size)
    found = np.stack([np.interp(times, row, SIZES, left=0.0) for row in rows])
    return found.reshape(*seconds.shape[:-1], len(times))
