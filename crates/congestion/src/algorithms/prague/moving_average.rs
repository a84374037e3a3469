//! Moving average of the part of bytes that were marked (draft section 2.3.2).

use crate::control::AckSample;
use crate::units::{Duration, Time};
use crate::window::to_float;

/// Averaged part of the bytes that were marked, and the period in progress.
#[derive(Debug)]
pub(super) struct MovingAverage {
    g: f64,
    /// Averaged part, 0 to 1.
    pub(super) alpha: f64,
    delivered: u64,
    marked: u64,
    has_seen_mark: bool,
    /// A round trip has ended in the period.
    round_is_over: bool,
    /// Latest update.
    updated: Option<Time>,
}

impl MovingAverage {
    pub(super) fn new(g: f64, alpha: f64) -> Self {
        let (delivered, marked) = (0, 0);
        Self { g, alpha, delivered, marked, has_seen_mark: false, round_is_over: false, updated: None }
    }

    /// Adds what an ACK says to the period.
    pub(super) fn add(&mut self, ack: &AckSample) {
        self.round_is_over |= ack.round.is_some();
        self.delivered += ack.delivered;
        self.marked += ack.ce_marked.min(ack.delivered);
        self.has_seen_mark |= ack.ce_marked > 0;
    }

    /// The EWMA update period is the virtual RTT `rtt_virt`, and a round trip at least (draft section 2.4.4).
    pub(super) fn ends_period(&self, now: Time, rtt_virt: Duration) -> bool {
        self.round_is_over && self.updated.is_none_or(|at| now >= at + rtt_virt)
    }

    /// A mark has come at some time: there is an AQM on the path.
    pub(super) fn has_seen_mark(&self) -> bool {
        self.has_seen_mark
    }

    /// Takes in the period that ends, and starts the next one. Section 2.3.2: "alpha += g * (frac - alpha)"; Linux, and
    /// the draft, leave alpha as it is until the first mark.
    pub(super) fn start_period(&mut self, now: Time) {
        if self.has_seen_mark && self.delivered > 0 {
            let frac = to_float(self.marked) / to_float(self.delivered);
            self.alpha += self.g * (frac - self.alpha);
            self.updated = Some(now);
        }
        (self.delivered, self.marked, self.round_is_over) = (0, 0, false);
    }
}
