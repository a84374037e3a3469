//! Links whose conditions change: rate, delay, jitter, loss and whether they send at all, each piecewise constant in time.
//!
//! A path belongs to the output of a station. Its conditions are given as changes, or made by a model from the seed of the
//! run, and they act at three places: at the entrance (loss), at the server (rate, off), and behind it (delay, jitter, order,
//! and packets that are lost on the way). Each place follows a [`Course`] of its own, since each has a time of its own.

mod aggregation;
mod cellular;
mod changes;
mod conditions;
mod delay_walk;
mod gilbert_elliott;
mod leo;
mod loss;
mod model;
mod reordering;
mod thinning;
mod travel;
mod variates;
mod ways;
mod wifi;

use serde::{Deserialize, Serialize};

pub use self::aggregation::AggregationParameters;
pub use self::cellular::CellularParameters;
pub use self::changes::Changes;
pub use self::conditions::{Concern, Conditions, Course};
pub use self::delay_walk::DelayWalkParameters;
pub use self::gilbert_elliott::GilbertElliottParameters;
pub use self::leo::LeoParameters;
pub use self::loss::VaryingLoss;
pub use self::model::Model;
pub use self::reordering::{By, ReorderingParameters};
pub use self::thinning::Thinning;
pub use self::travel::{Passage, Place, Travel};
pub use self::ways::Ways;

/// Conditions of the path behind a station, and before its queue those of random loss.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct PathSpec {
    /// Propagation delay beside that of links and interfaces [s].
    pub delay: Option<Changes>,
    /// Mean of the jitter of Wi-Fi [s].
    pub jitter: Option<Changes>,
    /// Probability that an arriving packet is lost at random; the own value is the station's.
    pub loss: Option<Changes>,
    /// 1 while the link is on, 0 while it is off.
    pub on: Option<Changes>,
    /// What becomes of packets while it is off.
    pub while_off: WhileOff,
    /// A model that makes conditions; they come on top of those given.
    pub model: Option<Model>,
    /// Packets that others overtake.
    pub reordering: Option<ReorderingParameters>,
    /// Of so many ACKs in a row of a flow only the last enters; 0 is all.
    pub thin_acks: u32,
}

/// What becomes of packets while a link is off.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum WhileOff {
    /// They wait in the queue, and those in the air arrive.
    #[default]
    Wait,
    /// What is sent is lost, and so is what was in the air when the link went off.
    Lose,
}

#[cfg(test)]
mod tests;
