//! The future-event set of a region: the fast one, and a plain one that it must equal.

use std::collections::BTreeMap;

use crate::kernel::ring::Ring;
use crate::kernel::tree::WinnerTree;
use crate::net::packet::Packet;

/// Channels of packets, of which channel 0 stands for the timers and holds none.
///
/// Packets come out in the order (time, channel, order of arrival in the channel).
pub trait Channels: Send {
    /// Whether stations may take the paths that are there only to be fast.
    const SHORTCUTS: bool;

    /// Empty channels, and no timer.
    fn new(channels: usize) -> Self;

    /// Time of the first event and its channel; a time above every horizon if there is none.
    fn first(&self) -> (u64, usize);

    /// Take the first packet of a channel.
    ///
    /// # Panics
    /// If there is none.
    fn take(&mut self, channel: usize) -> Packet;

    /// Add a packet, whose time is set.
    fn push(&mut self, channel: usize, packet: Packet);

    /// The first timer is now at `time`; `u64::MAX` if there is none.
    fn set_timer(&mut self, time: u64);

    /// The packets of a channel, first to last.
    fn packets(&self, channel: usize) -> impl Iterator<Item = &Packet>;

    /// How many there are.
    fn len(&self, channel: usize) -> usize;

    /// Bytes of memory held.
    fn memory(&self) -> usize;
}

/// One ring per channel and a winner tree over their heads: what runs use.
#[derive(Debug)]
pub struct Rings {
    rings: Vec<Ring>,
    tree: WinnerTree,
}

impl Channels for Rings {
    const SHORTCUTS: bool = true;

    fn new(channels: usize) -> Self {
        Self { rings: (0..channels).map(|_| Ring::default()).collect(), tree: WinnerTree::new(channels) }
    }

    #[inline]
    fn first(&self) -> (u64, usize) {
        self.tree.first()
    }

    #[inline]
    fn take(&mut self, channel: usize) -> Packet {
        let ring = &mut self.rings[channel];
        let packet = ring.take();
        self.tree.set(channel, ring.head_time());
        packet
    }

    #[inline]
    fn push(&mut self, channel: usize, packet: Packet) {
        if self.rings[channel].push(packet) {
            self.tree.set(channel, packet.time);
        }
    }

    #[inline]
    fn set_timer(&mut self, time: u64) {
        self.tree.set(0, time);
    }

    fn packets(&self, channel: usize) -> impl Iterator<Item = &Packet> {
        self.rings[channel].iter()
    }

    fn len(&self, channel: usize) -> usize {
        self.rings[channel].len()
    }

    fn memory(&self) -> usize {
        self.rings.iter().map(Ring::memory).sum()
    }
}

/// One sorted map per channel, and a look at all of them for every event. It keeps no head times, and
/// stations count what they hold. Slow, and plain enough to be believed.
#[derive(Debug)]
pub struct SortedMaps {
    channels: Vec<BTreeMap<(u64, u64), Packet>>,
    arrivals: u64,
    timer: u64,
}

impl Channels for SortedMaps {
    const SHORTCUTS: bool = false;

    fn new(channels: usize) -> Self {
        Self { channels: vec![BTreeMap::new(); channels], arrivals: 0, timer: u64::MAX }
    }

    fn first(&self) -> (u64, usize) {
        let heads = self.channels.iter().enumerate().skip(1);
        heads
            .filter_map(|(at, packets)| packets.first_key_value().map(|(&(time, _), _)| (time, at)))
            .chain([(self.timer, 0)])
            .min()
            .unwrap_or((u64::MAX, 0))
    }

    fn take(&mut self, channel: usize) -> Packet {
        self.channels[channel].pop_first().expect("a channel with a head time holds a packet").1
    }

    fn push(&mut self, channel: usize, packet: Packet) {
        self.arrivals += 1;
        self.channels[channel].insert((packet.time, self.arrivals), packet);
    }

    fn set_timer(&mut self, time: u64) {
        self.timer = time;
    }

    fn packets(&self, channel: usize) -> impl Iterator<Item = &Packet> {
        self.channels[channel].values()
    }

    fn len(&self, channel: usize) -> usize {
        self.channels[channel].len()
    }

    fn memory(&self) -> usize {
        self.channels.iter().map(BTreeMap::len).sum::<usize>() * size_of::<((u64, u64), Packet)>()
    }
}
