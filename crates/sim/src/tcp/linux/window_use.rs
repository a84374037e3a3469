//! Use of the window, and the fate of one that is not used: `tcp_cwnd_validate`, `tcp_is_cwnd_limited`, `tcp_cwnd_restart`,
//! `tcp_cwnd_application_limited`.

use std::hint::select_unpredictable;

use congestion::{Duration, Phase, Time};

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
#[derive(Clone, Copy, Debug, Default)]
pub struct WindowUse {
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
}

impl WindowUse {
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

    /// Begin anew: the window is set at `now`.
    pub fn reset(&mut self, now: Time) {
        (self.used, self.valid_at) = (0, now);
    }

    /// Window of a sender that has just sent all that there is, if it is to go down from `cwnd`: it was not full for an RTO
    /// (`tcp_cwnd_application_limited`).
    #[must_use]
    pub fn decay(&mut self, cwnd: u32, initial: u32, phase: Phase, rto: Duration, now: Time) -> Option<u32> {
        if self.is_cwnd_limited(cwnd, || phase) || now.since(self.valid_at) < rto {
            return None;
        }
        let used = self.used.max(initial);
        self.reset(now);
        (used < cwnd).then(|| u32::midpoint(cwnd, used))
    }
}

/// Window of `cwnd` segments after so long without anything in flight: half for each RTO, down to `restart_window`
/// (`tcp_cwnd_restart`) [segments].
#[must_use]
pub fn restarted(cwnd: u32, restart_window: u32, idle: Duration, rto: Duration) -> u32 {
    let (mut window, mut rest) = (cwnd, idle.0.saturating_sub(rto.0));
    while rest > 0 && window > restart_window {
        window /= 2;
        rest = rest.saturating_sub(rto.0);
    }
    window.max(restart_window)
}

/// Threshold that remembers a window of `cwnd` segments, three quarters of it (`tcp_current_ssthresh`) [segments].
#[must_use]
pub fn remembered(cwnd: u32) -> u32 {
    cwnd / 2 + cwnd / 4
}
