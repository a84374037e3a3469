"""CUBIC (RFC 9438) with HyStart++ (RFC 9406), as mesonet's own `cubic` has it.

Runs are the same bit for bit where nothing pauses and nothing is undone.
It takes Reno's mechanics from `reno.py`, which has to lie beside it. Two things make runs equal to
the last bit: times that are compared are counted in picoseconds, and the cube root is the engine's.
"""

from reno import Reno

from mesonet.controller import AckSample, CongestionEvent, Flow, Initial, cbrt


class Cubic(Reno):
    """The window is a cubic function of the time since the last loss."""

    def __init__(self, initial: Initial, c: float = 0.4, beta: float = 0.7) -> None:
        super().__init__(initial)
        self.c = c
        self.beta = beta
        # RFC 9438 section 4.3: with it, AIMD(alpha, beta) has Reno's mean window.
        self.alpha = 3.0 * (1.0 - beta) / (1.0 + beta)
        self.hystart = HyStart()
        self.stage: Stage | None = None
        # In segments. Where the last loss was, perhaps less; and the window before it.
        self.w_max: float | None = None
        self.cwnd_prior: float | None = None
        self.set_phase()

    def on_ack(self, ack: AckSample, flow: Flow) -> None:
        rest = self.hystart.slow_start(self, ack, self.credit(ack, flow))
        # A stage of congestion avoidance begins when slow start or fast recovery is over.
        if self.cwnd >= self.ssthresh and (self.stage or rest > 0.0):
            self.stage = self.stage or self.begin(flow)
            self.stage.advance(flow)
            if rest > 0.0:
                self.cwnd += min(self.growth(rest / self.smss, self.stage, flow), 1.0) * rest
        self.set_phase()

    def begin(self, flow: Flow) -> "Stage":
        cwnd = self.cwnd / self.smss
        w_max = cwnd if self.w_max is None else max(self.w_max, cwnd)
        # RFC 9438 sections 4.8 and 4.10: without a loss to return to, W_max is the window here.
        self.w_max = cwnd if self.w_max is None else self.w_max
        self.cwnd_prior = cwnd if self.cwnd_prior is None else self.cwnd_prior
        # Section 4.2, equation 2.
        return Stage(k=cbrt((w_max - cwnd) / self.c), origin=w_max, w_est=cwnd, flow=flow)

    def growth(self, acked: float, stage: "Stage", flow: Flow) -> float:
        """Segments that the window opens by per segment acknowledged."""
        cwnd = self.cwnd / self.smss
        # Section 4.3: the window that Reno would have.
        caught_up = stage.w_est >= self.cwnd_prior
        stage.w_est += (1.0 if caught_up else self.alpha) * acked / cwnd
        if stage.w_est > cwnd and stage.w_cubic(self.c, 0.0) < stage.w_est:
            return (stage.w_est - cwnd) / acked
        # Sections 4.4 and 4.5: towards where the function is a round trip ahead.
        target = stage.w_cubic(self.c, flow.srtt)
        return max(min(target - cwnd, 0.5 * cwnd), 0.0) / cwnd

    def on_congestion(self, event: CongestionEvent, flow: Flow) -> None:
        cwnd = self.cwnd / self.smss
        # A timeout of a segment that was resent sets no threshold (RFC 5681 section 3.1).
        is_repeated = event.kind == "rto" and self.timed_out and not self.progress
        self.back_off(event, self.beta * self.in_use(flow))
        self.stage = None
        if event.kind != "exit_recovery" and not is_repeated:
            self.hystart.stop()
            self.cwnd_prior = cwnd
            if event.kind == "rto":
                self.w_max = None  # section 4.8
            elif self.w_max is not None and cwnd < self.w_max:
                self.w_max = cwnd * (1.0 + self.beta) / 2.0  # section 4.7, fast convergence
            else:
                self.w_max = cwnd
        self.set_phase()

    def set_phase(self) -> None:
        self.phase = "slow_start" if self.cwnd < self.ssthresh else "alternate"


class Stage:
    """A stage of congestion avoidance; windows in segments, times in seconds."""

    def __init__(self, *, k: float, origin: float, w_est: float, flow: Flow) -> None:
        self.k = k
        self.origin = origin
        self.w_est = w_est
        self.t = 0.0
        self.seen_ps, self.in_use = flow.now_ps, True

    def advance(self, flow: Flow) -> None:
        # RFC 9438 section 4.2: without the time in which the window was not in use.
        if self.in_use and not flow.app_limited:
            self.t += (flow.now_ps - self.seen_ps) * 1e-12
        self.seen_ps, self.in_use = flow.now_ps, not flow.app_limited

    def w_cubic(self, c: float, ahead: float) -> float:
        # RFC 9438 section 4.2, equation 1.
        t = self.t + ahead - self.k
        return c * t * t * t + self.origin


class HyStart:
    """RFC 9406 section 4.2: ends the initial slow start when the round-trip time rises."""

    def __init__(self) -> None:
        self.is_on = True
        # Smallest round-trip times of the round trip before and of this one [ps].
        self.last: int | None = None
        self.current: int | None = None
        self.samples = 0
        # In Conservative Slow Start: the round-trip time that led there, and round trips since.
        self.baseline: int | None = None
        self.rounds = 0

    def slow_start(self, window: Reno, ack: AckSample, credit: float) -> float:
        """Opens the window by at most `credit` bytes and returns what is left of them."""
        if not self.is_on:
            return window.slow_start(credit)
        if window.cwnd >= window.ssthresh:
            self.stop()
            return credit
        if ack.round:
            self.end_round(window)
        if ack.rtt_ps is not None:
            self.sample(ack.rtt_ps)
        credit = min(credit, 8.0 * window.smss)
        if self.is_on and self.baseline is not None:
            return window.slow_start(credit / 4.0) * 4.0
        return window.slow_start(credit)

    def stop(self) -> None:
        self.is_on = False

    def end_round(self, window: Reno) -> None:
        self.last, self.current, self.samples = self.current, None, 0
        if self.baseline is not None:
            self.rounds += 1
            if self.rounds == 5:
                window.ssthresh = min(window.ssthresh, window.cwnd)
                self.stop()

    def sample(self, rtt: int) -> None:
        self.current = rtt if self.current is None else min(self.current, rtt)
        self.samples += 1
        if self.samples < 8:
            return
        if self.baseline is not None:
            # The rise was jitter.
            if self.current < self.baseline:
                self.baseline = None
        elif self.last is not None:
            rise = max(min(self.last // 8, 16_000_000_000), 4_000_000_000)
            if self.current >= self.last + rise:
                self.baseline, self.rounds = self.current, 0
