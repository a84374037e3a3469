//! The controller that keeps the decisions of a policy.

use std::fmt;
use std::sync::Arc;

use congestion::{
    AckSample, CongestionControl, CongestionEvent, Decision, Flow, Initial, Needs, Phase, SentSegment, Time,
};

use super::agent_port::SharedPort;
use super::settings::Policy;
use crate::plugin::{Constructor, Plugin};

/// Decides inside a run: the seed of the controller, the time and the observation give a number, or none to leave
/// everything as it is.
pub type Decide = Arc<dyn Fn(u64, Time, &[f32]) -> Option<f64> + Send + Sync>;

/// The algorithm of flows that decide by `decide`; without it they keep their initial windows.
pub fn plugin(policy: &Arc<Policy>, decide: Option<Decide>) -> Plugin {
    let needs = Some(policy.needs());
    let policy = policy.clone();
    let construct: Constructor = Arc::new(move |_| {
        let (policy, decide) = (policy.clone(), decide.clone());
        Ok(Box::new(move |initial| {
            let port = SharedPort::new(policy.clone());
            Box::new(PolicyController::new(initial, &policy, port, decide.clone()))
        }))
    });
    Plugin { construct, needs }
}

/// The algorithm of the one flow whose decisions come by `port`.
pub fn plugin_at(policy: &Arc<Policy>, port: &SharedPort) -> Plugin {
    let needs = Some(policy.needs());
    let (policy, port) = (policy.clone(), port.clone());
    let construct: Constructor = Arc::new(move |_| {
        let (policy, port) = (policy.clone(), port.clone());
        Ok(Box::new(move |initial| Box::new(PolicyController::new(initial, &policy, port.clone(), None))))
    });
    Plugin { construct, needs }
}

struct PolicyController {
    port: SharedPort,
    decide: Option<Decide>,
    seed: u64,
    needs: Needs,
    decision: Decision,
    wakeup: Option<Time>,
    /// An observation was made, and the action on it is due.
    asked: bool,
}

impl PolicyController {
    fn new(initial: &Initial, policy: &Policy, port: SharedPort, decide: Option<Decide>) -> Self {
        let decision = port.lock().start(initial);
        let (seed, needs) = (initial.seed, policy.needs());
        Self { port, decide, seed, needs, decision, wakeup: None, asked: false }
    }
}

impl CongestionControl for PolicyController {
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let first = self.port.lock().on_ack(ack, flow);
        self.wakeup = self.wakeup.or(first);
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        if event == CongestionEvent::Rto {
            let mut port = self.port.lock();
            port.monitor().counts.timeouts += 1.0;
            port.monitor().see(flow);
        }
    }

    fn on_segment_sent(&mut self, segment: &SentSegment, flow: &Flow) {
        if !segment.restored {
            self.port.lock().monitor().counts.sent += f64::from(flow.smss);
        }
    }

    fn on_segment_lost(&mut self, _: &SentSegment, _: bool, flow: &Flow) {
        self.port.lock().monitor().counts.lost += f64::from(flow.smss);
    }

    fn decision(&self) -> Decision {
        self.decision
    }

    fn phase(&self) -> Phase {
        Phase::Alternate
    }

    fn needs(&self) -> Needs {
        self.needs
    }

    fn wakeup(&self) -> Option<Time> {
        self.wakeup
    }

    fn on_wakeup(&mut self, flow: &Flow) {
        let mut port = self.port.lock();
        if self.asked {
            (self.decision, self.wakeup) = port.answer(flow);
        } else {
            self.wakeup = Some(port.ask(flow));
            let number =
                self.decide.as_ref().and_then(|decide| decide(self.seed, flow.now, port.observation()));
            if let Some(number) = number {
                port.act(number);
            }
        }
        self.asked = !self.asked;
    }
}

impl Drop for PolicyController {
    fn drop(&mut self) {
        self.port.lock().end();
    }
}

impl fmt::Debug for PolicyController {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicyController")
            .field("decision", &self.decision)
            .field("wakeup", &self.wakeup)
            .finish_non_exhaustive()
    }
}
