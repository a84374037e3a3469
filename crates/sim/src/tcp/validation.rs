//! Validation of the congestion window: growth only while the window is used, less of it where it was not
//! ([RFC 7661], [RFC 5681 section 4.1], Linux `tcp_cwnd_validate`, draft-ietf-ccwg-ratelimited-increase).
//!
//! [RFC 7661]: https://www.rfc-editor.org/rfc/rfc7661
//! [RFC 5681 section 4.1]: https://www.rfc-editor.org/rfc/rfc5681#section-4.1

use std::hint::select_unpredictable;

use congestion::{Duration, Phase, Time};

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

/// Sender as it is when a segment leaves, or cannot; counts in segments.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// Segments sent and not cumulatively acknowledged.
    pub flight_size: u32,
    /// SND.UNA.
    pub snd_una: u32,
    /// SND.NXT.
    pub snd_nxt: u32,
    /// Segments in the network fill the window.
    pub is_full: bool,
    /// Congestion window.
    pub cwnd: u32,
    /// Time.
    pub now: Time,
}

/// Use of one sender's window; counts in segments.
#[derive(Clone, Debug)]
pub struct Validation {
    options: ValidationOptions,
    initial_window: u32,
    /// The window was full in the present window of data.
    was_full: bool,
    /// Largest flight of it, if it was not (`max_packets_out`).
    largest_flight: u32,
    /// SND.NXT when that was measured (`cwnd_usage_seq`).
    measured_at: u32,
    /// Largest flight since the window was full (`snd_cwnd_used`).
    used: u32,
    /// When the window was full, or was put down (`snd_cwnd_stamp`).
    valid_at: Time,
    /// Largest flight since a reduction (`maxFS`).
    max_fs: u32,
}

impl Validation {
    /// Nothing is sent yet.
    #[must_use]
    pub fn new(options: ValidationOptions, initial_window: u32) -> Self {
        Self {
            options,
            initial_window,
            was_full: false,
            largest_flight: 0,
            measured_at: 0,
            used: 0,
            valid_at: Time::ZERO,
            // "The sender MUST initialise the maxFS parameter to initcwnd" (the draft, section 3).
            max_fs: initial_window,
        }
    }

    /// Evidence that the window limits the sender.
    #[must_use]
    #[inline]
    pub fn rule(&self) -> ValidationRule {
        self.options.rule
    }

    /// Take note of a segment that leaves, or that the window does not let go; `phase` is the regime of the controller.
    #[inline]
    #[expect(clippy::needless_bitwise_bool, reason = "a lazy operator may become a branch")]
    pub fn observe(&mut self, state: &Use, phase: impl FnOnce() -> Phase) {
        // Every other segment fills the window, or one in three: no branch, for it would be mispredicted. The largest
        // flight matters only while no window was full, so it needs no care while one was.
        let next_window = state.snd_una >= self.measured_at;
        let is_larger = !self.was_full & (state.flight_size > self.largest_flight);
        let replaces = next_window | state.is_full | is_larger;
        let before = select_unpredictable(next_window, 0, self.largest_flight);
        self.was_full = state.is_full | (self.was_full & !next_window);
        self.largest_flight = before.max(state.flight_size);
        self.measured_at = select_unpredictable(replaces, state.snd_nxt, self.measured_at);
        if self.is_cwnd_limited(state.cwnd, phase) {
            (self.used, self.valid_at) = (0, state.now);
        } else {
            self.used = self.used.max(state.flight_size);
        }
        if self.options.rule == ValidationRule::RateLimited {
            self.measure(state.flight_size);
        }
    }

    /// A full window was observed at `now`, with the same data sent: to observe it again would change nothing that is
    /// asked for.
    #[must_use]
    #[inline]
    pub fn knows_full(&self, snd_nxt: u32, now: Time) -> bool {
        self.was_full && self.measured_at == snd_nxt && self.valid_at == now
    }

    /// Limitation by the window of `cwnd` segments, as Linux has it: it was full, or in slow start it is less than twice
    /// the largest flight. Windows are full most of the time, so that the controller is seldom asked for its `phase`.
    #[must_use]
    #[inline]
    pub fn is_cwnd_limited(&self, cwnd: u32, phase: impl FnOnce() -> Phase) -> bool {
        let doubled = 2 * u64::from(self.largest_flight);
        self.was_full || (u64::from(cwnd) < doubled && phase() == Phase::SlowStart)
    }

    /// Take note of a flight: after a segment has left, or before an ACK is taken in.
    pub fn measure(&mut self, flight_size: u32) {
        self.max_fs = self.max_fs.max(flight_size);
    }

    /// A reduction of the window. The draft, section 3: "Upon a reduction of cwnd (for any reason), maxFS MUST be reset
    /// to zero".
    pub fn on_reduction(&mut self) {
        self.max_fs = 0;
    }

    /// Largest window that the flights so far justify. The draft, section 3: "limit(maxFS)=2*maxFS" in slow start,
    /// "limit(maxFS)=SMSS+maxFS" in congestion avoidance.
    #[must_use]
    pub fn limit(&self, phase: Phase) -> u32 {
        match phase {
            Phase::SlowStart => self.max_fs.saturating_mul(2),
            Phase::Standard | Phase::Alternate => self.max_fs.saturating_add(1),
        }
    }

    /// Window with which a sender that had `cwnd` goes on after so long without anything in flight, if it is to be set:
    /// that of Linux is set even if it is the same, for its threshold remembers `cwnd` (`tcp_cwnd_restart`). RFC 5681
    /// section 4.1: "a TCP SHOULD set cwnd to no more than RW before beginning transmission if the TCP has not
    /// sent data in an interval exceeding the retransmission timeout."
    #[must_use]
    pub fn restart(&mut self, cwnd: u32, idle: Duration, rto: Duration, now: Time) -> Option<u32> {
        if idle <= rto || self.options.idle_restart == IdleRestart::None {
            return None;
        }
        let restart_window = self.initial_window.min(cwnd);
        let mut window = restart_window;
        if self.options.idle_restart == IdleRestart::Linux {
            window = cwnd;
            let mut rest = idle.0.saturating_sub(rto.0);
            while rest > 0 && window > restart_window {
                window /= 2;
                rest = rest.saturating_sub(rto.0);
            }
            window = window.max(restart_window);
        }
        (self.used, self.valid_at) = (0, now);
        (window < cwnd || self.options.idle_restart == IdleRestart::Linux).then_some(window)
    }

    /// Window of a sender that has just sent all that there is, if it is to go down from `cwnd`: it was not full for an RTO.
    #[must_use]
    pub fn decay(&mut self, cwnd: u32, phase: Phase, rto: Duration, now: Time) -> Option<u32> {
        if !self.options.app_limited_decay
            || self.is_cwnd_limited(cwnd, || phase)
            || now.since(self.valid_at) < rto
        {
            return None;
        }
        let used = self.used.max(self.initial_window);
        (self.used, self.valid_at) = (0, now);
        (used < cwnd).then(|| u32::midpoint(cwnd, used))
    }
}

/// Threshold that remembers a window of `cwnd` segments, three quarters of it (Linux, `tcp_current_ssthresh`) [segments].
#[must_use]
pub fn remembered(cwnd: u32) -> u32 {
    cwnd / 2 + cwnd / 4
}

#[cfg(test)]
mod tests;
