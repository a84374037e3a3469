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
mod tests;
