//! Scalable TCP (Kelly, ACM CCR 33(2), 2003): a fixed gain per ACK, so that the time to recover from a
//! loss does not depend on the window.
//!
//! At or below `low_window` it is Reno. Page: `docs/models/scalable.md`.

use super::reno;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Decision, Flow, Initial, Phase};
use crate::registry::{Algorithm, Param};
use crate::window::Window;

const SOURCE: &str = "T. Kelly, Scalable TCP, ACM CCR 33(2), 2003";

pub(crate) const SCALABLE: Algorithm = Algorithm {
    name: "scalable",
    summary: "Scalable TCP: 1 % per round trip, an eighth less on loss",
    source: SOURCE,
    params: &params(16.0, 0.0),
    build,
};

pub(crate) const NIST: Algorithm = Algorithm {
    name: "scalable:nist",
    summary: "Scalable TCP as in the MesoNet study (low window 16, slow start as standard TCP's)",
    source: "NIST SP 500-282 (2010); T. Kelly, Scalable TCP, ACM CCR 33(2), 2003",
    params: &params(16.0, 1.0),
    build,
};

const fn params(low_window: f64, standard_slow_start: f64) -> [Param; 4] {
    [
        Param {
            name: "increase",
            default: 0.01,
            min: 0.0,
            max: 1.0,
            unit: "segments per segment acknowledged",
            doc: "Growth of the window above the low window (a)",
        },
        Param {
            name: "decrease",
            default: 0.125,
            min: 0.0,
            max: 1.0,
            unit: "1",
            doc: "Part of the window given up on loss above the low window (b)",
        },
        Param {
            name: "low_window",
            default: low_window,
            min: 0.0,
            max: 1e9,
            unit: "segments",
            doc: "At or below this window the rules are Reno's",
        },
        Param {
            name: "standard_slow_start",
            default: standard_slow_start,
            min: 0.0,
            max: 1.0,
            unit: "0 or 1",
            doc: "A loss in slow start halves the window, as in standard TCP",
        },
    ]
}

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let &[increase, decrease, low_window, standard_slow_start] = values else {
        unreachable!("one value per parameter")
    };
    let window = Window::new(initial);
    Box::new(Scalable {
        increase,
        keep: 1.0 - decrease,
        low_window: low_window * window.smss(),
        standard_slow_start: standard_slow_start > 0.0,
        window,
    })
}

/// Scalable TCP of one flow.
#[derive(Debug)]
struct Scalable {
    increase: f64,
    keep: f64,
    /// [bytes]
    low_window: f64,
    standard_slow_start: bool,
    window: Window,
}

impl Scalable {
    fn is_standard(&self) -> bool {
        self.window.cwnd() <= self.low_window
    }
}

impl CongestionControl for Scalable {
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        if self.is_standard() {
            self.window.avoid(rest, self.window.cwnd());
        } else {
            self.window.scale(rest, self.increase);
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        // The study: all algorithms "retain standard TCP procedures for connection establishment and initial slow
        // start"; what a timeout leaves is the algorithm's own.
        let slow = self.standard_slow_start && self.window.in_slow_start() && event != CongestionEvent::Rto;
        let keep = if self.is_standard() || slow { reno::KEEP } else { self.keep };
        let reference = self.window.reference(self.window.cwnd(), flow);
        self.window.respond(event, keep * reference);
    }

    fn decision(&self) -> Decision {
        self.window.decision()
    }

    fn phase(&self) -> Phase {
        self.window.phase(self.is_standard())
    }

    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("ssthresh", self.window.ssthresh());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, assert_near, avoiding, flow, segments};

    fn scalable(window: f64) -> Box<dyn CongestionControl> {
        let values: Vec<f64> = SCALABLE.params.iter().map(|param| param.default).collect();
        (SCALABLE.build)(&values, &avoiding(window))
    }

    /// Kelly 2003: cwnd += 0.01 per segment acknowledged, whatever the window.
    #[test]
    fn gain_does_not_depend_on_the_window() {
        for window in [100.0, 10_000.0] {
            let mut controller = scalable(window);
            controller.on_ack(&ack(50), &flow());
            assert_near(segments(&*controller), window + 0.5);
            assert_eq!(controller.phase(), Phase::Alternate);
        }
    }

    /// Kelly 2003: an eighth less on loss; `ssthresh` is the new window, so no slow start follows.
    #[test]
    fn loss_takes_an_eighth() {
        let mut controller = scalable(80.0);
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow());
        controller.on_congestion(CongestionEvent::ExitRecovery, &flow());
        assert_near(segments(&*controller), 70.0);
        assert_eq!(controller.phase(), Phase::Alternate);
    }

    /// `MesoNet` methodology paper: only congestion avoidance differs from standard TCP.
    #[test]
    fn in_the_study_a_loss_in_slow_start_halves() {
        let values: Vec<f64> = NIST.params.iter().map(|param| param.default).collect();
        let initial = crate::Initial { ssthresh: f64::INFINITY, ..avoiding(80.0) };
        for (algorithm, left) in [(&NIST, 40.0), (&SCALABLE, 70.0)] {
            let defaults: Vec<f64> = algorithm.params.iter().map(|param| param.default).collect();
            let mut controller = (algorithm.build)(&defaults, &initial);
            assert_eq!(controller.phase(), Phase::SlowStart);
            controller.on_congestion(CongestionEvent::EnterRecovery, &flow());
            assert_near(segments(&*controller), left);
        }
        let mut controller = (NIST.build)(&values, &avoiding(80.0));
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow());
        assert_near(segments(&*controller), 70.0);
    }

    /// `MesoNet`: ssthresh = max(0.875 cwnd, initial window) on a timeout.
    #[test]
    fn timeout_keeps_most_of_the_threshold() {
        let mut controller = scalable(80.0);
        controller.on_congestion(CongestionEvent::Rto, &flow());
        assert_near(segments(&*controller), 2.0);
        controller.state(&mut |name, value| {
            if name == "ssthresh" {
                assert_near(value, 70_000.0);
            }
        });
    }

    /// At or below the low window: Reno.
    #[test]
    fn small_windows_are_reno() {
        let mut controller = scalable(16.0);
        assert_eq!(controller.phase(), Phase::Standard);
        controller.on_congestion(CongestionEvent::EcnEcho, &flow());
        assert_near(segments(&*controller), 8.0);
        controller.on_ack(&ack(8), &flow());
        assert_near(segments(&*controller), 9.0);
    }
}
