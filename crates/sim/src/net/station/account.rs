//! Account of a station, and what it works with.

use congestion::{Duration, Time};

use crate::measure::queue::{QueueCounts, QueueSample, Sojourns};
use crate::net::headers::Headers;
use crate::net::packet::Packet;
use crate::net::queue::Port;

/// Account of a queue in detail.
#[derive(Debug, Default)]
pub(super) struct Account {
    pub counts: QueueCounts,
    /// Packets lost behind the server.
    pub lost: u64,
    /// Times from arrival to the beginning of service, if they are recorded.
    pub sojourns: Option<Sojourns>,
    /// Drops and marks, packets and sum of sojourn times at the last sample.
    pub sampled: (QueueCounts, u64, f64),
}

impl Account {
    /// Surroundings of a call to the discipline or the rule.
    #[inline]
    pub fn port<'a>(&'a mut self, hands: &'a mut Hands<'_>) -> Port<'a> {
        Port { now: hands.now, headers: hands.headers, dropped: hands.dropped, counts: &mut self.counts }
    }

    #[inline]
    pub fn observe(&mut self, arrived: Time, sojourn: Duration) {
        if let Some(sojourns) = &mut self.sojourns {
            sojourns.add(arrived, sojourn);
        }
    }

    /// Changes since the last sample, if sojourn times are recorded; `counts` and `control` are those of the station.
    pub fn sample(&mut self, counts: QueueCounts, control: f64) -> Option<QueueSample> {
        let sojourns = self.sojourns.as_mut()?;
        let (earlier, packets, sum) =
            std::mem::replace(&mut self.sampled, (counts, sojourns.packets, sojourns.sum));
        Some(QueueSample {
            control,
            counts: counts.since(&earlier),
            sojourns: sojourns.packets - packets,
            sojourn_sum: sojourns.sum - sum,
            longest: std::mem::take(&mut sojourns.longest),
        })
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
