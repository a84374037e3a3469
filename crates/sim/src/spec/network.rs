//! Stations, links, routes' ends and host interfaces.

use congestion::Protocol;
use serde::{Deserialize, Serialize};

use super::{Buffer, ServiceRate};

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
    /// Room for waiting packets, not counting the one in service; `None` is unlimited.
    pub buffer: Option<Buffer>,
    /// Probability that an arriving packet is lost at random, before the queue.
    #[serde(default)]
    pub loss: f64,
    /// What decides about packets when they come and go.
    #[serde(default)]
    pub discipline: DisciplineSpec,
}

/// Queue discipline by name.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct DisciplineSpec {
    /// What decides who is dropped.
    pub name: DisciplineName,
    /// ECN-capable packets that find more than this many packets waiting are marked "congestion
    /// experienced" (the step marking of RFC 8257); `None` never marks.
    pub mark_above: Option<u64>,
}

impl DisciplineName {
    /// The protocol that the discipline speaks with senders, if any.
    #[must_use]
    pub fn protocol(self) -> Option<Protocol> {
        match self {
            Self::Droptail | Self::DroptailQueued => None,
            Self::Xcp => Some(Protocol::Xcp),
            Self::Vcp => Some(Protocol::Vcp),
        }
    }
}

/// Names of queue disciplines.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum DisciplineName {
    /// First in, first out; arrivals beyond the buffer are dropped. One event per hop.
    #[default]
    Droptail,
    /// The same rule through the general path with a real queue; for testing that path.
    DroptailQueued,
    /// Drop-tail that grants changes of the window to flows of XCP.
    Xcp,
    /// Drop-tail that tells flows of VCP how loaded it is.
    Vcp,
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
