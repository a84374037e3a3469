//! Applications: what is asked for over one or several connections, and when.

use serde::{Deserialize, Serialize};

use crate::kernel::rng::{exponential, lognormal, pareto};

/// An application over the flows that name it. It asks for data of its own accord or once those before are complete; a
/// *request* is data of one answer, and requests made together are a *unit*: a page, a segment of a film.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Application {
    /// Unique name.
    pub name: String,
    /// When it begins [s].
    pub start: f64,
    /// From here on it asks for nothing [s].
    #[serde(default)]
    pub stop: Option<f64>,
    /// Every request has a connection of its own; else connections stay.
    pub separate: bool,
    /// Requests are sent as datagrams, over no connection: what is lost is not sent again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub datagrams: bool,
    /// What it asks for.
    pub behaviour: Behaviour,
}

/// What an application asks for, and when.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Behaviour {
    /// One request after another, whether those before are complete or not.
    Open {
        /// Time from one to the next, and to the first [s].
        gap: Law,
        /// Size [segments].
        size: Law,
    },
    /// Requests at a time; the next ones come a pause after the last of them is complete.
    Closed {
        /// Time from the last acknowledgement to the next requests [s].
        pause: Law,
        /// Number of requests.
        requests: Law,
        /// Size of each [segments].
        size: Law,
    },
    /// Requests that are known before the run.
    Listed {
        /// Time after the start [s].
        times: Vec<f64>,
        /// Size [segments].
        sizes: Vec<u64>,
    },
    /// Segments of a film, whose bit rate adapts.
    Video(Video),
    /// Frames of a call whose rate adapts, as datagrams.
    Call(Call),
}

/// Numbers that are alike, or drawn independently.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Law {
    /// Always this.
    Constant(f64),
    /// Whole numbers, two neighbours of this in turn, so that sums are those of a constant rate.
    Even(f64),
    /// Exponential with this mean.
    Exponential(f64),
    /// Mean, and standard deviation of the logarithm.
    Lognormal(f64, f64),
    /// Mean, and shape above 1.
    Pareto(f64, f64),
}

/// A film: segments of equal playing time, each at one of some bit rates, which the client chooses by its buffer.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Video {
    /// Playing time of a segment [s].
    pub segment: f64,
    /// Size of a segment by bit rate, from the lowest on [TCP segments].
    pub sizes: Vec<u32>,
    /// Most playing time that the client holds [s].
    pub buffer: f64,
    /// Choice of the bit rate.
    pub adaptation: Adaptation,
}

/// Choice of a bit rate.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Adaptation {
    /// By the buffer: below the reservoir [s] the lowest, above reservoir and cushion [s] the highest.
    Buffer {
        /// Reservoir [s].
        reservoir: f64,
        /// Cushion [s].
        cushion: f64,
    },
    /// The highest below this part of the rate at which the last segments came.
    Throughput(f64),
}

/// A call: frames one after another, at a rate that follows the congestion of the path.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Time from one frame to the next [s].
    pub frame: f64,
    /// Least rate [segments/s].
    pub least: f64,
    /// Greatest rate [segments/s].
    pub most: f64,
}

impl Law {
    /// Mean.
    pub fn mean(&self) -> f64 {
        match *self {
            Self::Constant(mean)
            | Self::Even(mean)
            | Self::Exponential(mean)
            | Self::Lognormal(mean, _)
            | Self::Pareto(mean, _) => mean,
        }
    }

    /// The number of this turn, drawn with two random words.
    pub fn draw(&self, words: [u64; 2], turn: u32) -> f64 {
        match *self {
            Self::Constant(number) => number,
            Self::Even(rate) => {
                let turn = f64::from(turn);
                libm::floor(rate * (turn + 1.0) + SLACK) - libm::floor(rate * turn + SLACK)
            }
            Self::Exponential(mean) => exponential(words[0], mean),
            Self::Lognormal(mean, sigma) => lognormal(words, mean, sigma),
            Self::Pareto(mean, shape) => pareto(words[0], mean, shape),
        }
    }
}

/// Products of a rate that is a decimal fraction may be less than the whole number that they stand for.
const SLACK: f64 = 1e-6;
