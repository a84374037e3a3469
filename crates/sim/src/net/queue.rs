//! Queue disciplines that decide when a packet comes or goes, or write into its header.
//!
//! Drop-tail needs none of this: its departures are known on arrival. A discipline that acts on dequeue
//! keeps its packets itself and is asked for the next one whenever the server is free.

use std::fmt;

use congestion::{Duration, Time};
use serde::{Deserialize, Serialize};

use crate::measure::queue::{Cause, QueueCounts};
use crate::net::departures::Waiting;
use crate::net::headers::Headers;
use crate::net::packet::Packet;

/// A wait of 53 days: sums of it and a time within a run stay in range, so that they need no check.
const LONGER_THAN_RUNS: Duration = Duration(1 << 62);

/// Room in a queue.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Buffer {
    /// Packets.
    Packets(u64),
    /// Bytes.
    Bytes(u64),
}

impl Buffer {
    /// Room in packets of `bytes`.
    pub fn in_packets(self, bytes: u32) -> u64 {
        match self {
            Self::Packets(room) => room,
            Self::Bytes(room) => room / u64::from(bytes.max(1)),
        }
    }

    /// The rule of every buffer: `true` if there is room for a packet of `bytes` beside those that wait. `None` is unlimited.
    #[inline]
    pub fn has_room(buffer: Option<Self>, waiting: Waiting, bytes: u32) -> bool {
        match buffer {
            None => true,
            Some(Self::Packets(room)) => waiting.packets < room,
            Some(Self::Bytes(room)) => waiting.bytes + u64::from(bytes) <= room,
        }
    }

    /// The same rule as a time, where every packet takes `service`: the longest that one may have to wait. `None` if that
    /// cannot be told.
    ///
    /// Less than `room` wait where one is in service and all that is left takes no more than `room` times of service.
    pub fn longest_wait(buffer: Option<Self>, service: Duration) -> Option<Duration> {
        match buffer {
            None => Some(LONGER_THAN_RUNS),
            Some(Self::Packets(room)) => Some((service * room).min(LONGER_THAN_RUNS)),
            Some(Self::Bytes(_)) => None,
        }
    }

    /// Room for so many packets and bytes.
    #[inline]
    pub fn holds(self, packets: u64, bytes: u64) -> bool {
        match self {
            Self::Packets(room) => packets <= room,
            Self::Bytes(room) => bytes <= room,
        }
    }
}

/// A packet in a queue; its `time` is that of its arrival there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queued {
    /// The packet.
    pub packet: Packet,
    /// Its size on the wire.
    pub bytes: u32,
}

impl Queued {
    /// Time in the queue up to `now`.
    #[inline]
    pub fn sojourn(&self, now: Time) -> Duration {
        now.since(self.packet.time)
    }
}

/// Surroundings of a discipline during one call: the time, headers of packets, and where drops and marks go.
#[derive(Debug)]
pub struct Port<'a> {
    /// The time.
    pub now: Time,
    /// Congestion headers.
    pub headers: &'a mut Headers,
    /// Packets dropped so far.
    pub dropped: &'a mut Vec<Packet>,
    /// Drops and marks by cause.
    pub counts: &'a mut QueueCounts,
}

impl Port<'_> {
    /// Drop a packet.
    pub fn drop(&mut self, queued: &Queued, cause: Cause) {
        self.counts.dropped[cause as usize] += 1;
        self.dropped.push(queued.packet);
    }

    /// Mark a packet, if it is ECN-capable: `false` if it is not.
    pub fn mark(&mut self, queued: &mut Queued, cause: Cause) -> bool {
        let marked = queued.packet.mark();
        self.counts.marked[cause as usize] += u64::from(marked);
        marked
    }
}

/// A queue in front of a server.
pub trait QueueDiscipline: fmt::Debug + Send {
    /// A packet arrives and has to wait, or finds no room and is dropped.
    fn enqueue(&mut self, arrival: Queued, port: &mut Port<'_>);

    /// A packet arrives and finds the server free and nobody waiting: the packet to be served, if it is not dropped.
    fn pass(&mut self, arrival: Queued, port: &mut Port<'_>) -> Option<Queued> {
        self.enqueue(arrival, port);
        self.dequeue(port)
    }

    /// The server is free: the next packet, if any. A discipline may drop packets on the way.
    fn dequeue(&mut self, port: &mut Port<'_>) -> Option<Queued>;

    /// `true` if an empty queue that has been asked for a packet need not be asked again before the next arrival: that
    /// would change nothing.
    fn empty_is_final(&self) -> bool {
        false
    }

    /// Time at which service of the packet taken out at `now` may begin; later than `now` at a shaper only.
    fn service_starts(&self, now: Time) -> Time {
        now
    }

    /// Packets waiting.
    fn len(&self) -> usize;

    /// `true` if none is waiting.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes waiting.
    fn bytes(&self) -> u64;

    /// Control variable, for traces: a probability, a count of drops, an average queue.
    fn control(&self) -> f64 {
        0.0
    }

    /// Every packet waiting.
    fn each(&self, see: &mut dyn FnMut(&Packet));

    /// Bytes of memory held beyond its own.
    fn memory(&self) -> usize;
}
