//! TCP Illinois (Liu, Basar, Srikant, Performance Evaluation 65, 2008): loss says when to back off, delay says
//! how fast to increase and how much to give up.
//!
//! Below `low_window` it is Reno. Page: `docs/models/illinois.md`.

use crate::algorithm::Algorithm;
use crate::base_rtt::BaseRtt;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow, Initial};
use crate::units::Duration;
use crate::window::{BETA_RENO, Window};
use crate::window_controller::WindowController;

pub(crate) const ILLINOIS: Algorithm = Algorithm {
    name: "illinois",
    display: "Illinois",
    edition: 1,
    summary: "TCP Illinois: increase and back-off follow the queueing delay",
    source: "S. Liu, T. Basar, R. Srikant, Performance Evaluation 65, 2008; Linux, net/ipv4/tcp_illinois.c",
    params: &Params::DEFAULT.list(),
    build,
};

params! {
    /// Parameters of TCP Illinois.
    struct Params {
        alpha_min: f64 = 0.3, [0.01, 1.0], "segments per round trip",
            "Increase at the largest queueing delay";
        alpha_max: f64 = 10.0, [2.0, 1e3], "segments per round trip",
            "Increase at the smallest queueing delay";
        beta_min: f64 = 0.125, [0.06, 0.5], "1", "Part given up on loss at a small queueing delay";
        beta_max: f64 = 0.5, [0.5, 1.0], "1", "Part given up on loss at a large queueing delay";
        theta: f64 = 5.0, [1.0, 1e3], "round trips", "Round trips of small delay before alpha_max returns";
        low_window: f64 = 15.0, [0.0, 1e9], "segments", "Below this window the rules are Reno's";
    }
}

/// Parts of the largest queueing delay: up to the first alpha is `alpha_max`; up to the second beta is `beta_min`;
/// from the third it is `beta_max`.
const ETA: [f64; 3] = [0.01, 0.1, 0.8];

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let params = Params::from_values(values);
    Box::new(Illinois {
        alpha: params.alpha_max,
        beta: params.beta_max,
        params,
        window: Window::new(initial),
        base: BaseRtt::UNKNOWN,
        max_rtt: Duration::ZERO,
        sum: 0.0,
        count: 0.0,
        was_above: false,
        low_rounds: 0.0,
    })
}

impl Params {
    /// A hyperbola from `alpha_max` at the least delay to `alpha_min` at the largest, `delay` and `largest` counted
    /// from the least that matters.
    fn alpha(&self, delay: f64, largest: f64) -> f64 {
        let fall = (self.alpha_max - self.alpha_min) / self.alpha_min;
        self.alpha_max * largest / (largest + fall * delay)
    }

    /// A line between the two bounds of the delay.
    fn beta(&self, delay: f64, largest: f64) -> f64 {
        let [_, from, to] = ETA.map(|part| part * largest);
        if delay <= from {
            self.beta_min
        } else if delay >= to {
            self.beta_max
        } else {
            self.beta_min + (self.beta_max - self.beta_min) * (delay - from) / (to - from)
        }
    }
}

/// TCP Illinois of one flow.
#[derive(Debug)]
struct Illinois {
    params: Params,
    window: Window,
    base: BaseRtt,
    /// Increase [segments per round trip].
    alpha: f64,
    /// Part given up on loss.
    beta: f64,
    max_rtt: Duration,
    /// RTT samples of this round: their sum [s] and number.
    sum: f64,
    count: f64,
    /// The delay was above the least that matters since `alpha_max` held last.
    was_above: bool,
    /// Rounds of least delay since it was above, in a row or not, as in Linux.
    low_rounds: f64,
}

impl Illinois {
    fn end_round(&mut self) {
        let (sum, count) = (self.sum, self.count);
        (self.sum, self.count) = (0.0, 0.0);
        if self.is_standard() {
            self.be_standard();
        } else if count > 0.0 {
            let base = self.base.seconds();
            let largest = (self.max_rtt.seconds() - base).max(0.0);
            let delay = (sum / count - base).max(0.0);
            self.alpha = self.next_alpha(delay, largest);
            self.beta = self.params.beta(delay, largest);
        }
    }

    fn next_alpha(&mut self, delay: f64, largest: f64) -> f64 {
        let least = ETA[0] * largest;
        // Without any queueing so far, a mean above the least RTT is rounding.
        if largest > 0.0 && delay > least {
            self.was_above = true;
            return self.params.alpha(delay - least, largest - least);
        }
        if self.was_above {
            // One good round must not make the window jump.
            self.low_rounds += 1.0;
            if self.low_rounds < self.params.theta {
                return self.alpha;
            }
        }
        self.low_rounds = 0.0;
        self.was_above = false;
        self.params.alpha_max
    }

    fn be_standard(&mut self) {
        self.alpha = 1.0;
        self.beta = 1.0 - BETA_RENO;
    }
}

impl WindowController for Illinois {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        self.base.observe(ack);
        if let Some(rtt) = ack.rtt.filter(|_| !self.window.is_repairing(flow)) {
            self.max_rtt = self.max_rtt.max(rtt);
            self.sum += rtt.seconds();
            self.count += 1.0;
        }
        if ack.round.is_some() {
            self.end_round();
        }
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        let gain = (self.alpha * self.window.smss() / self.window.cwnd()).min(1.0);
        self.window.scale(rest, gain);
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        let given_up = if self.is_standard() { 1.0 - BETA_RENO } else { self.beta };
        self.window.back_off(event, 1.0 - given_up, flow);
        if event == CongestionEvent::Rto {
            self.be_standard();
            self.was_above = false;
            self.low_rounds = 0.0;
            (self.sum, self.count) = (0.0, 0.0);
        }
    }

    fn is_standard(&self) -> bool {
        self.window.cwnd() < self.params.low_window * self.window.smss()
    }

    fn record(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("alpha", self.alpha);
        record("beta", self.beta);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Phase;
    use crate::testing::{ack, assert_near, avoiding, create, flow_at, read, round_end, segments};

    /// A flow whose RTT was 100 ms at best and 200 ms at worst, and whose last round took `rtt_ms`.
    fn at_delay(rtt_ms: u64) -> Box<dyn CongestionControl> {
        let mut controller = create(&ILLINOIS, &avoiding(100.0));
        for rtt in [100, 200, rtt_ms] {
            controller.on_ack(&round_end(rtt), &flow_at(rtt, 90));
        }
        controller
    }

    /// The paper, and Linux: alpha 10 to 0.3 by a hyperbola, beta 1/8 to 1/2 by a line.
    #[test]
    fn delay_sets_both() {
        let alpha = |delay: f64| 10.0 * 99.0 / (99.0 + (delay - 1.0) * 9.7 / 0.3);
        let rows = [
            (105, alpha(5.0), 0.125),
            (110, alpha(10.0), 0.125),
            (145, alpha(45.0), 0.125 + 0.375 * 35.0 / 70.0),
            (180, alpha(80.0), 0.5),
            (200, 0.3, 0.5),
        ];
        for (rtt_ms, alpha, beta) in rows {
            let mut controller = at_delay(rtt_ms);
            assert_near(read(&*controller, "alpha"), alpha);
            assert_near(read(&*controller, "beta"), beta);
            let before = segments(&*controller);
            controller.on_ack(&ack(1), &flow_at(rtt_ms, 90));
            assert_near(segments(&*controller) - before, alpha / before);
            let before = segments(&*controller);
            controller.on_congestion(CongestionEvent::EnterRecovery, &flow_at(rtt_ms, 90));
            assert_near(segments(&*controller), (1.0 - beta) * before);
        }
    }

    /// Linux: after 5 round trips without delay `alpha_max` returns; before there was any delay it holds.
    #[test]
    fn full_growth_returns_after_five_rounds() {
        let mut controller = at_delay(200);
        for _ in 0..4 {
            controller.on_ack(&round_end(100), &flow_at(100, 90));
            assert_near(read(&*controller, "alpha"), 0.3);
        }
        controller.on_ack(&round_end(100), &flow_at(100, 90));
        assert_near(read(&*controller, "alpha"), 10.0);
        let mut controller = create(&ILLINOIS, &avoiding(100.0));
        controller.on_ack(&round_end(100), &flow_at(100, 90));
        assert_near(read(&*controller, "alpha"), 10.0);
    }

    /// Below 15 segments, and after a timeout: Reno.
    #[test]
    fn small_windows_are_reno() {
        let mut controller = create(&ILLINOIS, &avoiding(14.0));
        controller.on_ack(&round_end(100), &flow_at(100, 90));
        assert_eq!(controller.phase(), Phase::Standard);
        controller.on_ack(&ack(1), &flow_at(100, 90));
        assert_near(segments(&*controller), 14.0 + 1.0 / 14.0);
        controller.on_congestion(CongestionEvent::EcnEcho, &flow_at(100, 90));
        assert_near(segments(&*controller), 7.0 + 1.0 / 28.0);
        let mut controller = at_delay(105);
        controller.on_congestion(CongestionEvent::Rto, &flow_at(105, 90));
        assert_near(read(&*controller, "alpha"), 1.0);
        assert_near(read(&*controller, "beta"), 0.5);
    }

    /// On a path without queues the mean of equal RTTs may round to more than each; that is no delay.
    #[test]
    fn constant_rtts_are_no_delay() {
        let mut controller = create(&ILLINOIS, &avoiding(100.0));
        let rtt = Duration::from_millis(40);
        let flow = crate::Flow { srtt: rtt, min_rtt: rtt, ..flow_at(100, 90) };
        for round in 0..200 {
            for _ in 0..=round {
                controller.on_ack(&crate::AckSample { rtt: Some(rtt), ..ack(1) }, &flow);
            }
            controller.on_ack(&crate::AckSample { rtt: Some(rtt), ..round_end(40) }, &flow);
            assert_near(read(&*controller, "alpha"), 10.0);
        }
    }

    /// Linux, `alpha()`: `if (da <= d1)`, a delay of a hundredth of the largest one is none; `update_params`:
    /// `if (ca->cnt_rtt > 0)`, rounds without samples of the RTT change nothing.
    #[test]
    fn the_least_delay_is_none_and_rounds_without_samples_change_nothing() {
        let mut controller = create(&ILLINOIS, &avoiding(100.0));
        let mut round = |rtt_s: Option<u64>| {
            let rtt = rtt_s.map(|seconds| Duration::from_millis(1000 * seconds));
            controller.on_ack(&crate::AckSample { rtt, ..round_end(1) }, &flow_at(1000, 1000));
            read(&*controller, "alpha")
        };
        assert_near(round(Some(1)), 10.0);
        assert_near(round(Some(101)), 0.3);
        (0..10).for_each(|_| assert_near(round(None), 0.3));
        (0..4).for_each(|_| assert_near(round(Some(2)), 0.3));
        assert_near(round(Some(2)), 10.0);
    }

    /// Linux, `tcp_illinois_cong_avoid`: `if (tcp_snd_cwnd(tp) < win_thresh)`, of 15 segments, the rules are those of Reno.
    #[test]
    fn windows_below_fifteen_segments_are_renos() {
        for (window, phase) in [(14.0, Phase::Standard), (15.0, Phase::Alternate)] {
            assert_eq!(create(&ILLINOIS, &avoiding(window)).phase(), phase);
        }
    }
}
