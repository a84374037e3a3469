"""A controller that counts what it is told of losses."""

from mesonet.controller import Controller

LOST = []
"""Segments that each ACK of the latest run declared lost."""


class CountsLosses(Controller):
    """A window of forty segments, whatever happens."""

    def __init__(self, initial):
        super().__init__(initial)
        self.cwnd = 40.0 * initial.smss
        LOST.clear()

    def on_ack(self, ack, flow):
        LOST.append(ack.lost / flow.smss)

    def on_congestion(self, event, flow):
        """Nothing: the window stays."""
