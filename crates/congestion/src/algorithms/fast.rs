//! FAST TCP (Wei, Jin, Low, Hegde, IEEE/ACM `ToN` 14(6), 2006): the window moves to where `alpha` segments
//! of the flow wait in queues; and FAST-AT, where `alpha` follows the throughput.
//!
//! Page: `docs/models/fast.md`.

use super::reno;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Decision, Flow, Initial, Phase};
use crate::registry::{Algorithm, Param};
use crate::units::Duration;
use crate::window::Window;

const SOURCE: &str = "Wei, Jin, Low, Hegde, IEEE/ACM ToN 14(6), 2006";

pub(crate) const FAST: Algorithm = Algorithm {
    name: "fast",
    summary: "FAST TCP: alpha own segments in queues, alpha fixed",
    source: SOURCE,
    params: &[
        Param::new("alpha", 200.0, 0.0, 1e9, "segments", "Own segments in queues at equilibrium"),
        GAMMA,
        EVERY,
    ],
    build: build_fixed,
};

pub(crate) const FAST_AT: Algorithm = Algorithm {
    name: "fast-at",
    summary: "FAST TCP with alpha tuned by throughput",
    source: "Wei, Jin, Low, Hegde, IEEE/ACM ToN 14(6), 2006; thresholds of the ns-2 model",
    params: &tuned([1_500.0, 1_250.0, 15_000.0, 12_500.0]),
    build: build_tuned,
};

pub(crate) const FAST_AT_NIST: Algorithm = Algorithm {
    name: "fast-at:nist",
    summary: "FAST TCP with alpha tuned by throughput, thresholds fitted to the MesoNet study",
    source: "NIST SP 500-282 (2010); thresholds are ours, see the model page",
    params: &tuned([12_000.0, 10_000.0, 20_000.0, 18_000.0]),
    build: build_tuned,
};

pub(super) const GAMMA: Param =
    Param::new("gamma", 0.5, 0.01, 1.0, "1", "Part of the way taken by one update");

pub(super) const EVERY: Param =
    Param::new("every", 2.0, 1.0, 100.0, "round trips", "An update every so many round trips");

const fn tuned(thresholds: [f64; 4]) -> [Param; 9] {
    const RATE: &str = "segments/s";
    let [up_1, down_1, up_2, down_2] = thresholds;
    [
        Param::new("alpha_low", 8.0, 0.0, 1e9, "segments", "Lowest step of alpha, the first one"),
        Param::new("alpha_middle", 20.0, 0.0, 1e9, "segments", "Middle step of alpha"),
        Param::new("alpha_high", 200.0, 0.0, 1e9, "segments", "Highest step of alpha"),
        Param::new("low_up", up_1, 0.0, 1e12, RATE, "Throughput above which alpha goes from low to middle"),
        Param::new("low_down", down_1, 0.0, 1e12, RATE, "Throughput below which alpha goes back to low"),
        Param::new("high_up", up_2, 0.0, 1e12, RATE, "Throughput above which alpha goes from middle to high"),
        Param::new("high_down", down_2, 0.0, 1e12, RATE, "Throughput below which alpha goes back to middle"),
        GAMMA,
        EVERY,
    ]
}

fn build_fixed(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let &[alpha, gamma, every] = values else { unreachable!("one value per parameter") };
    build(gamma, every, alpha, None, initial)
}

fn build_tuned(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let &[low, middle, high, low_up, low_down, high_up, high_down, gamma, every] = values else {
        unreachable!("one value per parameter")
    };
    let steps =
        Steps { alpha: [low, middle, high], up: [low_up, high_up], down: [low_down, high_down], step: 0 };
    build(gamma, every, low, Some(steps), initial)
}

fn build(
    gamma: f64,
    every: f64,
    alpha: f64,
    steps: Option<Steps>,
    initial: &Initial,
) -> Box<dyn CongestionControl> {
    let window = Window::new(initial);
    Box::new(Fast { gamma, every, alpha, steps, window, rtt: None, rounds: 0.0 })
}

/// How alpha follows the throughput.
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

/// Weight of a new sample in the averages of the paper: min(3/w, 1/4), for a window of `segments`.
pub(super) fn weight(segments: f64) -> f64 {
    (3.0 / segments).min(0.25)
}

/// The window update of the paper: w = min(2w, (1-gamma) w + gamma (ratio w + alpha)), where the ratio is
/// baseRTT/RTT. All windows in segments.
pub(super) fn updated(window: f64, ratio: f64, alpha: f64, gamma: f64) -> f64 {
    let moved = (1.0 - gamma) * window + gamma * (ratio * window + alpha);
    moved.min(2.0 * window)
}

/// The window to go to from `cwnd`: `target`, but nothing larger while the window is not in use (RFC 7661).
pub(super) fn bounded(target: f64, cwnd: f64, flow: &Flow) -> f64 {
    if flow.cwnd_limited { target } else { target.min(cwnd) }
}

/// FAST TCP of one flow.
#[derive(Debug)]
struct Fast {
    gamma: f64,
    every: f64,
    /// [segments]
    alpha: f64,
    steps: Option<Steps>,
    window: Window,
    /// Averaged RTT [s].
    rtt: Option<f64>,
    /// Round trips since the last update.
    rounds: f64,
}

impl Fast {
    /// [segments]
    fn segments(&self) -> f64 {
        self.window.cwnd() / self.window.smss()
    }

    fn average(&mut self, sample: Duration) {
        let weight = weight(self.segments());
        let sample = sample.seconds();
        self.rtt = Some(self.rtt.map_or(sample, |rtt| (1.0 - weight) * rtt + weight * sample));
    }

    fn update(&mut self, flow: &Flow) {
        let base = flow.min_rtt.seconds();
        let Some(rtt) = self.rtt.filter(|&rtt| rtt > 0.0 && base > 0.0) else { return };
        let window = self.segments();
        if let Some(steps) = &mut self.steps {
            self.alpha = steps.follow(window / rtt);
        }
        // An average is never below its smallest sample, but the two may not cover the same samples.
        let ratio = (base / rtt).min(1.0);
        let target = updated(window, ratio, self.alpha, self.gamma) * self.window.smss();
        self.window.steer(bounded(target, self.window.cwnd(), flow));
    }
}

impl CongestionControl for Fast {
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let repairing = self.window.is_repairing(flow);
        if let Some(rtt) = ack.rtt.filter(|_| !repairing) {
            self.average(rtt);
        }
        if ack.round.is_some() {
            self.rounds += 1.0;
            if self.rounds >= self.every && !repairing && !self.window.in_slow_start() {
                self.rounds = 0.0;
                self.update(flow);
            }
        }
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        if repairing {
            // After a timeout there is nothing to go by until all is repaired.
            self.window.avoid(rest, self.window.cwnd());
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        let reference = self.window.reference(self.window.cwnd(), flow);
        self.window.respond(event, reno::KEEP * reference);
        // The queue that the average remembers is the one that overflowed.
        self.rtt = None;
        self.rounds = 0.0;
    }

    fn decision(&self) -> Decision {
        self.window.decision()
    }

    fn phase(&self) -> Phase {
        self.window.phase(false)
    }

    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("ssthresh", self.window.ssthresh());
        record("alpha", self.alpha * self.window.smss());
        record("rtt", self.rtt.unwrap_or(f64::NAN));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{
        ack, assert_near, avoiding, create, create_with, flow_at, read, round_end, segments,
    };

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
