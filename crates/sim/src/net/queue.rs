//! Queue disciplines that decide when a packet comes or goes.
//!
//! Drop-tail needs none of this: its departures are known on arrival. A discipline that acts on dequeue
//! keeps its packets itself and is asked for the next one whenever the server is free.

use std::collections::VecDeque;
use std::fmt;

use crate::net::packet::Packet;
use crate::scenario::spec::Buffer;

/// A queue in front of a server.
pub trait QueueDiscipline: fmt::Debug + Send {
    /// A packet of `bytes` arrives at `now` [ps]; `false` drops it.
    fn enqueue(&mut self, packet: Packet, bytes: u32, now: u64) -> bool;

    /// The server is free at `now`: the next packet, if any. Packets that the discipline drops on the way
    /// are appended to `dropped`.
    fn dequeue(&mut self, now: u64, dropped: &mut Vec<Packet>) -> Option<Packet>;

    /// Packets waiting.
    fn len(&self) -> usize;

    /// Whether none is waiting.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Packets waiting that count in the conservation of packets.
    fn forward(&self) -> u64;
}

/// First in, first out; arrivals beyond the buffer are dropped.
#[derive(Debug)]
pub struct DropTail {
    queue: VecDeque<(Packet, u32)>,
    bytes: u64,
    buffer: Option<Buffer>,
}

impl DropTail {
    /// An empty queue.
    #[must_use]
    pub fn new(buffer: Option<Buffer>) -> Self {
        Self { queue: VecDeque::new(), bytes: 0, buffer }
    }
}

impl QueueDiscipline for DropTail {
    fn enqueue(&mut self, packet: Packet, bytes: u32, _now: u64) -> bool {
        let fits = match self.buffer {
            None => true,
            Some(Buffer::Packets(limit)) => (self.queue.len() as u64) < limit,
            Some(Buffer::Bytes(limit)) => self.bytes + u64::from(bytes) <= limit,
        };
        if fits {
            self.bytes += u64::from(bytes);
            self.queue.push_back((packet, bytes));
        }
        fits
    }

    fn dequeue(&mut self, _now: u64, _dropped: &mut Vec<Packet>) -> Option<Packet> {
        let (packet, bytes) = self.queue.pop_front()?;
        self.bytes -= u64::from(bytes);
        Some(packet)
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn forward(&self) -> u64 {
        self.queue.iter().filter(|(packet, _)| packet.kind.is_forward()).count() as u64
    }
}
