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
    /// Queue discipline.
    #[serde(default)]
    pub discipline: Discipline,
}

/// Queue discipline of a station with its parameters, under its `name`.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(tag = "name", rename_all = "snake_case", deny_unknown_fields)]
pub enum Discipline {
    /// First in, first out; arrivals beyond the buffer are dropped. One event per hop.
    Droptail {
        /// ECN marks.
        #[serde(rename = "mark_above", default)]
        marking: Marking,
    },
    /// Drop-tail through the general path with a real queue; for testing that path.
    DroptailQueued {
        /// ECN marks.
        #[serde(rename = "mark_above", default)]
        marking: Marking,
    },
    /// Drop-tail that grants changes of the window to flows of XCP.
    Xcp {
        /// ECN marks.
        #[serde(rename = "mark_above", default)]
        marking: Marking,
    },
    /// Drop-tail that reports its load to flows of VCP.
    Vcp {
        /// ECN marks.
        #[serde(rename = "mark_above", default)]
        marking: Marking,
    },
}

impl Default for Discipline {
    /// Drop-tail without marks.
    fn default() -> Self {
        Self::Droptail { marking: Marking::Never }
    }
}

impl Discipline {
    /// Protocol that the discipline speaks with senders, if any.
    #[must_use]
    pub fn protocol(self) -> Option<Protocol> {
        match self {
            Self::Droptail { .. } | Self::DroptailQueued { .. } => None,
            Self::Xcp { .. } => Some(Protocol::Xcp),
            Self::Vcp { .. } => Some(Protocol::Vcp),
        }
    }

    /// ECN marks that the station gives on arrival.
    #[must_use]
    pub fn marking(self) -> Marking {
        match self {
            Self::Droptail { marking }
            | Self::DroptailQueued { marking }
            | Self::Xcp { marking }
            | Self::Vcp { marking } => marking,
        }
    }
}

/// Rule by which ECN-capable packets are marked "congestion experienced" (RFC 3168), written as `mark_above`: a
/// number of packets, or `null` for none.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(from = "Option<u64>", into = "Option<u64>")]
pub enum Marking {
    /// No marks.
    #[default]
    Never,
    /// Step marking (RFC 8257).
    Step {
        /// Packets that may wait before arrivals are marked.
        above: u64,
    },
}

impl From<Option<u64>> for Marking {
    fn from(mark_above: Option<u64>) -> Self {
        mark_above.map_or(Self::Never, |above| Self::Step { above })
    }
}

impl From<Marking> for Option<u64> {
    fn from(marking: Marking) -> Self {
        match marking {
            Marking::Never => None,
            Marking::Step { above } => Some(above),
        }
    }
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
