//! Control parameters: pacing rate and window (draft section 4.2).

use super::{Bbr1, State};
use crate::control::{AckSample, Flow};
use crate::window::to_float;

/// Send quanta that are on their way inside the hosts, here of one segment (section 4.2.2 allows any quantum and
/// wants the smallest).
const QUANTA: f64 = 3.0;

/// Smallest window [segments] (`BBRMinPipeCwnd`).
const MIN_PIPE_CWND: f64 = 4.0;

/// RTT before the first sample [s] (section 4.2.1).
const FIRST_RTT: f64 = 0.001;

/// Way in which losses are being repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recovery {
    Open,
    /// Fast recovery; until a round later every segment that leaves the network lets one in
    /// (`BBR.packet_conservation`).
    Fast {
        entered: u64,
    },
    /// After a timeout.
    Timeout,
}

impl Bbr1 {
    /// `BBRInflight` (section 4.2.3.2): `gain` bandwidth-delay products and three quanta.
    pub(super) fn inflight(&self, gain: f64) -> f64 {
        match self.model.rtprop {
            Some(rtprop) => gain * self.model.btl_bw.max() * rtprop.seconds() + QUANTA * self.smss,
            None => self.initial_cwnd,
        }
    }

    /// Smallest window [bytes].
    pub(super) fn min_pipe_cwnd(&self) -> f64 {
        MIN_PIPE_CWND * self.smss
    }

    pub(super) fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => self.params.high_gain,
            State::Drain => 1.0 / self.params.high_gain,
            State::ProbeBw { cycle_index: 0, .. } => self.params.probe_gain,
            State::ProbeBw { cycle_index: 1, .. } => 2.0 - self.params.probe_gain,
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

    /// `BBRInitPacingRate` (section 4.2.1), with an RTT [s] once there is one.
    pub(super) fn init_pacing_rate(&mut self, rtt: Option<f64>) {
        self.pacing_rate = self.params.high_gain * self.initial_cwnd / rtt.unwrap_or(FIRST_RTT);
    }

    /// `BBRUpdateControlParameters`; there is no send quantum to set.
    pub(super) fn update_control_parameters(&mut self, ack: &AckSample, flow: &Flow) {
        self.set_pacing_rate_with_gain(self.pacing_gain());
        self.set_cwnd(ack, flow);
    }

    /// `BBRSetPacingRateWithGain` (section 4.2.1).
    pub(super) fn set_pacing_rate_with_gain(&mut self, gain: f64) {
        let rate = gain * self.model.btl_bw.max();
        // Without any bandwidth sample there is nothing better than the rate so far.
        if rate > 0.0 && (self.pipe.filled_pipe || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// `BBRUpdateTargetCwnd` (section 4.2.3.2).
    fn target_cwnd(&self) -> f64 {
        self.inflight(self.cwnd_gain()).max(self.min_pipe_cwnd())
    }

    /// `BBRSetCwnd` (section 4.2.3.6).
    fn set_cwnd(&mut self, ack: &AckSample, flow: &Flow) {
        let delivered = to_float(ack.delivered);
        let target = self.target_cwnd();
        if !self.modulate_cwnd_for_recovery(ack, flow) {
            if self.pipe.filled_pipe {
                self.cwnd = (self.cwnd + delivered).min(target);
            } else if self.cwnd < target || to_float(self.rounds.delivered) < self.initial_cwnd {
                self.cwnd += delivered;
            }
            self.cwnd = self.cwnd.max(self.min_pipe_cwnd());
        }
        self.modulate_cwnd_for_probe_rtt();
    }

    /// `BBRModulateCwndForRecovery` (section 4.2.3.4): what was lost makes room for nothing. True while packets are
    /// conserved.
    fn modulate_cwnd_for_recovery(&mut self, ack: &AckSample, flow: &Flow) -> bool {
        if ack.lost > 0 && self.recovery != Recovery::Open {
            self.cwnd = (self.cwnd - to_float(ack.lost)).max(self.smss);
        }
        let conserves = match self.recovery {
            Recovery::Fast { entered } => self.rounds.round_count <= entered,
            Recovery::Open | Recovery::Timeout => false,
        };
        if conserves {
            self.cwnd = self.cwnd.max(to_float(flow.in_flight) + to_float(ack.delivered));
        }
        conserves
    }

    /// `BBRModulateCwndForProbeRTT` (section 4.2.3.5).
    fn modulate_cwnd_for_probe_rtt(&mut self) {
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.min_pipe_cwnd());
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

    /// `BBRRestoreCwnd`.
    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }
}
