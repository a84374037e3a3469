//! Rules that decide on arrival, from what waits: pass, mark or drop. They go with any queue, and drop-tail stays one
//! event per hop.

use std::fmt;

use congestion::Time;

use crate::measure::queue::Cause;
use crate::net::departures::Waiting;
use crate::net::queue::{Port, Queued};

/// State of the queue that a packet finds.
#[derive(Clone, Copy, Debug)]
pub struct Backlog {
    /// Packets behind the one in service.
    pub waiting: Waiting,
    /// The server has been free since then; `None` while it is busy.
    pub idle_since: Option<Time>,
}

/// Decision on an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It enters, if there is room.
    Pass,
    /// It is dropped.
    Drop(Cause),
}

/// A rule for arriving packets.
pub trait ArrivalRule: fmt::Debug + Send {
    /// Judge an arriving packet, and mark it where the rule says so.
    fn on_arrival(&mut self, arrival: &mut Queued, backlog: &Backlog, port: &mut Port<'_>) -> Verdict;

    /// Control variable, for traces.
    fn control(&self) -> f64 {
        0.0
    }

    /// Bytes of memory held beyond its own.
    fn memory(&self) -> usize {
        0
    }
}
