//! Scalable TCP (Kelly, ACM CCR 33(2), 2003): a fixed gain per ACK, so that the time to recover from a
//! loss does not depend on the window.
//!
//! At or below `low_window` it is Reno. Page: `docs/models/scalable.md`.

use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow, Initial};
use crate::window::{BETA_RENO, Window};
use crate::window_controller::WindowController;

const SOURCE: &str = "T. Kelly, Scalable TCP, ACM CCR 33(2), 2003";

pub(crate) const SCALABLE: Algorithm = Algorithm {
    name: "scalable",
    display: "Scalable TCP",
    edition: 1,
    summary: "Scalable TCP: 1 % per round trip, an eighth less on loss",
    source: SOURCE,
    params: &Params::DEFAULT.list(),
    build,
};

pub(crate) const NIST: Algorithm = Algorithm {
    name: "scalable:nist",
    display: "Scalable TCP (NIST)",
    edition: 1,
    summary: "Scalable TCP as in the MesoNet study (low window 16, slow start as standard TCP's)",
    source: "NIST SP 500-282 (2010); T. Kelly, Scalable TCP, ACM CCR 33(2), 2003",
    params: &Params { standard_slow_start: 1.0, ..Params::DEFAULT }.list(),
    build,
};

params! {
    /// Parameters of Scalable TCP.
    struct Params {
        increase: f64 = 0.01, [0.0, 1.0], "segments per segment acknowledged",
            "Growth of the window above the low window (a)";
        decrease: f64 = 0.125, [0.0, 1.0], "1",
            "Part of the window given up on loss above the low window (b)";
        low_window: f64 = 16.0, [0.0, 1e9], "segments", "At or below this window the rules are Reno's";
        // Not `bool`: any value above 0, not only one from a half on, has always switched it on.
        standard_slow_start: f64 = 0.0, [0.0, 1.0], "0 or 1",
            "A loss in slow start halves the window, as in standard TCP";
    }
}

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let Params { increase, decrease, low_window, standard_slow_start } = Params::from_values(values);
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
    /// Part of the window kept on loss.
    keep: f64,
    /// [bytes]
    low_window: f64,
    standard_slow_start: bool,
    window: Window,
}

impl WindowController for Scalable {
    answers_of_window!();

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
        let beta = if self.is_standard() || slow { BETA_RENO } else { self.keep };
        self.window.back_off(event, beta, flow);
    }

    fn is_standard(&self) -> bool {
        self.window.cwnd() <= self.low_window
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Phase;
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

    /// RFC 4015: a reduction that no loss was behind is taken back.
    #[test]
    fn a_spurious_loss_gives_the_window_back() {
        let mut controller = scalable(80.0);
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow());
        controller.on_undo(&crate::control::Prior { cwnd: 80e3, ssthresh: Some(80e3) }, &flow());
        assert_near(segments(&*controller), 80.0);
    }
}
