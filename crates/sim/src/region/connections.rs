//! Connections of a region: the sending ends.

use std::ops::{Index, IndexMut};

use congestion::{Duration, Time};

use super::NONE;
use super::jitter::Jitter;
use crate::kernel::prefetch::{prefetch, prefetch_whole};
use crate::net::packet::{self, Kind, Packet};
use crate::tcp::sender::Sender;

/// State of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    #[default]
    Idle,
    Connecting,
    Sending,
    /// No connection at all: a place for the datagrams of an application.
    Datagrams,
}

/// The sending end of a connection, from the first SYN to the last ACK.
#[derive(Debug, Default)]
pub(crate) struct Connection {
    pub state: State,
    pub generation: u16,
    /// Number of the source within the region.
    pub source: u32,
    pub peer: Peer,
    pub path: Path,
    pub class: Class,
    /// SYNs sent.
    pub tries: u8,
    /// The interface is serialising a packet.
    pub busy: bool,
    /// Fates of its segments are recorded, or its packets.
    pub traced: bool,
    /// Segments to send.
    pub size: u64,
    /// When the first segment was sent.
    pub started: Time,
    /// RTT of an empty network.
    pub base_rtt: Duration,
    pub timers: PendingTimers,
    /// A pacing timer is set. Here, where there is room for a byte.
    pub pacing: bool,
    pub sender: Option<Sender>,
}

/// The receiving end of a connection, as its SYN+ACK named it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    /// Connection at the receiver, `NONE` before the SYN+ACK.
    pub slot: u32,
    pub generation: u16,
}

impl Default for Peer {
    fn default() -> Self {
        Self { slot: NONE, generation: 0 }
    }
}

/// Both ends of the way that a connection's packets take.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Path {
    /// Station that they enter, within the region.
    pub station: u16,
    /// Site that they are bound for.
    pub site: u16,
    /// Receiving host within its region.
    pub host: u32,
}

impl Path {
    /// A packet of the sender in `slot` to the receiving host; generation and interface are left to the caller.
    #[inline]
    pub fn packet(self, kind: Kind, slot: u32, seq: u32, now: Time) -> Packet {
        Packet {
            time: now,
            slot,
            seq,
            stamp: packet::stamp(now),
            extent: self.host,
            span: 0,
            generation: 0,
            site: self.site,
            interface: 0,
            kind,
        }
    }
}

/// Classes that statistics are kept by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Class {
    pub interface: u8,
    /// Classes of the two sites.
    pub pair: u8,
    /// Type of the file.
    pub file: u8,
    /// Its source is a member of the population.
    pub of_population: bool,
}

/// Timers of a connection that are set, `NEVER` if none is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingTimers {
    /// Earliest retransmission timer.
    pub rto: Time,
    /// Earliest wake-up of the controller.
    pub wakeup: Time,
}

impl Default for PendingTimers {
    fn default() -> Self {
        Self { rto: Time::NEVER, wakeup: Time::NEVER }
    }
}

/// Connections by slot.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    slots: Vec<Connection>,
    free: Vec<u32>,
    /// Random delays of their hosts.
    pub jitter: Jitter,
}

impl Connections {
    /// Put a connection into a free slot; it gets the generation that the slot is at.
    pub fn open(&mut self, connection: Connection) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Connection::default());
            u32::try_from(self.slots.len() - 1).unwrap_or(NONE)
        });
        let generation = self[slot].generation;
        self[slot] = Connection { generation, ..connection };
        self.jitter.forget(slot);
        slot
    }

    /// Free a slot, so that timers and packets of its connection are void.
    pub fn close(&mut self, slot: u32) {
        let connection = &mut self[slot];
        connection.state = State::Idle;
        connection.generation = connection.generation.wrapping_add(1);
        self.free.push(slot);
    }

    /// The connection in a slot, if there is such a slot.
    pub fn get_mut(&mut self, slot: u32) -> Option<&mut Connection> {
        self.slots.get_mut(slot as usize)
    }

    /// The sender in a slot, if there is one.
    pub fn sender(&self, slot: u32) -> Option<&Sender> {
        self.slots.get(slot as usize)?.sender.as_ref()
    }

    /// Ask for the memory of the connection in a slot.
    #[inline]
    pub fn prefetch(&self, slot: u32) {
        if let Some(connection) = self.slots.get(slot as usize) {
            prefetch_whole(connection);
        }
    }

    /// Ask for the controller of the connection in a slot.
    #[inline]
    pub fn prefetch_controller(&self, slot: u32) {
        if let Some(sender) = self.sender(slot) {
            prefetch(&*sender.control.algorithm);
        }
    }

    /// `true` if a timer of this generation concerns the connection in a slot.
    pub fn is_current(&self, slot: u32, generation: u16) -> bool {
        let connection = self.slots.get(slot as usize);
        connection.is_some_and(|c| c.generation == generation && c.state != State::Idle)
    }

    /// Connections in the order of slots, free slots included.
    pub fn iter(&self) -> impl Iterator<Item = &Connection> {
        self.slots.iter()
    }

    /// Bytes of memory held: slots with the jitter of their hosts, and the list of free ones.
    pub fn memory(&self) -> (usize, usize) {
        let list = self.free.capacity() * size_of::<u32>();
        (self.slots.capacity() * size_of::<Connection>() + self.jitter.memory(), list)
    }
}

impl Index<u32> for Connections {
    type Output = Connection;

    #[inline]
    fn index(&self, slot: u32) -> &Connection {
        &self.slots[slot as usize]
    }
}

impl IndexMut<u32> for Connections {
    #[inline]
    fn index_mut(&mut self, slot: u32) -> &mut Connection {
        &mut self.slots[slot as usize]
    }
}
