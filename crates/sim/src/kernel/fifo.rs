//! FIFO of entries whose times never go back, without a look at them.

use crate::kernel::prefetch::prefetch;

/// Entries in a buffer whose length is a power of two, or none.
///
/// Places are counted without end and taken modulo the length, so that the number held is a difference.
#[derive(Debug, Default)]
pub struct Fifo<T> {
    buffer: Vec<T>,
    head: u32,
    tail: u32,
}

impl<T: Copy + Default> Fifo<T> {
    /// Number of entries held.
    #[inline]
    pub fn len(&self) -> usize {
        self.tail.wrapping_sub(self.head) as usize
    }

    /// `true` if no entry is held.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.head == self.tail
    }

    /// Append an entry and say whether it became the first one.
    #[inline]
    pub fn push(&mut self, entry: T) -> bool {
        self.make_room();
        let at = self.tail as usize & (self.buffer.len() - 1);
        self.buffer[at] = entry;
        let leads = self.is_empty();
        self.tail = self.tail.wrapping_add(1);
        leads
    }

    /// See that the next entry has a place, so that nothing has to be kept while memory is asked for.
    #[inline]
    pub fn make_room(&mut self) {
        if self.len() == self.buffer.len() {
            self.grow(1);
        }
    }

    /// Append entries, changed.
    pub fn extend(&mut self, entries: &[T], change: impl Fn(&T) -> T) {
        let room = self.buffer.len() - self.len();
        if room < entries.len() {
            self.grow(entries.len() - room);
        }
        let at = self.tail as usize & self.buffer.len().saturating_sub(1);
        let (before, after) = self.buffer.split_at_mut(at);
        for (place, entry) in after.iter_mut().chain(before).zip(entries) {
            *place = change(entry);
        }
        self.tail = self.tail.wrapping_add(u32::try_from(entries.len()).unwrap_or(u32::MAX));
    }

    /// The first entry, without a branch: another one if there is none.
    ///
    /// # Panics
    /// If there has never been one.
    #[inline]
    pub fn next(&self) -> &T {
        &self.buffer[self.head as usize & (self.buffer.len() - 1)]
    }

    /// The entry that has so many before it, a stale one if there is none; for hints alone.
    ///
    /// # Panics
    /// If there has never been one.
    #[inline]
    pub fn ahead(&self, before: u32) -> &T {
        &self.buffer[self.head.wrapping_add(before) as usize & (self.buffer.len() - 1)]
    }

    /// Take the first entry.
    ///
    /// # Panics
    /// If there has never been one. An entry that is taken from an empty FIFO is a stale one.
    #[inline]
    pub fn take(&mut self) -> T {
        self.take_and_look().0
    }

    /// Take the first entry; with it comes a look at the one behind it, a stale one if there is none.
    ///
    /// # Panics
    /// If there has never been one.
    #[inline]
    pub fn take_and_look(&mut self) -> (T, &T) {
        debug_assert!(!self.is_empty(), "a channel with a head time holds a packet");
        let mask = self.buffer.len() - 1;
        let entry = self.buffer[self.head as usize & mask];
        self.head = self.head.wrapping_add(1);
        // Two cache lines ahead where two entries share one.
        prefetch(&self.buffer[self.head.wrapping_add(3) as usize & mask]);
        (entry, &self.buffer[self.head as usize & mask])
    }

    /// Move the front entry to another FIFO and map it there; whether that was empty, and the next entry here, a stale one
    /// if there is none.
    ///
    /// # Panics
    /// If there has never been one.
    #[inline]
    pub fn move_front_to(&mut self, other: &mut Self, change: impl FnOnce(&mut T)) -> (bool, &T) {
        debug_assert!(!self.is_empty(), "a channel with a head time holds a packet");
        other.make_room();
        let mask = self.buffer.len() - 1;
        let theirs = other.buffer.len() - 1;
        let place = &mut other.buffer[other.tail as usize & theirs];
        *place = self.buffer[self.head as usize & mask];
        change(place);
        let leads = other.head == other.tail;
        other.tail = other.tail.wrapping_add(1);
        self.head = self.head.wrapping_add(1);
        prefetch(&self.buffer[self.head.wrapping_add(3) as usize & mask]);
        (leads, &self.buffer[self.head as usize & mask])
    }

    /// Leave no entry.
    pub fn clear(&mut self) {
        self.head = self.tail;
    }

    /// Make it touch no more memory than it needs: an empty one starts over, and one that has become much shorter goes
    /// on in half of its buffer.
    pub fn settle(&mut self) {
        if self.is_empty() {
            (self.head, self.tail) = (0, 0);
        }
        let half = self.buffer.len() / 2;
        let mask = self.buffer.len().wrapping_sub(1);
        let at = self.head as usize & mask;
        if half >= 8 && self.len() <= half / 4 && at + self.len() <= half {
            let len = self.tail.wrapping_sub(self.head);
            self.buffer.truncate(half);
            self.head &= u32::try_from(mask).unwrap_or(u32::MAX);
            self.tail = self.head + len;
        }
    }

    /// The entries, first to last: those before the end of the buffer, and those behind its beginning.
    pub fn slices(&self) -> (&[T], &[T]) {
        if self.is_empty() {
            return (&[], &[]);
        }
        let at = self.head as usize & (self.buffer.len() - 1);
        let end = at + self.len();
        if end <= self.buffer.len() {
            return (&self.buffer[at..end], &[]);
        }
        (&self.buffer[at..], &self.buffer[..end - self.buffer.len()])
    }

    /// The entries, first to last.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let (before, after) = self.slices();
        before.iter().chain(after)
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.buffer.capacity() * size_of::<T>()
    }

    /// Room for more entries, `least` at least.
    #[cold]
    fn grow(&mut self, least: usize) {
        let (before, len) = (self.buffer.len(), self.len());
        let after = (before + least).next_power_of_two().max(8);
        let from = self.head as usize & before.wrapping_sub(1);
        self.buffer.rotate_left(if before == 0 { 0 } else { from });
        self.buffer.resize(after, T::default());
        self.head = 0;
        self.tail = u32::try_from(len).expect("fewer than 2^32 packets are in one place");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Operation {
        Push(u32),
        Extend(u32),
        Take(u32),
        Clear,
        Settle,
    }

    fn operation() -> impl Strategy<Value = Operation> {
        prop_oneof![
            8 => (1u32..20).prop_map(Operation::Push),
            2 => (0u32..100).prop_map(Operation::Extend),
            8 => (1u32..40).prop_map(Operation::Take),
            1 => Just(Operation::Clear),
            4 => Just(Operation::Settle),
        ]
    }

    proptest! {
        #[test]
        fn behaves_like_a_queue(operations in prop::collection::vec(operation(), 0..200), start in any::<u32>()) {
            let mut fifo = Fifo { head: start, tail: start, ..Fifo::default() };
            let mut model = std::collections::VecDeque::new();
            let mut next = 0;
            for operation in operations {
                match operation {
                    Operation::Push(count) => {
                        for _ in 0..count {
                            next += 1;
                            prop_assert_eq!(fifo.push(next), model.is_empty());
                            model.push_back(next);
                        }
                    }
                    Operation::Extend(count) => {
                        let numbers: Vec<u32> = (0..count).collect();
                        fifo.extend(&numbers, |number| next + 1 + number);
                        model.extend(next + 1..next + 1 + count);
                        next += count;
                    }
                    Operation::Take(count) => {
                        for _ in 0..count.min(u32::try_from(model.len()).expect("it is small")) {
                            prop_assert_eq!(Some(fifo.take()), model.pop_front());
                        }
                    }
                    Operation::Clear => {
                        fifo.clear();
                        model.clear();
                    }
                    Operation::Settle => fifo.settle(),
                }
                prop_assert_eq!((fifo.len(), fifo.is_empty()), (model.len(), model.is_empty()));
                prop_assert!(fifo.is_empty() || Some(fifo.next()) == model.front());
                prop_assert!(fifo.iter().eq(model.iter()));
            }
        }

        /// After a peak it holds on to no more than it needs.
        #[test]
        fn settles_to_the_least_buffer(count in 1u32..2000) {
            let mut fifo = Fifo::default();
            fifo.extend(&(0..count).collect::<Vec<_>>(), |number| *number);
            (0..count).for_each(|_| { fifo.take(); });
            (0..20).for_each(|_| fifo.settle());
            prop_assert_eq!(fifo.buffer.len(), 8.min(fifo.buffer.len()));
        }
    }
}
