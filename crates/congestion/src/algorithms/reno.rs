//! Reno, the standard of RFC 5681.
//!
//! One reduction per window of data (RFC 6582, RFC 6675) is the transport's doing: it sends one
//! `EnterRecovery` per episode. Page: `docs/models/reno.md`.

use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionEvent, Flow};
use crate::window::{BETA_RENO, Window};
use crate::window_controller::WindowController;

pub(crate) const RENO: Algorithm = Algorithm {
    name: "reno",
    display: "Reno",
    edition: 1,
    summary: "Standard TCP: one segment per round trip, half the window on loss",
    source: "RFC 5681, RFC 6582",
    params: &[],
    build: |_, initial| Box::new(Reno { window: Window::new(initial) }),
};

/// Standard TCP congestion control.
#[derive(Debug)]
struct Reno {
    window: Window,
}

impl WindowController for Reno {
    fn window(&self) -> &Window {
        &self.window
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{CongestionControl, Phase};
    use crate::control::{Halve, Initial};
    use crate::testing::{ack, assert_near, avoiding, flow, initial, segments};

    fn reno(initial: &Initial) -> Box<dyn CongestionControl> {
        (RENO.build)(&[], initial)
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
}
