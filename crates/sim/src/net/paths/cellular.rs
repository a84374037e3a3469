//! Cellular link: a rate whose logarithm is an Ornstein-Uhlenbeck process, and outages.
//!
//! Ours, made to have the statistics of recorded links: those that come with Mahimahi (R. Netravali and others, USENIX ATC
//! 2015), recorded with Saturator (K. Winstein, A. Sivaraman, H. Balakrishnan, *Stochastic Forecasts Achieve High Throughput
//! and Low Delay over Cellular Networks*, NSDI 2013, section 3.1, which models the rate as a random walk with outages). A rate is
//! log-normal at any time, and its mean, outages included, is that of the station.

use congestion::Duration;
use serde::{Deserialize, Serialize};

use super::Conditions;
use super::variates::{log_normal, normal, out_of};
use crate::kernel::rng::{Block, exponential, uniform};

/// Time for which a rate stays [s].
const STEP: f64 = 0.02;

/// Parameters.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct CellularParameters {
    /// Coefficient of variation of the rate between outages.
    pub variation: f64,
    /// Time in which the autocorrelation of the rate's logarithm falls to 1/e [s].
    pub memory: f64,
    /// Mean time of an outage [s].
    pub outage: f64,
    /// Mean time between two outages [s].
    pub gap: f64,
}

impl CellularParameters {
    pub(super) fn faults(&self) -> Vec<(&'static str, String)> {
        let faults = [
            out_of("variation", self.variation, 0.0, 5.0),
            out_of("memory", self.memory, STEP, 1e6),
            out_of("outage", self.outage, 0.001, 1e6),
            out_of("gap", self.gap, 0.001, 1e6),
        ];
        faults.into_iter().flatten().collect()
    }
}

#[derive(Clone, Debug)]
pub(super) struct Cellular {
    parameters: CellularParameters,
    /// Standard normal: the rate's logarithm.
    level: f64,
    is_on: bool,
    /// Time until the next rate and the next outage, or its end; `None` before the beginning.
    left: Option<(Duration, Duration)>,
}

impl Cellular {
    pub fn new(parameters: &CellularParameters) -> Self {
        Self { parameters: *parameters, level: 0.0, is_on: true, left: None }
    }

    pub fn next(&mut self, draws: &Block) -> (Duration, Conditions) {
        let CellularParameters { variation, memory, outage, gap } = self.parameters;
        let on = gap / (gap + outage);
        let (mut step, mut switch) = self.left.unwrap_or_else(|| {
            self.is_on = uniform(draws[4]) >= on;
            (Duration::ZERO, Duration::ZERO)
        });
        if step == Duration::ZERO {
            let kept = if self.left.is_none() { 0.0 } else { libm::exp(-STEP / memory) };
            self.level = kept * self.level + libm::sqrt(1.0 - kept * kept) * normal(draws[0], draws[1]);
            step = Duration::from_seconds(STEP);
        }
        if switch == Duration::ZERO {
            self.is_on = !self.is_on;
            let mean = if self.is_on { gap } else { outage };
            switch = Duration::from_seconds(exponential(draws[2], mean)).max(Duration(1));
        }
        let length = step.min(switch);
        self.left = Some((Duration(step.0 - length.0), Duration(switch.0 - length.0)));
        let pace = log_normal(variation, self.level) / on;
        (length, Conditions { pace, is_on: self.is_on, ..Conditions::STEADY })
    }
}
