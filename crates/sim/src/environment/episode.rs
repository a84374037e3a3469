//! Episodes of one environment.

use std::sync::Arc;

use congestion::{Duration, Time};

use super::algorithm;
use super::simulation::Simulation;
use crate::measure::output::RunOutput;
use crate::plugin::Plugins;
use crate::policy::record::Record;
use crate::policy::settings::Cadence;
use crate::policy::{Policy, SharedPort, plugin_at};
use crate::scenario::Error;
use crate::scenario::checked::CheckedSpec;
use crate::world::{Unwatched, Watch};

/// Some controlled flows in one simulation after another.
pub struct Environment {
    policy: Arc<Policy>,
    agents: Vec<Agent>,
    simulation: Option<Simulation>,
    truncated: bool,
    watch: Arc<dyn Watch>,
}

/// A controlled flow.
struct Agent {
    port: SharedPort,
    /// Record of the last step, zeros while there is no flow.
    record: Record,
    /// The flow has ended.
    terminated: bool,
}

/// After a decision is due, the action on it is in force; that much later the simulation may stop.
const AFTER: Duration = Duration(1);

impl Environment {
    /// An environment of `agents` flows without an episode.
    pub fn new(policy: Arc<Policy>, agents: usize) -> Self {
        let agents = (0..agents).map(|_| Agent::new(&policy)).collect();
        Self { policy, agents, simulation: None, truncated: false, watch: Arc::new(Unwatched) }
    }

    /// Have `watch` asked in all episodes that begin from now on. An episode that it halts is over.
    pub fn watch(&mut self, watch: Arc<dyn Watch>) {
        self.watch = watch;
    }

    /// Begin an episode, and go to the first decision of any of the flows, or to the end if there is none. `plugins`
    /// are algorithms of other flows.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn reset(&mut self, spec: Arc<CheckedSpec>, seed: u64, mut plugins: Plugins) -> Result<(), Error> {
        for (number, agent) in self.agents.iter_mut().enumerate() {
            *agent = Agent::new(&self.policy);
            plugins.insert(algorithm(number), plugin_at(&self.policy, &agent.port));
        }
        (self.truncated, self.simulation) = (false, None);
        let mut simulation = Simulation::watched(spec, seed, &plugins, self.watch.clone())?;
        while self.agents.iter().all(|agent| agent.record.elapsed <= 0.0 && !agent.terminated) {
            let due = self.due(simulation.now()).filter(|_| simulation.sleepless().is_none());
            let Some(due) = due else { break };
            let last = due >= simulation.end();
            simulation.advance(if last { simulation.end() } else { due + AFTER });
            if simulation.is_halted() {
                return Ok(());
            }
            self.collect(due.min(simulation.end()), last);
            if last {
                break;
            }
        }
        self.simulation = Some(simulation);
        Ok(())
    }

    /// Answer the flows' observations, and go to the next decision.
    ///
    /// Numbers for flows that are not there are ignored. Nothing happens where there is no episode.
    pub fn step(&mut self, actions: &[f64]) {
        let Some(simulation) = &mut self.simulation else { return };
        for (agent, &action) in self.agents.iter().zip(actions) {
            agent.port.lock().act(action);
        }
        let (now, end) = (simulation.now(), simulation.end());
        let due = due(&self.policy, &self.agents, now).unwrap_or(end);
        simulation.advance((due + AFTER).min(end));
        if simulation.is_halted() {
            self.simulation = None;
            return;
        }
        self.collect(due.min(end), due >= end);
    }

    /// Time of the next decision, or a time no later.
    fn due(&self, now: Time) -> Option<Time> {
        due(&self.policy, &self.agents, now)
    }

    fn collect(&mut self, now: Time, truncated: bool) {
        self.truncated = truncated;
        for agent in &mut self.agents {
            let mut port = agent.port.lock();
            if truncated || port.has_ended() {
                // In the middle of an interval: what there is of it.
                port.close(now);
            }
            agent.record = port.take().unwrap_or_default();
            agent.terminated = port.has_ended();
        }
    }

    /// Policy of the flows.
    pub fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    /// Number of controlled flows.
    pub fn agents(&self) -> usize {
        self.agents.len()
    }

    /// Record of a flow in the last step; zeros where there was no flow.
    pub fn record(&self, agent: usize) -> &Record {
        &self.agents[agent].record
    }

    /// Copy the observation of a flow.
    pub fn observe(&self, agent: usize, observation: &mut [f32]) {
        observation.copy_from_slice(self.agents[agent].port.lock().observation());
    }

    /// `true` once the flow has ended.
    pub fn is_terminated(&self, agent: usize) -> bool {
        self.agents[agent].terminated
    }

    /// `true` once the simulation has come to its end.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// `true` while there is an episode to be stepped.
    pub fn is_running(&self) -> bool {
        self.simulation.is_some() && !self.truncated && !self.agents.iter().all(|agent| agent.terminated)
    }

    /// Source and time [s] of a controller of another flow that never sleeps.
    pub fn sleepless(&self) -> Option<(u32, f64)> {
        self.simulation.as_ref().and_then(Simulation::sleepless)
    }

    /// Go on to the end of the simulation, and hand out its measurements: the episode is over. None without one,
    /// or if the watch halts it.
    ///
    /// # Errors
    /// As [`Simulation::finish`].
    pub fn finish(&mut self) -> Option<Result<RunOutput, Error>> {
        let mut simulation = self.simulation.take()?;
        simulation.advance(simulation.end());
        (!simulation.is_halted()).then(|| simulation.finish())
    }
}

impl Agent {
    fn new(policy: &Arc<Policy>) -> Self {
        Self { port: SharedPort::new(policy.clone()), record: Record::default(), terminated: false }
    }
}

/// Time of the next decision of any of the flows, or a time before that, if it is not known; `now` is the time that
/// the simulation has reached. None if no flow will decide any more.
fn due(policy: &Policy, agents: &[Agent], now: Time) -> Option<Time> {
    let flows = agents.iter().filter(|agent| !agent.terminated);
    match policy.cadence {
        // The grid is the same for all.
        Cadence::Every { .. } => flows.map(|_| policy.next(now, Duration::ZERO)).min(),
        // A flow that begins now decides after the least time at the earliest.
        Cadence::RoundTrips { at_least, .. } => flows
            .map(|agent| agent.port.lock().next().unwrap_or(now + Duration::from_seconds(at_least)))
            .min(),
    }
}
