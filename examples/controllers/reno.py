"""Reno, the standard of RFC 5681, as mesonet's own `reno` has it.

Runs are the same bit for bit where the transport sets no window itself, which it does of built-in
controllers only: after pauses and, in Linux's form, after timeouts.
"""

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
        rest = self.slow_start(self.credit(ack, flow))
        # RFC 5681 equation 3: beyond the threshold one segment per window delivered.
        self.cwnd += self.smss * rest / self.cwnd

    def on_congestion(self, event: CongestionEvent, flow: Flow) -> None:
        # RFC 5681 equation 4: half of what was in use.
        self.back_off(event, 0.5 * self.in_use(flow))

    def on_undo(self, cwnd: float, ssthresh: float | None, flow: Flow) -> None:
        # The latest reduction answered no loss.
        self.cwnd = max(self.cwnd, cwnd)
        self.ssthresh = max(self.ssthresh, ssthresh or 0.0)

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

    def slow_start(self, credit: float) -> float:
        """RFC 3465 section 2.2: opens by what was delivered, up to the threshold; what is left."""
        used = min(credit, max(self.ssthresh - self.cwnd, 0.0))
        self.cwnd += used
        if used < credit:
            # A subtraction that rounds must not leave the window just short of the threshold.
            self.cwnd = max(self.cwnd, self.ssthresh)
        return credit - used

    def in_use(self, flow: Flow) -> float:
        """What a loss reduces [bytes]: the window, or the part of it that was in flight."""
        return min(self.cwnd, float(flow.flight_size)) if self.halves_flight else self.cwnd

    def back_off(self, event: CongestionEvent, target: float) -> None:
        """Lets the threshold and the window be `target` bytes, where the event asks for that."""
        if event.kind == "exit_recovery":
            self.repairing = self.timed_out = False
            return
        # RFC 5681 equation 4: at least two segments.
        target = max(target, 2.0 * self.smss)
        if event.kind == "rto":
            # RFC 5681 section 3.1: a segment that times out again leaves the threshold alone.
            if not self.timed_out or self.progress:
                self.ssthresh = max(target, self.restart)
            self.repairing, self.timed_out, self.progress = False, True, False
            self.cwnd = min(self.cwnd, self.restart)
            return
        if event.kind == "enter_recovery":
            self.repairing, self.timed_out = True, False
        self.ssthresh = target
        self.cwnd = min(self.cwnd, target)
