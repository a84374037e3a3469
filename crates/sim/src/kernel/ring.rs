//! A growing FIFO of packets with a power-of-two capacity.

use std::hint::select_unpredictable;

use congestion::Time;

use crate::kernel::Timed;
use crate::kernel::prefetch::prefetch;

/// FIFO of packets in time order.
#[derive(Debug, Default)]
pub struct Ring<T> {
    buffer: Vec<T>,
    head: usize,
    len: usize,
}

impl<T: Timed> Ring<T> {
    /// Number of packets held.
    pub fn len(&self) -> usize {
        self.len
    }

    /// `true` if no packet is held.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Time of the first packet, [`Time::NEVER`] if there is none.
    pub fn head_time(&self) -> Time {
        if self.len == 0 { Time::NEVER } else { self.buffer[self.head].time() }
    }

    /// Append a packet and say whether it became the first one. Its time should not be before that of the
    /// last packet; where it is (a short packet behind a long one), it overtakes to keep the order.
    #[inline]
    pub fn push(&mut self, packet: T) -> bool {
        if self.len == self.buffer.len() {
            self.grow();
        }
        let mask = self.buffer.len() - 1;
        let end = self.head + self.len;
        if self.len > 0 && self.buffer[(end - 1) & mask].time() > packet.time() {
            return self.insert(packet);
        }
        self.buffer[end & mask] = packet;
        self.len += 1;
        self.len == 1
    }

    /// Take the first packet.
    ///
    /// # Panics
    /// If there is none.
    #[expect(clippy::inline_always, reason = "a copy per kind of event, whose branches are predicted apart")]
    #[inline(always)]
    pub fn take(&mut self) -> T {
        assert!(self.len > 0, "a channel with a head time holds a packet");
        let packet = self.buffer[self.head];
        self.len -= 1;
        // Two cache lines ahead: the next packet but three.
        prefetch(&self.buffer[(self.head + 4) & (self.buffer.len() - 1)]);
        // A ring that runs empty starts over, so that it touches no more memory than it needs.
        let next = (self.head + 1) & (self.buffer.len() - 1);
        self.head = select_unpredictable(self.len == 0, 0, next);
        if self.head == 0 && self.len > 0 {
            self.shrink();
        }
        packet
    }

    /// The packets, first to last.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let mask = self.buffer.len().wrapping_sub(1);
        (0..self.len).map(move |i| &self.buffer[(self.head + i) & mask])
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.buffer.capacity() * size_of::<T>()
    }

    /// A packet that overtakes others; there is room for it.
    #[cold]
    fn insert(&mut self, packet: T) -> bool {
        let mask = self.buffer.len() - 1;
        let mut at = self.len;
        while at > 0 && self.buffer[(self.head + at - 1) & mask].time() > packet.time() {
            self.buffer[(self.head + at) & mask] = self.buffer[(self.head + at - 1) & mask];
            at -= 1;
        }
        self.buffer[(self.head + at) & mask] = packet;
        self.len += 1;
        at == 0
    }

    #[cold]
    fn grow(&mut self) {
        let before = self.buffer.len();
        self.buffer.resize((before * 2).max(8), T::default());
        // What went on from the start of the buffer goes on behind it.
        self.buffer.copy_within(..self.head, before);
    }

    /// A ring that goes round with its first places alone goes on in half of them: after a peak it would
    /// drag a long empty stretch through the caches.
    #[cold]
    fn shrink(&mut self) {
        if self.len <= self.buffer.len() / 4 {
            self.buffer.truncate(self.buffer.len() / 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::item::Item;
    use proptest::prelude::*;

    fn packet(time: u64, number: u32) -> Item {
        Item { time: Time(time), number }
    }

    proptest! {
        /// Whatever is pushed and popped, packets leave in time order, equal times in order of arrival.
        #[test]
        fn behaves_like_a_stable_sorted_list(operations in prop::collection::vec(prop::option::of(0u64..50), 0..200)) {
            let mut ring = Ring::default();
            let mut model: Vec<Item> = Vec::new();
            for (number, operation) in (0u32..).zip(operations) {
                if let Some(time) = operation {
                    let at = model.partition_point(|p| p.time.0 <= time);
                    model.insert(at, packet(time, number));
                    prop_assert_eq!(ring.push(packet(time, number)), at == 0);
                } else if !model.is_empty() {
                    prop_assert_eq!(ring.take(), model.remove(0));
                }
                prop_assert_eq!(ring.len(), model.len());
                prop_assert_eq!(ring.head_time(), model.first().map_or(Time::NEVER, |p| p.time));
                prop_assert!(ring.iter().eq(model.iter()));
            }
        }
    }
}
