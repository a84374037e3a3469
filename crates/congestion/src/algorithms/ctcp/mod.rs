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

use crate::control::{AckSample, CongestionControl, CongestionEvent, Decision, Flow, Initial};
use crate::units::Duration;
use crate::window::{BETA_RENO, Window};
use crate::window_controller::WindowController;
use gamma::Gamma;
use params::Params;
pub(crate) use params::{CTCP, NIST, SLAC_DIFFWND, SLAC_LOSSWND, SLAC_MUTED, SLAC_PARTIAL, TUNED};

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let params = Params::from_values(values);
    let gamma = Gamma::new(&params);
    Box::new(Ctcp { params, window: Window::new(initial), dwnd: 0.0, gamma, base_rtt: None })
}

/// Compound TCP of one flow.
#[derive(Debug)]
struct Ctcp {
    params: Params,
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
            None => self.dwnd = (self.dwnd - self.params.eta * diff).max(0.0),
            Some(part) if !flow.app_limited && !self.is_standard() => {
                // Equation 3 has dwnd^k, which could never leave 0; the Infocom paper has wnd^k.
                let step = self.params.alpha * libm::pow(self.total(), self.params.k) - 1.0;
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
        let keep = if self.is_standard() { BETA_RENO } else { 1.0 - self.params.beta };
        self.window.respond(event, BETA_RENO * reference * cwnd / total);
        self.dwnd = ((keep * reference - self.window.cwnd()) / self.window.smss()).max(0.0);
    }
}

impl WindowController for Ctcp {
    fn window(&self) -> &Window {
        &self.window
    }

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
                let target = BETA_RENO * self.window.reference(self.total_bytes(), flow);
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

    fn is_standard(&self) -> bool {
        self.total() <= self.params.low_window
    }

    fn record(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let smss = self.window.smss();
        record("dwnd", self.dwnd * smss);
        record("gamma", self.gamma.value * smss);
        record("base_rtt", self.base_rtt.map_or(f64::NAN, Duration::seconds));
    }
}
