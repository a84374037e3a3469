//! Data Center TCP ([RFC 8257]): the window is cut in proportion to the part of the bytes that were marked.
//!
//! The receiver half, an exact echo of every mark (RFC 8257 section 3.2), is the transport's. Page:
//! `docs/models/dctcp.md`.
//!
//! [RFC 8257]: https://www.rfc-editor.org/rfc/rfc8257

use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Ecn, Flow, Initial, Needs, RoundSample};
use crate::window::{BETA_RENO, Window, to_float};
use crate::window_controller::WindowController;

pub(crate) const DCTCP: Algorithm = Algorithm {
    name: "dctcp",
    display: "DCTCP",
    edition: 1,
    summary: "Data Center TCP: the window is cut by half of the averaged part of marked bytes",
    source: "RFC 8257",
    params: &Params::DEFAULT.list(),
    build,
};

params! {
    /// Parameters of DCTCP.
    struct Params {
        g: f64 = 0.0625, [1e-6, 1.0], "1", "Weight of a new round in the averaged part of marked bytes";
        alpha: f64 = 1.0, [0.0, 1.0], "1", "Averaged part of marked bytes at the start";
    }
}

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let Params { g, alpha } = Params::from_values(values);
    Box::new(Dctcp { g, alpha, window: Window::new(initial) })
}

/// DCTCP of one flow.
#[derive(Debug)]
struct Dctcp {
    g: f64,
    /// Averaged part of the bytes that were marked, 0 to 1.
    alpha: f64,
    window: Window,
}

impl Dctcp {
    /// [RFC 8257 section 3.3]: `DCTCP.Alpha` = `DCTCP.Alpha` (1 - g) + g M, once per window.
    ///
    /// [RFC 8257 section 3.3]: https://www.rfc-editor.org/rfc/rfc8257#section-3.3
    fn end_round(&mut self, round: &RoundSample) {
        if round.delivered == 0 {
            return;
        }
        let marked = (to_float(round.ce_marked) / to_float(round.delivered)).min(1.0);
        self.alpha = (1.0 - self.g) * self.alpha + self.g * marked;
    }
}

impl WindowController for Dctcp {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        if let Some(round) = &ack.round {
            self.end_round(round);
        }
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        self.window.avoid(rest, self.window.cwnd());
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        match event {
            // RFC 8257: "cwnd = cwnd * (1 - DCTCP.Alpha / 2)"; of cwnd, whatever loss reduces.
            CongestionEvent::EcnEcho => {
                let cwnd = self.window.cwnd();
                self.window.respond(event, cwnd * (1.0 - self.alpha / 2.0));
            }
            // Losses are answered as without ECN.
            CongestionEvent::EnterRecovery | CongestionEvent::ExitRecovery | CongestionEvent::Rto => {
                self.window.back_off(event, BETA_RENO, flow);
            }
        }
    }

    fn is_standard(&self) -> bool {
        true
    }

    fn needs(&self) -> Needs {
        Needs { ecn: Ecn::Dctcp, ..Needs::default() }
    }

    fn record(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("alpha", self.alpha);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, assert_near, avoiding, create, flow, read, segments};

    /// The first ACK of a round after one in which `marked` of 100 segments were marked.
    fn round(marked: u64) -> AckSample {
        let round = RoundSample {
            min_rtt: None,
            rtt_count: 0,
            delivered: 100_000,
            lost: 0,
            ce_marked: marked * 1000,
        };
        AckSample { round: Some(round), ..AckSample::default() }
    }

    /// RFC 8257: alpha starts at 1 and moves by a sixteenth of the way per window.
    #[test]
    fn alpha_averages_the_marked_part() {
        let mut controller = create(&DCTCP, &avoiding(100.0));
        assert_eq!(controller.needs().ecn, Ecn::Dctcp);
        assert_near(read(&*controller, "alpha"), 1.0);
        controller.on_ack(&round(0), &flow());
        assert_near(read(&*controller, "alpha"), 15.0 / 16.0);
        controller.on_ack(&round(50), &flow());
        assert_near(read(&*controller, "alpha"), 225.0 / 256.0 + 0.5 / 16.0);
        for _ in 0..500 {
            controller.on_ack(&round(10), &flow());
        }
        assert_near(read(&*controller, "alpha"), 0.1);
    }

    /// RFC 8257: cwnd (1 - alpha / 2), half of it while every segment is marked.
    #[test]
    fn mark_cuts_in_proportion() {
        let mut controller = create(&DCTCP, &avoiding(100.0));
        controller.on_congestion(CongestionEvent::EcnEcho, &flow());
        assert_near(segments(&*controller), 50.0);
        for _ in 0..500 {
            controller.on_ack(&round(10), &flow());
        }
        controller.on_congestion(CongestionEvent::EcnEcho, &flow());
        assert_near(segments(&*controller), 47.5);
        // And congestion avoidance goes on from there.
        controller.on_ack(&ack(1), &flow());
        assert_near(segments(&*controller), 47.5 + 1.0 / 47.5);
    }

    /// RFC 8257: a loss is answered like any TCP answers it, whatever alpha is.
    #[test]
    fn loss_halves() {
        let mut controller = create(&DCTCP, &avoiding(100.0));
        for _ in 0..500 {
            controller.on_ack(&round(0), &flow());
        }
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow());
        assert_near(segments(&*controller), 50.0);
    }
}
