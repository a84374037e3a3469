//! Compound TCP ([draft-sridharan-tcpm-ctcp-02]): Reno's window plus a second one that grows fast while
//! the queue is short and gives way while it is long.
//!
//! The window is `cwnd + dwnd`. At or below `low_window` segments `dwnd` does not grow, which leaves
//! Reno. Page: `docs/models/ctcp.md`, with every place where the draft is unclear.
//!
//! [draft-sridharan-tcpm-ctcp-02]: https://datatracker.ietf.org/doc/html/draft-sridharan-tcpm-ctcp-02

use super::reno;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Decision, Flow, Initial, Phase};
use crate::registry::{Algorithm, Param};
use crate::units::Duration;
use crate::window::Window;

const SOURCE: &str = "draft-sridharan-tcpm-ctcp-02 (2008); Tan et al., IEEE Infocom 2006";

pub(crate) const CTCP: Algorithm = Algorithm {
    name: "ctcp",
    summary: "Compound TCP: Reno plus a delay-controlled window, gamma fixed",
    source: SOURCE,
    params: &params(38.0, 0.0),
    build,
};

pub(crate) const NIST: Algorithm = Algorithm {
    name: "ctcp:nist",
    summary: "Compound TCP as in the MesoNet study (low window 41, gamma fixed)",
    source: "NIST SP 500-282 (2010); draft-sridharan-tcpm-ctcp-02 (2008)",
    params: &params(41.0, 0.0),
    build,
};

pub(crate) const TUNED: Algorithm = Algorithm {
    name: "ctcp:tuned",
    summary: "Compound TCP with gamma tuned by emulation (lambda 0.5)",
    source: "draft-sridharan-tcpm-ctcp-02 (2008), section 5",
    params: &params(38.0, 0.5),
    build,
};

/// What a tuned gamma takes of the queue that Reno alone would build (draft section 5).
const GAMMA_SHARE: f64 = 0.75;

const fn params(low_window: f64, lambda: f64) -> [Param; 9] {
    [
        Param::new(
            "alpha",
            0.125,
            0.0,
            10.0,
            "1",
            "Growth of the delay window per round: alpha * window^k - 1",
        ),
        Param::new("beta", 0.5, 0.01, 1.0, "1", "Part of the window given up on loss above the low window"),
        Param::new(
            "eta",
            1.0,
            0.0,
            10.0,
            "1",
            "Part of the queued segments given up per round of congestion",
        ),
        Param::new("k", 0.75, 0.0, 1.0, "1", "Exponent of the growth"),
        Param::new(
            "gamma",
            30.0,
            0.0,
            1e9,
            "segments",
            "Own segments in queues from which on the path is congested",
        ),
        Param::new("gamma_low", 5.0, 0.0, 1e9, "segments", "Smallest gamma that tuning may choose"),
        Param::new("gamma_high", 30.0, 0.0, 1e9, "segments", "Largest gamma that tuning may choose"),
        Param::new(
            "lambda",
            lambda,
            0.0,
            1.0,
            "1",
            "Weight of a new sample when gamma is tuned; 0 leaves gamma fixed",
        ),
        Param::new(
            "low_window",
            low_window,
            0.0,
            1e9,
            "segments",
            "At or below this window the rules are Reno's",
        ),
    ]
}

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let &[alpha, beta, eta, k, gamma, gamma_low, gamma_high, lambda, low_window] = values else {
        unreachable!("one value per parameter")
    };
    let rules = Rules { alpha, beta, eta, k, gamma_low, gamma_high, lambda, low_window };
    Box::new(Ctcp { rules, window: Window::new(initial), dwnd: 0.0, gamma, base_rtt: None, diff_reno: None })
}

/// The parameters that stay as they are.
#[derive(Debug)]
struct Rules {
    alpha: f64,
    beta: f64,
    eta: f64,
    k: f64,
    gamma_low: f64,
    gamma_high: f64,
    lambda: f64,
    /// [segments]
    low_window: f64,
}

/// Compound TCP of one flow.
#[derive(Debug)]
struct Ctcp {
    rules: Rules,
    /// The loss-based component.
    window: Window,
    /// The delay-based component [segments]; the draft: "dwnd MUST be measured in packets".
    dwnd: f64,
    /// [segments]
    gamma: f64,
    /// Smallest RTT since the connection began or the last timeout.
    base_rtt: Option<Duration>,
    /// Own segments in queues if there were only `cwnd`, from the last round; used up by a loss.
    diff_reno: Option<f64>,
}

impl Ctcp {
    /// Both components together [segments].
    fn total(&self) -> f64 {
        self.window.cwnd() / self.window.smss() + self.dwnd
    }

    /// Both components together [bytes].
    fn total_bytes(&self) -> f64 {
        self.window.cwnd() + self.dwnd * self.window.smss()
    }

    fn is_standard(&self) -> bool {
        self.total() <= self.rules.low_window
    }

    /// The part of a window that waits in queues: `(expected - actual) * basertt / wnd`.
    fn queued_part(&self, flow: &Flow) -> Option<f64> {
        let base = self.base_rtt?;
        (flow.srtt > Duration::ZERO).then(|| (1.0 - base.seconds() / flow.srtt.seconds()).max(0.0))
    }

    /// Draft section 3, equations 3 and 4: "dwnd is updated at the end of each round" (section 6).
    fn end_round(&mut self, flow: &Flow) {
        let Some(queued_part) = self.queued_part(flow) else { return };
        let diff = self.total() * queued_part;
        self.diff_reno = Some(self.window.cwnd() / self.window.smss() * queued_part);
        if diff >= self.gamma {
            self.dwnd = (self.dwnd - self.rules.eta * diff).max(0.0);
        } else if flow.cwnd_limited && !self.is_standard() {
            // Equation 3 has dwnd^k, which could never leave 0; the Infocom paper has wnd^k.
            let step = self.rules.alpha * libm::pow(self.total(), self.rules.k) - 1.0;
            self.dwnd += step.max(0.0);
        }
    }

    /// Draft section 5, "On-Packet-Loss".
    fn tune_gamma(&mut self) {
        let Some(diff_reno) = self.diff_reno.take() else { return };
        let lambda = self.rules.lambda;
        if lambda > 0.0 {
            let tuned = (1.0 - lambda) * self.gamma + lambda * GAMMA_SHARE * diff_reno;
            self.gamma = tuned.min(self.rules.gamma_high).max(self.rules.gamma_low);
        }
    }

    /// Loss or mark: "dwnd is set to the difference between the desired reduced window size and that can
    /// be provided by cwnd" (draft section 3, equation 5).
    fn reduce(&mut self, event: CongestionEvent, flow: &Flow) {
        let (total, cwnd) = (self.total_bytes(), self.window.cwnd());
        let reference = self.window.reference(total, flow);
        let keep = if self.is_standard() { reno::KEEP } else { 1.0 - self.rules.beta };
        self.window.respond(event, reno::KEEP * reference * cwnd / total);
        self.dwnd = ((keep * reference - self.window.cwnd()) / self.window.smss()).max(0.0);
    }
}

impl CongestionControl for Ctcp {
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        // "No RTT sampling and dwnd update happens during the loss recovery phase" (section 6).
        if !self.window.is_repairing(flow) {
            if let Some(rtt) = ack.rtt {
                self.base_rtt = Some(self.base_rtt.map_or(rtt, |base| base.min(rtt)));
            }
            if ack.round.is_some() && !self.window.in_slow_start() {
                self.end_round(flow);
            }
        }
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        // Equation 2: "cwnd = cwnd + 1/(cwnd+dwnd)".
        self.window.avoid(rest, self.total_bytes());
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        match event {
            CongestionEvent::EnterRecovery | CongestionEvent::EcnEcho => {
                self.tune_gamma();
                self.reduce(event, flow);
            }
            // "dwnd should be reset to zero", and basertt "MUST be re-measured" (section 3).
            CongestionEvent::Rto => {
                let target = reno::KEEP * self.window.reference(self.total_bytes(), flow);
                self.window.respond(event, target);
                self.dwnd = 0.0;
                self.base_rtt = None;
                self.diff_reno = None;
            }
            // Nothing is reduced, so the target does not matter.
            CongestionEvent::ExitRecovery => self.window.respond(event, 0.0),
        }
    }

    fn decision(&self) -> Decision {
        Decision { cwnd: self.total_bytes(), pacing_rate: None }
    }

    fn phase(&self) -> Phase {
        self.window.phase(self.is_standard())
    }

    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let smss = self.window.smss();
        record("ssthresh", self.window.ssthresh());
        record("dwnd", self.dwnd * smss);
        record("gamma", self.gamma * smss);
        record("base_rtt", self.base_rtt.map_or(f64::NAN, Duration::seconds));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{Halve, Initial};
    use crate::testing::{ack, assert_near, avoiding, flow, initial, round_end, segments};

    fn create(algorithm: &Algorithm, initial: &Initial) -> Box<dyn CongestionControl> {
        let values: Vec<f64> = algorithm.params.iter().map(|param| param.default).collect();
        (algorithm.build)(&values, initial)
    }

    fn read(controller: &dyn CongestionControl, wanted: &str) -> f64 {
        let mut found = None;
        controller.state(&mut |name, value| found = found.or((name == wanted).then_some(value)));
        found.expect(wanted) / 1000.0
    }

    fn flow_at(srtt_ms: u64) -> Flow {
        Flow { srtt: Duration::from_millis(srtt_ms), ..flow() }
    }

    /// A controller with a base RTT of 100 ms, `cwnd` 80 and `dwnd` from one round of growth.
    fn grown() -> (Box<dyn CongestionControl>, f64) {
        let mut controller = create(&CTCP, &avoiding(80.0));
        controller.on_ack(&round_end(100), &flow_at(100));
        (controller, libm::pow(80.0, 0.75) / 8.0 - 1.0)
    }

    /// Draft equation 3 with the Infocom paper's window: dwnd += wnd^0.75 / 8 - 1 per round.
    #[test]
    fn delay_window_grows_while_the_queue_is_short() {
        let (mut controller, dwnd) = grown();
        assert_near(read(&*controller, "dwnd"), dwnd);
        assert_near(segments(&*controller), 80.0 + dwnd);
        assert_eq!(controller.phase(), Phase::Alternate);
        // Equation 2: a segment per window of both components.
        let total = segments(&*controller);
        controller.on_ack(&ack(40), &flow_at(100));
        assert_near(segments(&*controller), total + 40.0 / total);
    }

    /// Draft equation 4: dwnd -= diff once diff, the own segments in queues, reaches gamma.
    #[test]
    fn delay_window_gives_way_to_a_queue() {
        let mut controller = create(&CTCP, &avoiding(300.0));
        for _ in 0..5 {
            controller.on_ack(&round_end(100), &flow_at(100));
        }
        let dwnd = read(&*controller, "dwnd");
        // diff = wnd (1 - 100/108): below gamma = 30 the window would still grow.
        controller.on_ack(&round_end(108), &flow_at(108));
        let grown = read(&*controller, "dwnd");
        assert!(grown > dwnd);
        let diff = (300.0 + grown) * (1.0 - 0.100 / 0.112);
        assert!(diff > 30.0 && diff < grown);
        controller.on_ack(&round_end(112), &flow_at(112));
        assert_near(read(&*controller, "dwnd"), grown - diff);
        // "dwnd MUST never be negative".
        controller.on_ack(&round_end(500), &flow_at(500));
        assert_near(read(&*controller, "dwnd"), 0.0);
        assert_near(segments(&*controller), 300.0);
    }

    /// Draft equation 5: loss halves both components; no slow start follows.
    #[test]
    fn loss_halves_both_components() {
        let (mut controller, dwnd) = grown();
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow_at(100));
        assert_near(segments(&*controller), 40.0 + dwnd / 2.0);
        assert_near(read(&*controller, "dwnd"), dwnd / 2.0);
        assert_near(read(&*controller, "ssthresh"), 40.0);
        // Section 6: no dwnd update while losses are repaired.
        let repairing = Flow { in_recovery: true, ..flow_at(100) };
        controller.on_ack(&round_end(100), &repairing);
        assert_near(read(&*controller, "dwnd"), dwnd / 2.0);
        controller.on_congestion(CongestionEvent::ExitRecovery, &flow_at(100));
        assert_ne!(controller.phase(), Phase::SlowStart);
    }

    /// RFC 5681 `FlightSize`: what was not in use does not count, in either component.
    #[test]
    fn loss_halves_the_flight() {
        let mut controller = create(&CTCP, &Initial { halve: Halve::Flight, ..avoiding(80.0) });
        controller.on_ack(&round_end(100), &flow_at(100));
        controller
            .on_congestion(CongestionEvent::EnterRecovery, &Flow { flight_size: 60_000, ..flow_at(100) });
        assert_near(segments(&*controller), 30.0);
    }

    /// Draft section 3: dwnd is reset, basertt measured anew, and slow start is standard.
    #[test]
    fn timeout_disables_the_delay_window() {
        let (mut controller, dwnd) = grown();
        controller.on_congestion(CongestionEvent::Rto, &flow_at(100));
        assert_near(segments(&*controller), 2.0);
        assert_near(read(&*controller, "ssthresh"), 40.0 + dwnd / 2.0);
        assert!(read(&*controller, "base_rtt").is_nan());
        controller.on_congestion(CongestionEvent::ExitRecovery, &flow_at(100));
        controller.on_ack(&round_end(150), &flow_at(150));
        assert_near(read(&*controller, "base_rtt") * 1000.0, 0.150);
        assert_near(read(&*controller, "dwnd"), 0.0);
        assert_eq!(controller.phase(), Phase::SlowStart);
    }

    /// Draft section 2: at or below 38 segments (41 in the study) "the same response function as Standard
    /// TCP".
    #[test]
    fn small_windows_are_reno() {
        for (algorithm, low_window) in [(&CTCP, 38.0), (&NIST, 41.0)] {
            let mut controller = create(algorithm, &avoiding(low_window));
            assert_eq!(controller.phase(), Phase::Standard);
            controller.on_ack(&round_end(100), &flow_at(100));
            assert_near(segments(&*controller), low_window);
            controller.on_ack(&ack(1), &flow_at(100));
            controller.on_ack(&round_end(100), &flow_at(100));
            assert!(segments(&*controller) > low_window + 0.5);
        }
    }

    /// RFC 7661: an application that does not use the window learns nothing about the path.
    #[test]
    fn delay_window_does_not_grow_unused() {
        let mut controller = create(&CTCP, &avoiding(80.0));
        controller.on_ack(&round_end(100), &Flow { cwnd_limited: false, ..flow_at(100) });
        assert_near(segments(&*controller), 80.0);
    }

    /// Draft section 5: gamma moves towards 3/4 of the queue that `cwnd` alone would build, within 5..30.
    #[test]
    fn gamma_follows_the_emulated_queue() {
        let mut controller = create(&TUNED, &avoiding(80.0));
        controller.on_ack(&round_end(100), &flow_at(100));
        controller.on_ack(&round_end(125), &flow_at(125));
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow_at(125));
        assert_near(read(&*controller, "gamma"), 0.5 * 30.0 + 0.5 * 0.75 * 80.0 * 0.2);
        // A second loss without a round between finds diff_reno invalid.
        let gamma = read(&*controller, "gamma");
        controller.on_congestion(CongestionEvent::EcnEcho, &flow_at(125));
        assert_near(read(&*controller, "gamma"), gamma);

        let mut fixed = create(&CTCP, &initial(80.0));
        fixed.on_congestion(CongestionEvent::EcnEcho, &flow_at(125));
        assert_near(read(&*fixed, "gamma"), 30.0);
    }
}
