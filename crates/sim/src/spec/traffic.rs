//! Traffic: the population of sources and the flows given one by one.

use serde::{Deserialize, Serialize};

use crate::tcp::receiver::Conduct;

/// Sources that cycle thinking, connecting, sending.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Population {
    /// Mean of the exponential think time [s].
    pub think_mean: f64,
    /// Distribution of file sizes [segments].
    pub files: Files,
    /// `shares[i]` of the sources use `algorithms[i]`; sums to 1.
    pub algorithm_shares: Vec<f64>,
    /// Probability that a host's interface is `interfaces[1]` (fast) rather than `interfaces[0]`.
    pub fast_probability: f64,
    /// Larger files on paths between two D sites, or from D sites, for part of the run.
    #[serde(default)]
    pub jumbo: Option<Jumbo>,
    /// Finite patience.
    #[serde(default)]
    pub patience: Option<Patience>,
    /// Start of the sources.
    #[serde(default)]
    pub startup: Startup,
    /// Receivers are drawn from regions other than the source's (all flows transit the backbone).
    pub receivers_in_other_regions: bool,
}

/// File sizes: Pareto with mean `mean` and shape `shape`, rounded up, at least 1 segment, times a factor.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Files {
    /// Mean size of a Web object [segments].
    pub mean: f64,
    /// Pareto shape, above 1.
    pub shape: f64,
    /// Probability of document, service pack and movie; the rest are Web objects.
    pub probability: [f64; 3],
    /// Their factors on the size.
    pub factor: [f64; 3],
}

/// Spatiotemporal congestion (X13).
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Jumbo {
    /// From [s].
    pub start: f64,
    /// To [s].
    pub end: f64,
    /// Factor on file sizes.
    pub factor: f64,
    /// Files from D sites to receivers of all classes, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub any_receiver: bool,
}

/// Finite patience (X10): when a source gives up.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Patience {
    /// Probability that a source has finite patience.
    pub probability: f64,
    /// A transfer is abandoned once it has lasted longer than this [s] ...
    pub min_time: f64,
    /// ... and this many times the ideal time (size over line rate plus two base RTTs).
    pub factor: f64,
}

/// Start-up pattern (X20): shares of sources by how they begin; the rest think a full exponential time.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct Startup {
    /// Share that begins in the connecting state.
    pub connecting: f64,
    /// `[share, factor]`: this share leaves the first thinking early, its mean multiplied by `factor`.
    pub early: Vec<[f64; 2]>,
}

/// One flow.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// Unique name.
    pub name: String,
    /// Index of the site of its source.
    pub source: u32,
    /// Index of the site of its receiver.
    pub receiver: u32,
    /// Index into `algorithms`.
    pub algorithm: u32,
    /// Index into `interfaces`, for both ends.
    pub interface: u32,
    /// When it starts to connect [s].
    pub start: f64,
    /// Segments to send; `None` is without limit.
    pub size: Option<u64>,
    /// When it stops offering new data [s], if it does.
    #[serde(default)]
    pub stop: Option<f64>,
    /// The application offers its data burst by burst, over one connection.
    #[serde(default)]
    pub bursts: Option<Bursts>,
    /// What its receiver does against the rules, if anything.
    #[serde(default)]
    pub conduct: Conduct,
    /// Index into `applications` of the one that offers its data. Flows of one application stand side by side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application: Option<u32>,
}

/// Data of an application that pauses.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Bursts {
    /// Segments of one burst.
    pub size: u64,
    /// When the next one is offered.
    pub next: NextBurst,
}

/// Time at which an application offers its next burst.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum NextBurst {
    /// So long after the whole of the last one was acknowledged [s]: requests and responses.
    After(f64),
    /// So long after the last one was offered [s]: live media.
    Every(f64),
}
