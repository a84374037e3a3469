//! AIMD(a, b) and AIAD: additive increase with any step, and multiplicative or additive decrease.
//!
//! Page: `docs/models/aimd.md`.

use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow, Initial};
use crate::window::Window;
use crate::window_controller::WindowController;

const SOURCE: &str = "D.-M. Chiu, R. Jain, Computer Networks and ISDN Systems 17, 1989";

pub(crate) const AIMD: Algorithm = Algorithm {
    name: "aimd",
    display: "AIMD",
    edition: 1,
    summary: "AIMD(a, b): a segments more per round trip, a part less on loss",
    source: SOURCE,
    params: &Multiplicative::DEFAULT.list(),
    build: |values, initial| build_aimd(values, initial, false),
};

pub(crate) const AIAD: Algorithm = Algorithm {
    name: "aiad",
    display: "AIAD",
    edition: 1,
    summary: "AIAD: segments more per round trip, segments less on loss",
    source: SOURCE,
    params: &Additive::DEFAULT.list(),
    build: |values, initial| build_aiad(values, initial, false),
};

pub(crate) const AIMD_LAB: Algorithm = Algorithm {
    name: "aimd:lab",
    display: "AIMD (lab)",
    edition: 1,
    summary: "AIMD of a student's simulator: 5/6 of the threshold are kept, slow start after every loss",
    source: "B. Elison, J. Eklund, Congestion Control Part 2 (2016), section 3.2",
    params: &Multiplicative { decrease: 1.0 / 6.0, ..Multiplicative::DEFAULT }.list(),
    build: |values, initial| build_aimd(values, initial, true),
};

pub(crate) const AIMD_LAB_HALF: Algorithm = Algorithm {
    name: "aimd:lab-half",
    display: "AIMD (lab, half)",
    edition: 1,
    summary: "AIMD of a student's simulator with half of the threshold kept, the rival of aimd:lab",
    source: "B. Elison, J. Eklund, Congestion Control Part 2 (2016), section 3.3",
    params: &Multiplicative::DEFAULT.list(),
    build: |values, initial| build_aimd(values, initial, true),
};

pub(crate) const AIAD_LAB: Algorithm = Algorithm {
    name: "aiad:lab",
    display: "AIAD (lab)",
    edition: 1,
    summary: "AIAD of a student's simulator: the threshold loses a segment, slow start after every loss",
    source: "B. Elison, J. Eklund, Congestion Control Part 2 (2016), section 3.1",
    params: &Additive::DEFAULT.list(),
    build: |values, initial| build_aiad(values, initial, true),
};

params! {
    /// Parameters of AIMD.
    struct Multiplicative {
        increase: f64 = 1.0, [0.0, 1e6], "segments per round trip", "Growth of the window (a)";
        decrease: f64 = 0.5, [0.0, 1.0], "1", "Part of the window given up on loss (1 - b)";
    }
}

params! {
    /// Parameters of AIAD.
    struct Additive {
        increase: f64 = 1.0, [0.0, 1e6], "segments per round trip", "Growth of the window (a)";
        decrease: f64 = 1.0, [0.0, 1e9], "segments", "What is given up on loss";
    }
}

fn build_aimd(values: &[f64], initial: &Initial, restarts: bool) -> Box<dyn CongestionControl> {
    let Multiplicative { increase, decrease } = Multiplicative::from_values(values);
    let window = Window::new(initial);
    Box::new(Aimd { increase, decrease: Decrease::Part(decrease), restarts, window })
}

fn build_aiad(values: &[f64], initial: &Initial, restarts: bool) -> Box<dyn CongestionControl> {
    let Additive { increase, decrease } = Additive::from_values(values);
    let window = Window::new(initial);
    Box::new(Aimd { increase, decrease: Decrease::Step(decrease), restarts, window })
}

/// Decrease on a loss.
#[derive(Clone, Copy, Debug)]
enum Decrease {
    /// Part of the window given up.
    Part(f64),
    /// Segments given up.
    Step(f64),
}

/// Additive increase, and either decrease, of one flow.
#[derive(Debug)]
struct Aimd {
    /// [segments per round trip]
    increase: f64,
    decrease: Decrease,
    /// The student's simulator lowers the threshold and restarts from the restart window on every loss.
    restarts: bool,
    window: Window,
}

impl Aimd {
    /// Window left of `window` [bytes].
    fn left(&self, window: f64) -> f64 {
        match self.decrease {
            Decrease::Part(part) => (1.0 - part) * window,
            Decrease::Step(segments) => window - segments * self.window.smss(),
        }
    }
}

impl WindowController for Aimd {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        let gain = (self.increase * self.window.smss() / self.window.cwnd()).min(1.0);
        self.window.scale(rest, gain);
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        let threshold = self.window.ssthresh();
        let reduced = if self.restarts && threshold.is_finite() {
            threshold
        } else {
            self.window.reference(self.window.cwnd(), flow)
        };
        self.window.respond(event, self.left(reduced));
        if self.restarts && event != CongestionEvent::ExitRecovery {
            self.window.collapse();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Phase;
    use crate::testing::{ack, assert_near, avoiding, create, create_with, flow, initial, read, segments};

    #[test]
    fn increase_is_what_it_says() {
        for (algorithm, increase) in [(&AIMD, 1.0), (&AIMD, 3.0), (&AIAD, 0.5)] {
            let mut controller = create_with(algorithm, &avoiding(100.0), &[("increase", increase)]);
            controller.on_ack(&ack(1), &flow());
            assert_near(segments(&*controller), 100.0 + increase / 100.0);
        }
        // Not faster than slow start.
        let mut controller = create_with(&AIMD, &avoiding(2.0), &[("increase", 9.0)]);
        controller.on_ack(&ack(1), &flow());
        assert_near(segments(&*controller), 3.0);
    }

    #[test]
    fn decrease_is_what_it_says() {
        let rows = [(&AIMD, 0.5, 50.0), (&AIMD, 0.125, 87.5), (&AIAD, 1.0, 99.0), (&AIAD, 30.0, 70.0)];
        for (algorithm, decrease, left) in rows {
            let mut controller = create_with(algorithm, &avoiding(100.0), &[("decrease", decrease)]);
            controller.on_congestion(CongestionEvent::EnterRecovery, &flow());
            controller.on_congestion(CongestionEvent::ExitRecovery, &flow());
            assert_near(segments(&*controller), left);
            assert_eq!(controller.phase(), Phase::Alternate);
        }
        // Not less than two segments.
        let mut controller = create_with(&AIAD, &avoiding(10.0), &[("decrease", 1e6)]);
        controller.on_congestion(CongestionEvent::EcnEcho, &flow());
        assert_near(segments(&*controller), 2.0);
    }

    /// AIMD(1, 0.5) is Reno.
    #[test]
    fn defaults_are_reno() {
        let mut pair = [create(&AIMD, &initial(2.0)), create(&super::super::reno::RENO, &initial(2.0))];
        for step in 0..500 {
            for controller in &mut pair {
                controller.on_ack(&ack(1), &flow());
                if step % 90 == 89 {
                    controller.on_congestion(CongestionEvent::EcnEcho, &flow());
                }
            }
            assert_near(segments(&*pair[0]), segments(&*pair[1]));
        }
    }

    /// Elison and Eklund: "we reduce the threshold by 1000 bytes (1 packet)", so that "slow start will repeatedly
    /// overflow the queue"; 5/6 "does bring the threshold down more quickly".
    #[test]
    fn lab_lowers_the_threshold_and_restarts() {
        for (algorithm, threshold) in [(&AIAD_LAB, 499_000.0), (&AIMD_LAB, 500_000.0 * 5.0 / 6.0)] {
            let lab = Initial { ssthresh: 500.0, restart_window: 1.0, ..initial(1.0) };
            let mut controller = create(algorithm, &lab);
            controller.on_ack(&ack(100), &flow());
            controller.on_congestion(CongestionEvent::EnterRecovery, &flow());
            controller.on_congestion(CongestionEvent::ExitRecovery, &flow());
            assert_near(read(&*controller, "ssthresh"), threshold);
            assert_near(segments(&*controller), 1.0);
            assert_eq!(controller.phase(), Phase::SlowStart);
        }
    }
}
