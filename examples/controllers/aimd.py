"""Additive increase, multiplicative decrease: the smallest controller that conforms."""

import mesonet


class Aimd(mesonet.Controller):
    """One segment more per round trip, half the window on congestion."""

    cadence = "round"

    def on_round(self, round, flow):
        if flow.cwnd_limited and not flow.in_recovery:
            self.cwnd += flow.smss

    def on_congestion(self, event, flow):
        if event.kind != "exit_recovery":
            self.cwnd = max(self.cwnd / 2, flow.smss)
