//! Windowed extremes: the largest of recent round trips, the smallest of recent time.

use std::collections::VecDeque;

use crate::units::{Duration, Time};

/// Windowed maximum over a count that never falls.
#[derive(Clone, Debug, Default)]
pub(crate) struct MaxFilter {
    /// Values that may still become the maximum, falling, with the count at which they came.
    values: VecDeque<(u64, f64)>,
}

impl MaxFilter {
    /// Takes `value` in at `count` and forgets what came `window` or more counts before.
    pub(crate) fn update(&mut self, value: f64, count: u64, window: u64) {
        while self.values.back().is_some_and(|&(_, last)| last <= value) {
            self.values.pop_back();
        }
        self.values.push_back((count, value));
        while self.values.front().is_some_and(|&(then, _)| count - then >= window) {
            self.values.pop_front();
        }
    }

    /// Maximum, 0 before the first value.
    pub(crate) fn max(&self) -> f64 {
        self.values.front().map_or(0.0, |&(_, value)| value)
    }
}

/// Windowed minimum over time, forgotten slot by slot.
#[derive(Debug)]
pub(crate) struct MinFilter {
    /// Length of a slot.
    slot: Duration,
    /// Minima of the slots, the running one last.
    minima: VecDeque<Duration>,
    /// Number of slots remembered.
    length: usize,
    /// End of the running slot.
    until: Time,
    /// The smallest of `minima`, kept because it is asked for on every ACK.
    min: Option<Duration>,
}

impl MinFilter {
    /// A minimum over `length` slots.
    pub(crate) fn new(slot: Duration, length: usize) -> Self {
        Self { slot, minima: VecDeque::new(), length, until: Time::ZERO, min: None }
    }

    /// Takes in `value` at `now`.
    pub(crate) fn add(&mut self, value: Duration, now: Time) {
        match self.minima.back_mut() {
            Some(last) if now < self.until => {
                *last = value.min(*last);
                self.min = Some(self.min.map_or(value, |min| min.min(value)));
            }
            _ => {
                if self.minima.len() == self.length {
                    self.minima.pop_front();
                }
                self.minima.push_back(value);
                self.until = now + self.slot;
                self.min = self.minima.iter().min().copied();
            }
        }
    }

    /// Forgets the slots that end within `span` without a value.
    pub(crate) fn pass(&mut self, span: Duration) {
        let slots = usize::try_from(span / self.slot).unwrap_or(usize::MAX).min(self.minima.len());
        self.minima.drain(..slots);
        self.min = self.minima.iter().min().copied();
    }

    /// Minimum of the slots; none before the first value.
    pub(crate) fn min(&self) -> Option<Duration> {
        self.min
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_near;

    #[test]
    fn forgets_after_the_window() {
        let mut filter = MaxFilter::default();
        assert_near(filter.max(), 0.0);
        for (count, value, max) in [(0, 5.0, 5.0), (1, 3.0, 5.0), (2, 4.0, 5.0), (3, 1.0, 4.0), (5, 0.5, 1.0)]
        {
            filter.update(value, count, 3);
            assert_near(filter.max(), max);
        }
    }

    /// Time without a value counts as much as time with one.
    #[test]
    fn slots_pass_without_values() {
        for (span, min) in [(9, Some(3)), (10, Some(4)), (29, Some(7)), (30, None)] {
            let mut filter = MinFilter::new(Duration(10), 3);
            for (now, value) in [(0, 3), (10, 4), (20, 7)] {
                filter.add(Duration(value), Time(now));
            }
            filter.pass(Duration(span));
            assert_eq!(filter.min(), min.map(Duration));
        }
    }
}
