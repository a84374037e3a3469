//! Sorting by distribution, for keys that are spread over a known interval.

/// Entries that one bucket may hold before comparisons sort all of them.
const CROWD: u32 = 32;

/// Sorts entries by a key; its memory is kept from one call to the next.
///
/// Entries are counted into buckets, of which there are as many as entries at least, and then put in order by insertion. So
/// keys that are spread evenly cost few comparisons, and a processor predicts most of them. Knuth, The Art of Computer
/// Programming, volume 3, section 5.2.1, address calculation sorting.
#[derive(Debug, Default)]
pub struct Distribution<T> {
    /// First place of each bucket, then the place behind its last entry.
    places: Vec<u32>,
    sorted: Vec<T>,
}

impl<T: Copy + Default> Distribution<T> {
    /// Sort entries whose keys are at least `begin` and below `end`. Those with equal keys may be in any order.
    #[expect(clippy::cast_possible_truncation, reason = "there are at most twice as many buckets as entries")]
    pub fn sort(&mut self, entries: &mut Vec<T>, begin: u64, end: u64, key: impl Fn(&T) -> u64) {
        debug_assert!(entries.iter().all(|entry| (begin..end).contains(&key(entry))), "keys of the interval");
        if entries.len() < 2 {
            return;
        }
        // The width of a bucket is a power of two, and there are one to two buckets for each entry, and one more.
        let width = ((end - begin) / (entries.len() as u64 + 1)).max(1).ilog2();
        let bucket = |entry: &T| ((key(entry) - begin) >> width) as usize;
        let buckets = ((end - begin) >> width) as usize + 1;
        self.places.clear();
        self.places.resize(buckets + 1, 0);
        for entry in entries.iter() {
            self.places[bucket(entry) + 1] += 1;
        }
        let (mut place, mut most) = (0, 0);
        for count in &mut self.places {
            most = most.max(*count);
            place += *count;
            *count = place;
        }
        if most > CROWD {
            return entries.sort_unstable_by_key(key);
        }
        self.sorted.clear();
        self.sorted.resize(entries.len(), T::default());
        for entry in entries.iter() {
            let place = &mut self.places[bucket(entry)];
            self.sorted[*place as usize] = *entry;
            *place += 1;
        }
        insert(&mut self.sorted, key);
        std::mem::swap(entries, &mut self.sorted);
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.places.capacity() * size_of::<u32>() + self.sorted.capacity() * size_of::<T>()
    }
}

/// Sort entries that are nearly in order by insertion.
fn insert<T: Copy>(entries: &mut [T], key: impl Fn(&T) -> u64) {
    for at in 1..entries.len() {
        let entry = entries[at];
        let mut place = at;
        while place > 0 && key(&entries[place - 1]) > key(&entry) {
            entries[place] = entries[place - 1];
            place -= 1;
        }
        if place < at {
            entries[place] = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Begin and length of an interval, and places in it, which crowd at its begin for powers above 1.
    fn list() -> impl Strategy<Value = (u64, u64, u32, Vec<u16>)> {
        (0u64..1 << 40, 1u64..1 << 40, 1u32..6, prop::collection::vec(any::<u16>(), 0..300))
    }

    proptest! {
        /// Spread, crowded and equal keys, one call after another.
        #[test]
        fn sorts(lists in prop::collection::vec(list(), 1..5)) {
            let mut sorter = Distribution::default();
            for (begin, length, power, places) in lists {
                let key = |place: u16| {
                    let part = (u128::from(place).pow(power) * u128::from(length)) >> (16 * power);
                    begin + u64::try_from(part).expect("it is less than the length")
                };
                let mut entries: Vec<u64> = places.into_iter().map(key).collect();
                let mut expected = entries.clone();
                expected.sort_unstable();
                sorter.sort(&mut entries, begin, begin + length, |&entry| entry);
                prop_assert_eq!(entries, expected);
            }
        }
    }
}
