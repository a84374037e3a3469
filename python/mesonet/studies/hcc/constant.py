"""Sender that ignores losses: reverse traffic of a given load."""

from __future__ import annotations

from mesonet.controller import CongestionEvent, Controller, Flow, Initial, RoundSample


class ConstantRate(Controller):
    """Sends at a constant rate, whatever happens.

    Args:
        initial: initial values that the transport gives every controller.
        rate: rate of full packets with their headers [Mbit/s].
    """

    cadence = "round"

    def __init__(self, initial: Initial, rate: float = 100.0) -> None:
        # Headers of 40 bytes, as in the scenarios of this study.
        self.pacing_rate = rate * 125_000.0 * initial.smss / (initial.smss + 40)
        # Never what limits sending: ten seconds at full rate.
        self.cwnd = 10.0 * self.pacing_rate

    def on_round(self, round: RoundSample, flow: Flow) -> None:  # noqa: A002
        """Nothing changes."""

    def on_congestion(self, event: CongestionEvent, flow: Flow) -> None:
        """Nothing changes."""


NAME = f"python:{ConstantRate.__module__}.{ConstantRate.__qualname__}"
"""Name of the algorithm in scenarios."""
