//! Stations, links, routes' ends and host interfaces.

use serde::{Deserialize, Serialize};

use super::{Buffer, Discipline, EcnImpairment, PathSpec, RateChanges, ServiceRate};

/// One FIFO server with a buffer.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Station {
    /// Unique name.
    pub name: String,
    /// Region it belongs to.
    pub region: u32,
    /// Service rate.
    pub rate: ServiceRate,
    /// Changes of the rate.
    #[serde(default)]
    pub rate_changes: Option<RateChanges>,
    /// Room for waiting packets, not counting the one in service; `None` is unlimited.
    pub buffer: Option<Buffer>,
    /// Probability that an arriving packet is lost at random, before the queue.
    #[serde(default)]
    pub loss: f64,
    /// Queue discipline.
    #[serde(default)]
    pub discipline: Discipline,
    /// Change of the ECN field of arriving packets, before the queue.
    #[serde(default)]
    pub ecn_impairment: EcnImpairment,
    /// Conditions of the path behind it that change.
    #[serde(default)]
    pub path: Option<PathSpec>,
    /// Routes that change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<Routes>,
}

/// Another row of the routing table from a time on, by when packets leave the station and its path.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Routes {
    /// The time [s].
    pub at: f64,
    /// In the place of the station's row of `next_link`.
    pub next_link: Vec<i32>,
}

/// A directed hop from the output of one station to the input of another.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Index of the station it leaves.
    pub from: u32,
    /// Index of the station it enters.
    pub to: u32,
    /// Propagation delay [s].
    pub delay: f64,
}

/// Where hosts attach to the network.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Site {
    /// Index of the station that packets from these hosts enter.
    pub station: u32,
    /// Class of the access router: 0 is D (direct), 1 is F (fast), 2 is N (normal).
    pub class: u8,
    /// Sources attached here; they belong to the population.
    #[serde(default)]
    pub sources: u32,
    /// Receivers attached here.
    #[serde(default)]
    pub receivers: u32,
}

/// A kind of host interface.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Interface {
    /// Line rate; `None` is infinitely fast.
    pub rate: Option<ServiceRate>,
    /// Propagation delay between host and site, each way [s].
    #[serde(default)]
    pub delay: f64,
}
