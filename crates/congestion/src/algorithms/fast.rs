//! FAST TCP (Wei, Jin, Low, Hegde, IEEE/ACM `ToN` 14(6), 2006): the window moves to where `alpha` segments
//! of the flow wait in queues; and FAST-AT, where `alpha` follows the throughput.
//!
//! Page: `docs/models/fast.md`.

use super::fast_law::{EVERY, FastLaw, GAMMA, OWN_RULE, Signal, Target, weight};
use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionControl, Flow, Initial};
use crate::window::Window;

const SOURCE: &str = "Wei, Jin, Low, Hegde, IEEE/ACM ToN 14(6), 2006";

pub(crate) const FAST: Algorithm = Algorithm {
    name: "fast",
    display: "FAST TCP",
    edition: 1,
    summary: "FAST TCP: alpha own segments in queues, alpha fixed",
    source: SOURCE,
    params: &Fixed::DEFAULT.list(),
    build: build_fixed,
};

pub(crate) const FAST_NIST: Algorithm = Algorithm {
    name: "fast:nist",
    display: "FAST TCP (NIST)",
    edition: 1,
    summary: "FAST TCP by its own rule also during repairs and after timeouts",
    source: "K. Mills et al., methodology paper of NIST SP 500-282; see the model page",
    params: &Fixed { own_rule: true, ..Fixed::DEFAULT }.list(),
    build: build_fixed,
};

pub(crate) const FAST_AT: Algorithm = Algorithm {
    name: "fast-at",
    display: "FAST-AT",
    edition: 1,
    summary: "FAST TCP with alpha tuned by throughput",
    source: "Wei, Jin, Low, Hegde, IEEE/ACM ToN 14(6), 2006; thresholds of the ns-2 model",
    params: &Tuned::DEFAULT.list(),
    build: build_tuned,
};

pub(crate) const FAST_AT_NIST: Algorithm = Algorithm {
    name: "fast-at:nist",
    display: "FAST-AT (NIST)",
    edition: 1,
    summary: "FAST TCP with alpha tuned by throughput, thresholds fitted to the MesoNet study",
    source: "NIST SP 500-282 (2010); thresholds are ours, see the model page",
    params: &Tuned {
        low_up: 12_000.0,
        low_down: 10_000.0,
        high_up: 20_000.0,
        high_down: 18_000.0,
        ..Tuned::DEFAULT
    }
    .list(),
    build: build_tuned,
};

pub(crate) const FAST_AT_NIST_RULE: Algorithm = Algorithm {
    name: "fast-at:nist-rule",
    display: "FAST-AT (NIST, own rule)",
    edition: 1,
    summary: "FAST-AT by its own rule at all times: alpha is largest at first and moves where thresholds are crossed",
    source: "K. Mills et al., methodology paper of NIST SP 500-282; see the model page",
    params: &Tuned { first: 2.0, crossing: true, own_rule: true, ..Tuned::DEFAULT }.list(),
    build: build_tuned,
};

params! {
    /// Parameters of FAST TCP.
    struct Fixed {
        alpha: f64 = 200.0, [0.0, 1e9], "segments", "Own segments in queues at equilibrium";
        gamma: f64 from GAMMA;
        every: f64 from EVERY;
        own_rule: bool from OWN_RULE;
    }
}

params! {
    /// Parameters of FAST-AT.
    struct Tuned {
        alpha_low: f64 = 8.0, [0.0, 1e9], "segments", "Lowest step of alpha";
        alpha_middle: f64 = 20.0, [0.0, 1e9], "segments", "Middle step of alpha";
        alpha_high: f64 = 200.0, [0.0, 1e9], "segments", "Highest step of alpha";
        low_up: f64 = 1_500.0, [0.0, 1e12], "segments/s",
            "Throughput above which alpha goes from low to middle";
        low_down: f64 = 1_250.0, [0.0, 1e12], "segments/s",
            "Throughput below which alpha goes back to low";
        high_up: f64 = 15_000.0, [0.0, 1e12], "segments/s",
            "Throughput above which alpha goes from middle to high";
        high_down: f64 = 12_500.0, [0.0, 1e12], "segments/s",
            "Throughput below which alpha goes back to middle";
        gamma: f64 from GAMMA;
        every: f64 from EVERY;
        first: f64 = 0.0, [0.0, 2.0], "steps", "Alpha at the beginning: 0 lowest, 1 middle, 2 highest step";
        crossing: bool = false, "0 or 1",
            "Alpha moves when the throughput crosses a threshold, not while it is beyond one";
        own_rule: bool from OWN_RULE;
    }
}

fn build_fixed(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let Fixed { alpha, gamma, every, own_rule } = Fixed::from_values(values);
    let signal = RoundTrip { alpha, steps: None, rtt: None };
    FastLaw::boxed(own_rule, gamma, every, Window::new(initial), signal)
}

fn build_tuned(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let params = Tuned::from_values(values);
    let steps = Steps::new(&params);
    let signal = RoundTrip { alpha: steps.alpha[steps.step], steps: Some(steps), rtt: None };
    FastLaw::boxed(params.own_rule, params.gamma, params.every, Window::new(initial), signal)
}

/// Steps of alpha, which follow the throughput.
#[derive(Debug)]
struct Steps {
    /// [segments]
    alpha: [f64; 3],
    /// Above these the next step [segments/s].
    up: [f64; 2],
    /// Below these the step before [segments/s].
    down: [f64; 2],
    step: usize,
    /// Throughput of the update before, where thresholds act only when they are crossed [segments/s].
    before: Option<f64>,
    crossing: bool,
}

impl Steps {
    fn new(params: &Tuned) -> Self {
        Self {
            alpha: [params.alpha_low, params.alpha_middle, params.alpha_high],
            up: [params.low_up, params.high_up],
            down: [params.low_down, params.high_down],
            step: if params.first < 0.5 { 0 } else { 1 + usize::from(params.first >= 1.5) },
            before: None,
            crossing: params.crossing,
        }
    }

    /// The step for a throughput [segments/s].
    fn follow(&mut self, throughput: f64) -> f64 {
        if self.crossing {
            self.cross(throughput);
        } else {
            self.compare(throughput);
        }
        self.alpha[self.step]
    }

    /// One step per update while the throughput is beyond a threshold of the present step.
    fn compare(&mut self, throughput: f64) {
        if self.step < 2 && throughput > self.up[self.step] {
            self.step += 1;
        } else if self.step > 0 && throughput < self.down[self.step - 1] {
            self.step -= 1;
        }
    }

    /// One step for each threshold that lies between the throughput of the update before and this one.
    fn cross(&mut self, throughput: f64) {
        let before = self.before.replace(throughput).unwrap_or(throughput);
        for up in self.up {
            self.step = (self.step + usize::from(before <= up && throughput > up)).min(2);
        }
        for down in self.down {
            self.step = self.step.saturating_sub((before >= down && throughput < down).into());
        }
    }
}

/// The queue in the round-trip time, the signal of FAST TCP.
#[derive(Debug)]
struct RoundTrip {
    /// [segments]
    alpha: f64,
    steps: Option<Steps>,
    /// Averaged RTT [s].
    rtt: Option<f64>,
}

impl Signal for RoundTrip {
    fn sample(&mut self, ack: &AckSample, window: &Window, repairing: bool) {
        let Some(sample) = ack.rtt.filter(|_| !repairing) else { return };
        let (weight, sample) = (weight(window), sample.seconds());
        self.rtt = Some(self.rtt.map_or(sample, |rtt| (1.0 - weight) * rtt + weight * sample));
    }

    fn target(&mut self, window: f64, flow: &Flow) -> Option<Target> {
        let base = flow.min_rtt.seconds();
        let rtt = self.rtt.filter(|&rtt| rtt > 0.0 && base > 0.0)?;
        if let Some(steps) = &mut self.steps {
            self.alpha = steps.follow(window / rtt);
        }
        // An average is never below its smallest sample, but the two may not cover the same samples.
        Some(Target { ratio: (base / rtt).min(1.0), alpha: self.alpha })
    }

    fn target_unmeasured(&self) -> Option<Target> {
        Some(Target { ratio: 1.0, alpha: self.alpha })
    }

    fn forget(&mut self) {
        self.rtt = None;
    }

    fn record(&self, smss: f64, record: &mut dyn FnMut(&'static str, f64)) {
        record("alpha", self.alpha * smss);
        record("rtt", self.rtt.unwrap_or(f64::NAN));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{CongestionEvent, Phase};
    use crate::testing::{
        ack, assert_near, avoiding, create, create_with, flow_at, read, round_end, segments,
    };
    use crate::units::Duration;

    /// Two round trips at an RTT, with a base RTT of 100 ms: one update.
    fn update(controller: &mut dyn CongestionControl, rtt_ms: u64) {
        for _ in 0..2 {
            controller.on_ack(&round_end(rtt_ms), &flow_at(rtt_ms, 100));
        }
    }

    /// `ToN` 2006: half of the way, every other round trip.
    #[test]
    fn update_goes_half_of_the_way() {
        let mut controller = create(&FAST, &avoiding(1000.0));
        controller.on_ack(&round_end(125), &flow_at(125, 100));
        assert_near(segments(&*controller), 1000.0);
        controller.on_ack(&round_end(125), &flow_at(125, 100));
        // 0.5 x 1000 + 0.5 x (0.8 x 1000 + 200): the queue already holds 200 segments.
        assert_near(segments(&*controller), 1000.0);
        let mut controller = create_with(&FAST, &avoiding(1000.0), &[("alpha", 100.0)]);
        update(&mut *controller, 125);
        assert_near(segments(&*controller), 950.0);
    }

    /// `ToN` 2006: at most twice the window.
    #[test]
    fn update_at_most_doubles() {
        let mut controller = create(&FAST, &avoiding(10.0));
        update(&mut *controller, 100);
        assert_near(segments(&*controller), 20.0);
    }

    /// A single flow settles where alpha of its segments wait.
    #[test]
    fn alpha_segments_wait_at_equilibrium() {
        let mut controller = create_with(&FAST, &avoiding(50.0), &[("alpha", 80.0)]);
        for _ in 0..200 {
            let window = segments(&*controller);
            // The pipe holds 500 segments.
            let rtt = Duration::from_seconds(0.1 * (window / 500.0).max(1.0));
            let flow = Flow { min_rtt: Duration::from_millis(100), ..flow_at(100, 100) };
            for _ in 0..40 {
                controller.on_ack(&AckSample { rtt: Some(rtt), ..ack(0) }, &flow);
            }
            controller.on_ack(&AckSample { rtt: Some(rtt), ..round_end(100) }, &flow);
        }
        assert!((segments(&*controller) - 580.0).abs() < 0.5, "{}", segments(&*controller));
    }

    /// A smaller window is not slow start, and loss halves.
    #[test]
    fn yielding_is_not_slow_start() {
        let mut controller = create_with(&FAST, &avoiding(1000.0), &[("alpha", 8.0)]);
        update(&mut *controller, 200);
        assert!(segments(&*controller) < 800.0);
        assert_eq!(controller.phase(), Phase::Alternate);
        let before = segments(&*controller);
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow_at(200, 100));
        assert_near(segments(&*controller), before / 2.0);
    }

    /// RFC 7661: an unused window may shrink but not grow.
    #[test]
    fn unused_window_does_not_grow() {
        let mut controller = create(&FAST, &avoiding(1000.0));
        for _ in 0..2 {
            controller.on_ack(&round_end(100), &Flow { cwnd_limited: false, ..flow_at(100, 100) });
        }
        assert_near(segments(&*controller), 1000.0);
    }

    /// FAST-AT: 8, 20 and 200 segments, with different thresholds up and down.
    #[test]
    fn alpha_follows_the_throughput() {
        let mut steps = Steps::new(&Tuned::DEFAULT);
        let throughputs = [1400.0, 1600.0, 1300.0, 20_000.0, 13_000.0, 12_000.0, 1200.0];
        let expected = [8.0, 20.0, 20.0, 200.0, 200.0, 20.0, 8.0];
        for (throughput, alpha) in throughputs.into_iter().zip(expected) {
            assert_near(steps.follow(throughput), alpha);
        }
        let mut controller = create(&FAST_AT, &avoiding(1000.0));
        assert_near(read(&*controller, "alpha"), 8000.0);
        update(&mut *controller, 200);
        assert_near(read(&*controller, "alpha"), 20_000.0);
        // 17,000 segments/s, which the model page has between the upper thresholds of both.
        for (algorithm, alpha) in [(&FAST_AT, 200e3), (&FAST_AT_NIST, 20e3)] {
            let mut controller = create(algorithm, &avoiding(1700.0));
            (0..3).for_each(|_| update(&mut *controller, 100));
            assert_near(read(&*controller, "alpha"), alpha);
        }
    }

    /// Methodology paper: "the red flow adjusts alpha downward as decreasing throughput crosses a threshold", and a
    /// throughput that stays below all of them changes nothing.
    #[test]
    fn alpha_begins_high_and_moves_where_thresholds_are_crossed() {
        let mut steps = Steps::new(&Tuned { first: 2.0, crossing: true, ..Tuned::DEFAULT });
        let throughputs =
            [100.0, 200.0, 20_000.0, 13_000.0, 12_000.0, 1000.0, 500.0, 1600.0, 16_000.0, 100.0];
        let expected = [200.0, 200.0, 200.0, 200.0, 20.0, 8.0, 8.0, 20.0, 200.0, 8.0];
        for (throughput, alpha) in throughputs.into_iter().zip(expected) {
            assert_near(steps.follow(throughput), alpha);
        }
        let mut controller = create(&FAST_AT_NIST_RULE, &avoiding(10.0));
        for _ in 0..3 {
            update(&mut *controller, 100);
            assert_near(read(&*controller, "alpha"), 200_000.0);
        }
    }

    /// A window that holds 500 segments and a queue of 200 ms; then a loss, and repairs that last.
    fn lose(algorithm: &Algorithm) -> Box<dyn CongestionControl> {
        let mut controller = create_with(algorithm, &avoiding(1000.0), &[("alpha", 200.0)]);
        controller.on_ack(&ack_at(200), &flow_at(200, 100));
        controller.on_congestion(CongestionEvent::EnterRecovery, &repairing(200));
        assert_near(segments(&*controller), 500.0);
        controller
    }

    fn ack_at(rtt_ms: u64) -> AckSample {
        AckSample { rtt: Some(Duration::from_millis(rtt_ms)), ..ack(0) }
    }

    fn repairing(rtt_ms: u64) -> Flow {
        Flow { in_recovery: true, ..flow_at(rtt_ms, 100) }
    }

    /// Methodology paper: "FAST uses its own procedures at all times during congestion avoidance". During repairs the
    /// window goes by the rule, 0.5 x 500 + 0.5 x (0.5 x 500 + 200), where `fast` rests.
    #[test]
    fn own_rule_goes_on_during_repairs() {
        for (algorithm, expected) in [(&FAST_NIST, 475.0), (&FAST, 500.0)] {
            let mut controller = lose(algorithm);
            for _ in 0..2 {
                controller.on_ack(&round_end(200), &repairing(200));
            }
            assert_near(segments(&*controller), expected);
        }
    }

    /// After a timeout the rule begins at the restart window and at most doubles every other round; `fast` has slow
    /// start to half of the window, then Reno's segment per round.
    #[test]
    fn own_rule_follows_a_timeout() {
        let mut own = lose(&FAST_NIST);
        let mut paper = lose(&FAST);
        for controller in [&mut own, &mut paper] {
            controller.on_congestion(CongestionEvent::Rto, &repairing(200));
            assert_near(segments(&**controller), 2.0);
        }
        assert_eq!((own.phase(), paper.phase()), (Phase::Alternate, Phase::SlowStart));
        // Two windows of data for each step.
        for (before, expected) in [(2, 4.0), (4, 8.0), (8, 16.0), (16, 32.0), (32, 64.0)] {
            for _ in 0..2 * before {
                assert_near(segments(&*own), expected / 2.0);
                own.on_ack(&AckSample { delivered: 1000, ..ack_at(100) }, &repairing(100));
            }
            assert_near(segments(&*own), expected);
        }
        // The end of repairs leaves the window alone.
        own.on_congestion(CongestionEvent::ExitRecovery, &flow_at(100, 100));
        assert_near(segments(&*own), 64.0);
        update(&mut *own, 100);
        assert!(segments(&*own) > 100.0, "{}", segments(&*own));
    }

    /// FAST-AT's counterpart has the same rule at all times.
    #[test]
    fn tuned_alpha_has_the_own_rule_too() {
        let mut controller = create(&FAST_AT_NIST_RULE, &avoiding(1000.0));
        controller.on_ack(&ack_at(200), &flow_at(200, 100));
        controller.on_congestion(CongestionEvent::Rto, &repairing(200));
        for _ in 0..4 {
            controller.on_ack(&AckSample { delivered: 1000, ..ack_at(200) }, &repairing(200));
        }
        assert_near(segments(&*controller), 4.0);
        assert_eq!(controller.phase(), Phase::Alternate);
    }
}
