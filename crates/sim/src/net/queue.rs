//! Queue disciplines that decide when a packet comes or goes, or write into its header.
//!
//! Drop-tail needs none of this: its departures are known on arrival. A discipline that acts on dequeue
//! keeps its packets itself and is asked for the next one whenever the server is free.

use std::fmt;

use congestion::Time;
use serde::{Deserialize, Serialize};

use crate::net::headers::Headers;
use crate::net::packet::Packet;

/// Room in a queue.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Buffer {
    /// Packets.
    Packets(u64),
    /// Bytes.
    Bytes(u64),
}

/// A queue in front of a server.
pub trait QueueDiscipline: fmt::Debug + Send {
    /// A packet of `bytes` arrives at `now` and has to wait; `false` drops it.
    fn enqueue(&mut self, packet: Packet, bytes: u32, now: Time, headers: &mut Headers) -> bool;

    /// A packet of `bytes` arrives at `now` and finds the server free: it goes into service at once.
    fn pass(&mut self, _packet: &Packet, _bytes: u32, _now: Time, _headers: &mut Headers) {}

    /// The server is free at `now`: the next packet, if any. Packets that the discipline drops on the way
    /// are appended to `dropped`.
    fn dequeue(&mut self, now: Time, dropped: &mut Vec<Packet>, headers: &mut Headers) -> Option<Packet>;

    /// Packets waiting.
    fn len(&self) -> usize;

    /// `true` if none is waiting.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every packet waiting.
    fn each(&self, see: &mut dyn FnMut(&Packet));
}
