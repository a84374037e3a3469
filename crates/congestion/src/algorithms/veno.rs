//! TCP Veno (Fu and Liew, IEEE JSAC 21(2), 2003): Reno that asks Vegas' estimate whether a loss was congestion.
//!
//! Page: `docs/models/veno.md`.

use crate::algorithm::Algorithm;
use crate::base_rtt::BaseRtt;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow, Initial, RoundSample};
use crate::window::{BETA_RENO, Window};
use crate::window_controller::WindowController;

pub(crate) const VENO: Algorithm = Algorithm {
    name: "veno",
    display: "Veno",
    edition: 1,
    summary: "TCP Veno: a fifth less for random loss, half the growth when segments queue",
    source: "C. Fu, S. Liew, IEEE JSAC 21(2), 2003",
    params: &Params::DEFAULT.list(),
    build,
};

params! {
    /// Parameters of TCP Veno.
    struct Params {
        beta: f64 = 3.0, [0.0, 1e9], "segments",
            "Own segments in queues from which on there is congestion";
        decrease: f64 = 0.2, [0.06, 1.0], "1", "Part of the window given up on loss without congestion";
    }
}

/// In congestion the window opens in every other round trip.
const CONGESTED_GAIN: f64 = 0.5;

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let Params { beta, decrease } = Params::from_values(values);
    let (window, base) = (Window::new(initial), BaseRtt::UNKNOWN);
    Box::new(Veno { beta, keep: 1.0 - decrease, window, base, queued: 0.0 })
}

/// TCP Veno of one flow.
#[derive(Debug)]
struct Veno {
    /// [segments]
    beta: f64,
    /// Part of the window kept on loss without congestion.
    keep: f64,
    window: Window,
    base: BaseRtt,
    /// Own segments in queues in the last round trip (N).
    queued: f64,
}

impl Veno {
    fn is_congested(&self) -> bool {
        self.queued >= self.beta
    }

    fn end_round(&mut self, round: &RoundSample) {
        if let Some(rtt) = round.min_rtt.filter(|rtt| rtt.0 > 0) {
            let waiting = (rtt - self.base.get()).seconds() / rtt.seconds();
            self.queued = self.window.segments() * waiting;
        }
    }
}

impl WindowController for Veno {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        self.base.observe(ack);
        if let Some(round) = ack.round.as_ref().filter(|_| !self.window.is_repairing(flow)) {
            self.end_round(round);
        }
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        let gain = if self.is_congested() { CONGESTED_GAIN } else { 1.0 };
        self.window.avoid(gain * rest, self.window.cwnd());
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        // A timeout always halves: the paper changes fast recovery only.
        let halves = self.is_congested() || event == CongestionEvent::Rto;
        self.window.back_off(event, if halves { BETA_RENO } else { self.keep }, flow);
    }

    fn record(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("queued", self.queued * self.window.smss());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Phase;
    use crate::testing::{
        ack, assert_near, avoiding, create, flow_at, read, round_end, rtt_sample, segments,
    };

    fn after_round(rtt_ms: u64) -> Box<dyn CongestionControl> {
        let mut controller = create(&VENO, &avoiding(40.0));
        controller.on_ack(&rtt_sample(100), &flow_at(100, 90));
        controller.on_ack(&round_end(rtt_ms), &flow_at(rtt_ms, 90));
        controller
    }

    /// JSAC 2003: N = w (1 - base / RTT); below 3 Reno's growth, from 3 on half of it.
    #[test]
    fn growth_halves_when_segments_queue() {
        for (rtt_ms, growth) in [(100, 1.0), (108, 1.0), (109, 0.5), (200, 0.5)] {
            let mut controller = after_round(rtt_ms);
            // The base is 100 ms of the RTT.
            let waiting = 1.0 - 100.0 / flow_at(rtt_ms, 90).srtt.seconds() / 1e3;
            assert_near(read(&*controller, "queued"), 40e3 * waiting);
            controller.on_ack(&ack(1), &flow_at(rtt_ms, 90));
            assert_near(segments(&*controller), 40.0 + growth / 40.0);
        }
    }

    /// JSAC 2003: a loss without congestion is random, 4/5 are kept; else half.
    #[test]
    fn random_loss_costs_a_fifth() {
        for (rtt_ms, event, left) in
            [(108, CongestionEvent::EnterRecovery, 32.0), (109, CongestionEvent::EnterRecovery, 20.0)]
        {
            let mut controller = after_round(rtt_ms);
            controller.on_congestion(event, &flow_at(rtt_ms, 90));
            assert_near(segments(&*controller), left);
            assert_eq!(controller.phase(), Phase::Alternate);
        }
        let mut controller = after_round(100);
        controller.on_congestion(CongestionEvent::Rto, &flow_at(100, 90));
        controller.state(&mut |name, value| assert!(name != "ssthresh" || (value - 20_000.0).abs() < 1e-6));
    }
}
