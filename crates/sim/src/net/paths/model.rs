//! Models of links, which make conditions from the seed of the run, one stretch after another.

use congestion::{Duration, Time};
use serde::{Deserialize, Serialize};

use super::gilbert_elliott::{GilbertElliott, GilbertElliottParameters};
use super::{Concern, Conditions};
use crate::kernel::rng::{Block, Purpose, Streams};

/// A model by its name, with its parameters.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Model {
    /// Loss in bursts.
    GilbertElliott(GilbertElliottParameters),
}

impl Model {
    /// `true` if it makes conditions of a concern.
    pub fn concerns(&self, concern: Concern) -> bool {
        match self {
            Self::GilbertElliott(_) => concern == Concern::Entrance,
        }
    }

    /// Parameters out of their range: each with its name and what would be right.
    pub fn faults(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::GilbertElliott(parameters) => parameters.faults(),
        }
    }
}

/// A parameter that has to lie in a range: its name and what would be right, if it does not.
pub(super) fn out_of(
    name: &'static str,
    value: f64,
    least: f64,
    most: f64,
) -> Option<(&'static str, String)> {
    let fits = (least..=most).contains(&value);
    (!fits).then(|| (name, format!("expected {least} to {most}, got {value}")))
}

/// Conditions as a model makes them, followed forward. Whoever follows a model gets the same.
#[derive(Clone, Debug)]
pub(super) struct Generator {
    model: State,
    streams: Streams,
    station: u32,
    /// Number of the next stretch.
    number: u32,
    now: Conditions,
    pub until: Time,
}

#[derive(Clone, Debug)]
enum State {
    GilbertElliott(GilbertElliott),
}

impl State {
    /// Length and conditions of the next stretch.
    fn next(&mut self, draws: &Block) -> (Duration, Conditions) {
        match self {
            Self::GilbertElliott(state) => state.next(draws),
        }
    }
}

impl Generator {
    pub fn new(model: &Model, streams: &Streams, station: u32) -> Self {
        let model = match model {
            Model::GilbertElliott(parameters) => State::GilbertElliott(GilbertElliott::new(parameters)),
        };
        let (streams, now, until) = (streams.clone(), Conditions::STEADY, Time::ZERO);
        Self { model, streams, station, number: 0, now, until }
    }

    /// Conditions at a time, none earlier than that before.
    pub fn at(&mut self, time: Time) -> Conditions {
        while self.until <= time {
            let draws = self.streams.block(Purpose::Path, self.station, self.number);
            self.number = self.number.wrapping_add(1);
            let (length, conditions) = self.model.next(&draws);
            self.now = conditions;
            self.until += length.max(Duration(1));
        }
        self.now
    }
}
