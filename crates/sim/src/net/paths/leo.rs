//! Satellites in low orbit: every some seconds a terminal gets another one, with another delay and rate.
//!
//! G. Huston, *A Transport Protocol's View of Starlink*, APNIC, May 2024: a reassignment every 15 s, with a step of the delay, an
//! interruption, loss of 1 to 2 % that is no sign of load, and a jitter of 6.7 ms between one sample and the next.

use congestion::Duration;
use serde::{Deserialize, Serialize};

use super::Conditions;
use super::variates::{log_normal, normal, out_of};
use crate::kernel::rng::{Block, uniform};

/// Parameters.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct LeoParameters {
    /// Time from one satellite to the next [s].
    pub period: f64,
    /// Shortest and longest delay to a satellite [s].
    pub delay: [f64; 2],
    /// Shortest and longest interruption between two [s].
    pub interruption: [f64; 2],
    /// Coefficient of variation of the rate.
    pub variation: f64,
    /// Probability that a packet is lost at random.
    pub loss: f64,
    /// Probability that a packet is lost which is in the air when the link is interrupted.
    pub handover_loss: f64,
    /// Longest jitter, uniform from zero on [s].
    pub jitter: f64,
}

impl LeoParameters {
    pub(super) fn faults(&self) -> Vec<(&'static str, String)> {
        let faults = [
            out_of("period", self.period, 0.01, 1e6),
            out_of("delay", self.delay[0], 0.0, self.delay[1]),
            out_of("delay", self.delay[1], 0.0, 1000.0),
            out_of("interruption", self.interruption[0], 0.0, self.interruption[1]),
            out_of("interruption", self.interruption[1], 0.0, self.period / 2.0),
            out_of("variation", self.variation, 0.0, 5.0),
            out_of("loss", self.loss, 0.0, 1.0),
            out_of("handover_loss", self.handover_loss, 0.0, 1.0),
            out_of("jitter", self.jitter, 0.0, 1000.0),
        ];
        faults.into_iter().flatten().collect()
    }
}

#[derive(Clone, Debug)]
pub(super) struct Leo {
    parameters: LeoParameters,
    /// The satellite at hand, and the time for which it stays when its interruption is over; `None` before the first.
    satellite: Option<Conditions>,
    left: Duration,
}

impl Leo {
    pub fn new(parameters: &LeoParameters) -> Self {
        Self { parameters: *parameters, satellite: None, left: Duration::ZERO }
    }

    /// The first satellite is there from the beginning; each other one comes after an interruption.
    pub fn next(&mut self, draws: &Block) -> (Duration, Conditions) {
        let LeoParameters { period, delay, interruption, variation, loss, jitter, .. } = self.parameters;
        if let Some(satellite) = self.satellite
            && self.left > Duration::ZERO
        {
            return (std::mem::take(&mut self.left), satellite);
        }
        let between = |[least, most]: [f64; 2], draw| least + (most - least) * uniform(draw);
        let satellite = Conditions {
            pace: log_normal(variation, normal(draws[0], draws[1])),
            delay: Duration::from_seconds(between(delay, draws[2])),
            spread: jitter,
            loss,
            ..Conditions::STEADY
        };
        let period = Duration::from_seconds(period);
        if self.satellite.replace(satellite).is_none() {
            return (period, satellite);
        }
        let off = Duration::from_seconds(between(interruption, draws[3]));
        self.left = Duration(period.0 - off.0);
        if off == Duration::ZERO {
            return (std::mem::take(&mut self.left), satellite);
        }
        (off, Conditions { is_on: false, ..satellite })
    }
}
