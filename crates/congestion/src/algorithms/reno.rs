//! Reno, the standard of RFC 5681.
//!
//! One reduction per window of data (RFC 6582, RFC 6675) is the transport's doing: it sends one
//! `EnterRecovery` per episode. Page: `docs/models/reno.md`.

use crate::abe::{BETA_ECN, beta};
use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow, Initial};
use crate::window::{BETA_RENO, Window};
use crate::window_controller::WindowController;

pub(crate) const RENO: Algorithm = Algorithm {
    name: "reno",
    display: "Reno",
    edition: 1,
    summary: "Standard TCP: one segment per round trip, half the window on loss",
    source: "RFC 5681, RFC 6582",
    params: &Params::DEFAULT.list(),
    build,
};

params! {
    /// Parameters of standard TCP.
    struct Params {
        beta_ecn: f64 from BETA_ECN;
    }
}

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let Params { beta_ecn } = Params::from_values(values);
    let reno = Reno { window: Window::new(initial) };
    if beta_ecn > 0.0 { Box::new(RenoAbe { reno, beta_ecn }) } else { Box::new(reno) }
}

/// Standard TCP congestion control.
#[derive(Debug)]
struct Reno {
    window: Window,
}

impl WindowController for Reno {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        self.window.avoid(rest, self.window.cwnd());
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        self.window.back_off(event, BETA_RENO, flow);
    }

    fn is_standard(&self) -> bool {
        true
    }
}

/// Standard TCP with ABE, a type of its own so that a flow without takes no more memory.
#[derive(Debug)]
struct RenoAbe {
    reno: Reno,
    beta_ecn: f64,
}

impl WindowController for RenoAbe {
    fn window(&self) -> &Window {
        &self.reno.window
    }

    fn window_mut(&mut self) -> Option<&mut Window> {
        Some(&mut self.reno.window)
    }

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        WindowController::on_ack(&mut self.reno, ack, flow);
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        let window = &mut self.reno.window;
        let beta = beta(event, BETA_RENO, self.beta_ecn, window);
        window.back_off(event, beta, flow);
    }

    fn is_standard(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{Halve, Phase};
    use crate::testing::{ack, assert_near, avoiding, create, create_with, flow, initial, read, segments};

    fn reno(initial: &Initial) -> Box<dyn CongestionControl> {
        create(&RENO, initial)
    }

    fn with_abe(initial: &Initial) -> Box<dyn CongestionControl> {
        create_with(&RENO, initial, &[("beta_ecn", 0.8)])
    }

    /// RFC 5681 section 3.1: slow start doubles the window every round trip, then one segment per round.
    #[test]
    fn doubles_then_adds_one_per_round() {
        let mut controller = reno(&Initial { ssthresh: 8.0, ..initial(2.0) });
        for (acks, expected) in [(2, 4.0), (4, 8.0)] {
            for _ in 0..acks {
                controller.on_ack(&ack(1), &flow());
            }
            assert_near(segments(&*controller), expected);
        }
        assert_eq!(controller.phase(), Phase::Standard);
        for _ in 0..8 {
            controller.on_ack(&ack(1), &flow());
        }
        // 8 times +1/w, with w growing meanwhile: a little less than one segment.
        assert!((8.9..9.0).contains(&segments(&*controller)));
    }

    /// RFC 5681 equation 4; RFC 6582: one reduction, and growth again once everything is repaired.
    #[test]
    fn loss_halves_once_and_recovery_does_not_grow() {
        let mut controller = reno(&avoiding(20.0));
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow());
        controller.on_ack(&ack(5), &crate::Flow { in_recovery: true, ..flow() });
        controller.on_congestion(CongestionEvent::ExitRecovery, &flow());
        assert_near(segments(&*controller), 10.0);
        assert_eq!(controller.phase(), Phase::Standard);
        controller.on_ack(&ack(1), &flow());
        assert_near(segments(&*controller), 10.1);
    }

    /// RFC 5681 section 3.1: half the flight, and one segment after a timeout.
    #[test]
    fn timeout_follows_the_rfc() {
        let rfc = Initial { restart_window: 1.0, halve: Halve::Flight, ..avoiding(20.0) };
        let mut controller = reno(&rfc);
        controller.on_congestion(CongestionEvent::Rto, &Flow { flight_size: 12_000, ..flow() });
        assert_near(segments(&*controller), 1.0);
        assert_eq!(controller.phase(), Phase::SlowStart);
        for _ in 0..5 {
            controller.on_ack(&ack(1), &Flow { in_recovery: true, ..flow() });
        }
        assert_near(segments(&*controller), 6.0);
        assert_eq!(controller.phase(), Phase::Standard);
    }

    /// RFC 3168 section 6.1.2: a mark is answered like a loss.
    #[test]
    fn mark_halves() {
        let mut controller = reno(&avoiding(20.0));
        controller.on_congestion(CongestionEvent::EcnEcho, &flow());
        assert_near(segments(&*controller), 10.0);
    }

    /// RFC 8511 section 3: a mark SHOULD set "the slow start threshold (ssthresh) to 0.8 times the FlightSize, with a
    /// lower bound of 2 * SMSS applied to the result. As in [RFC5681], the TCP sender also reduces the cwnd value to
    /// no more than the new ssthresh value."
    #[test]
    fn mark_with_abe_keeps_most_of_the_flight() {
        let flight = Initial { halve: Halve::Flight, ..avoiding(20.0) };
        let mut controller = with_abe(&flight);
        controller.on_congestion(CongestionEvent::EcnEcho, &Flow { flight_size: 15_000, ..flow() });
        assert_near(segments(&*controller), 12.0);
        assert_near(read(&*controller, "ssthresh"), 12_000.0);
        let mut small = with_abe(&avoiding(2.2));
        small.on_congestion(CongestionEvent::EcnEcho, &flow());
        assert_near(segments(&*small), 2.0);
        small.on_congestion(CongestionEvent::EcnEcho, &flow());
        assert_near(segments(&*small), 2.0);
    }

    /// RFC 8511 changes the "ECN reaction in congestion avoidance": slow start, losses and timeouts stay as they were.
    #[test]
    fn abe_changes_nothing_but_marks_in_congestion_avoidance() {
        let starting = Initial { ssthresh: 64.0, ..initial(20.0) };
        for (start, event) in [
            (starting, CongestionEvent::EcnEcho),
            (avoiding(20.0), CongestionEvent::EnterRecovery),
            (avoiding(20.0), CongestionEvent::Rto),
        ] {
            let mut pair = [reno(&start), with_abe(&start)];
            for controller in &mut pair {
                controller.on_congestion(event, &flow());
            }
            assert_near(segments(&*pair[1]), segments(&*pair[0]));
            assert_near(read(&*pair[1], "ssthresh"), 10_000.0);
            assert_eq!(pair[1].phase(), pair[0].phase());
        }
    }
}
