"""A controller with a planted weakness: it does not back off in a narrow part of the space."""

import mesonet


class Planted(mesonet.Controller):
    """Reno's rule once per round trip, but between 180 and 220 ms with under 0.3 BDP of queue.

    There it holds twice the window at which it first lost. Slow start ends when the queue grows, as
    HyStart's does, so that nothing else of it is worse than the algorithms in use.
    """

    cadence = "round"

    def __init__(self, initial):
        super().__init__(initial)
        self.slow_start, self.longest, self.first = True, 0.0, None

    def is_weak(self, flow):
        queue = self.longest - flow.min_rtt
        return 0.18 <= flow.min_rtt <= 0.22 and queue < 0.3 * flow.min_rtt

    def on_round(self, round, flow):  # noqa: A002 - the name is the library's
        if round.min_rtt is not None:
            self.longest = max(self.longest, round.min_rtt)
            self.slow_start = self.slow_start and round.min_rtt < 1.125 * flow.min_rtt
        if flow.cwnd_limited and not flow.in_recovery:
            self.cwnd += self.cwnd if self.slow_start else flow.smss

    def on_congestion(self, event, flow):
        if event.kind in ("enter_recovery", "rto"):
            self.slow_start = False
            self.first = self.first or self.cwnd
            weak = self.is_weak(flow)
            self.cwnd = 2 * self.first if weak else max(self.cwnd / 2, 2.0 * flow.smss)
