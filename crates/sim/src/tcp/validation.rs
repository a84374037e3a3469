//! Validation of the congestion window: growth only while the window is used, less of it where it was not
//! ([RFC 7661], [RFC 5681 section 4.1], Linux `tcp_cwnd_validate`, draft-ietf-ccwg-ratelimited-increase).
//!
//! [RFC 7661]: https://www.rfc-editor.org/rfc/rfc7661
//! [RFC 5681 section 4.1]: https://www.rfc-editor.org/rfc/rfc5681#section-4.1

use congestion::{Duration, Phase, Time};

use crate::tcp::linux::window_use::{Use, WindowUse, remembered, restarted};

/// Evidence that the window limits the sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValidationRule {
    /// The flight before the ACK at hand.
    #[default]
    Flight,
    /// The largest flight of the last window of data (Linux, `tcp_is_cwnd_limited`).
    Linux,
    /// The largest flight since the window was reduced, which also caps the window
    /// (draft-ietf-ccwg-ratelimited-increase).
    RateLimited,
    /// The flight before the ACK at hand, or else the pacer, if that holds data back (RFC 9002 section 7.8).
    Rfc9002,
}

/// Window with which a sender starts again after idle time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdleRestart {
    /// The one that it had.
    #[default]
    None,
    /// The initial window, after more than an RTO (RFC 5681 section 4.1).
    Rfc5681,
    /// Half of it for each RTO, down to the initial window (Linux, `tcp_cwnd_restart`).
    Linux,
}

/// Options of window validation, beside the switch for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValidationOptions {
    /// Evidence that the window limits the sender.
    pub rule: ValidationRule,
    /// Window after idle time.
    pub idle_restart: IdleRestart,
    /// A window that the application has not filled for an RTO goes down (Linux, `tcp_cwnd_application_limited`).
    pub app_limited_decay: bool,
}

impl ValidationOptions {
    /// Any of them is on.
    #[must_use]
    pub fn is_on(&self) -> bool {
        *self != Self::default()
    }
}

/// Flight before an ACK; counts in segments.
#[derive(Clone, Copy, Debug)]
pub struct Flight<P> {
    /// Segments outstanding.
    pub size: u32,
    /// Segments in the network.
    pub pipe: u32,
    /// There is more to send, and the pacer holds it back.
    pub is_held_by_pacer: P,
}

/// Window that goes down without congestion; counts in segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lowered {
    /// The window.
    pub cwnd: u32,
    /// Smallest threshold that leads back to the window before; zero where nothing does.
    pub ssthresh: u32,
}

/// Validation of one sender's window; counts in segments.
#[derive(Clone, Debug)]
pub struct Validation {
    initial_window: u32,
    window_use: WindowUse,
    /// Largest flight since a reduction (`maxFS`).
    max_fs: u32,
}

impl Validation {
    /// Nothing is sent yet.
    #[must_use]
    pub fn new(initial_window: u32) -> Self {
        // "The sender MUST initialise the maxFS parameter to initcwnd" (the draft, section 3).
        Self { initial_window, window_use: WindowUse::default(), max_fs: initial_window }
    }

    /// Take note of a segment that leaves, or that the window does not let go; `phase` is the regime of the controller.
    #[inline]
    pub fn observe(&mut self, state: &Use, phase: impl FnOnce() -> Phase) {
        self.window_use.observe(state, phase);
        self.measure(state.flight_size);
    }

    /// Returns true if to observe a full window with this data sent would change nothing that is asked for.
    #[must_use]
    #[inline]
    pub fn knows_full(&self, snd_nxt: u32, now: Time) -> bool {
        self.window_use.knows_full(snd_nxt, now)
    }

    /// Limitation by the window of `cwnd` segments, with the flight before the ACK at hand; `None` where that says all. RFC
    /// 9002 section 7.8: a sender "SHOULD NOT consider itself application limited if it would have fully utilized the
    /// congestion window without pacing delay". One segment short of it counts as full, as with the rule `flight`.
    /// <https://www.rfc-editor.org/rfc/rfc9002#section-7.8>
    #[inline]
    pub fn limits(
        &mut self,
        options: &ValidationOptions,
        cwnd: u32,
        prior: &Flight<impl Fn() -> bool>,
        phase: impl FnOnce() -> Phase,
    ) -> Option<bool> {
        match options.rule {
            ValidationRule::Flight => None,
            ValidationRule::Linux => Some(self.window_use.is_cwnd_limited(cwnd, phase)),
            ValidationRule::RateLimited => {
                self.measure(prior.size);
                Some(cwnd < self.limit(phase()) || prior.size >= cwnd)
            }
            ValidationRule::Rfc9002 => Some(prior.pipe + 1 >= cwnd || (prior.is_held_by_pacer)()),
        }
    }

    /// Take note of a flight: after a segment has left, or before an ACK is taken in.
    fn measure(&mut self, flight_size: u32) {
        self.max_fs = self.max_fs.max(flight_size);
    }

    /// A reduction of the window. The draft, section 3: "Upon a reduction of cwnd (for any reason), maxFS MUST be reset
    /// to zero".
    pub fn on_reduction(&mut self) {
        self.max_fs = 0;
    }

    /// Largest window that the flights so far justify. The draft, section 3: "limit(maxFS)=2*maxFS" in slow start,
    /// "limit(maxFS)=SMSS+maxFS" in congestion avoidance.
    fn limit(&self, phase: Phase) -> u32 {
        match phase {
            Phase::SlowStart => self.max_fs.saturating_mul(2),
            Phase::Standard | Phase::Alternate => self.max_fs.saturating_add(1),
        }
    }

    /// Window to which one of `cwnd` goes down, if `flight_size` is below it and the flights so far justify no more. The
    /// draft, section 3: "The sender MUST cap cwnd to be no larger than limit(maxFS)", where its flight is below it.
    #[must_use]
    #[inline]
    pub fn cap(
        &self,
        options: &ValidationOptions,
        cwnd: u32,
        flight_size: u32,
        phase: impl FnOnce() -> Phase,
    ) -> Option<Lowered> {
        if options.rule != ValidationRule::RateLimited || flight_size >= cwnd {
            return None;
        }
        let limit = self.limit(phase());
        (cwnd > limit).then_some(Lowered { cwnd: limit, ssthresh: 0 })
    }

    /// Window with which a sender that had `cwnd` goes on after so long without anything in flight, if it is to be set:
    /// that of Linux is set even if it is the same, for its threshold remembers `cwnd` (`tcp_cwnd_restart`). RFC 5681
    /// section 4.1: "a TCP SHOULD set cwnd to no more than RW before beginning transmission if the TCP has not
    /// sent data in an interval exceeding the retransmission timeout."
    #[must_use]
    pub fn restart(
        &mut self,
        options: &ValidationOptions,
        cwnd: u32,
        idle: Duration,
        rto: Duration,
        now: Time,
    ) -> Option<Lowered> {
        if idle <= rto || options.idle_restart == IdleRestart::None {
            return None;
        }
        self.window_use.reset(now);
        let window = self.initial_window.min(cwnd);
        if window < cwnd {
            self.on_reduction();
        }
        if options.idle_restart == IdleRestart::Linux {
            return Some(Lowered { cwnd: restarted(cwnd, window, idle, rto), ssthresh: remembered(cwnd) });
        }
        (window < cwnd).then_some(Lowered { cwnd: window, ssthresh: 0 })
    }

    /// Window of a sender that has just sent all that there is, if it is to go down from `cwnd`: it was not full for an RTO.
    #[must_use]
    pub fn decay(
        &mut self,
        options: &ValidationOptions,
        cwnd: u32,
        phase: Phase,
        rto: Duration,
        now: Time,
    ) -> Option<Lowered> {
        if !options.app_limited_decay {
            return None;
        }
        let window = self.window_use.decay(cwnd, self.initial_window, phase, rto, now)?;
        self.on_reduction();
        Some(Lowered { cwnd: window, ssthresh: remembered(cwnd) })
    }
}

#[cfg(test)]
mod tests;
