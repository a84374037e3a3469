//! ECN rules: which packets are marked "congestion experienced" (RFC 3168) on arrival. One file each.
//!
//! A rule decides from what waits, so it goes with any queue, and drop-tail stays one event per hop. A discipline that
//! marks on departure does that itself.

mod step;

use serde::{Deserialize, Serialize};

pub use self::step::StepMarking;
use crate::net::packet::Packet;

/// ECN rule of a station, written as `mark_above`: a number of packets, or `null` for none.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(from = "Option<u64>", into = "Option<u64>")]
pub enum Marking {
    /// No marks.
    #[default]
    Never,
    /// Step marking (RFC 8257).
    Step(StepMarking),
}

impl Marking {
    /// Mark a packet that finds `waiting` packets waiting, if the rule says so.
    #[inline]
    pub fn on_arrival(self, packet: &mut Packet, waiting: u64) {
        match self {
            Self::Never => {}
            Self::Step(step) => step.on_arrival(packet, waiting),
        }
    }
}

impl From<Option<u64>> for Marking {
    fn from(mark_above: Option<u64>) -> Self {
        mark_above.map_or(Self::Never, |above| Self::Step(StepMarking { above }))
    }
}

impl From<Marking> for Option<u64> {
    fn from(marking: Marking) -> Self {
        match marking {
            Marking::Never => None,
            Marking::Step(StepMarking { above }) => Some(above),
        }
    }
}
