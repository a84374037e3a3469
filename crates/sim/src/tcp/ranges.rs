//! A set of segment numbers as sorted disjoint ranges: the sender's SACK scoreboard and the receiver's
//! out-of-order queue. New segments nearly always extend the highest range, and the lowest is the one
//! that goes, so both ends are cheap.

use std::collections::VecDeque;

/// Half-open range of segment numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// First segment.
    pub start: u32,
    /// One past the last segment.
    pub end: u32,
}

/// Sets that are not in use: all empty, with the memory they have grown.
pub type Pool = Vec<Box<Ranges>>;

/// Sorted, disjoint, non-adjacent ranges.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    ranges: VecDeque<Range>,
    count: u32,
}

impl Ranges {
    /// Number of segments in the set.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Absence of segments.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// One past the highest segment, 0 if there is none.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.ranges.back().map_or(0, |range| range.end)
    }

    /// Bytes of memory held, its own included.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of::<Self>() + self.ranges.capacity() * size_of::<Range>()
    }

    /// Forget everything.
    pub fn clear(&mut self) {
        self.ranges.clear();
        self.count = 0;
    }

    /// Add `[start, end)`; the number of segments that are new, and how many of these are below `mark`.
    pub fn insert(&mut self, start: u32, end: u32, mark: u32) -> (u32, u32) {
        if start >= end {
            return (0, 0);
        }
        // First range that touches or follows the new one: often there is none, or the last one.
        let at = match self.ranges.iter().rev().take(2).position(|range| range.end < start) {
            Some(after) => self.ranges.len() - after,
            None => self.ranges.partition_point(|range| range.end < start),
        };
        let mut merged = Range { start, end };
        let mut known = 0;
        let mut known_below = 0;
        let mut last = at;
        while last < self.ranges.len() && self.ranges[last].start <= end {
            let range = self.ranges[last];
            known += overlap(range, start, end);
            known_below += overlap(range, start, end.min(mark));
            merged = Range { start: merged.start.min(range.start), end: merged.end.max(range.end) };
            last += 1;
        }
        if last == at {
            self.ranges.insert(at, merged);
        } else {
            self.ranges[at] = merged;
            if last > at + 1 {
                self.ranges.drain(at + 1..last);
            }
        }
        let new = end - start - known;
        self.count += new;
        (new, end.min(mark).saturating_sub(start) - known_below)
    }

    /// Drop everything below `below`; the number of segments dropped.
    pub fn remove_below(&mut self, below: u32) -> u32 {
        let before = self.count;
        while let Some(range) = self.ranges.front_mut() {
            if range.end <= below {
                self.count -= range.end - range.start;
                self.ranges.pop_front();
            } else {
                if range.start < below {
                    self.count -= below - range.start;
                    range.start = below;
                }
                break;
            }
        }
        before - self.count
    }

    /// If the set begins at `at`, remove that first range and return its end; otherwise `at`.
    pub fn advance(&mut self, at: u32) -> u32 {
        match self.ranges.front() {
            Some(range) if range.start <= at => {
                let end = range.end;
                self.remove_below(end);
                end.max(at)
            }
            _ => at,
        }
    }

    /// Segments in the set that are at or above `mark`.
    #[must_use]
    pub fn count_from(&self, mark: u32) -> u32 {
        self.ranges
            .iter()
            .rev()
            .take_while(|range| range.end > mark)
            .map(|range| range.end - range.start.max(mark))
            .sum()
    }

    /// Segments in the set within `[start, end)`.
    #[must_use]
    pub fn count_within(&self, start: u32, end: u32) -> u32 {
        let first = self.ranges.partition_point(|range| range.end <= start);
        self.ranges
            .range(first..)
            .take_while(|range| range.start < end)
            .map(|&range| overlap(range, start, end))
            .sum()
    }

    /// The `n`-th highest segment in the set, if there are that many.
    #[must_use]
    pub fn nth_highest(&self, n: u32) -> Option<u32> {
        let mut left = n;
        for range in self.ranges.iter().rev() {
            let length = range.end - range.start;
            if left <= length {
                return Some(range.end - left);
            }
            left -= length;
        }
        None
    }

    /// The lowest segment in `[from, below)` that is not in the set.
    #[must_use]
    pub fn first_hole(&self, from: u32, below: u32) -> Option<u32> {
        let at = self.ranges.partition_point(|range| range.end <= from);
        // Ranges are not adjacent, so the segment after a range is never in the set.
        let hole =
            self.ranges.get(at).map_or(from, |range| if range.start <= from { range.end } else { from });
        (hole < below).then_some(hole)
    }

    /// The highest segment below `next` that is not in the set.
    #[must_use]
    pub fn last_hole(&self, next: u32) -> Option<u32> {
        match self.ranges.back() {
            Some(range) if range.end >= next => range.start.checked_sub(1),
            _ => next.checked_sub(1),
        }
    }

    /// Range that holds `segment`.
    #[must_use]
    pub fn containing(&self, segment: u32) -> Option<Range> {
        // Often it is the last one.
        let after = match self.ranges.back() {
            Some(range) if range.start <= segment => self.ranges.len(),
            _ => self.ranges.partition_point(|range| range.start <= segment),
        };
        self.ranges.get(after.checked_sub(1)?).copied().filter(|range| segment < range.end)
    }
}

fn overlap(range: Range, start: u32, end: u32) -> u32 {
    range.end.min(end).saturating_sub(range.start.max(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// The ranges behave like a set of numbers, one by one.
        #[test]
        fn behaves_like_a_set(
            operations in prop::collection::vec((0u32..60, 0u32..12, prop::bool::weighted(0.2)), 1..80),
            mark in 0u32..60,
        ) {
            let mut ranges = Ranges::default();
            let mut model = BTreeSet::new();
            for (start, length, remove) in operations {
                if remove {
                    let before = model.len();
                    model.retain(|&segment| segment >= start);
                    prop_assert_eq!(ranges.remove_below(start) as usize, before - model.len());
                } else {
                    let new: Vec<u32> = (start..start + length).filter(|segment| !model.contains(segment)).collect();
                    let below = new.iter().filter(|&&segment| segment < mark).count();
                    let (n, n_below) = ranges.insert(start, start + length, mark);
                    prop_assert_eq!((n as usize, n_below as usize), (new.len(), below));
                    model.extend(new);
                }
                prop_assert_eq!(ranges.count() as usize, model.len());
                prop_assert_eq!(ranges.end(), model.last().map_or(0, |last| last + 1));
                prop_assert_eq!(ranges.count_from(mark) as usize, model.range(mark..).count());
                prop_assert_eq!(ranges.nth_highest(3), model.iter().rev().nth(2).copied());
                let hole = (start..70).find(|segment| !model.contains(segment));
                prop_assert_eq!(ranges.first_hole(start, 70), hole);
                match ranges.containing(start) {
                    Some(range) => prop_assert!(model.contains(&range.start) && model.contains(&(range.end - 1)) && range.start <= start && start < range.end),
                    None => prop_assert!(!model.contains(&start)),
                }
            }
        }
    }
}
