//! Validation of the congestion window: growth only while the window is used, less of it where it was not
//! ([RFC 7661], [RFC 5681 section 4.1], Linux `tcp_cwnd_validate`, draft-ietf-ccwg-ratelimited-increase).
//!
//! [RFC 7661]: https://www.rfc-editor.org/rfc/rfc7661
//! [RFC 5681 section 4.1]: https://www.rfc-editor.org/rfc/rfc5681#section-4.1

use std::hint::select_unpredictable;

use congestion::{Duration, Phase, Time};
use serde::{Deserialize, Serialize};

/// Evidence that the window limits the sender.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
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
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
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
    last_sent: Time,
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
            last_sent: Time::ZERO,
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

    /// Note the time at which a segment leaves.
    #[inline]
    pub fn on_sent(&mut self, now: Time) {
        self.last_sent = now;
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

    /// Time since the last segment left, if one has.
    #[must_use]
    pub fn idle(&self, now: Time) -> Option<Duration> {
        (self.last_sent > Time::ZERO).then(|| now.since(self.last_sent))
    }

    /// Window with which a sender that had `cwnd` goes on after so long without anything in flight, if it is another.
    /// RFC 5681 section 4.1: "a TCP SHOULD set cwnd to no more than RW before beginning transmission if the TCP has not
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
        (window < cwnd).then_some(window)
    }

    /// Window of a sender that has nothing more to send, if it is to go down from `cwnd`: it was not full for an RTO.
    #[must_use]
    pub fn decay(&mut self, cwnd: u32, phase: Phase, rto: Duration, now: Time) -> Option<u32> {
        if !self.options.app_limited_decay
            || self.last_sent != now
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
mod tests {
    use super::*;

    const RTO: Duration = Duration::from_millis(300);

    fn ms(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    fn validation(idle_restart: IdleRestart) -> Validation {
        let options =
            ValidationOptions { rule: ValidationRule::Linux, idle_restart, app_limited_decay: true };
        Validation::new(options, 10)
    }

    fn state(flight_size: u32, cwnd: u32, now: Time) -> Use {
        let is_full = flight_size >= cwnd;
        Use { flight_size, snd_una: 100, snd_nxt: 100 + flight_size, is_full, cwnd, now }
    }

    /// Linux, `tcp_cwnd_restart`: half per RTO beyond the first, rounded down, not below the initial window.
    #[test]
    fn idle_time_halves_the_window_per_timeout() {
        let restart = |cwnd, idle| {
            validation(IdleRestart::Linux).restart(cwnd, Duration::from_millis(idle), RTO, ms(9000))
        };
        assert_eq!(restart(100, 300), None);
        assert_eq!(restart(100, 301), Some(50));
        assert_eq!(restart(100, 600), Some(50));
        assert_eq!(restart(100, 601), Some(25));
        assert_eq!(restart(100, 5000), Some(10));
        assert_eq!(restart(8, 5000), None);
    }

    /// RFC 5681 section 4.1: "cwnd to no more than RW", the smaller of initial window and window.
    #[test]
    fn the_restart_window_of_rfc_5681_is_the_initial_one() {
        let restart = |idle_restart, cwnd| {
            validation(idle_restart).restart(cwnd, Duration::from_millis(301), RTO, ms(9000))
        };
        assert_eq!(restart(IdleRestart::Rfc5681, 100), Some(10));
        assert_eq!(restart(IdleRestart::Rfc5681, 6), None);
        assert_eq!(restart(IdleRestart::None, 100), None);
    }

    /// Linux, `tcp_cwnd_application_limited`: half way to the largest flight, once per RTO.
    #[test]
    fn a_window_that_is_not_filled_goes_down() {
        let mut validation = validation(IdleRestart::None);
        validation.observe(&state(20, 100, ms(1000)), || Phase::Standard);
        validation.on_sent(ms(1000));
        assert_eq!(validation.decay(100, Phase::Standard, RTO, ms(1000)), Some(60));
        assert_eq!(validation.decay(60, Phase::Standard, RTO, ms(1000)), None, "not again for an RTO");
        validation.observe(&state(4, 60, ms(1300)), || Phase::Standard);
        validation.on_sent(ms(1300));
        assert_eq!(
            validation.decay(60, Phase::Standard, RTO, ms(1300)),
            Some(35),
            "the initial window counts"
        );
        validation.observe(&Use { snd_una: 300, ..state(35, 35, ms(1700)) }, || Phase::Standard);
        validation.on_sent(ms(1700));
        assert_eq!(validation.decay(35, Phase::Standard, RTO, ms(1700)), None, "it is full");
    }

    /// The draft, section 3: twice the largest flight in slow start, one segment more in avoidance; a reduction measures
    /// anew.
    #[test]
    fn flights_limit_the_window() {
        let rule = ValidationRule::RateLimited;
        let mut validation = Validation::new(ValidationOptions { rule, ..ValidationOptions::default() }, 10);
        assert_eq!(validation.limit(Phase::SlowStart), 20);
        validation.observe(&state(14, 30, ms(1)), || Phase::Standard);
        assert_eq!((validation.limit(Phase::SlowStart), validation.limit(Phase::Standard)), (28, 15));
        validation.on_reduction();
        validation.measure(7);
        assert_eq!(validation.limit(Phase::Alternate), 8);
    }

    /// Linux, `tcp_cwnd_validate`: a window that was full stays so for its data, and a later window is measured anew.
    #[test]
    fn a_full_window_is_remembered_for_its_data() {
        let standard = || Phase::Standard;
        let mut validation = validation(IdleRestart::None);
        assert_eq!(validation.rule(), ValidationRule::Linux);
        let at =
            |una, flight, cwnd| Use { snd_una: una, snd_nxt: una + flight, ..state(flight, cwnd, ms(1)) };
        validation.observe(&at(100, 10, 10), standard);
        assert!(validation.is_cwnd_limited(10, standard), "full, and of a new window at once");
        validation.observe(&at(101, 12, 20), standard);
        assert!(validation.is_cwnd_limited(20, standard), "a larger flight that is not full");
        validation.observe(&at(110, 5, 20), standard);
        assert!(!validation.is_cwnd_limited(20, standard), "the next window");
        assert!(!validation.is_cwnd_limited(9, standard), "twice the flight counts in slow start");
        assert!(validation.is_cwnd_limited(9, || Phase::SlowStart));
        assert!(!validation.is_cwnd_limited(10, || Phase::SlowStart));
        validation.observe(&at(112, 7, 20), standard);
        assert!(validation.is_cwnd_limited(13, || Phase::SlowStart), "the largest flight");
        validation.observe(&at(112, 4, 20), standard);
        assert!(validation.is_cwnd_limited(13, || Phase::SlowStart));
    }

    /// Windows that are full one after another: each is remembered for data of its own.
    #[test]
    fn each_full_window_is_measured_anew() {
        let mut validation = validation(IdleRestart::None);
        let full = |una| Use { snd_una: una, snd_nxt: una + 10, ..state(10, 10, ms(1)) };
        validation.observe(&full(100), || Phase::Standard);
        validation.observe(&full(110), || Phase::Standard);
        let less = Use { snd_una: 115, snd_nxt: 120, ..state(5, 10, ms(1)) };
        validation.observe(&less, || Phase::Standard);
        assert!(validation.is_cwnd_limited(10, || Phase::Standard));
        // A flight that is no larger begins no measurement.
        for (una, flight) in [(120, 5), (121, 5), (125, 3)] {
            let part = Use { snd_una: una, snd_nxt: una + flight, ..state(flight, 20, ms(1)) };
            validation.observe(&part, || Phase::Standard);
        }
        assert!(!validation.is_cwnd_limited(9, || Phase::SlowStart), "twice three");
    }

    /// A full window need not be observed again at the same time, with the same data sent.
    #[test]
    fn a_full_window_is_known_until_something_changes() {
        let mut validation = validation(IdleRestart::None);
        assert!(!validation.knows_full(110, ms(1)) && !ValidationOptions::default().is_on());
        validation.observe(&state(10, 10, ms(1)), || Phase::Standard);
        assert!(validation.knows_full(110, ms(1)));
        assert!(!validation.knows_full(111, ms(1)) && !validation.knows_full(110, ms(2)));
        validation.observe(&Use { snd_una: 110, snd_nxt: 120, ..state(10, 30, ms(1)) }, || Phase::Standard);
        assert!(!validation.knows_full(120, ms(1)), "not full");
    }

    /// Linux, `tcp_cwnd_application_limited`: only where a segment has left just now, and an RTO has passed; and only
    /// where it is an option.
    #[test]
    fn a_window_goes_down_for_a_reason() {
        let decay = |options: ValidationOptions, sent, now| {
            let mut validation = Validation::new(options, 10);
            validation.observe(&state(20, 100, ms(1)), || Phase::Standard);
            validation.on_sent(ms(sent));
            validation.decay(100, Phase::Standard, RTO, ms(now))
        };
        let on = ValidationOptions {
            rule: ValidationRule::Linux,
            app_limited_decay: true,
            ..ValidationOptions::default()
        };
        assert_eq!(decay(on, 300, 300), Some(60));
        assert_eq!(decay(on, 299, 299), None, "less than an RTO");
        assert_eq!(decay(on, 300, 301), None, "nothing leaves");
        let mut least = Validation::new(on, 100);
        least.on_sent(ms(300));
        assert_eq!(least.decay(100, Phase::Standard, RTO, ms(300)), None, "no less than the initial window");
        assert_eq!(decay(ValidationOptions { app_limited_decay: false, ..on }, 300, 300), None);
    }

    /// Linux, `tcp_current_ssthresh`: "(cwnd >> 1) + (cwnd >> 2)"; and the time since the last segment.
    #[test]
    fn three_quarters_of_a_window_are_remembered() {
        assert_eq!([3, 11, 100].map(remembered), [1, 7, 75]);
        let mut validation = validation(IdleRestart::None);
        assert_eq!(validation.idle(ms(5)), None);
        validation.on_sent(ms(5));
        assert_eq!(validation.idle(ms(12)), Some(Duration::from_millis(7)));
    }
}
