//! Models of links, which make conditions from the seed of the run, one stretch after another.

use congestion::{Duration, Time};
use serde::{Deserialize, Serialize};

use super::aggregation::{Aggregation, AggregationParameters};
use super::cellular::{Cellular, CellularParameters};
use super::delay_walk::{DelayWalk, DelayWalkParameters};
use super::gilbert_elliott::{GilbertElliott, GilbertElliottParameters};
use super::leo::{Leo, LeoParameters};
use super::{Concern, Conditions};
use crate::kernel::rng::{Block, Draws, Purpose, Streams};

/// A model by its name, with its parameters.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Model {
    /// Loss in bursts.
    GilbertElliott(GilbertElliottParameters),
    /// A rate that varies, and outages.
    Cellular(CellularParameters),
    /// Satellites that come and go.
    Leo(LeoParameters),
    /// A delay that walks at random.
    DelayWalk(DelayWalkParameters),
    /// Frames that go out together.
    Aggregation(AggregationParameters),
}

impl Model {
    /// `true` if it makes conditions of a concern.
    pub fn concerns(&self, concern: Concern) -> bool {
        match self {
            Self::GilbertElliott(_) => concern == Concern::Entrance,
            Self::Cellular(_) => concern == Concern::Service,
            Self::Leo(_) => true,
            Self::DelayWalk(_) | Self::Aggregation(_) => concern == Concern::Travel,
        }
    }

    /// `true` if packets of a stretch arrive together at its end.
    pub(super) fn gathers(&self) -> bool {
        matches!(self, Self::Aggregation(_))
    }

    /// `true` if it makes a jitter.
    pub(super) fn jitters(&self) -> bool {
        matches!(self, Self::Leo(_))
    }

    /// Probability that a packet is lost which is in the air when the link goes off.
    pub(super) fn loss_in_air(&self) -> f64 {
        if let Self::Leo(parameters) = self { parameters.handover_loss } else { 0.0 }
    }

    /// Parameters out of their range: each with its name and what would be right.
    pub fn faults(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::GilbertElliott(parameters) => parameters.faults(),
            Self::Cellular(parameters) => parameters.faults(),
            Self::Leo(parameters) => parameters.faults(),
            Self::DelayWalk(parameters) => parameters.faults(),
            Self::Aggregation(parameters) => parameters.faults(),
        }
    }
}

/// Conditions as a model makes them, followed forward. Whoever follows a model gets the same.
#[derive(Clone, Debug)]
pub(super) struct Generator {
    model: State,
    draws: Draws<8>,
    /// Number of the next stretch.
    number: u64,
    now: Conditions,
    pub until: Time,
}

#[derive(Clone, Debug)]
enum State {
    GilbertElliott(GilbertElliott),
    Cellular(Cellular),
    Leo(Leo),
    DelayWalk(DelayWalk),
    Aggregation(Aggregation),
}

impl State {
    /// Length and conditions of the next stretch.
    fn next(&mut self, draws: &Block) -> (Duration, Conditions) {
        match self {
            Self::GilbertElliott(state) => state.next(draws),
            Self::Cellular(state) => state.next(draws),
            Self::Leo(state) => state.next(draws),
            Self::DelayWalk(state) => state.next(draws),
            Self::Aggregation(state) => state.next(draws),
        }
    }
}

impl Generator {
    pub fn new(model: &Model, streams: &Streams, station: u32) -> Self {
        let model = match model {
            Model::GilbertElliott(parameters) => State::GilbertElliott(GilbertElliott::new(parameters)),
            Model::Cellular(parameters) => State::Cellular(Cellular::new(parameters)),
            Model::Leo(parameters) => State::Leo(Leo::new(parameters)),
            Model::DelayWalk(parameters) => State::DelayWalk(DelayWalk::new(parameters)),
            Model::Aggregation(parameters) => State::Aggregation(Aggregation::new(parameters)),
        };
        let draws = Draws::of(Purpose::Path, streams, station);
        Self { model, draws, number: 0, now: Conditions::STEADY, until: Time::ZERO }
    }

    /// Conditions at a time, none earlier than that before.
    pub fn at(&mut self, time: Time) -> Conditions {
        while self.until <= time {
            let (length, conditions) = self.model.next(&self.draws.block(self.number));
            self.number += 1;
            self.now = conditions;
            self.until += length.max(Duration(1));
        }
        self.now
    }
}
