//! FAST TCP (Wei, Jin, Low, Hegde, IEEE/ACM `ToN` 14(6), 2006): the window moves to where `alpha` segments
//! of the flow wait in queues; and FAST-AT, where `alpha` follows the throughput.
//!
//! Page: `docs/models/fast.md`.

use super::fast_law::{EVERY, FastLaw, GAMMA, Signal, Target, weight};
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

params! {
    /// Parameters of FAST TCP.
    struct Fixed {
        alpha: f64 = 200.0, [0.0, 1e9], "segments", "Own segments in queues at equilibrium";
        gamma: f64 from GAMMA;
        every: f64 from EVERY;
    }
}

params! {
    /// Parameters of FAST-AT.
    struct Tuned {
        alpha_low: f64 = 8.0, [0.0, 1e9], "segments", "Lowest step of alpha, the first one";
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
    }
}

fn build_fixed(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let Fixed { alpha, gamma, every } = Fixed::from_values(values);
    let signal = RoundTrip { alpha, steps: None, rtt: None };
    Box::new(FastLaw::new(gamma, every, Window::new(initial), signal))
}

fn build_tuned(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let params = Tuned::from_values(values);
    let steps = Steps {
        alpha: [params.alpha_low, params.alpha_middle, params.alpha_high],
        up: [params.low_up, params.high_up],
        down: [params.low_down, params.high_down],
        step: 0,
    };
    let signal = RoundTrip { alpha: params.alpha_low, steps: Some(steps), rtt: None };
    Box::new(FastLaw::new(params.gamma, params.every, Window::new(initial), signal))
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
}

impl Steps {
    /// The step for a throughput [segments/s], one step per update.
    fn follow(&mut self, throughput: f64) -> f64 {
        if self.step < 2 && throughput > self.up[self.step] {
            self.step += 1;
        } else if self.step > 0 && throughput < self.down[self.step - 1] {
            self.step -= 1;
        }
        self.alpha[self.step]
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
        let mut steps =
            Steps { alpha: [8.0, 20.0, 200.0], up: [1500.0, 15_000.0], down: [1250.0, 12_500.0], step: 0 };
        let throughputs = [1400.0, 1600.0, 1300.0, 20_000.0, 13_000.0, 12_000.0, 1200.0];
        let expected = [8.0, 20.0, 20.0, 200.0, 200.0, 20.0, 8.0];
        for (throughput, alpha) in throughputs.into_iter().zip(expected) {
            assert_near(steps.follow(throughput), alpha);
        }
        let mut controller = create(&FAST_AT, &avoiding(1000.0));
        assert_near(read(&*controller, "alpha"), 8000.0);
        update(&mut *controller, 200);
        assert_near(read(&*controller, "alpha"), 20_000.0);
    }
}
