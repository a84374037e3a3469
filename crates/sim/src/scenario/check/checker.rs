//! Demands on single values.

use crate::scenario::Problem;
use crate::spec::ServiceRate;

/// Longest propagation delay of a hop, and longest timeout of the transport [s].
pub(super) const MAX_DELAY: f64 = 3600.0;

/// Problems found so far, and the kinds of demand that find them.
pub(super) struct Checker(pub Vec<Problem>);

impl Checker {
    pub fn require(
        &mut self,
        holds: bool,
        loc: impl Into<String>,
        kind: &'static str,
        message: impl Into<String>,
    ) {
        if !holds {
            self.0.push(Problem { loc: loc.into(), kind, message: message.into() });
        }
    }

    pub fn positive(&mut self, value: f64, loc: impl Into<String>, unit: &str) {
        let holds = value.is_finite() && value > 0.0;
        self.require(holds, loc, "range", format!("expected more than 0 {unit}, got {value}"));
    }

    pub fn at_least_zero(&mut self, value: f64, loc: impl Into<String>, unit: &str) {
        let holds = value.is_finite() && value >= 0.0;
        self.require(holds, loc, "range", format!("expected 0 {unit} or more, got {value}"));
    }

    pub fn probability(&mut self, value: f64, loc: impl Into<String>) {
        self.require(
            (0.0..=1.0).contains(&value),
            loc,
            "probability",
            format!("expected a probability from 0 to 1, got {value}"),
        );
    }

    pub fn index(&mut self, index: u32, len: usize, loc: impl Into<String>, what: &str) -> bool {
        let holds = (index as usize) < len;
        self.require(holds, loc, "index", format!("expected the index of one of {len} {what}, got {index}"));
        holds
    }

    /// Bounds keep service times between a picosecond and a
    /// day, so that sums of them fit 64 bits.
    pub fn rate(&mut self, rate: ServiceRate, loc: impl Into<String>) {
        let (value, bounds, unit) = match rate {
            ServiceRate::PacketsPerSecond(rate) => (rate, 1e-3..=1e12, "packets/s"),
            ServiceRate::BitsPerSecond(rate) => (rate, 100.0..=1e13, "bit/s"),
        };
        let holds = bounds.contains(&value);
        let (least, most) = (bounds.start(), bounds.end());
        self.require(holds, loc, "range", format!("expected {least} to {most} {unit}, got {value}"));
    }

    pub fn delay(&mut self, value: f64, loc: impl Into<String>) {
        let holds = (0.0..=MAX_DELAY).contains(&value);
        self.require(holds, loc, "range", format!("expected 0 to {MAX_DELAY} s, got {value}"));
    }
}
