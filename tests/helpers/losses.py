"""A controller that counts what it is told of losses."""

from typing import Any

from mesonet.controller import Controller

LOST: list[float] = []
"""Segments that each ACK of the latest run declared lost."""


class CountsLosses(Controller):
    """A window of forty segments, whatever happens."""

    def __init__(self, initial: Any) -> None:
        super().__init__(initial)
        self.cwnd = 40.0 * initial.smss
        LOST.clear()

    def on_ack(self, ack: Any, flow: Any) -> None:
        LOST.append(ack.lost / flow.smss)

    def on_congestion(self, event: Any, flow: Any) -> None:
        """Nothing: the window stays."""
