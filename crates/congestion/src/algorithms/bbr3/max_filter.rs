//! The largest value of the last few round trips.

use std::collections::VecDeque;

/// Windowed maximum over a count that never falls.
#[derive(Clone, Debug, Default)]
pub struct MaxFilter {
    /// Values that may still become the maximum, falling, with the count at which they came.
    values: VecDeque<(u64, f64)>,
}

impl MaxFilter {
    /// Takes `value` in at `count` and forgets what came `window` or more counts before.
    pub fn update(&mut self, value: f64, count: u64, window: u64) {
        while self.values.back().is_some_and(|&(_, last)| last <= value) {
            self.values.pop_back();
        }
        self.values.push_back((count, value));
        while self.values.front().is_some_and(|&(then, _)| count - then >= window) {
            self.values.pop_front();
        }
    }

    /// The maximum, 0 before the first value.
    pub fn max(&self) -> f64 {
        self.values.front().map_or(0.0, |&(_, value)| value)
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
}
