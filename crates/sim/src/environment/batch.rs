//! Many environments, stepped together.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::episode::Environment;
use crate::policy::Policy;
use crate::policy::record::QUANTITIES;
use crate::policy::reward::Reward;
use crate::world::{Unwatched, Watch};

/// Environments that are stepped together.
pub struct Batch {
    environments: Vec<Environment>,
    reward: Reward,
    watch: Arc<dyn Watch>,
}

/// Time between two looks at the watch by the thread that waits for the others.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Outcome of a step of all environments, by environment, then by flow; all of it in the order of rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// Observations of the policy's width.
    pub observations: Vec<f32>,
    /// Rewards.
    pub rewards: Vec<f64>,
    /// Flows that have ended.
    pub terminated: Vec<bool>,
    /// Simulations that have come to their ends, by environment.
    pub truncated: Vec<bool>,
    /// Records, in columns of [`QUANTITIES`].
    pub records: Vec<f64>,
}

/// One environment and its part of a turn.
struct Task<'a> {
    environment: &'a mut Environment,
    /// Actions, or none to leave it as it is.
    actions: Option<&'a [f64]>,
    observations: &'a mut [f32],
    rewards: &'a mut [f64],
    terminated: &'a mut [bool],
    truncated: &'a mut bool,
    records: &'a mut [f64],
}

impl Batch {
    /// `count` environments of `agents` flows each.
    pub fn new(policy: &Arc<Policy>, reward: Reward, agents: usize, count: usize) -> Self {
        let environments = (0..count).map(|_| Environment::new(policy.clone(), agents)).collect();
        Self { environments, reward, watch: Arc::new(Unwatched) }
    }

    /// Have `watch` asked by the thread that calls, also while it only waits for the others.
    #[must_use]
    pub fn watched(self, watch: Arc<dyn Watch>) -> Self {
        Self { watch, ..self }
    }

    /// Number of environments.
    pub fn len(&self) -> usize {
        self.environments.len()
    }

    /// `true` without any environment.
    pub fn is_empty(&self) -> bool {
        self.environments.is_empty()
    }

    /// One environment.
    pub fn environment(&mut self, index: usize) -> Option<&mut Environment> {
        self.environments.get_mut(index)
    }

    /// Outcome without a step.
    pub fn look(&mut self) -> Turn {
        self.turn(&[], &[], 1)
    }

    /// Step those environments that are `active`, on `threads`. `actions` are those of all flows, in the order of rows.
    pub fn step(&mut self, actions: &[f64], active: &[bool], threads: usize) -> Turn {
        self.turn(actions, active, threads)
    }

    fn turn(&mut self, actions: &[f64], active: &[bool], threads: usize) -> Turn {
        let count = self.environments.len();
        let agents = self.environments.first().map_or(0, Environment::agents);
        let width = self.environments.first().map_or(0, |environment| environment.policy().width());
        let mut turn = Turn {
            observations: vec![0.0; count * agents * width],
            rewards: vec![0.0; count * agents],
            terminated: vec![false; count * agents],
            truncated: vec![false; count],
            records: vec![0.0; count * agents * QUANTITIES.len()],
        };
        if count * agents == 0 {
            return turn;
        }
        let tasks = self
            .environments
            .iter_mut()
            .zip(turn.observations.chunks_mut(agents * width))
            .zip(turn.rewards.chunks_mut(agents))
            .zip(turn.terminated.chunks_mut(agents))
            .zip(&mut turn.truncated)
            .zip(turn.records.chunks_mut(agents * QUANTITIES.len()))
            .enumerate()
            .map(|(at, (((((environment, observations), rewards), terminated), truncated), records))| Task {
                environment,
                actions: active
                    .get(at)
                    .is_some_and(|&active| active)
                    .then(|| actions.get(at * agents..(at + 1) * agents))
                    .flatten(),
                observations,
                rewards,
                terminated,
                truncated,
                records,
            });
        let (reward, threads) = (self.reward, threads.min(count));
        if threads <= 1 {
            tasks.for_each(|task| task.work(&reward));
            return turn;
        }
        share(tasks, threads, &|task| task.work(&reward), &*self.watch);
        turn
    }
}

/// Do tasks on `threads`, of which one is the caller's; it asks the watch while it waits for the others.
fn share<T: Send>(
    tasks: impl Iterator<Item = T> + Send,
    threads: usize,
    work: &(impl Fn(T) + Sync),
    watch: &dyn Watch,
) {
    let (tasks, others) = (&Mutex::new(tasks), &AtomicUsize::new(threads - 1));
    let caller = &std::thread::current();
    let work = move || {
        // The lock is held while the next task is taken, not while it is done.
        while let Some(task) = next(tasks) {
            work(task);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(move || {
                work();
                others.fetch_sub(1, Ordering::Release);
                caller.unpark();
            });
        }
        work();
        while others.load(Ordering::Acquire) > 0 {
            watch.halts();
            std::thread::park_timeout(LOOK_EVERY);
        }
    });
}

fn next<T>(tasks: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    tasks.lock().unwrap_or_else(PoisonError::into_inner).next()
}

impl Task<'_> {
    fn work(self, reward: &Reward) {
        if let Some(actions) = self.actions {
            self.environment.step(actions);
        }
        let (width, columns) = (self.environment.policy().width(), QUANTITIES.len());
        for agent in 0..self.environment.agents() {
            let record = self.environment.record(agent);
            self.rewards[agent] = reward.of(record);
            for (value, quantity) in self.records[agent * columns..].iter_mut().zip(&QUANTITIES) {
                *value = (quantity.of)(record);
            }
            self.terminated[agent] = self.environment.is_terminated(agent);
            self.environment.observe(agent, &mut self.observations[agent * width..(agent + 1) * width]);
        }
        *self.truncated = self.environment.is_truncated();
    }
}
