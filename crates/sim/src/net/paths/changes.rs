//! Values that stay until known times.

use std::sync::Arc;

use congestion::{Duration, Time};
use serde::{Deserialize, Serialize};

/// Changes of a value.
///
/// The value's own is in force from the beginning to the first change, and again at each multiple of the period.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Changes {
    /// Times of the changes [s], increasing.
    pub times: Vec<f64>,
    /// Values from then on.
    pub values: Vec<f64>,
    /// Time after which everything repeats [s]; `None` never does.
    #[serde(default)]
    pub period: Option<f64>,
}

/// A value over time, followed forward.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    own: f64,
    /// Times within the period and values from then on, of which each differs from the one before.
    changes: Arc<[(Duration, f64)]>,
    period: Option<Duration>,
    /// Changes behind.
    passed: usize,
    /// Beginning of the period.
    turn: Time,
    /// The value.
    pub value: f64,
    /// Its end.
    pub until: Time,
}

impl Steps {
    /// A value that stays.
    pub fn constant(own: f64) -> Self {
        Self {
            own,
            changes: Arc::default(),
            period: None,
            passed: 0,
            turn: Time::ZERO,
            value: own,
            until: Time::NEVER,
        }
    }

    /// A value with changes, of which those count that change something.
    pub fn new(own: f64, changes: Option<&Changes>) -> Self {
        let Some(Changes { times, values, period }) = changes else { return Self::constant(own) };
        let mut before = own;
        let mut list = Vec::with_capacity(times.len());
        for (&time, &value) in times.iter().zip(values) {
            let at = Duration::from_seconds(time);
            if value.to_bits() != before.to_bits() {
                list.push((at, value));
                before = value;
            }
        }
        // What holds from the beginning on and never changes is the value's own.
        if let [(Duration::ZERO, only)] = list[..] {
            return Self::constant(only);
        }
        let mut steps = Self::constant(own);
        steps.period = period.filter(|_| !list.is_empty()).map(Duration::from_seconds);
        steps.changes = list.into();
        steps.look_ahead();
        steps.seek(Time::ZERO);
        steps
    }

    /// `true` if the value never changes.
    pub fn is_constant(&self) -> bool {
        self.changes.is_empty()
    }

    /// Go forward to a time; idle time passes over whole periods at once.
    #[inline]
    pub fn seek(&mut self, time: Time) {
        while self.until <= time {
            if let Some(&(_, value)) = self.changes.get(self.passed) {
                self.value = value;
                self.passed += 1;
            } else if let Some(period) = self.period {
                self.turn += period * (time.since(self.turn) / period);
                (self.passed, self.value) = (0, self.own);
            } else {
                return;
            }
            self.look_ahead();
        }
    }

    fn look_ahead(&mut self) {
        let length = self.changes.get(self.passed).map(|&(at, _)| at).or(self.period);
        self.until = length.map_or(Time::NEVER, |length| self.turn + length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(times: &[f64], values: &[f64], period: Option<f64>) -> Changes {
        Changes { times: times.to_vec(), values: values.to_vec(), period }
    }

    fn at(seconds: f64) -> Time {
        Time::ZERO + Duration::from_seconds(seconds)
    }

    #[test]
    fn a_value_stays_until_its_next_change() {
        let mut steps = Steps::new(0.5, Some(&changes(&[1.0, 2.0], &[3.0, 0.0], None)));
        for (time, value) in [(0.0, 0.5), (0.999, 0.5), (1.0, 3.0), (1.5, 3.0), (2.0, 0.0), (1e6, 0.0)] {
            steps.seek(at(time));
            assert_eq!(steps.value.to_bits(), f64::to_bits(value), "at {time} s");
        }
    }

    /// From the own value on, after idle time as well.
    #[test]
    fn a_period_repeats_the_changes() {
        let mut steps = Steps::new(1.0, Some(&changes(&[1.8], &[0.0], Some(2.0))));
        for (time, value, until) in
            [(0.5, 1.0, 1.8), (1.9, 0.0, 2.0), (2.0, 1.0, 3.8), (1e5 + 1.9, 0.0, 1e5 + 2.0)]
        {
            steps.seek(at(time));
            assert_eq!((steps.value.to_bits(), steps.until), (f64::to_bits(value), at(until)), "at {time} s");
        }
    }

    #[test]
    fn changes_that_change_nothing_are_none() {
        for (times, values) in [(&[1.0, 2.0][..], &[0.5, 0.5][..]), (&[0.0, 3.0], &[2.0, 2.0])] {
            for period in [None, Some(5.0)] {
                let steps = Steps::new(0.5, Some(&changes(times, values, period)));
                assert!(steps.is_constant() && steps.value.to_bits() == values[0].to_bits());
            }
        }
        assert!(!Steps::new(0.5, Some(&changes(&[0.0, 1.0], &[2.0, 0.5], None))).is_constant());
    }
}
