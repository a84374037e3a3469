//! A growing FIFO of packets with a power-of-two capacity.

use crate::kernel::prefetch::prefetch;
use crate::net::packet::Packet;

/// FIFO of packets in time order.
#[derive(Debug, Default)]
pub struct Ring {
    buffer: Vec<Packet>,
    head: usize,
    len: usize,
}

impl Ring {
    /// Number of packets held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no packet is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Time of the first packet, `u64::MAX` if there is none.
    #[must_use]
    pub fn head_time(&self) -> u64 {
        if self.len == 0 { u64::MAX } else { self.buffer[self.head].time }
    }

    /// Append a packet and say whether it became the first one. Its time should not be before that of the
    /// last packet; where it is (a short packet behind a long one), it overtakes to keep the order.
    #[inline]
    pub fn push(&mut self, packet: Packet) -> bool {
        if self.len == self.buffer.len() {
            self.grow();
        }
        let mask = self.buffer.len() - 1;
        let mut at = self.len;
        while at > 0 && self.buffer[(self.head + at - 1) & mask].time > packet.time {
            self.buffer[(self.head + at) & mask] = self.buffer[(self.head + at - 1) & mask];
            at -= 1;
        }
        self.buffer[(self.head + at) & mask] = packet;
        self.len += 1;
        at == 0
    }

    /// Take the first packet.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub fn take(&mut self) -> Packet {
        assert!(self.len > 0, "a channel with a head time holds a packet");
        let packet = self.buffer[self.head];
        self.len -= 1;
        // Two cache lines ahead: the next packet but three.
        prefetch(&self.buffer[(self.head + 4) & (self.buffer.len() - 1)]);
        // A ring that runs empty starts over, so that it touches no more memory than it needs.
        self.head = if self.len == 0 { 0 } else { (self.head + 1) & (self.buffer.len() - 1) };
        if self.head == 0 && self.len > 0 {
            self.shrink();
        }
        packet
    }

    /// The packets, first to last.
    pub fn iter(&self) -> impl Iterator<Item = &Packet> {
        let mask = self.buffer.len().wrapping_sub(1);
        (0..self.len).map(move |i| &self.buffer[(self.head + i) & mask])
    }

    /// Bytes of memory held.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.buffer.capacity() * size_of::<Packet>()
    }

    #[cold]
    fn grow(&mut self) {
        let before = self.buffer.len();
        self.buffer.resize((before * 2).max(8), Packet::default());
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
    use proptest::prelude::*;

    fn packet(time: u64, seq: u32) -> Packet {
        Packet { time, seq, ..Packet::default() }
    }

    proptest! {
        /// Whatever is pushed and popped, packets leave in time order, equal times in order of arrival.
        #[test]
        fn behaves_like_a_stable_sorted_list(operations in prop::collection::vec(prop::option::of(0u64..50), 0..200)) {
            let mut ring = Ring::default();
            let mut model: Vec<Packet> = Vec::new();
            for (seq, operation) in (0u32..).zip(operations) {
                if let Some(time) = operation {
                    let at = model.partition_point(|p| p.time <= time);
                    model.insert(at, packet(time, seq));
                    prop_assert_eq!(ring.push(packet(time, seq)), at == 0);
                } else if !model.is_empty() {
                    prop_assert_eq!(ring.take(), model.remove(0));
                }
                prop_assert_eq!(ring.len(), model.len());
                prop_assert_eq!(ring.head_time(), model.first().map_or(u64::MAX, |p| p.time));
                prop_assert!(ring.iter().eq(model.iter()));
            }
        }
    }
}
