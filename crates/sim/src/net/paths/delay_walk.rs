//! Delay that walks at random between zero and a bound.
//!
//! For paths whose route changes by and by, such as circuits through relays. Steps are uniform, and the walk is reflected at both
//! ends, so in the long run all delays are alike.

use congestion::Duration;
use serde::{Deserialize, Serialize};

use super::Conditions;
use super::variates::out_of;
use crate::kernel::rng::{Block, uniform};

/// Parameters.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct DelayWalkParameters {
    /// Time from one step to the next [s].
    pub every: f64,
    /// Longest step, up or down [s].
    pub step: f64,
    /// Longest delay [s].
    pub most: f64,
}

impl DelayWalkParameters {
    pub(super) fn faults(&self) -> Vec<(&'static str, String)> {
        let faults = [
            out_of("every", self.every, 0.001, 1e6),
            out_of("most", self.most, 1e-6, 1000.0),
            out_of("step", self.step, 0.0, self.most),
        ];
        faults.into_iter().flatten().collect()
    }
}

#[derive(Clone, Debug)]
pub(super) struct DelayWalk {
    parameters: DelayWalkParameters,
    /// Delay [s]; `None` before the beginning.
    delay: Option<f64>,
}

impl DelayWalk {
    pub fn new(parameters: &DelayWalkParameters) -> Self {
        Self { parameters: *parameters, delay: None }
    }

    pub fn next(&mut self, draws: &Block) -> (Duration, Conditions) {
        let DelayWalkParameters { every, step, most } = self.parameters;
        let delay = match self.delay {
            None => most * uniform(draws[0]),
            Some(delay) => {
                let to = (delay + step * (2.0 * uniform(draws[0]) - 1.0)).abs();
                if to > most { 2.0 * most - to } else { to }
            }
        };
        self.delay = Some(delay);
        let delay = Duration::from_seconds(delay);
        (Duration::from_seconds(every), Conditions { delay, ..Conditions::STEADY })
    }
}
