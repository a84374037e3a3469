//! `HyStart` as Linux has it (`net/ipv4/tcp_cubic.c`, `hystart_update`): ends the initial slow start for good when ACKs
//! have come close together for half a round trip, or when the RTT rises.
//!
//! It is older than `HyStart`++ ([RFC 9406]) and differs: a second detector, no Conservative Slow Start, no way back,
//! and the RTT is compared with the smallest of the connection instead of the last round's.
//!
//! [RFC 9406]: https://www.rfc-editor.org/rfc/rfc9406

use crate::control::{AckSample, Flow};
use crate::units::{Duration, Time};
use crate::window::Window;

/// Smallest window in which it looks [segments] (`hystart_low_window`).
const LOW_WINDOW: f64 = 16.0;

/// Longest gap between ACKs of one train (`hystart_ack_delta_us`).
const ACK_DELTA: Duration = Duration::from_millis(2);

/// RTT samples of a round that are only counted (`HYSTART_MIN_SAMPLES`).
const MIN_SAMPLES: u32 = 8;

/// Bounds of the rise of the RTT that counts, an eighth of it between them (`HYSTART_DELAY_THRESH`).
const DELAY_MIN: Duration = Duration::from_millis(4);
const DELAY_MAX: Duration = Duration::from_millis(16);

/// Longest delay of ACKs in segmentation offload that a train may have (`hystart_ack_delay`).
const MAX_ACK_DELAY: Duration = Duration::from_millis(1);

/// Bytes that a host may send as one (`sk_gso_max_size`: 64 kB less `MAX_TCP_HEADER + 1`), of which the delay of ACKs has
/// four.
const GSO_MAX_SIZE: f64 = 65_215.0;

/// Time from the beginning of an epoch in which samples are discarded, `HZ` ticks.
const EPOCH_START: Duration = Duration::from_millis(1000);

/// Detectors of one flow.
#[derive(Clone, Debug)]
pub struct HyStartLinux {
    /// Slow start is over.
    is_over: bool,
    /// Smallest RTT of the connection's data.
    delay_min: Duration,
    /// Smallest RTT of this round.
    curr_rtt: Duration,
    samples: u32,
    round_start: Time,
    /// Last ACK of the train.
    last_ack: Time,
    /// Samples before this say nothing: an epoch of congestion avoidance has just begun.
    discards_until: Time,
}

impl Default for HyStartLinux {
    fn default() -> Self {
        let (round_start, last_ack) = (Time::ZERO, Time::ZERO);
        Self {
            is_over: false,
            delay_min: Duration::MAX,
            curr_rtt: Duration::MAX,
            samples: 0,
            round_start,
            last_ack,
            discards_until: Time::ZERO,
        }
    }
}

impl HyStartLinux {
    /// Leave slow start if `ack` says so, before the window grows by it.
    pub fn on_ack(&mut self, window: &mut Window, ack: &AckSample, flow: &Flow) {
        let Some(rtt) = ack.rtt else { return };
        if flow.now < self.discards_until {
            return;
        }
        self.delay_min = self.delay_min.min(rtt);
        if self.is_over || !window.in_slow_start() {
            return;
        }
        // From 5.16 to 6.13 rounds began from 16 segments on only (commits 4e1fddc98d25 and 25c1a9ca53db).
        if ack.round.is_some() {
            (self.round_start, self.last_ack) = (flow.now, flow.now);
            (self.curr_rtt, self.samples) = (Duration::MAX, 0);
        }
        if window.segments() >= LOW_WINDOW && (self.ends_train(window, flow) | self.rises(rtt)) {
            self.is_over = true;
            window.leave_slow_start();
        }
    }

    /// An epoch of congestion avoidance begins: samples of its first second are discarded (`cubictcp_acked`, `HZ`).
    pub fn begin_epoch(&mut self, now: Time) {
        self.discards_until = now + EPOCH_START;
    }

    /// A loss or mark ends the epoch. It ends slow start, too, but not for good: after idle time there can be another.
    pub fn end_epoch(&mut self) {
        self.discards_until = Time::ZERO;
    }

    /// Time without anything in flight is none of the epoch (`cubictcp_cwnd_event`).
    pub fn on_restart(&mut self, idle: Duration, now: Time) {
        if self.discards_until > Time::ZERO {
            self.discards_until = (self.discards_until + idle).min(now + EPOCH_START);
        }
    }

    /// A timeout: Linux resets the module, and slow start is looked at again (`bictcp_state`).
    pub fn restart(&mut self) {
        *self = Self::default();
    }

    /// ACKs no more than 2 ms apart have come for longer than half of the smallest RTT, or all of it where the flow is
    /// paced: then pacing may have spread its segments over half a round trip.
    fn ends_train(&mut self, window: &Window, flow: &Flow) -> bool {
        if flow.now.since(self.last_ack) > ACK_DELTA {
            return false;
        }
        self.last_ack = flow.now;
        let whole = self.delay_min + ack_delay(window, flow);
        let is_paced = flow.next_send_time > Time::ZERO;
        flow.now.since(self.round_start) > if is_paced { whole } else { whole / 2 }
    }

    /// The smallest RTT of the round, from its ninth sample on, exceeds the connection's by an eighth.
    fn rises(&mut self, rtt: Duration) -> bool {
        self.curr_rtt = self.curr_rtt.min(rtt);
        if self.samples < MIN_SAMPLES {
            self.samples += 1;
            return false;
        }
        let rise = Duration(self.delay_min.0 / 8).max(DELAY_MIN).min(DELAY_MAX);
        self.curr_rtt > self.delay_min + rise
    }
}

/// Time that four of the largest bursts take at the pacing rate of slow start, two windows per RTT; 1 ms at most.
fn ack_delay(window: &Window, flow: &Flow) -> Duration {
    let rate = 2.0 * window.cwnd() / flow.srtt.seconds();
    if rate > 0.0 {
        Duration::from_seconds(4.0 * GSO_MAX_SIZE / rate).min(MAX_ACK_DELAY)
    } else {
        MAX_ACK_DELAY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::RoundSample;
    use crate::testing::{SMSS, initial};

    /// One microsecond [ps].
    const MICROSECOND: u64 = 1_000_000;

    const ROUND: RoundSample =
        RoundSample { min_rtt: None, rtt_count: 1, delivered: 0, lost: 0, ce_marked: 0 };

    /// A flow whose window grows by what is acknowledged, the first round of 10 segments behind it.
    struct Script {
        hystart: HyStartLinux,
        window: Window,
        now: Time,
        is_paced: bool,
    }

    impl Script {
        fn new(cwnd: f64) -> Self {
            let (hystart, window) = (HyStartLinux::default(), Window::new(&initial(cwnd)));
            Self { hystart, window, now: Time::ZERO, is_paced: false }
        }

        /// An ACK of `segments`, `us` after the last one.
        fn ack(&mut self, us: u64, rtt_ms: u64, segments: u32, starts_round: bool) {
            self.now += Duration(us * MICROSECOND);
            let delivered = u64::from(segments * SMSS);
            let rtt = Duration::from_millis(rtt_ms);
            let round = starts_round.then_some(ROUND);
            let ack = AckSample { delivered, rtt: Some(rtt), round, ..AckSample::default() };
            let next_send_time = if self.is_paced { self.now } else { Time::ZERO };
            let flow = Flow { now: self.now, smss: SMSS, srtt: rtt, next_send_time, ..Flow::default() };
            self.hystart.on_ack(&mut self.window, &ack, &flow);
            if self.window.in_slow_start() {
                let _ = self.window.slow_start(f64::from(segments * SMSS));
            }
        }

        /// Window, and threshold [segments].
        fn state(&self) -> (f64, f64) {
            (self.window.segments(), self.window.ssthresh() / f64::from(SMSS))
        }
    }

    /// Linux, packetdrill `cubic-hystart-delay-rtt-jumps-upward`: after a round of 200 ms one of 240 ms and more; slow
    /// start ends at the ninth sample, at 36 segments.
    #[test]
    fn a_rise_of_the_rtt_ends_slow_start_at_the_ninth_sample() {
        let mut script = Script::new(10.0);
        script.ack(200_000, 200, 10, true);
        script.ack(240_000, 240, 2, true);
        for sample in 1..8 {
            script.ack(1000, 240 + sample, 2, false);
        }
        assert_eq!(script.state(), (36.0, f64::INFINITY));
        script.ack(1000, 248, 2, false);
        assert_eq!(script.state(), (36.0, 36.0));
        script.ack(1000, 249, 2, false);
        assert_eq!(script.state(), (36.0, 36.0));
    }

    /// Linux, packetdrill `cubic-hystart-delay-min-rtt-jumps-downward`: a ninth sample of 29 ms is the smallest of the
    /// round, too, and ends nothing.
    #[test]
    fn a_fall_of_the_rtt_does_not_end_slow_start() {
        let mut script = Script::new(10.0);
        script.ack(200_000, 200, 10, true);
        script.ack(200_000, 200, 2, true);
        for sample in 1..9 {
            script.ack(1000, 200 + sample, 2, false);
        }
        script.ack(1000, 29, 2, false);
        assert_eq!(script.state(), (40.0, f64::INFINITY));
    }

    /// Linux, `hystart_update`: ACKs 1.2 ms apart end slow start once they have come for half of a smallest RTT of 20 ms
    /// and half of the allowance of 1 ms, 10.5 ms.
    #[test]
    fn a_train_of_acks_ends_slow_start_after_half_a_round_trip() {
        let mut script = Script::new(20.0);
        script.ack(0, 20, 1, true);
        for _ in 0..8 {
            script.ack(1200, 20, 1, false);
        }
        assert_eq!(script.state(), (29.0, f64::INFINITY));
        script.ack(1200, 20, 1, false);
        assert_eq!(script.state(), (29.0, 29.0));
    }

    /// Linux, `hystart_update`: with pacing the train has to last for all of the 21 ms.
    #[test]
    fn a_train_of_a_paced_flow_lasts_a_whole_round_trip() {
        let mut script = Script::new(20.0);
        script.is_paced = true;
        script.ack(0, 20, 1, true);
        for _ in 0..17 {
            script.ack(1200, 20, 1, false);
        }
        assert_eq!(script.state(), (38.0, f64::INFINITY));
        script.ack(1200, 20, 1, false);
        assert_eq!(script.state(), (38.0, 38.0));
    }

    /// Linux, `hystart_update`: a gap above 2 ms ends the train; below 16 segments nothing is looked at.
    #[test]
    fn gaps_and_small_windows_end_no_slow_start() {
        let mut script = Script::new(20.0);
        script.ack(0, 20, 1, true);
        script.ack(2001, 20, 1, false);
        // Nothing is of the train after the gap, `now - ca->last_ack`, until a round begins.
        (0..12).for_each(|_| script.ack(1200, 20, 1, false));
        assert!(script.window.ssthresh().is_infinite());
        let mut script = Script::new(2.0);
        script.ack(0, 20, 1, true);
        (0..12).for_each(|_| script.ack(1200, 20, 1, false));
        assert_eq!(script.state(), (15.0, f64::INFINITY));
    }

    /// Linux, `hystart_update`: `now - ca->last_ack <= hystart_ack_delta_us` and `now - ca->round_start > threshold`, here
    /// 10.5 ms, with ACKs just as far apart as that.
    #[test]
    fn trains_end_slow_start_by_the_microsecond() {
        for (gap, acks) in [(2000, 6), (1500, 8)] {
            let mut script = Script::new(20.0);
            script.ack(0, 20, 1, true);
            (1..acks).for_each(|_| script.ack(gap, 20, 1, false));
            assert!(script.window.ssthresh().is_infinite());
            script.ack(gap, 20, 1, false);
            assert!(script.window.ssthresh().is_finite());
        }
    }

    /// Linux, `HYSTART_DELAY_THRESH(ca->delay_min >> 3)`: an eighth of the smallest RTT between 4 and 16 ms, here 10 of 80
    /// ms, has to be exceeded.
    #[test]
    fn a_rise_by_an_eighth_ends_nothing_yet() {
        for (base, rtt, ends) in [
            (80, 90, false),
            (80, 91, true),
            (16, 20, false),
            (16, 21, true),
            (400, 416, false),
            (400, 417, true),
        ] {
            let mut script = Script::new(20.0);
            script.ack(0, base, 1, true);
            script.ack(3000, rtt, 1, true);
            (0..8).for_each(|_| script.ack(3000, rtt, 1, false));
            assert_eq!(script.window.ssthresh().is_finite(), ends, "{base} to {rtt} ms");
        }
    }

    /// Linux, `hystart_update`: either detector sets `ca->found`, and both at once do as well: the ninth ACK of a round comes
    /// 11.2 ms after its begin, with an RTT of 30 ms after 20.
    #[test]
    fn both_detectors_at_once_end_slow_start() {
        let mut script = Script::new(20.0);
        script.ack(0, 20, 1, true);
        script.ack(20_000, 30, 1, true);
        (1..8).for_each(|_| script.ack(1400, 30, 1, false));
        assert_eq!(script.state(), (29.0, f64::INFINITY));
        script.ack(1400, 30, 1, false);
        assert_eq!(script.state(), (29.0, 29.0));
    }

    /// Linux, `hystart_ack_delay`: four bursts of 65,215 bytes at two windows per round trip, 1 ms at most.
    #[test]
    fn acks_may_be_late_by_four_bursts_at_the_pacing_rate() {
        let flow = Flow { smss: SMSS, srtt: Duration::from_millis(100), ..Flow::default() };
        let delay = |cwnd| ack_delay(&Window::new(&initial(cwnd)), &flow);
        assert_eq!(delay(30_000.0), Duration::from_seconds(4.0 * 65_215.0 / 600e6));
        assert_eq!(delay(1000.0), Duration::from_millis(1));
    }

    /// Linux, `cubictcp_acked`: only what it has found ends the search for good, until a timeout. The first second of an
    /// epoch says nothing; a loss ends the epoch, and idle time is none of it.
    #[test]
    fn the_first_second_of_an_epoch_is_discarded() {
        let looks = |prepare: fn(&mut HyStartLinux)| {
            let mut script = Script::new(20.0);
            prepare(&mut script.hystart);
            script.ack(900_000, 20, 1, true);
            (0..30).for_each(|_| script.ack(1200, 20, 1, false));
            script.window.ssthresh().is_finite()
        };
        assert!(looks(|_| {}));
        assert!(!looks(|hystart| hystart.begin_epoch(Time::ZERO)));
        assert!(looks(|hystart| {
            hystart.begin_epoch(Time::ZERO);
            hystart.end_epoch();
            hystart.on_restart(EPOCH_START, Time::ZERO + EPOCH_START);
        }));
        assert!(!looks(|hystart| {
            hystart.begin_epoch(Time::ZERO);
            hystart.on_restart(EPOCH_START, Time::ZERO + EPOCH_START);
        }));
        assert!(looks(|hystart| {
            hystart.begin_epoch(Time::ZERO);
            hystart.restart();
        }));
    }

    /// Linux, `cubictcp_acked`: "`if (!ca->found && tcp_in_slow_start(tp) && hystart)`", so it is over where one slow start
    /// was ended by it, and outside of slow start nothing is looked for.
    #[test]
    fn one_finding_is_all() {
        let train = |script: &mut Script| {
            script.ack(0, 20, 1, true);
            (0..30).for_each(|_| script.ack(1200, 20, 1, false));
        };
        let mut script = Script::new(20.0);
        script.window.put(20.0 * f64::from(SMSS), 10.0 * f64::from(SMSS));
        train(&mut script);
        assert!(!script.hystart.is_over, "the window is above the threshold");
        script.window.put(20.0 * f64::from(SMSS), f64::INFINITY);
        train(&mut script);
        assert!(script.hystart.is_over);
        script.window.put(20.0 * f64::from(SMSS), 500.0 * f64::from(SMSS));
        train(&mut script);
        assert!(script.window.in_slow_start(), "found once");
    }
}
