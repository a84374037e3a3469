//! Account of a station, and what it works with.

use congestion::{Duration, Time};

use crate::measure::queue::{QueueCounts, Sojourns};
use crate::net::headers::Headers;
use crate::net::packet::Packet;

/// A station where more than service times and room decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotSized;

/// Account of a queue in detail.
#[derive(Debug, Default)]
pub(super) struct Account {
    pub counts: QueueCounts,
    /// Times from arrival to the beginning of service, if they are recorded.
    pub sojourns: Option<Sojourns>,
}

impl Account {
    #[inline]
    pub fn observe(&mut self, sojourn: Duration) {
        if let Some(sojourns) = &mut self.sojourns {
            sojourns.add(sojourn);
        }
    }
}

/// Packets and headers of the region that a station works with.
#[derive(Debug)]
pub struct Hands<'a> {
    /// The time.
    pub now: Time,
    /// Congestion headers.
    pub headers: &'a mut Headers,
    /// Packets dropped.
    pub dropped: &'a mut Vec<Packet>,
}
