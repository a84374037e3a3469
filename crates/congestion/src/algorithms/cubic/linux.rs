//! Growth in congestion avoidance as Linux has it (`net/ipv4/tcp_cubic.c`).

use super::{Cubic, Epoch};
use crate::control::Flow;

/// Linux grows at least by this part of the window per round trip until there was a loss.
const UNTESTED_GROWTH: f64 = 0.05;

/// Linux grows at least by this many segments per round trip.
const MIN_GROWTH: f64 = 0.01;

impl Cubic {
    /// Growth per segment acknowledged [segments], `acked` segments at once: the target is `W_cubic` a smallest RTT
    /// ahead, alpha stays as it is, and Reno's window is a lower bound wherever the function is.
    pub(super) fn grow_linux(&self, acked: f64, epoch: &mut Epoch, flow: &Flow) -> f64 {
        let cwnd = self.window.segments();
        epoch.w_est += self.params.alpha() * acked / cwnd;
        let behind = if self.params.reno_friendly { epoch.w_est - cwnd } else { 0.0 };
        let growth = self.toward(epoch.w_cubic(self.params.c, flow.min_rtt.seconds()));
        let least = if self.w_max.is_none() { UNTESTED_GROWTH * cwnd } else { MIN_GROWTH };
        growth.max(least).max(behind) / cwnd
    }
}
