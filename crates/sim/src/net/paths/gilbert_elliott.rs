//! Loss in bursts: a link that is good or bad for exponential times, and loses packets while it is bad.
//!
//! E. N. Gilbert, *Capacity of a Burst-Noise Channel*, Bell System Technical Journal 39 (1960), and E. O. Elliott, *Estimates of
//! Error Rates for Codes on Burst-Noise Channels*, 42 (1963), have a chain with a step for each bit. Here states last for a
//! time, as noise does, whether packets come or not.

use congestion::Duration;
use serde::{Deserialize, Serialize};

use super::Conditions;
use super::variates::out_of;
use crate::kernel::rng::{Block, exponential, uniform};

/// Parameters.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct GilbertElliottParameters {
    /// Mean time in the bad state [s].
    pub burst: f64,
    /// Mean time in the good state [s].
    pub gap: f64,
    /// Probability of loss in the bad state.
    pub loss: f64,
}

impl GilbertElliottParameters {
    pub(super) fn faults(&self) -> Vec<(&'static str, String)> {
        let faults = [
            out_of("burst", self.burst, 1e-6, 1e6),
            out_of("gap", self.gap, 1e-6, 1e6),
            out_of("loss", self.loss, 0.0, 1.0),
        ];
        faults.into_iter().flatten().collect()
    }
}

#[derive(Clone, Debug)]
pub(super) struct GilbertElliott {
    parameters: GilbertElliottParameters,
    /// `None` before the beginning.
    is_bad: Option<bool>,
}

impl GilbertElliott {
    pub fn new(parameters: &GilbertElliottParameters) -> Self {
        Self { parameters: *parameters, is_bad: None }
    }

    /// It begins in either state with the share of time that this takes.
    pub fn next(&mut self, draws: &Block) -> (Duration, Conditions) {
        let GilbertElliottParameters { burst, gap, loss } = self.parameters;
        let is_bad = match self.is_bad {
            None => uniform(draws[1]) < burst / (burst + gap),
            Some(before) => !before,
        };
        self.is_bad = Some(is_bad);
        let (mean, loss) = if is_bad { (burst, loss) } else { (gap, 0.0) };
        let length = Duration::from_seconds(exponential(draws[0], mean));
        (length, Conditions { loss, ..Conditions::STEADY })
    }
}
