//! Exchange between a flow and the agent that decides for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use congestion::{AckSample, Decision, Duration, Flow, Initial, Time};

use super::monitor::Monitor;
use super::record::Record;
use super::settings::Policy;

/// Exchange of one flow with its agent: measurements go in, records and observations come out, actions go in.
#[derive(Debug)]
pub struct AgentPort {
    policy: Arc<Policy>,
    monitor: Monitor,
    observation: Vec<f32>,
    decision: Decision,
    /// Next decision; none before the first ACK.
    next: Option<Time>,
    /// Record that has not been taken yet.
    record: Option<Record>,
    action: Option<f64>,
    life: Life,
}

/// Life of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    NotConnected,
    Sending,
    Ended,
}

/// Delay between an observation and the action on it: the shortest there is.
const REACTION: Duration = Duration(1);

impl AgentPort {
    /// Port of a flow that is not connected yet.
    pub fn new(policy: Arc<Policy>) -> Self {
        Self {
            observation: vec![0.0; policy.width()],
            policy,
            monitor: Monitor::default(),
            decision: Decision { cwnd: 0.0, pacing_rate: None },
            next: None,
            record: None,
            action: None,
            life: Life::NotConnected,
        }
    }

    /// Time at which the next observation is made, once it is known.
    pub fn next(&self) -> Option<Time> {
        self.next
    }

    /// `true` once the flow has ended.
    pub fn has_ended(&self) -> bool {
        self.life == Life::Ended
    }

    /// The last observation.
    pub fn observation(&self) -> &[f32] {
        &self.observation
    }

    /// Record that ended last, unless it was taken before.
    pub fn take(&mut self) -> Option<Record> {
        self.record.take()
    }

    /// Leave an action for the flow; the last one counts.
    pub fn act(&mut self, action: f64) {
        self.action = Some(action);
    }

    /// Close the record at `now` without asking: the flow or the run has ended.
    pub fn close(&mut self, now: Time) {
        if self.next.is_some() {
            self.observe(now);
            self.next = None;
        }
    }

    pub(super) fn start(&mut self, initial: &Initial) -> Decision {
        let smss = f64::from(initial.smss);
        self.decision = Decision { cwnd: initial.window * smss, pacing_rate: None };
        self.life = Life::Sending;
        self.decision
    }

    /// Take an ACK in; the time of the first decision, if this is the first ACK.
    pub(super) fn on_ack(&mut self, ack: &AckSample, flow: &Flow) -> Option<Time> {
        if self.next.is_some() {
            self.monitor.on_ack(ack, flow);
            return None;
        }
        self.monitor.begin(flow);
        // The record is of the time from now on: it counts nothing that this ACK tells of.
        self.monitor.on_ack(&AckSample { delivered: 0, ce_marked: 0, ..*ack }, flow);
        self.next = Some(self.policy.next(flow.now, flow.srtt));
        self.next
    }

    pub(super) fn monitor(&mut self) -> &mut Monitor {
        &mut self.monitor
    }

    /// Make an observation; the time at which the action on it is in force.
    pub(super) fn ask(&mut self, flow: &Flow) -> Time {
        self.monitor.see(flow);
        self.observe(flow.now);
        self.next = Some(self.policy.next(flow.now, flow.srtt).max(flow.now + REACTION + REACTION));
        flow.now + REACTION
    }

    /// Put the action in force, if there is one; the decision and the time of the next.
    pub(super) fn answer(&mut self, flow: &Flow) -> (Decision, Option<Time>) {
        if let Some(number) = self.action.take() {
            self.decision = self.policy.action.decision(number, &self.decision, flow);
        }
        (self.decision, self.next)
    }

    pub(super) fn end(&mut self) {
        self.life = Life::Ended;
    }

    fn observe(&mut self, now: Time) {
        let record = self.monitor.close(now, &self.decision);
        self.policy.observe(&record, &mut self.observation);
        self.record = Some(record);
    }
}

/// A port that the flow and its agent share. Only one of them is at work at a time.
#[derive(Clone, Debug)]
pub struct SharedPort(Arc<Mutex<AgentPort>>);

impl SharedPort {
    /// A port to be shared.
    pub fn new(policy: Arc<Policy>) -> Self {
        Self(Arc::new(Mutex::new(AgentPort::new(policy))))
    }

    /// The port. A panic elsewhere is reported there.
    pub fn lock(&self) -> MutexGuard<'_, AgentPort> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
