//! The threshold of Compound TCP: how many own segments in queues are too many, how that is learned, and how
//! fast the delay window may grow on the way there.

use super::params::Params;

/// Part that a tuned gamma takes of the queue that was seen before a loss (draft section 5).
const SHARE: f64 = 0.75;

/// The threshold of one flow [segments].
#[derive(Debug)]
pub(super) struct Gamma {
    pub value: f64,
    params: Params,
    /// Own segments in queues in the last round; used up by a loss.
    pub sample: Option<f64>,
}

impl Gamma {
    /// The threshold at the start of a flow.
    pub fn new(params: &Params) -> Self {
        Self { value: params.gamma, params: *params, sample: None }
    }

    /// Part of its increment that the delay window takes with `diff` own segments in queues; `None` if the path
    /// is congested.
    pub fn growth(&self, diff: f64) -> Option<f64> {
        if diff >= self.value {
            None
        } else if diff >= self.params.gamma_low {
            Some(self.params.burst)
        } else {
            Some(1.0)
        }
    }

    /// A round has ended with `queued_part` of every window in queues. Windows in segments.
    pub fn end_round(&mut self, queued_part: f64, cwnd: f64, total: f64) {
        self.sample = Some(queued_part * if self.params.tune_on_total { total } else { cwnd });
    }

    /// Draft section 5, "On-Packet-Loss".
    pub fn tune(&mut self) {
        let Some(sample) = self.sample.take() else { return };
        if self.params.lambda > 0.0 {
            let tuned = (1.0 - self.params.lambda) * self.value + self.params.lambda * SHARE * sample;
            self.value = tuned.min(self.params.gamma_high).max(self.params.gamma_low);
        }
    }
}
