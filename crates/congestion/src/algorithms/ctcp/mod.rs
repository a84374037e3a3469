//! Compound TCP ([draft-sridharan-tcpm-ctcp-02]): Reno's window plus a second one that grows fast while
//! the queue is short and gives way while it is long.
//!
//! The window is `cwnd + dwnd`. At or below `low_window` segments `dwnd` does not grow, which leaves
//! Reno. Page: `docs/models/ctcp.md`, with every place where the draft is unclear.
//!
//! [draft-sridharan-tcpm-ctcp-02]: https://datatracker.ietf.org/doc/html/draft-sridharan-tcpm-ctcp-02

mod gamma;
mod params;
#[cfg(test)]
mod tests;

use super::reno;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Decision, Flow, Initial, Phase};
use crate::units::Duration;
use crate::window::Window;
use gamma::Gamma;
pub(crate) use params::{CTCP, NIST, SLAC_DIFFWND, SLAC_LOSSWND, SLAC_MUTED, SLAC_PARTIAL, TUNED};

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let &[alpha, beta, eta, k, gamma, low, high, lambda, low_window, burst, tune_on_total] = values else {
        unreachable!("one value per parameter")
    };
    let tune_on_total = tune_on_total >= 0.5;
    Box::new(Ctcp {
        rules: Rules { alpha, beta, eta, k, low_window },
        window: Window::new(initial),
        dwnd: 0.0,
        gamma: Gamma { value: gamma, low, high, lambda, tune_on_total, burst, sample: None },
        base_rtt: None,
    })
}

/// The parameters that stay as they are.
#[derive(Debug)]
struct Rules {
    alpha: f64,
    beta: f64,
    eta: f64,
    k: f64,
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
    gamma: Gamma,
    /// Smallest RTT since the connection began or the last timeout.
    base_rtt: Option<Duration>,
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
        self.gamma.end_round(queued_part, self.window.cwnd() / self.window.smss(), self.total());
        match self.gamma.growth(diff) {
            None => self.dwnd = (self.dwnd - self.rules.eta * diff).max(0.0),
            Some(part) if flow.cwnd_limited && !self.is_standard() => {
                // Equation 3 has dwnd^k, which could never leave 0; the Infocom paper has wnd^k.
                let step = self.rules.alpha * libm::pow(self.total(), self.rules.k) - 1.0;
                self.dwnd += part * step.max(0.0);
            }
            Some(_) => {}
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
                self.gamma.tune();
                self.reduce(event, flow);
            }
            // "dwnd should be reset to zero", and basertt "MUST be re-measured" (section 3).
            CongestionEvent::Rto => {
                let target = reno::KEEP * self.window.reference(self.total_bytes(), flow);
                self.window.respond(event, target);
                self.dwnd = 0.0;
                self.base_rtt = None;
                self.gamma.sample = None;
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
        record("gamma", self.gamma.value * smss);
        record("base_rtt", self.base_rtt.map_or(f64::NAN, Duration::seconds));
    }
}
