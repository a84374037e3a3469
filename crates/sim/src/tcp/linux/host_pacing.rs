//! Pacing and bursts as Linux has them (`net/ipv4/tcp_output.c`): hosts pace flows whose controllers do not, and segments
//! leave in bursts that segmentation offload takes at once.
//!
//! Between bursts lies the time that they take at the pacing rate. The first segments of a connection are not paced, and a
//! burst that left late shortens the time to the next one, by half at most (`tcp_update_skb_after_send`).

use congestion::{Duration, Time};

use crate::tcp::pacer::Pacer;

/// Segments of a connection that are not paced.
const UNPACED: u32 = 10;

/// Pacing rate in windows per smoothed RTT, while the window is below half of the threshold (`tcp_pacing_ss_ratio`) and
/// from there on (`tcp_pacing_ca_ratio`).
const SLOW_START_RATIO: f64 = 2.0;
const AVOIDANCE_RATIO: f64 = 1.2;

/// Part of a second whose worth of data a burst holds (`sk_pacing_shift` 10).
const BURSTS_PER_SECOND: f64 = 1024.0;

/// Most bytes of a burst, and what a burst on a path without delay has beyond the rate's share (`sk_gso_max_size`: 64 kB
/// less `MAX_TCP_HEADER + 1`).
const MAX_BYTES: u32 = 65_536 - 1 - 320;

/// Microseconds of the smallest RTT that halve that (`tcp_tso_rtt_log` 9).
const HALVING: u64 = 512;

/// Fewest segments of a burst (`tcp_min_tso_segs`), and the rate below which BBR has single ones (`bbr_min_tso_rate`)
/// [bytes/s].
const MIN_SEGMENTS: u32 = 2;
const SINGLE_RATE: f64 = 1_200_000.0 / 8.0;

/// Part of the window that leaves without waiting for the rest of a burst (`tcp_tso_win_divisor`).
const WINDOW_DIVISOR: u32 = 3;

/// Time without a burst after which the next one does not wait to be whole (`tcp_tso_should_defer`).
const PATIENCE: Duration = Duration::from_millis(1);

/// Flows that hosts pace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PacingRule {
    /// Those whose controllers ask for a rate, segment by segment.
    #[default]
    None,
    /// All, by TCP's own timer.
    Internal,
    /// All, by the queue discipline `fq`, which releases at the times that TCP says.
    Fq,
}

/// Options of pacing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacingOptions {
    /// Flows that are paced.
    pub rule: PacingRule,
    /// Segments leave in bursts.
    pub tso: bool,
}

impl PacingOptions {
    /// Linux has a say in when segments leave.
    #[must_use]
    pub fn is_on(self) -> bool {
        self != Self::default()
    }
}

/// Sender when a segment leaves, or might.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Window [segments].
    pub cwnd: u32,
    /// Segments in flight, without the one at hand.
    pub pipe: u32,
    /// Segments outstanding.
    pub flight_size: u32,
    /// Slow-start threshold [segments].
    pub ssthresh: f64,
    /// Smoothed RTT.
    pub srtt: Duration,
    /// Smallest RTT.
    pub min_rtt: Duration,
    /// Payload of a segment [bytes].
    pub smss: u32,
}

impl Pace {
    /// Time of one segment at the pacing rate that TCP gives a flow whose controller has none
    /// (`tcp_update_pacing_rate`).
    fn interval(&self) -> Duration {
        let ratio =
            if f64::from(self.cwnd) < self.ssthresh / 2.0 { SLOW_START_RATIO } else { AVOIDANCE_RATIO };
        let segments = ratio * f64::from(self.cwnd.max(self.flight_size).max(1));
        Duration::from_seconds(self.srtt.seconds() / segments).max(Duration(1))
    }

    /// Segments of a burst where each takes `interval` (`tcp_tso_autosize`), `paced` by its controller or not.
    fn burst(&self, interval: Duration, paced: bool) -> u32 {
        let rate = f64::from(self.smss) / interval.seconds();
        let halvings = u32::try_from(self.min_rtt.0 / 1_000_000 / HALVING).unwrap_or(u32::MAX);
        let near = MAX_BYTES.checked_shr(halvings).unwrap_or(0);
        let bytes = (rate / BURSTS_PER_SECOND + f64::from(near)).min(f64::from(MAX_BYTES));
        let least = if paced && rate < SINGLE_RATE { 1 } else { MIN_SEGMENTS };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "64 kB at most")]
        let segments = bytes as u32 / self.smss.max(1);
        segments.max(least)
    }
}

/// Bursts of one flow.
#[derive(Clone, Copy, Debug)]
pub struct HostPacing {
    options: PacingOptions,
    /// Segments sent, as far as that matters.
    sent: u32,
    /// When the burst under way began.
    began: Time,
    /// By how much it left late.
    late: Duration,
    /// Its segments, and those of them that have not left.
    size: u32,
    left: u32,
    /// When the next one is due, or the last one left if the flow is not paced (`tcp_wstamp_ns`).
    due: Time,
}

impl HostPacing {
    /// Nothing sent yet.
    #[must_use]
    pub fn new(options: PacingOptions) -> Self {
        let (began, due, late) = (Time::ZERO, Time::ZERO, Duration::ZERO);
        Self { options, sent: 0, began, late, size: 0, left: 0, due }
    }

    /// Returns true if segments leave in bursts.
    #[must_use]
    #[inline]
    pub fn has_bursts(&self) -> bool {
        self.options.tso
    }

    /// Note that a segment leaves, and tell the pacer when the next one may. `pacer` has the interval of the controller.
    pub fn on_sent(&mut self, pace: &Pace, pacer: &mut Pacer, now: Time) {
        let own = pacer.interval();
        let is_paced = own > Duration::ZERO || self.options.rule != PacingRule::None;
        let interval = if own > Duration::ZERO { own } else { pace.interval() };
        self.sent = self.sent.saturating_add(1);
        if self.left == 0 {
            let whole = if self.options.tso { pace.burst(interval, own > Duration::ZERO) } else { 1 };
            self.size = whole.min(pace.cwnd.saturating_sub(pace.pipe)).max(1);
            self.left = self.size;
            self.late = now.since(self.due);
            self.began = now;
            self.due = now;
        }
        self.left -= 1;
        if self.left == 0 && is_paced && self.sent >= UNPACED {
            let length = interval * u64::from(self.size);
            self.due = self.began + (length - (length / 2).min(self.late));
        }
        if is_paced {
            pacer.wait_until(self.due);
        }
    }

    /// A burst that is not whole waits for ACKs that let it grow (`tcp_tso_should_defer`). `unsent` segments are left.
    #[must_use]
    pub fn defers(&self, pace: &Pace, pacer: &Pacer, unsent: u32, now: Time) -> bool {
        let room = pace.cwnd.saturating_sub(pace.pipe);
        if !self.options.tso || self.left > 0 || pace.pipe == 0 || unsent <= room {
            return false;
        }
        let own = pacer.interval();
        let interval = if own > Duration::ZERO { own } else { pace.interval() };
        now.since(self.due) <= PATIENCE
            && room < pace.burst(interval, own > Duration::ZERO)
            && room < pace.cwnd / WINDOW_DIVISOR
    }
}

#[cfg(test)]
mod tests {
    use congestion::Rate;

    use super::*;

    fn ms(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    /// Ten segments in flight of a window of 20, round trips of 100 ms, no threshold.
    fn pace() -> Pace {
        let rtt = Duration::from_millis(100);
        Pace {
            cwnd: 20,
            pipe: 10,
            flight_size: 10,
            ssthresh: f64::INFINITY,
            srtt: rtt,
            min_rtt: rtt,
            smss: 1448,
        }
    }

    /// State after ten segments.
    fn after_ten(options: PacingOptions, pacer: &mut Pacer) -> HostPacing {
        let mut pacing = HostPacing::new(options);
        let one = Pace { pipe: 19, ..pace() };
        (0..9).for_each(|_| pacing.on_sent(&one, pacer, ms(0)));
        assert_eq!(pacer.next_send_time(), ms(0), "the first segments are not paced");
        pacing
    }

    /// Linux, `tcp_update_pacing_rate`: two windows per round trip, or 1.2 from half of the threshold on; what is
    /// outstanding counts if it is more than the window.
    #[test]
    fn rates_are_parts_of_the_window() {
        assert_eq!(pace().interval(), Duration::from_seconds(0.1 / 40.0));
        let near = Pace { ssthresh: 40.0, ..pace() };
        assert_eq!(near.interval(), Duration::from_seconds(0.1 / 24.0));
        let reduced = Pace { flight_size: 50, ..near };
        assert_eq!(reduced.interval(), Duration::from_seconds(0.1 / 60.0));
    }

    /// Linux, `tcp_tso_autosize`: a 1024th of a second's worth, 2 segments at 10 Mbit/s, 8 at 100, 45 at 1000; more on
    /// paths of less than some milliseconds; BBR has single segments below 1.2 Mbit/s. The bytes alone are bounded, so 45
    /// segments of 1448 bytes are one burst, 44 of 1460, and 121 of 536.
    #[test]
    fn bursts_are_a_millisecond_long() {
        let at = |mbit: f64| Duration::from_seconds(8.0 * 1448.0 / (mbit * 1e6));
        let far = pace();
        assert_eq!([10.0, 100.0, 1000.0].map(|mbit| far.burst(at(mbit), false)), [2, 8, 45]);
        assert_eq!([1.1, 1.3].map(|mbit| far.burst(at(mbit), true)), [1, 2]);
        assert_eq!(far.burst(at(1.1), false), 2);
        let near = |us: u64| Pace { min_rtt: Duration(us * 1_000_000), ..pace() };
        assert_eq!([100, 512, 1024, 2048].map(|us| near(us).burst(at(10.0), false)), [45, 23, 12, 3]);
        let size = |smss| Pace { smss, ..near(100) }.burst(at(1000.0), false);
        assert_eq!([1448, 1460, 536].map(size), [45, 44, 121]);
    }

    /// Linux, `tcp_update_skb_after_send`: from the tenth segment on each takes its time; one that leaves late shortens
    /// the time to the next, by half at most.
    #[test]
    fn late_segments_earn_up_to_half_an_interval() {
        let (mut pacer, mut options) = (Pacer::default(), PacingOptions::default());
        options.rule = PacingRule::Internal;
        let mut pacing = after_ten(options, &mut pacer);
        let one = pace();
        let us = |micros: u64| Time(micros * 1_000_000);
        for (at, next) in [(0, 2500), (2500, 5000), (6000, 7500), (100_000, 101_250)] {
            pacing.on_sent(&one, &mut pacer, us(at));
            assert_eq!(pacer.next_send_time(), us(next));
        }
    }

    /// The segments of a burst leave at once, and the next burst waits for the time of all of them; a full window cuts
    /// it short.
    #[test]
    fn bursts_leave_at_once() {
        let options = PacingOptions { rule: PacingRule::None, tso: true };
        let mut pacer = Pacer::default();
        pacer.set_rate(Some(Rate(1448.0 * 4096.0)), 1448);
        let mut pacing = after_ten(options, &mut pacer);
        let interval = pacer.interval();
        let now = ms(50);
        for left in (0..4).rev() {
            pacing.on_sent(&pace(), &mut pacer, now);
            let next = if left > 0 { now } else { now + interval * 2 };
            assert_eq!(pacer.next_send_time().0, next.0, "{left} left");
        }
        let now = pacer.next_send_time();
        let full = Pace { pipe: 19, ..pace() };
        pacing.on_sent(&full, &mut pacer, now);
        assert_eq!(pacer.next_send_time(), now + interval);
    }

    /// Linux, `tcp_tso_should_defer`.
    #[test]
    fn bursts_wait_to_be_whole() {
        let options = PacingOptions { rule: PacingRule::None, tso: true };
        let mut pacer = Pacer::default();
        pacer.set_rate(Some(Rate(1448.0 * 8200.0)), 1448);
        let pacing = after_ten(options, &mut pacer);
        let window = |room: u32| Pace { cwnd: 100, pipe: 100 - room, ..pace() };
        let us = |micros: u64| Time(micros * 1_000_000);
        assert!(pacing.defers(&window(7), &pacer, 50, us(500)));
        assert!(!pacing.defers(&window(8), &pacer, 50, us(500)), "it is whole");
        assert!(!pacing.defers(&window(7), &pacer, 7, us(500)), "it is all there is");
        assert!(!pacing.defers(&window(7), &pacer, 50, us(1001)), "the last one was long ago");
        let small = Pace { cwnd: 20, pipe: 14, ..pace() };
        assert!(!pacing.defers(&small, &pacer, 50, us(500)), "it is a third of the window");
        assert!(!pacing.defers(&Pace { pipe: 0, cwnd: 3, ..pace() }, &pacer, 50, us(500)), "nothing is out");
    }

    /// Linux, `bbr_min_tso_segs`: single segments below 1.2 Mbit/s, where the controller paces; hosts have two.
    #[test]
    fn slow_controllers_have_single_segments() {
        let slow = Some(Rate(1_100_000.0 / 8.0));
        for (rate, rule, single) in [(slow, PacingRule::None, true), (None, PacingRule::Internal, false)] {
            let mut pacer = Pacer::default();
            pacer.set_rate(rate, 1448);
            let options = PacingOptions { rule, tso: true };
            assert!(options.is_on() && !PacingOptions::default().is_on());
            let mut pacing = HostPacing::new(options);
            // Round trips so long that the host paces as slowly.
            let second = Duration::from_millis(20_000);
            let pace = Pace { srtt: second, min_rtt: second, cwnd: 100, pipe: 99, ..pace() };
            (0..10).for_each(|_| pacing.on_sent(&pace, &mut pacer, ms(0)));
            let now = pacer.next_send_time();
            let roomy = Pace { pipe: 90, ..pace };
            pacing.on_sent(&roomy, &mut pacer, now);
            assert_eq!(pacer.next_send_time() > now, single);
            let one = Pace { pipe: 99, ..pace };
            assert!(!pacing.defers(&one, &pacer, 50, now), "a burst is under way, or one is whole");
            pacing.left = 0;
            assert_eq!(pacing.defers(&one, &pacer, 50, now), !single);
        }
    }

    /// Linux, `tcp_tso_should_defer`: what has begun goes on, and without segmentation offload nothing waits.
    #[test]
    fn a_burst_under_way_waits_for_nothing() {
        let mut pacer = Pacer::default();
        pacer.set_rate(Some(Rate(1448.0 * 8200.0)), 1448);
        let one = Pace { cwnd: 100, pipe: 99, ..pace() };
        for (tso, left, waits) in [(true, 0, true), (true, 3, false), (false, 0, false)] {
            let mut pacing = HostPacing::new(PacingOptions { rule: PacingRule::Internal, tso });
            pacing.left = left;
            assert_eq!(pacing.defers(&one, &pacer, 50, Time::ZERO), waits, "{tso} {left}");
        }
    }

    /// Flows that nobody paces wait for no time, and the size of their bursts goes by the rate that TCP works out.
    #[test]
    fn bursts_that_are_not_paced_wait_for_nothing() {
        let (mut pacer, options) = (Pacer::default(), PacingOptions { rule: PacingRule::None, tso: true });
        let mut pacing = HostPacing::new(options);
        (0..20).for_each(|_| pacing.on_sent(&pace(), &mut pacer, ms(50)));
        assert_eq!(pacer.next_send_time(), Time::ZERO);
        // 200 segments per round trip of 100 ms: two in a millisecond.
        let room = |room: u32| Pace { cwnd: 100, pipe: 100 - room, ..pace() };
        pacing.left = 0;
        assert!(pacing.defers(&room(1), &pacer, 50, ms(50)) && !pacing.defers(&room(3), &pacer, 50, ms(50)));
    }
}
