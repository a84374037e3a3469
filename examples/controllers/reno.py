"""Reno, the standard of RFC 5681, as mesonet's own `reno` has it: runs are the same bit for bit."""

from mesonet import Controller
from mesonet.controller import AckSample, CongestionEvent, Flow, Initial


class Reno(Controller):
    """One segment per round trip, half the window on loss."""

    cwnd: float
    ssthresh: float

    def __init__(self, initial: Initial) -> None:
        super().__init__(initial)
        self.smss = float(initial.smss)
        self.ssthresh = initial.ssthresh * self.smss
        self.restart = initial.restart_window * self.smss
        self.halves_flight = initial.halve == "flight"
        self.repairing = False
        self.timed_out = False
        # Whether anything was delivered since the timeout.
        self.progress = False

    def on_ack(self, ack: AckSample, flow: Flow) -> None:
        credit = self.credit(ack, flow)
        # RFC 3465 section 2.2: slow start by what was delivered, up to the threshold.
        used = min(credit, max(self.ssthresh - self.cwnd, 0.0))
        self.cwnd += used
        if used < credit:
            self.cwnd = max(self.cwnd, self.ssthresh)
        # RFC 5681 equation 3: then one segment per window delivered.
        self.cwnd += self.smss * (credit - used) / self.cwnd

    def credit(self, ack: AckSample, flow: Flow) -> float:
        """Delivered bytes that may open the window."""
        if self.timed_out:
            self.progress = self.progress or ack.delivered > 0
            # RFC 3465 section 2.3: while repairing after a timeout, no more than a segment per ACK.
            credit = min(float(ack.delivered), self.smss)
        elif self.repairing or flow.in_recovery:
            credit = 0.0
        else:
            credit = float(ack.delivered)
        # RFC 7661: a window that is not used says nothing about the path.
        return credit if flow.cwnd_limited else 0.0

    def on_congestion(self, event: CongestionEvent, flow: Flow) -> None:
        if event.kind == "exit_recovery":
            self.repairing = self.timed_out = False
            return
        # RFC 5681 equation 4: half of what was in use, at least two segments.
        used = min(self.cwnd, float(flow.flight_size)) if self.halves_flight else self.cwnd
        half = max(0.5 * used, 2.0 * self.smss)
        if event.kind == "rto":
            # RFC 5681 section 3.1: a segment that times out again leaves the threshold alone.
            if not self.timed_out or self.progress:
                self.ssthresh = max(half, self.restart)
            self.repairing, self.timed_out, self.progress = False, True, False
            self.cwnd = min(self.cwnd, self.restart)
            return
        if event.kind == "enter_recovery":
            self.repairing, self.timed_out = True, False
        self.ssthresh = half
        self.cwnd = min(self.cwnd, half)
