//! The future-event set of a region. Tests have a plain one, which this must equal: `crates/sim/tests/sorted_maps.rs`.

use congestion::Time;

use crate::kernel::Timed;
use crate::kernel::line::Line;
use crate::kernel::ring::Ring;
use crate::kernel::tree::WinnerTree;

/// Channels of packets, of which channel 0 stands for the timers and holds none.
///
/// A channel is used as a queue or as a line, which may be kept in different ways.
///
/// Packets come out in the order (time, channel, order of arrival in the channel).
pub trait Channels<T: Timed>: Send {
    /// Stations may take the paths that are there only to be fast.
    const SHORTCUTS: bool;

    /// Empty channels, and no timer.
    fn new(channels: usize) -> Self;

    /// Time of the first event and its channel; a time above every horizon if there is none.
    fn first(&self) -> (Time, usize);

    /// Take the first packet of a queue.
    ///
    /// # Panics
    /// If there is none.
    fn take(&mut self, channel: usize) -> T;

    /// Take the first packet of a line.
    ///
    /// # Panics
    /// If there is none.
    fn take_line(&mut self, channel: usize) -> T;

    /// A packet of a line that has so many before it, if it can be told at once; for hints alone.
    fn ahead(&self, channel: usize, before: usize) -> Option<&T>;

    /// Add a packet, whose time is set, to a queue.
    fn push(&mut self, channel: usize, packet: T);

    /// Add a packet, whose time is set, to a line.
    fn push_line(&mut self, channel: usize, packet: T);

    /// Add packets in time order to a line, and leave none.
    fn append(&mut self, channel: usize, packets: &mut Vec<T>);

    /// The first timer is now at `time`; [`Time::NEVER`] if there is none.
    fn set_timer(&mut self, time: Time);

    /// The packets of a queue, first to last.
    fn packets(&self, channel: usize) -> impl Iterator<Item = &T>;

    /// Number of packets in a queue.
    fn len(&self, channel: usize) -> usize;

    /// The packets of a queue or a line, first to last.
    fn all(&self, channel: usize) -> impl Iterator<Item = &T>;

    /// Bytes of memory held.
    fn memory(&self) -> usize;
}

/// A ring per queue, lists per line, and a winner tree over the heads of all: what runs use.
#[derive(Debug)]
pub struct Fifos<T> {
    rings: Vec<Ring<T>>,
    lines: Vec<Line<T>>,
    tree: WinnerTree,
}

impl<T: Timed> Channels<T> for Fifos<T> {
    const SHORTCUTS: bool = true;

    fn new(channels: usize) -> Self {
        Self {
            rings: (0..channels).map(|_| Ring::default()).collect(),
            lines: (0..channels).map(|_| Line::default()).collect(),
            tree: WinnerTree::new(channels),
        }
    }

    #[inline]
    fn first(&self) -> (Time, usize) {
        self.tree.first()
    }

    #[expect(clippy::inline_always, reason = "a copy per kind of event, whose branches are predicted apart")]
    #[inline(always)]
    fn take(&mut self, channel: usize) -> T {
        let ring = &mut self.rings[channel];
        let packet = ring.take();
        self.tree.walk(channel, ring.head_time());
        packet
    }

    #[expect(clippy::inline_always, reason = "a copy per kind of event, whose branches are predicted apart")]
    #[inline(always)]
    fn take_line(&mut self, channel: usize) -> T {
        let line = &mut self.lines[channel];
        let packet = line.take();
        self.tree.walk(channel, line.head_time());
        packet
    }

    #[inline]
    fn ahead(&self, channel: usize, before: usize) -> Option<&T> {
        self.lines[channel].ahead(before)
    }

    #[inline]
    fn push(&mut self, channel: usize, packet: T) {
        let time = packet.time();
        if self.rings[channel].push(packet) {
            self.tree.set(channel, time);
        }
    }

    #[inline]
    fn push_line(&mut self, channel: usize, packet: T) {
        let time = packet.time();
        if self.lines[channel].push(packet) {
            self.tree.set(channel, time);
        }
    }

    fn append(&mut self, channel: usize, packets: &mut Vec<T>) {
        let line = &mut self.lines[channel];
        if line.append(packets) {
            self.tree.set(channel, line.head_time());
        }
    }

    #[inline]
    fn set_timer(&mut self, time: Time) {
        self.tree.set(0, time);
    }

    fn packets(&self, channel: usize) -> impl Iterator<Item = &T> {
        self.rings[channel].iter()
    }

    fn len(&self, channel: usize) -> usize {
        self.rings[channel].len()
    }

    fn all(&self, channel: usize) -> impl Iterator<Item = &T> {
        self.packets(channel).chain(self.lines[channel].iter())
    }

    fn memory(&self) -> usize {
        self.rings.iter().map(Ring::memory).chain(self.lines.iter().map(Line::memory)).sum()
    }
}
