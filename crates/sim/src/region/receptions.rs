//! Receptions of a region that splits into passes: its hosts take packets station by station, and end with them in time order.
//!
//! A host serves the packets of one station in the order in which they depart, so the end of each is known on
//! arrival: the later of its arrival and the end of the one before, and the time of service. No event has to say that a
//! host is free. What ends in a window is sorted once; what ends later waits in a heap.
//!
//! Receptions that end at one instant have the order that one loop of events gives them: interface class, begin of
//! service, then those for which the host was idle by station, then the others in the order of those before them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use congestion::Time;

use crate::net::packet::Packet;

/// Low bits of a key, for the interface class.
const CLASS_BITS: u32 = 6;
/// Receptions that are looked ahead, so that memory arrives in time.
const AHEAD: usize = 3;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Receptions {
    hosts: Vec<Host>,
    /// Packets that are received in this window, and their order.
    packets: Vec<Packet>,
    order: Vec<Reception>,
    /// Number of receptions in `order` that are over.
    over: usize,
    /// Receptions that end after the window.
    late: BinaryHeap<Reverse<Late>>,
    /// Receptions over in the whole run, modulo 2^32.
    count: u32,
}

/// The interface of a receiving host.
#[derive(Clone, Copy, Debug, Default)]
struct Host {
    /// End of its last reception [ps], in two halves: so a host takes 12 bytes.
    free: [u32; 2],
    /// Number of its last reception that is over.
    last: u32,
}

/// A reception that ends in this window.
#[derive(Clone, Copy, Debug)]
struct Reception {
    /// Its end, and the interface class in the low bits.
    key: u64,
    /// Place of the packet.
    at: u32,
    /// The host was busy when it arrived.
    waited: bool,
}

/// A reception that ends after this window.
#[derive(Debug)]
struct Late {
    key: u64,
    waited: bool,
    packet: Packet,
}
