"""What no network should have: a controller that never slows down.

It is there to be evaluated: `mesonet evaluate examples/controllers/stubborn.py` advises against it.
"""

import mesonet


class Stubborn(mesonet.Controller):
    """One segment more per round trip, whatever is lost or marked."""

    cadence = "round"

    def on_round(self, round, flow):
        if flow.cwnd_limited:
            self.cwnd += flow.smss

    def on_congestion(self, event, flow):
        pass
