//! FIFO of packets that only travel: lists in time order, one after another.

use std::collections::VecDeque;

use congestion::Time;

use crate::kernel::Timed;
use crate::kernel::prefetch::prefetch;

/// From this length on a list is not added to, so that lists can be used again.
const LONG: usize = 128;

/// Packets on a link, in time order.
///
/// The packets that another region sends in a window arrive as a list, which is kept as it is: a packet on a link is
/// written once and read once.
#[derive(Debug, Default)]
pub struct Line<T> {
    /// The first list, of which `at` packets are gone; empty only if there is no packet.
    list: Vec<T>,
    at: usize,
    /// The lists after it; none is empty.
    later: VecDeque<Vec<T>>,
    /// Lists that are used up.
    spare: Vec<Vec<T>>,
}

impl<T: Timed> Line<T> {
    /// Number of packets held.
    pub fn len(&self) -> usize {
        self.list.len() - self.at + self.later.iter().map(Vec::len).sum::<usize>()
    }

    /// `true` if no packet is held.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Time of the first packet, [`Time::NEVER`] if there is none.
    #[inline]
    pub fn head_time(&self) -> Time {
        self.list.get(self.at).map_or(Time::NEVER, Timed::time)
    }

    /// The packet that has so many before it, if it is in the first list.
    #[inline]
    pub fn ahead(&self, before: usize) -> Option<&T> {
        self.list.get(self.at + before)
    }

    /// Append a packet and say whether it became the first one. Its time should not be before that of the
    /// last packet; where it is, it overtakes to keep the order.
    #[inline]
    pub fn push(&mut self, packet: T) -> bool {
        let leads = self.list.is_empty();
        let last = self.later.back_mut().unwrap_or(&mut self.list);
        if last.last().is_some_and(|last| packet.time() < last.time()) {
            return self.insert(packet);
        }
        if last.len() < LONG {
            last.push(packet);
            return leads;
        }
        let mut begun = self.spare.pop().unwrap_or_default();
        begun.push(packet);
        self.later.push_back(begun);
        false
    }

    /// Append a list in time order and say whether its first packet became the first one. An empty list is
    /// left instead.
    pub fn append(&mut self, packets: &mut Vec<T>) -> bool {
        debug_assert!(packets.is_sorted_by_key(Timed::time), "a list in time order");
        let Some(first) = packets.first() else { return false };
        let last = self.later.back().unwrap_or(&self.list);
        if last.last().is_some_and(|last| first.time() < last.time()) {
            return packets.drain(..).fold(false, |leads, packet| self.push(packet) | leads);
        }
        if self.is_empty() {
            std::mem::swap(&mut self.list, packets);
            return true;
        }
        self.later.push_back(std::mem::replace(packets, self.spare.pop().unwrap_or_default()));
        false
    }

    /// Take the first packet.
    ///
    /// # Panics
    /// If there is none.
    #[expect(clippy::inline_always, reason = "a copy per kind of event, whose branches are predicted apart")]
    #[inline(always)]
    pub fn take(&mut self) -> T {
        let packet = self.list[self.at];
        // Two cache lines ahead: the next packet but three.
        if let Some(ahead) = self.list.get(self.at + 4) {
            prefetch(ahead);
        }
        self.at += 1;
        if self.at == self.list.len() {
            self.turn();
        }
        packet
    }

    /// The packets, first to last.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.list[self.at..].iter().chain(self.later.iter().flatten())
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        let lists = [&self.list].into_iter().chain(&self.later).chain(&self.spare);
        lists.map(Vec::capacity).sum::<usize>() * size_of::<T>()
    }

    /// The first list is used up.
    fn turn(&mut self) {
        self.at = 0;
        self.list.clear();
        if let Some(next) = self.later.pop_front() {
            self.spare.push(std::mem::replace(&mut self.list, next));
        }
    }

    /// A packet that overtakes others.
    #[cold]
    fn insert(&mut self, packet: T) -> bool {
        let mut all: Vec<_> = self.iter().copied().collect();
        let at = all.partition_point(|other| other.time() <= packet.time());
        all.insert(at, packet);
        (self.list, self.at) = (all, 0);
        self.later.clear();
        at == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::item::Item;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Operation {
        /// Time after that of the last packet, or from the beginning of time.
        Push(u64, bool),
        Append(Vec<u64>, bool),
        Take(usize),
    }

    fn operation() -> impl Strategy<Value = Operation> {
        let after = || prop::bool::weighted(0.95);
        let times = prop::collection::vec(0u64..20, 0..2000);
        prop_oneof![
            (0u64..50, after()).prop_map(|(time, after)| Operation::Push(time, after)),
            (times, after()).prop_map(|(times, after)| Operation::Append(times, after)),
            (0usize..2000).prop_map(Operation::Take),
        ]
    }

    fn add(model: &mut Vec<Item>, packet: Item) -> bool {
        let at = model.partition_point(|p| p.time <= packet.time);
        model.insert(at, packet);
        at == 0
    }

    proptest! {
        /// Whatever is added and taken, packets leave in time order, equal times in order of arrival.
        #[test]
        fn behaves_like_a_stable_sorted_list(operations in prop::collection::vec(operation(), 0..40)) {
            let mut line = Line::default();
            let mut model: Vec<Item> = Vec::new();
            for (number, operation) in (0u32..).zip(operations) {
                let last = model.last().map_or(0, |packet| packet.time.0);
                let packet = |time, after| Item { time: Time(time + u64::from(after) * last), number };
                match operation {
                    Operation::Push(time, after) => {
                        let packet = packet(time, after);
                        prop_assert_eq!(line.push(packet), add(&mut model, packet));
                    }
                    Operation::Append(mut times, after) => {
                        times.sort_unstable();
                        let mut list: Vec<_> = times.iter().map(|&time| packet(time, after)).collect();
                        let mut leads = false;
                        for &packet in &list {
                            leads |= add(&mut model, packet);
                        }
                        prop_assert_eq!(line.append(&mut list), leads);
                        prop_assert!(list.is_empty());
                    }
                    Operation::Take(count) => {
                        for expected in model.drain(..count.min(model.len())) {
                            prop_assert_eq!(line.take(), expected);
                        }
                    }
                }
                prop_assert_eq!((line.len(), line.is_empty()), (model.len(), model.is_empty()));
                prop_assert_eq!(line.head_time(), model.first().map_or(Time::NEVER, |p| p.time));
                prop_assert!(line.iter().eq(model.iter()));
            }
        }
    }
}
