//! Time in integer picoseconds, rates in bytes per second.
//!
//! A packet lasts 31.25 ns on a 384 Gbit/s link, so nanoseconds would drift; 64 bits of picoseconds
//! last 213 days, which is longer than any run.

use std::cmp::Ordering;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// Picoseconds in one second.
pub const PS_PER_S: u64 = 1_000_000_000_000;

/// An instant of simulated time [ps since the start of the run].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Time(pub u64);

/// A span of simulated time [ps].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Duration(pub u64);

/// A rate [bytes/s].
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Rate(pub f64);

/// Orders a type by its number of picoseconds. A derived order asks which of three cases holds before it answers
/// whether one does; comparisons of times are the most frequent of all.
macro_rules! ordered {
    ($name:ident) => {
        impl Ord for $name {
            #[inline]
            fn cmp(&self, other: &Self) -> Ordering {
                self.0.cmp(&other.0)
            }
        }

        impl PartialOrd for $name {
            #[inline]
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }

            #[inline]
            fn lt(&self, other: &Self) -> bool {
                self.0 < other.0
            }

            #[inline]
            fn le(&self, other: &Self) -> bool {
                self.0 <= other.0
            }

            #[inline]
            fn gt(&self, other: &Self) -> bool {
                self.0 > other.0
            }

            #[inline]
            fn ge(&self, other: &Self) -> bool {
                self.0 >= other.0
            }
        }
    };
}

ordered!(Time);
ordered!(Duration);

impl Time {
    /// Start of the run.
    pub const ZERO: Self = Self(0);

    /// Later than every event: the time of a timer that is off.
    pub const NEVER: Self = Self(u64::MAX);

    /// Time since `earlier`, zero if `earlier` is in the future.
    pub fn since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }

    /// Seconds since the start of the run.
    pub fn seconds(self) -> f64 {
        Duration(self.0).seconds()
    }
}

/// A cast cuts off; with a half, the largest number below a half would become one.
const NEARLY_HALF: f64 = 0.5 - f64::EPSILON / 4.0;

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// Longer than every run: a span that is not known yet.
    pub const MAX: Self = Self(u64::MAX);

    /// The whole number of picoseconds nearest to `seconds`; negative and NaN become zero.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "float to integer casts saturate, which is what is wanted"
    )]
    pub fn from_seconds(seconds: f64) -> Self {
        Self((seconds * 1e12 + NEARLY_HALF) as u64)
    }

    /// The same of a hundred days at most, which takes half as many instructions.
    #[expect(clippy::cast_possible_truncation, reason = "more than a hundred days become a hundred")]
    pub fn from_short(seconds: f64) -> Self {
        Self(((seconds * 1e12 + NEARLY_HALF).max(0.0) as i64).cast_unsigned())
    }

    /// A whole number of milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000_000)
    }

    /// Seconds.
    #[expect(
        clippy::cast_precision_loss,
        reason = "2^53 ps is 2.5 hours; beyond it the error is 1e-16 relative"
    )]
    pub fn seconds(self) -> f64 {
        self.0 as f64 * 1e-12
    }
}

// Sums end at the last instant there is, which no run reaches: a controller that asks to be woken in a
// thousand years is not woken.
impl Add<Duration> for Time {
    type Output = Self;
    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Duration> for Time {
    fn add_assign(&mut self, span: Duration) {
        *self = *self + span;
    }
}

impl Add for Duration {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Duration {
    fn sum<I: Iterator<Item = Self>>(spans: I) -> Self {
        spans.fold(Self::ZERO, Add::add)
    }
}

impl Mul<u64> for Duration {
    type Output = Self;
    fn mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Div<u64> for Duration {
    type Output = Self;
    fn div(self, divisor: u64) -> Self {
        Self(self.0 / divisor)
    }
}

/// Whole times that one span goes into another.
impl Div for Duration {
    type Output = u64;
    fn div(self, divisor: Self) -> u64 {
        self.0 / divisor.0
    }
}

impl Sub for Duration {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "that of `from_seconds`")]
    fn seconds_are_rounded_as_libm_does() {
        let powers = std::iter::successors(Some(1.0), |power| Some(2.0 * power)).take(60);
        let halves = powers.flat_map(|power| [power, power + 0.5, power + 1.0]);
        let apart = |value: f64| [value.next_down(), value, value.next_up(), -value];
        let edges = [0.0, 0.5, f64::NAN, f64::INFINITY, 1.9e19];
        for picoseconds in edges.into_iter().chain(halves).flat_map(apart) {
            let seconds = picoseconds / 1e12;
            let rounded = libm::round(seconds * 1e12) as u64;
            assert_eq!(Duration::from_seconds(seconds).0, rounded, "{picoseconds}");
            assert_eq!(Duration::from_short(seconds).0, rounded.min(u64::MAX / 2), "{picoseconds}");
        }
    }

    #[test]
    fn instants_and_spans_count_in_picoseconds() {
        assert_eq!(Time(1_500_000_000_000).seconds().to_bits(), 1.5_f64.to_bits());
        let spans = [1, 20, 300].map(Duration::from_millis);
        assert_eq!(spans.into_iter().sum::<Duration>(), Duration(321_000_000_000));
    }
}
