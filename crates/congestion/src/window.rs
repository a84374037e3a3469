//! Window of nearly every window-based algorithm: `cwnd`, `ssthresh`, slow start, additive increase,
//! reduction, and the question whether an ACK may open the window at all.

use crate::control::{AckSample, CongestionEvent, Decision, Flow, Halve, Initial, Phase, Prior};

/// The least `ssthresh`: 2 segments ([RFC 5681, equation 4]).
///
/// [RFC 5681, equation 4]: https://www.rfc-editor.org/rfc/rfc5681#section-3.1
const MIN_SSTHRESH: f64 = 2.0;

/// Multiplicative decrease factor of standard TCP: the part of the window that loss leaves ([RFC 5681, equation 4]:
/// "ssthresh = max (FlightSize / 2, 2*SMSS)").
///
/// [RFC 5681, equation 4]: https://www.rfc-editor.org/rfc/rfc5681#section-3.1
pub const BETA_RENO: f64 = 0.5;

/// Congestion window and slow-start threshold of one flow [bytes].
#[derive(Clone, Debug)]
pub struct Window {
    cwnd: f64,
    ssthresh: f64,
    smss: f64,
    restart: f64,
    halve: Halve,
    counts_whole_acks: bool,
    episode: Episode,
}

/// Latest report of the transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Episode {
    /// No loss is being repaired.
    Open,
    /// Between `EnterRecovery` and `ExitRecovery`.
    Recovery,
    /// Between `Rto` and `ExitRecovery`; `progress` says whether anything was delivered since.
    Timeout { progress: bool },
}

impl Window {
    /// The window a flow starts with.
    pub fn new(initial: &Initial) -> Self {
        let smss = f64::from(initial.smss);
        Self {
            cwnd: initial.window * smss,
            ssthresh: initial.ssthresh * smss,
            smss,
            restart: initial.restart_window * smss,
            halve: initial.halve,
            counts_whole_acks: initial.counts_whole_acks,
            episode: Episode::Open,
        }
    }

    /// Congestion window [bytes].
    pub fn cwnd(&self) -> f64 {
        self.cwnd
    }

    /// Slow-start threshold [bytes]; infinity if there is none yet.
    pub fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    /// Payload bytes of a full segment.
    pub fn smss(&self) -> f64 {
        self.smss
    }

    /// Congestion window [segments].
    pub fn segments(&self) -> f64 {
        self.cwnd / self.smss
    }

    /// Decision of a controller without pacing.
    pub fn decision(&self) -> Decision {
        Decision { cwnd: self.cwnd, pacing_rate: None }
    }

    /// The regime of a controller whose congestion avoidance is at present that of standard TCP, or not.
    pub fn phase(&self, standard: bool) -> Phase {
        match (self.in_slow_start(), standard) {
            (true, _) => Phase::SlowStart,
            (false, true) => Phase::Standard,
            (false, false) => Phase::Alternate,
        }
    }

    /// True in slow start. Equality is congestion avoidance; RFC 5681 allows either.
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// True during loss recovery, after duplicate ACKs or after a timeout.
    pub fn is_repairing(&self, flow: &Flow) -> bool {
        flow.in_recovery || self.episode != Episode::Open
    }

    /// True if the controller has been notified of losses that are not repaired yet. Unlike `is_repairing`, this
    /// is false while `EnterRecovery` is being reported: then `Flow` says already that losses are repaired.
    pub fn knows_of_losses(&self) -> bool {
        self.episode != Episode::Open
    }

    /// True if `event` is another timeout of a segment that was resent and not delivered: `ssthresh` is held
    /// constant (RFC 5681 section 3.1).
    pub fn is_repeated(&self, event: CongestionEvent) -> bool {
        event == CongestionEvent::Rto && self.episode == (Episode::Timeout { progress: false })
    }

    /// True if `event` is a timeout that goes with the reduction before it, repeated or within fast recovery: what is taken
    /// back is both. Linux, `tcp_enter_loss`.
    pub fn goes_with_earlier(&self, event: CongestionEvent) -> bool {
        self.is_repeated(event) || event == CongestionEvent::Rto && self.episode == Episode::Recovery
    }

    /// True between a timeout and the end of the repairs that follow it.
    pub fn repairs_timeout(&self) -> bool {
        matches!(self.episode, Episode::Timeout { .. })
    }

    /// Number of delivered bytes that may open the window: none during fast recovery, none while
    /// something other than the window limits the sender, else all of them. Call it once per ACK.
    ///
    /// After a timeout the flow slow-starts while it repairs (RFC 5681 section 3.1), so ACKs count, but each
    /// for a segment at most: one that fills a hole may cover much that had arrived long before
    /// ([RFC 3465 section 2.3]). In Linux SACKs have told of that, and each counts whole (`tcp_slow_start`).
    ///
    /// [RFC 3465 section 2.3]: https://www.rfc-editor.org/rfc/rfc3465#section-2.3
    #[must_use]
    pub fn credit(&mut self, ack: &AckSample, flow: &Flow) -> f64 {
        let delivered = to_float(ack.delivered);
        let credit = match &mut self.episode {
            Episode::Open if !flow.in_recovery => delivered,
            Episode::Open | Episode::Recovery => 0.0,
            Episode::Timeout { progress } => {
                *progress |= ack.delivered > 0;
                if self.counts_whole_acks { delivered } else { delivered.min(self.smss) }
            }
        };
        if flow.cwnd_limited { credit } else { 0.0 }
    }

    /// Slow start by bytes acknowledged ([RFC 3465 section 2.2], without its limit L, so that what an ACK
    /// opens does not depend on how many segments it covers). Returns the bytes left for congestion
    /// avoidance once `cwnd` has reached `ssthresh`.
    ///
    /// [RFC 3465 section 2.2]: https://www.rfc-editor.org/rfc/rfc3465#section-2.2
    #[must_use]
    pub fn slow_start(&mut self, delivered: f64) -> f64 {
        let used = delivered.min((self.ssthresh - self.cwnd).max(0.0));
        self.cwnd += used;
        // A subtraction that rounds must not leave the flow a fraction of a byte short of the threshold.
        if used < delivered {
            self.cwnd = self.cwnd.max(self.ssthresh);
        }
        delivered - used
    }

    /// Opens the window by one segment per `window` bytes delivered.
    ///
    /// With `window = cwnd` this is [RFC 5681, equation 3] for an ACK of one segment:
    /// "cwnd += SMSS*SMSS/cwnd".
    ///
    /// [RFC 5681, equation 3]: https://www.rfc-editor.org/rfc/rfc5681#section-3.1
    pub fn avoid(&mut self, delivered: f64, window: f64) {
        self.cwnd += self.smss * delivered / window;
    }

    /// Opens the window by `gain` bytes per byte delivered.
    pub fn scale(&mut self, delivered: f64, gain: f64) {
        self.cwnd += gain * delivered;
    }

    /// Opens or closes the window by `change` bytes, down to one segment.
    pub fn shift(&mut self, change: f64) {
        self.cwnd = (self.cwnd + change).max(self.smss);
    }

    /// Puts the window at `target` bytes, as delay-based algorithms do in congestion avoidance: at least 2
    /// segments, and `ssthresh` never above it, so that a smaller window does not lead to slow start.
    pub fn steer(&mut self, target: f64) {
        self.cwnd = target.max(self.cwnd.min(MIN_SSTHRESH * self.smss));
        self.ssthresh = self.ssthresh.min(self.cwnd);
    }

    /// Puts window and threshold at what the transport says [bytes]; the window at one segment or more.
    pub fn put(&mut self, cwnd: f64, ssthresh: f64) {
        self.cwnd = cwnd.max(self.smss);
        self.ssthresh = ssthresh;
    }

    /// Lowers the window to `target` bytes, also below 2 segments, and ends slow start there.
    pub fn close(&mut self, target: f64) {
        self.cwnd = self.cwnd.min(target);
        self.ssthresh = self.cwnd;
    }

    /// Ends slow start here.
    pub fn leave_slow_start(&mut self) {
        self.ssthresh = self.ssthresh.min(self.cwnd);
    }

    /// The window [bytes] that a loss reduces: all of `window`, or the part of it that was in use.
    ///
    /// [RFC 5681 section 3.1](https://www.rfc-editor.org/rfc/rfc5681#section-3.1) takes `FlightSize`, not
    /// counting limited transmit, which is what may exceed the window.
    pub fn reference(&self, window: f64, flow: &Flow) -> f64 {
        match self.halve {
            Halve::Window => window,
            Halve::Flight => window.min(to_float(flow.flight_size)),
        }
    }

    /// Follows `event`, backing off to the part `beta` of the [reference](Self::reference) where it asks for that.
    pub fn back_off(&mut self, event: CongestionEvent, beta: f64, flow: &Flow) {
        let reference = self.reference(self.cwnd, flow);
        self.respond(event, beta * reference);
    }

    /// Follows `event`, backing off to `target` bytes where it asks for that; `ExitRecovery` does not.
    pub fn respond(&mut self, event: CongestionEvent, target: f64) {
        match event {
            CongestionEvent::EnterRecovery => {
                self.episode = Episode::Recovery;
                self.reduce(target);
            }
            CongestionEvent::EcnEcho => self.reduce(target),
            CongestionEvent::Rto => {
                if !self.is_repeated(event) {
                    self.ssthresh = self.threshold(target).max(self.restart);
                }
                self.episode = Episode::Timeout { progress: false };
                self.collapse();
            }
            CongestionEvent::ExitRecovery => self.episode = Episode::Open,
        }
    }

    /// Takes back a reduction: window and threshold as they were, neither lower than it is. Linux,
    /// `tcp_undo_cwnd_reduction` and `tcp_reno_undo_cwnd`.
    pub fn undo(&mut self, prior: &Prior) {
        self.cwnd = self.cwnd.max(prior.cwnd);
        self.ssthresh = prior.ssthresh.map_or(self.ssthresh, |ssthresh| ssthresh.max(self.ssthresh));
    }

    /// Loss or mark: `ssthresh` is `target`, at least 2 segments, and `cwnd` follows, never upwards.
    pub fn reduce(&mut self, target: f64) {
        self.ssthresh = self.threshold(target);
        self.cwnd = self.cwnd.min(self.ssthresh);
    }

    /// Timeout: `cwnd` becomes the restart window, never upwards.
    ///
    /// [RFC 5681 section 3.1](https://www.rfc-editor.org/rfc/rfc5681#section-3.1) restarts from one
    /// segment, `MesoNet` from the initial window.
    pub fn collapse(&mut self) {
        self.cwnd = self.cwnd.min(self.restart);
    }

    fn threshold(&self, target: f64) -> f64 {
        target.max(MIN_SSTHRESH * self.smss)
    }
}

/// Bytes as a floating-point number.
#[expect(clippy::cast_precision_loss, reason = "exact to 2^53 bytes; a window is far smaller")]
pub(crate) fn to_float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests;
