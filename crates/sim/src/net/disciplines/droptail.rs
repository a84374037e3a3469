//! First in, first out; arrivals beyond the buffer are dropped.

use std::collections::VecDeque;

use congestion::Time;
use serde::{Deserialize, Serialize};

use super::{DisciplineParameters, Server};
use crate::net::headers::Headers;
use crate::net::marking::Marking;
use crate::net::packet::Packet;
use crate::net::queue::{Buffer, QueueDiscipline};

/// Parameters of drop-tail.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct DropTailParameters {
    /// ECN rule.
    #[serde(rename = "mark_above", default)]
    pub marking: Marking,
}

impl DisciplineParameters for DropTailParameters {
    fn marking(&self) -> Marking {
        self.marking
    }

    fn queue(&self, _server: &Server) -> Option<Box<dyn QueueDiscipline>> {
        None
    }
}

/// Parameters of drop-tail with a real queue.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct QueuedDropTailParameters {
    /// ECN rule.
    #[serde(rename = "mark_above", default)]
    pub marking: Marking,
}

impl DisciplineParameters for QueuedDropTailParameters {
    const INTERNAL: bool = true;

    fn marking(&self) -> Marking {
        self.marking
    }

    fn queue(&self, server: &Server) -> Option<Box<dyn QueueDiscipline>> {
        Some(Box::new(DropTail::new(server.buffer)))
    }
}

/// Drop-tail with a real queue.
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

    /// Append a packet of `bytes`, if there is room.
    pub(super) fn push(&mut self, packet: Packet, bytes: u32) -> bool {
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

    /// The first packet and its bytes.
    pub(super) fn pop(&mut self) -> Option<(Packet, u32)> {
        let (packet, bytes) = self.queue.pop_front()?;
        self.bytes -= u64::from(bytes);
        Some((packet, bytes))
    }
}

impl QueueDiscipline for DropTail {
    fn enqueue(&mut self, packet: Packet, bytes: u32, _now: Time, _headers: &mut Headers) -> bool {
        self.push(packet, bytes)
    }

    fn dequeue(&mut self, _now: Time, _dropped: &mut Vec<Packet>, _headers: &mut Headers) -> Option<Packet> {
        self.pop().map(|(packet, _)| packet)
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn each(&self, see: &mut dyn FnMut(&Packet)) {
        self.queue.iter().for_each(|(packet, _)| see(packet));
    }
}
