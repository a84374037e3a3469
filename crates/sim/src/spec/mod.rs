//! The resolved scenario: everything a run needs but the seed, in SI units, as JSON.
//!
//! Names, units with suffixes, defaults and the twenty parameters live in Python; this is what they
//! resolve to. Unknown fields are errors. All times are in seconds, all rates in packets or bits per second.

#[macro_use]
mod options;
mod network;
mod traffic;
mod transport;
mod words;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use crate::net::disciplines::{Discipline, MarkAbove};
pub use crate::net::impairment::EcnImpairment;
pub use crate::net::packet::PacketSizes;
pub use crate::net::paths::{By, Changes, Model, PathSpec, ReorderingParameters, WhileOff};
pub use crate::net::queue::Buffer;
pub use crate::net::service::ServiceRate;
pub use crate::net::transmitter::RateChanges;
pub use crate::tcp::control::Growth;
pub use crate::tcp::linux::host_pacing::PacingRule;
pub use crate::tcp::linux::undo::UndoRule;
pub use crate::tcp::loss::ReoWndRule;
pub use crate::tcp::prr::PrrRule;
pub use crate::tcp::receiver::Conduct;
pub use crate::tcp::recovery::TimeoutRule;
pub use crate::tcp::rtt::RtoRule;
pub use crate::tcp::validation::{IdleRestart, ValidationRule};
pub use crate::world::{Adaptation, Application, Behaviour, Call, Law, Video};
pub use network::{Interface, Link, Routes, Site, Station};
pub use traffic::{Bursts, Files, FlowSpec, Jumbo, NextBurst, Patience, Population, Startup};
pub use transport::{Parts, Transport};
pub use words::{EchoSpec, HalveSpec, Recovery, SlowStart};

/// A whole world but for the seed.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Version of this format; 1.
    pub version: u32,
    /// Length of the run [s].
    pub duration: f64,
    /// Sizes of packets on the wire, for stations that count bits or bytes.
    pub packet: PacketSizes,
    /// Options of the TCP mechanism.
    pub transport: Transport,
    /// Number of regions; stations name theirs. Regions advance in parallel, so every link between two
    /// regions needs a delay above zero.
    pub regions: u32,
    /// The servers.
    pub stations: Vec<Station>,
    /// Directed hops between stations.
    pub links: Vec<Link>,
    /// `next_link[station][site]`: index into `links` of the next hop of a packet at `station` bound for
    /// `site`; -1 where `station` hands the packet to the site's hosts; -2 where there is no route.
    pub next_link: Vec<Vec<i32>>,
    /// Where hosts attach.
    pub sites: Vec<Site>,
    /// Kinds of host interface.
    pub interfaces: Vec<Interface>,
    /// Congestion-control algorithms with their parameters.
    pub algorithms: Vec<Algorithm>,
    /// Sources that think, connect and send, over and over.
    #[serde(default)]
    pub population: Option<Population>,
    /// Flows given one by one: long-lived flows, laboratory flows.
    #[serde(default)]
    pub flows: Vec<FlowSpec>,
    /// Applications, which offer data over some of the flows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub applications: Vec<Application>,
    /// Measurements to record.
    pub measure: Measure,
}

/// An algorithm and its parameters.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Algorithm {
    /// Name in the registry of algorithms.
    pub name: String,
    /// Parameters that differ from their defaults.
    #[serde(default)]
    pub params: BTreeMap<String, f64>,
}

/// Measurements to record.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the file format")]
pub struct Measure {
    /// Measurement interval [s]; all series are sampled at its multiples.
    pub interval: f64,
    /// Indices of stations whose queue is recorded every interval.
    #[serde(default)]
    pub stations: Vec<u32>,
    /// Record sojourn times, drops and marks by cause and the control variable of those stations, too.
    #[serde(default)]
    pub queues: bool,
    /// Record one row per completed transfer.
    #[serde(default)]
    pub transfers: bool,
    /// Record what happens to every data segment of the named flows; in a network of one region.
    #[serde(default)]
    pub segments: bool,
    /// Record every packet of the named flows at both hosts, and the states of their senders.
    #[serde(default)]
    pub packets: bool,
    /// Flow statistics by group start here [s]; transfers completed earlier are not counted in groups.
    #[serde(default)]
    pub groups_from: f64,
}
