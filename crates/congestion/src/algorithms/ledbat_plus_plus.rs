//! LEDBAT++ ([draft-irtf-iccrg-ledbat-plus-plus-01]): LEDBAT with a gain that follows the base RTT, a
//! multiplicative decrease and regular slowdowns, in which the base delay shows.
//!
//! Page: `docs/models/ledbat.md`.
//!
//! [draft-irtf-iccrg-ledbat-plus-plus-01]: https://datatracker.ietf.org/doc/html/draft-irtf-iccrg-ledbat-plus-plus-01

use super::ledbat::{BASE_HISTORY, CURRENT_FILTER, Delays, TARGET};
use crate::algorithm::{Algorithm, Param};
use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow, Initial, Phase};
use crate::units::{Duration, Time};
use crate::window::{BETA_RENO, Window, to_float};
use crate::window_controller::WindowController;

pub(crate) const LEDBAT_PLUS_PLUS: Algorithm = Algorithm {
    name: "ledbat++",
    display: "LEDBAT++",
    edition: 1,
    summary: "LEDBAT++: LEDBAT on round-trip delays with adaptive gain and regular slowdowns",
    source: "draft-irtf-iccrg-ledbat-plus-plus-01 (2020)",
    params: &Params::DEFAULT.list(),
    build,
};

params! {
    /// Parameters of LEDBAT++.
    struct Params {
        target: f64 from Param { default: 0.06, ..TARGET };
        max_divisor: f64 = 16.0, [1.0, 1e3], "1", "Largest number that divides the gain";
        constant: f64 = 1.0, [0.0, 100.0], "1", "Strength of the multiplicative decrease";
        slowdown_factor: f64 = 9.0, [1.0, 1e6], "1",
            "Time between two slowdowns, in durations of the first";
        base_history: f64 from BASE_HISTORY;
        current_filter: f64 from CURRENT_FILTER;
    }
}

/// The window of a slowdown, and the largest initial window [segments] (draft sections 4.1 and 4.4).
const FEW: f64 = 2.0;

/// Part of the target at which slow start ends (section 4.1).
const EXIT: f64 = 0.75;

/// Round trips from the end of slow start to the first slowdown, and of a slowdown at two segments
/// (section 4.4).
const ROUND_TRIPS: u64 = 2;

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let params = Params::from_values(values);
    Box::new(LedbatPlusPlus {
        delays: Delays::new(params.base_history, params.current_filter),
        params,
        window: Window::new(&Initial { window: initial.window.min(FEW), ..*initial }),
        slowdown: Slowdown::None,
    })
}

/// Stage of the flow between two slowdowns.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Slowdown {
    /// The initial slow start is not over.
    None,
    /// The next one is due then.
    Due(Time),
    /// Two segments until then; `target` is the window to return to [bytes].
    Still { since: Time, until: Time, target: f64 },
    /// Slow start back to `target`.
    Rising { since: Time, target: f64 },
}

/// LEDBAT++ of one flow.
#[derive(Debug)]
struct LedbatPlusPlus {
    params: Params,
    /// Round-trip times.
    delays: Delays,
    window: Window,
    slowdown: Slowdown,
}

impl LedbatPlusPlus {
    /// Section 4.2: GAIN = 1 / min(16, ceil(2 TARGET / base)); the most cautious without a base.
    fn gain(&self) -> f64 {
        let params = &self.params;
        let divisor =
            self.delays.base().map_or(params.max_divisor, |base| libm::ceil(2.0 * params.target / base));
        1.0 / divisor.min(params.max_divisor).max(1.0)
    }

    /// The queueing delay in targets; without a sample the queue counts as empty.
    fn load(&self) -> f64 {
        self.delays.queueing().unwrap_or(0.0) / self.params.target
    }

    /// Section 4.3: change of the window per round trip [segments].
    fn change(&self) -> f64 {
        let load = self.load();
        if load <= 1.0 {
            return self.gain();
        }
        let window = self.window.segments();
        (self.gain() - self.params.constant * window * (load - 1.0)).max(-window / 2.0)
    }

    /// Section 4.4: begins and ends what is due at `flow.now`.
    fn follow_clock(&mut self, flow: &Flow) {
        match self.slowdown {
            Slowdown::None if !self.window.in_slow_start() => {
                self.slowdown = Slowdown::Due(flow.now + round_trips(flow));
            }
            // A window below the two segments of a slowdown, as after a timeout, would be kept by it: a lone segment
            // waits for the delayed ACK, and that looks like a queue.
            Slowdown::Due(at)
                if at <= flow.now
                    && !self.window.is_repairing(flow)
                    && self.window.cwnd() >= FEW * self.window.smss() =>
            {
                let target = self.window.cwnd();
                self.window.steer(target.min(FEW * self.window.smss()));
                let until = flow.now + round_trips(flow);
                self.slowdown = Slowdown::Still { since: flow.now, until, target };
            }
            Slowdown::Still { since, until, target } if until <= flow.now => {
                self.slowdown = Slowdown::Rising { since, target };
            }
            Slowdown::Rising { since, target } if self.window.cwnd() >= target => self.resume(since, flow),
            _ => {}
        }
    }

    /// Section 4.4: the next slowdown comes after nine times the duration of this one.
    fn resume(&mut self, since: Time, flow: &Flow) {
        let pause = self.params.slowdown_factor * flow.now.since(since).seconds();
        self.slowdown = Slowdown::Due(flow.now + Duration::from_seconds(pause));
    }

    /// Slow start by GAIN, of which `limit` bytes are left. Returns the bytes delivered that are not used up.
    fn rise(&mut self, credit: f64, limit: f64) -> f64 {
        let gain = self.gain();
        let used = (gain * credit).min(limit.max(0.0));
        self.window.scale(used, 1.0);
        credit - used / gain
    }

    /// Congestion avoidance (section 4.3).
    fn avoid(&mut self, rest: f64, ack: &AckSample) {
        let change = self.change() * self.window.smss() / self.window.cwnd();
        if change > 0.0 {
            self.window.scale(rest, change);
        } else {
            self.window.steer(self.window.cwnd() + change * to_float(ack.delivered));
        }
    }
}

/// Two round trips.
fn round_trips(flow: &Flow) -> Duration {
    Duration(ROUND_TRIPS * flow.srtt.0)
}

impl WindowController for LedbatPlusPlus {
    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> Option<&mut Window> {
        Some(&mut self.window)
    }

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        if let Some(rtt) = ack.rtt {
            self.delays.add(rtt, flow.now);
        }
        // Section 4.1: "Exit slow start in on excessive delay SHOULD be applied only during the initial slow
        // start." Later ones return to a window that the path has carried.
        if self.slowdown == Slowdown::None && self.load() > EXIT {
            self.window.leave_slow_start();
        }
        self.follow_clock(flow);
        let credit = self.window.credit(ack, flow);
        match self.slowdown {
            Slowdown::Still { .. } => {}
            Slowdown::Rising { target, .. } => {
                self.rise(credit, target - self.window.cwnd());
            }
            Slowdown::None | Slowdown::Due(_) => {
                let rest = if self.window.in_slow_start() {
                    self.rise(credit, self.window.ssthresh() - self.window.cwnd())
                } else {
                    credit
                };
                if !self.window.in_slow_start() {
                    self.avoid(rest, ack);
                }
            }
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        self.window.back_off(event, BETA_RENO, flow);
        // A loss ends a slowdown: the window it would return to was too large.
        if let (true, Slowdown::Still { since, .. } | Slowdown::Rising { since, .. }) =
            (event != CongestionEvent::ExitRecovery, self.slowdown)
        {
            self.resume(since, flow);
        }
    }

    fn phase(&self) -> Phase {
        let rising = matches!(self.slowdown, Slowdown::Rising { .. });
        if rising || self.window.in_slow_start() { Phase::SlowStart } else { Phase::Alternate }
    }

    fn record(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("gain", self.gain());
        record("queueing_delay", self.delays.queueing().unwrap_or(f64::NAN));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, assert_near, avoiding, create, flow_at, initial, read, round_end, segments};

    /// A controller in congestion avoidance with a base RTT of 60 ms, long before a slowdown.
    fn started(window: f64) -> Box<dyn CongestionControl> {
        let mut controller = create(&LEDBAT_PLUS_PLUS, &Initial { ssthresh: 2.0, ..initial(2.0) });
        let late = |ms| Flow { now: Time(Duration::from_millis(ms).0), ..flow_at(60, 60) };
        controller.on_ack(&round_end(60), &late(1));
        controller.on_ack(&round_end(60), &late(2));
        // 2 segments grow by half a segment per round trip.
        while segments(&*controller) < window {
            controller.on_ack(&ack(1), &late(3));
        }
        controller
    }

    fn queue(controller: &mut dyn CongestionControl, rtt_ms: u64) {
        for _ in 0..4 {
            controller.on_ack(&round_end(rtt_ms), &Flow { now: Time(4), ..flow_at(rtt_ms, 60) });
        }
    }

    /// Draft section 4.2: 1 / min(16, ceil(2 x 60 ms / base)).
    #[test]
    fn gain_follows_the_base_rtt() {
        for (base_ms, gain) in [(1, 1.0 / 16.0), (10, 1.0 / 12.0), (50, 1.0 / 3.0), (60, 0.5), (300, 1.0)] {
            let mut controller = create(&LEDBAT_PLUS_PLUS, &initial(2.0));
            assert_near(read(&*controller, "gain"), 1.0 / 16.0);
            controller.on_ack(&round_end(base_ms), &flow_at(base_ms, base_ms));
            assert_near(read(&*controller, "gain"), gain);
        }
    }

    /// Draft section 4.1: two segments at the start, GAIN per segment acknowledged, until 3/4 of the target.
    #[test]
    fn slow_start_is_gentle_and_ends_early() {
        let mut controller = create(&LEDBAT_PLUS_PLUS, &initial(10.0));
        assert_near(segments(&*controller), 2.0);
        controller.on_ack(&round_end(60), &flow_at(60, 60));
        controller.on_ack(&ack(2), &flow_at(60, 60));
        assert_near(segments(&*controller), 3.0);
        queue(&mut *controller, 105);
        assert_eq!(controller.phase(), Phase::SlowStart);
        queue(&mut *controller, 106);
        assert_eq!(controller.phase(), Phase::Alternate);
    }

    /// Draft section 4.4: two packets in a slowdown. One that is due below them, after a timeout, waits for slow start.
    #[test]
    fn a_slowdown_keeps_no_window_below_two_segments() {
        let start = Initial { ssthresh: 2.0, restart_window: 1.0, ..initial(2.0) };
        let mut controller = create(&LEDBAT_PLUS_PLUS, &start);
        let at = |ms| Flow { now: Time(Duration::from_millis(ms).0), ..flow_at(60, 60) };
        controller.on_ack(&round_end(60), &at(1));
        controller.on_ack(&round_end(60), &at(2));
        controller.on_congestion(CongestionEvent::Rto, &at(4));
        controller.on_congestion(CongestionEvent::ExitRecovery, &at(5));
        controller.on_ack(&ack(1), &at(60_000));
        assert_near(segments(&*controller), 1.5);
        controller.on_ack(&ack(1), &at(60_001));
        controller.on_ack(&ack(1), &at(60_002));
        assert_near(segments(&*controller), 2.0);
        assert_near(read(&*controller, "ssthresh"), 2000.0);
    }

    /// Draft section 4.3: + GAIN below the target, - W (delay / target - 1) above, at most half.
    #[test]
    fn decrease_is_multiplicative() {
        let per_round_trip = |rtt_ms| {
            let mut controller = started(100.0);
            queue(&mut *controller, rtt_ms);
            let window = segments(&*controller);
            // One byte of a round trip, so that the window does not change meanwhile.
            let small = AckSample { delivered: 1, ..ack(0) };
            controller.on_ack(&small, &Flow { now: Time(4), ..flow_at(rtt_ms, 60) });
            (segments(&*controller) - window) * window * 1000.0
        };
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 0.1, "{found} {expected}");
        near(per_round_trip(60), 0.5);
        near(per_round_trip(120), 0.5);
        near(per_round_trip(126), 0.5 - 0.1 * 100.0);
        near(per_round_trip(300), -50.0);
    }

    /// Draft section 4.4: two segments for two round trips, back to the window before, then a pause of nine
    /// times as long.
    #[test]
    fn slowdowns_come_and_go() {
        [300, 600].into_iter().for_each(slow_down);
    }

    /// Plays a slowdown on a path with this RTT; the times are those of 300 ms.
    fn slow_down(rtt_ms: u64) {
        let mut controller = create(&LEDBAT_PLUS_PLUS, &initial(2.0));
        let at = |ms| {
            let now = Time(Duration::from_millis(ms * rtt_ms / 300).0);
            Flow { now, ..flow_at(rtt_ms, rtt_ms) }
        };
        controller.on_ack(&AckSample { rtt: Some(Duration::from_millis(rtt_ms)), ..ack(38) }, &at(0));
        assert_near(segments(&*controller), 40.0);
        controller.on_congestion(CongestionEvent::EnterRecovery, &at(0));
        controller.on_congestion(CongestionEvent::ExitRecovery, &at(0));
        controller.on_ack(&ack(0), &at(300));
        controller.on_ack(&ack(0), &at(899));
        assert_near(segments(&*controller), 20.0);
        controller.on_ack(&ack(2), &at(900));
        assert_near(segments(&*controller), 2.0);
        controller.on_ack(&ack(2), &at(1499));
        assert_near(segments(&*controller), 2.0);
        controller.on_ack(&ack(2), &at(1500));
        assert_near(segments(&*controller), 4.0);
        assert_eq!(controller.phase(), Phase::SlowStart);
        controller.on_ack(&ack(40), &at(1800));
        assert_near(segments(&*controller), 20.0);
        // It took from 0.9 to 1.9 s, so the next one is due 9 s later.
        controller.on_ack(&ack(0), &at(1900));
        assert_eq!(controller.phase(), Phase::Alternate);
        controller.on_ack(&ack(0), &at(10_899));
        assert_near(segments(&*controller), 20.0);
        controller.on_ack(&ack(0), &at(10_900));
        assert_near(segments(&*controller), 2.0);
    }

    /// Draft section 4.1: delay ends the initial slow start only. Neither the return from a slowdown nor the slow
    /// start after a timeout ends short of its target.
    #[test]
    fn delay_does_not_end_later_slow_starts() {
        let mut controller = started(40.0);
        let at = |ms| Flow { now: Time(Duration::from_millis(ms).0), ..flow_at(300, 60) };
        // The queue is far beyond 3/4 of the target, and other flows keep it.
        queue(&mut *controller, 300);
        controller.on_congestion(CongestionEvent::Rto, &at(3));
        let threshold = read(&*controller, "ssthresh") / 1000.0;
        assert!(threshold > 10.0);
        let mut most = 0.0;
        while controller.phase() == Phase::SlowStart {
            most = segments(&*controller);
            let repairing = Flow { in_recovery: true, ..at(4) };
            controller.on_ack(&AckSample { rtt: Some(Duration::from_millis(300)), ..ack(1) }, &repairing);
        }
        assert!(most > threshold - 1.0);
        controller.on_congestion(CongestionEvent::ExitRecovery, &at(5));
        controller.on_ack(&ack(0), &at(10_000));
        assert_near(segments(&*controller), 2.0);
        controller.on_ack(&ack(0), &at(10_600));
        assert_eq!(controller.phase(), Phase::SlowStart);
        for index in 0..8 {
            assert_eq!(controller.phase(), Phase::SlowStart);
            controller
                .on_ack(&AckSample { rtt: Some(Duration::from_millis(300)), ..ack(2) }, &at(10_601 + index));
        }
        assert!(segments(&*controller) > 8.0);
    }

    /// Draft section 4.4, and RFC 6817 for losses: a loss on the way back to the window before the slowdown shows that it
    /// was too large, and ends the slowdown at once; the next one is due nine times as long after it.
    #[test]
    fn a_loss_ends_a_slowdown() {
        let mut controller = started(40.0);
        let at = |ms| Flow { now: Time(Duration::from_millis(ms).0), ..flow_at(60, 60) };
        controller.on_ack(&ack(0), &at(10_000));
        controller.on_ack(&ack(0), &at(10_120));
        assert_eq!(controller.phase(), Phase::SlowStart);
        controller.on_congestion(CongestionEvent::EnterRecovery, &at(10_200));
        assert_eq!(controller.phase(), Phase::Alternate);
        controller.on_congestion(CongestionEvent::ExitRecovery, &at(10_260));
        controller.on_ack(&ack(2), &at(11_999));
        assert!(segments(&*controller) > 2.0);
        controller.on_ack(&ack(0), &at(12_000));
        assert_near(segments(&*controller), 2.0);
    }

    /// An unused window neither grows in slow start nor in congestion avoidance.
    #[test]
    fn unused_window_does_not_grow() {
        let mut controller = create(&LEDBAT_PLUS_PLUS, &avoiding(2.0));
        controller.on_ack(&ack(2), &Flow { cwnd_limited: false, ..flow_at(60, 60) });
        assert_near(segments(&*controller), 2.0);
    }

    /// Draft sections 4.1 and 4.3: what an ACK delivers beyond the threshold counts for congestion avoidance, by GAIN
    /// as before it.
    #[test]
    fn the_rest_of_an_ack_counts_after_slow_start() {
        let mut controller = create(&LEDBAT_PLUS_PLUS, &Initial { ssthresh: 3.0, ..initial(2.0) });
        controller.on_ack(&round_end(60), &flow_at(60, 60));
        // At a GAIN of a half, two of five segments lead to the threshold.
        controller.on_ack(&ack(5), &flow_at(60, 60));
        assert_near(segments(&*controller), 3.0 + 3.0 * 0.5 / 3.0);
    }
}
