//! TCP Hybla (Caini and Firrincieli, Int. J. Satellite Communications and Networking 22, 2004): a flow with a long
//! RTT opens its window as if its RTT were short.
//!
//! Page: `docs/models/hybla.md`.

use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow, Initial};
use crate::units::Duration;
use crate::window::{BETA_RENO, Window};
use crate::window_controller::WindowController;

pub(crate) const HYBLA: Algorithm = Algorithm {
    name: "hybla",
    display: "Hybla",
    edition: 1,
    summary: "TCP Hybla: growth over time as at an RTT of 25 ms",
    source: "C. Caini, R. Firrincieli, Int. J. Satellite Communications and Networking 22, 2004",
    params: &Params::DEFAULT.list(),
    build,
};

params! {
    /// Parameters of TCP Hybla.
    struct Params {
        rtt_reference: f64 = 0.025, [1e-6, 10.0], "s", "RTT that growth is equalized to (RTT0)";
        max_window: f64 = 65_535.0, [2.0, 1e9], "segments", "The window does not grow beyond this";
    }
}

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let Params { rtt_reference, max_window } = Params::from_values(values);
    let window = Window::new(initial);
    Box::new(Hybla {
        rtt_reference,
        max_window: max_window * window.smss(),
        window,
        measured: Duration::ZERO,
        rho: 1.0,
        slow_start_gain: 1.0,
    })
}

/// TCP Hybla of one flow.
#[derive(Debug)]
struct Hybla {
    /// [s]
    rtt_reference: f64,
    /// [bytes]
    max_window: f64,
    window: Window,
    /// The RTT that `rho` was computed from.
    measured: Duration,
    /// RTT / `RTT0`, at least 1.
    rho: f64,
    /// 2^rho - 1.
    slow_start_gain: f64,
}

impl Hybla {
    /// Only a smaller RTT changes rho, so that queueing delay does not.
    fn measure(&mut self, flow: &Flow) {
        if flow.min_rtt != self.measured {
            self.measured = flow.min_rtt;
            self.rho = (flow.min_rtt.seconds() / self.rtt_reference).max(1.0);
            // Infinity times no bytes would not be a number.
            self.slow_start_gain = (libm::exp2(self.rho) - 1.0).min(f64::MAX);
        }
    }

    /// Room up to the largest window [bytes].
    fn room(&self) -> f64 {
        (self.max_window - self.window.cwnd()).max(0.0)
    }
}

impl WindowController for Hybla {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        self.measure(flow);
        let credit = self.window.credit(ack, flow);
        let opened = (self.slow_start_gain * credit).min(self.room());
        if self.window.in_slow_start() {
            // What would lead beyond the threshold is lost, as in Linux.
            let _ = self.window.slow_start(opened);
        } else {
            let gain = self.rho * self.rho * self.window.smss() / self.window.cwnd();
            self.window.scale((gain.min(self.slow_start_gain) * credit).min(self.room()), 1.0);
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        self.window.back_off(event, BETA_RENO, flow);
    }

    fn is_standard(&self) -> bool {
        self.rho <= 1.0
    }

    fn record(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("rho", self.rho);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Phase;
    use crate::testing::{ack, assert_near, avoiding, create, flow_at, initial, read, segments};

    /// The paper: 2^rho - 1 per ACK in slow start, rho^2 / w after it; rho = RTT / 25 ms, at least 1.
    #[test]
    fn growth_follows_rho() {
        for (rtt_ms, rho) in [(10, 1.0), (25, 1.0), (50, 2.0), (100, 4.0)] {
            let mut controller = create(&HYBLA, &initial(2.0));
            controller.on_ack(&ack(1), &flow_at(rtt_ms, rtt_ms));
            assert_near(read(&*controller, "rho"), rho);
            assert_near(segments(&*controller), 2.0 + 2.0_f64.powf(rho) - 1.0);
            let mut controller = create(&HYBLA, &avoiding(100.0));
            controller.on_ack(&ack(1), &flow_at(rtt_ms, rtt_ms));
            assert_near(segments(&*controller), 100.0 + rho * rho / 100.0);
        }
    }

    /// A queue does not make the flow faster.
    #[test]
    fn rho_follows_the_smallest_rtt() {
        let mut controller = create(&HYBLA, &avoiding(100.0));
        for (rtt_ms, min_rtt_ms) in [(100, 100), (400, 100), (50, 50)] {
            controller.on_ack(&ack(0), &flow_at(rtt_ms, min_rtt_ms));
        }
        assert_near(read(&*controller, "rho"), 2.0);
    }

    /// Slow start ends at the threshold, and the window at its largest value.
    #[test]
    fn growth_has_ends() {
        let mut controller = create(&HYBLA, &Initial { ssthresh: 60.0, ..initial(50.0) });
        controller.on_ack(&ack(1), &flow_at(100, 100));
        assert_near(segments(&*controller), 60.0);
        let mut controller = create(&HYBLA, &initial(2.0));
        controller.on_ack(&ack(1), &flow_at(9000, 9000));
        assert_near(segments(&*controller), 65_535.0);
        controller.on_ack(&ack(0), &flow_at(900_000, 900_000));
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow_at(9000, 9000));
        assert_near(segments(&*controller), 65_535.0 / 2.0);
    }

    /// The paper: at the reference RTT and below, rho is 1, and Hybla is standard TCP.
    #[test]
    fn short_paths_are_standard() {
        for (rtt_ms, phase) in [(25, Phase::Standard), (50, Phase::Alternate)] {
            let mut controller = create(&HYBLA, &avoiding(100.0));
            controller.on_ack(&ack(1), &flow_at(rtt_ms, rtt_ms));
            assert_eq!(controller.phase(), phase);
        }
    }
}
