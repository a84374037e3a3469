//! Pacing rate and window.

use super::{Bbr1, State};
use crate::control::{AckSample, Flow};
use crate::window::to_float;

/// What is on its way inside the hosts [segments]: three send quanta, here of one segment (section 4.2.2 allows
/// any quantum and wants the smallest).
const QUANTA: f64 = 3.0;

/// Smallest window [segments] (`BBRMinPipeCwnd`).
const MIN_PIPE: f64 = 4.0;

/// How losses are being repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recovery {
    Open,
    /// Fast recovery; until a round later every segment that leaves the network lets one in.
    Fast {
        entered: u64,
    },
    /// After a timeout.
    Timeout,
}

impl Bbr1 {
    /// `BBRInflight` (section 4.2.3.2): `gain` bandwidth-delay products and three quanta.
    pub(super) fn inflight(&self, gain: f64) -> f64 {
        match self.model.min_rtt {
            Some(min_rtt) => gain * self.model.bandwidth.max() * min_rtt.seconds() + QUANTA * self.smss,
            None => self.initial_window,
        }
    }

    pub(super) fn min_pipe(&self) -> f64 {
        MIN_PIPE * self.smss
    }

    pub(super) fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => self.params.high_gain,
            State::Drain => 1.0 / self.params.high_gain,
            State::ProbeBw { phase: 0, .. } => self.params.probe_gain,
            State::ProbeBw { phase: 1, .. } => 2.0 - self.params.probe_gain,
            State::ProbeBw { .. } | State::ProbeRtt => 1.0,
        }
    }

    fn cwnd_gain(&self) -> f64 {
        match self.state {
            State::Startup | State::Drain => self.params.high_gain,
            State::ProbeBw { .. } => self.params.cwnd_gain,
            State::ProbeRtt => 1.0,
        }
    }

    /// `BBRSetPacingRateWithGain` (section 4.2.1).
    pub(super) fn set_pacing(&mut self, gain: f64) {
        let rate = gain * self.model.bandwidth.max();
        // Without any bandwidth sample there is nothing better than the rate so far.
        if rate > 0.0 && (self.pipe.is_full || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// `BBRSetCwnd` (section 4.2.3.6).
    pub(super) fn set_cwnd(&mut self, ack: &AckSample, flow: &Flow) {
        let (delivered, lost) = (to_float(ack.delivered), to_float(ack.lost));
        let target = self.inflight(self.cwnd_gain()).max(self.min_pipe());
        // `BBRModulateCwndForRecovery`: what was lost makes room for nothing.
        if lost > 0.0 && self.recovery != Recovery::Open {
            self.cwnd = (self.cwnd - lost).max(self.smss);
        }
        let conserves = match self.recovery {
            Recovery::Fast { entered } => self.rounds.count <= entered,
            Recovery::Open | Recovery::Timeout => false,
        };
        if conserves {
            self.cwnd = self.cwnd.max(to_float(flow.in_flight) + delivered);
        } else {
            if self.pipe.is_full {
                self.cwnd = (self.cwnd + delivered).min(target);
            } else if self.cwnd < target || to_float(self.rounds.delivered) < self.initial_window {
                self.cwnd += delivered;
            }
            self.cwnd = self.cwnd.max(self.min_pipe());
        }
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.min_pipe());
        }
    }

    /// `BBRSaveCwnd`.
    pub(super) fn save_cwnd(&mut self) {
        self.prior_cwnd = if self.recovery == Recovery::Open && self.state != State::ProbeRtt {
            self.cwnd
        } else {
            self.prior_cwnd.max(self.cwnd)
        };
    }
}
