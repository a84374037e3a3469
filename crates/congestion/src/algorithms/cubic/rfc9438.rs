//! Growth in congestion avoidance by [RFC 9438], sections 4.2 to 4.5.
//!
//! [RFC 9438]: https://www.rfc-editor.org/rfc/rfc9438#section-4.2

use super::{Cubic, Epoch};
use crate::control::Flow;

impl Cubic {
    /// Sections 4.8 and 4.10: without a `W_max`, after a timeout or a slow start that no loss ended, it is the window at
    /// the beginning of the stage, `cwnd` segments.
    pub(super) fn settle_w_max(&mut self, cwnd: f64) {
        self.w_max.get_or_insert(cwnd);
    }

    /// Growth per segment acknowledged [segments], `acked` segments at once.
    pub(super) fn grow_rfc(&self, acked: f64, epoch: &mut Epoch, flow: &Flow) -> f64 {
        let (c, cwnd) = (self.params.c, self.window.segments());
        // Section 4.3: "Once W_est has grown to reach the cwnd at the time of most recently setting ssthresh -- that
        // is, W_est >= cwnd_prior -- the sender SHOULD set alpha_cubic to 1".
        let reached = self.cwnd_prior.is_some_and(|prior| epoch.w_est >= prior);
        let alpha = if reached { 1.0 } else { self.params.alpha() };
        epoch.w_est += alpha * acked / cwnd;
        let behind = if self.params.reno_friendly { epoch.w_est - cwnd } else { 0.0 };
        // Section 4.3: "CUBIC checks whether W_cubic(t) is less than W_est. If so, CUBIC is in the Reno-friendly
        // region and cwnd SHOULD be set to W_est at each reception of a new ACK."
        if behind > 0.0 && epoch.w_cubic(c, 0.0) < epoch.w_est {
            return behind / acked;
        }
        // Sections 4.4 and 4.5: "cwnd MUST be incremented by (target - cwnd) / cwnd for each received new ACK", where
        // the target is W_cubic(t + RTT).
        self.toward(epoch.w_cubic(c, flow.srtt.seconds())) / cwnd
    }
}
