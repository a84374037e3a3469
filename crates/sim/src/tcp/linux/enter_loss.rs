//! Window and threshold at a timeout (`tcp_enter_loss`): a segment more than is in flight, and one reduction per episode.

use crate::tcp::control::Control;

/// Threshold before a timeout.
#[derive(Clone, Copy, Debug)]
pub struct EnterLoss {
    ssthresh: Option<f64>,
    /// The episode has had its reduction.
    reduced: bool,
}

impl EnterLoss {
    /// Take note of the threshold, before the controller hears of the timeout.
    #[must_use]
    pub fn begin(control: &Control, reduced: bool) -> Self {
        Self { ssthresh: control.algorithm.ssthresh(), reduced }
    }

    /// Override the controller's answer for `pipe` segments of `smss` bytes in flight; true if that is possible.
    pub fn finish(self, control: &mut Control, pipe: u32, smss: u32) -> bool {
        let ssthresh = if self.reduced { self.ssthresh } else { control.algorithm.ssthresh() };
        if let Some(ssthresh) = ssthresh {
            control.algorithm.override_window(f64::from(pipe + 1) * f64::from(smss), ssthresh);
        }
        ssthresh.is_some()
    }
}
