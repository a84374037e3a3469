//! Control parameters: pacing rate and window from the model (draft section 5.6).

use super::{Bbr3, Recovery, State};
use crate::control::Flow;
use crate::window::to_float;

/// Smallest window that keeps ACKs coming [segments] (`BBR.MinPipeCwnd`).
const MIN_PIPE_CWND: f64 = 4.0;

/// Part of the bandwidth that pacing uses (`BBR.PacingMarginPercent` is 1).
const PACING_MARGIN: f64 = 0.99;

/// RTT before the first sample [s].
const FIRST_RTT: f64 = 0.001;

impl Bbr3 {
    /// Smallest window [bytes].
    pub fn min_pipe_cwnd(&self) -> f64 {
        MIN_PIPE_CWND * self.c.smss
    }

    /// `BDPMultiple`, at the bounded bandwidth.
    pub fn bdp_multiple(&self, gain: f64) -> f64 {
        self.bdp_multiple_at(self.bound_bw_for_model(), gain)
    }

    fn bdp_multiple_at(&self, bw: f64, gain: f64) -> f64 {
        let Some(min_rtt) = self.min_rtt.min_rtt else { return self.c.initial_cwnd };
        let bdp = gain * bw * min_rtt.seconds();
        if self.is_linux() { libm::ceil(bdp / self.c.smss) * self.c.smss } else { bdp }
    }

    /// `Inflight`, at the bounded bandwidth.
    pub fn inflight(&self, gain: f64) -> f64 {
        self.inflight_at(self.bound_bw_for_model(), gain)
    }

    /// `Inflight`, at the bandwidth `bw`.
    pub fn inflight_at(&self, bw: f64, gain: f64) -> f64 {
        self.quantization_budget(self.bdp_multiple_at(bw, gain))
    }

    /// `QuantizationBudget`; in the draft's form hosts send single segments, so there is no budget for offload.
    fn quantization_budget(&self, inflight: f64) -> f64 {
        let probing = if self.state == State::ProbeBwUp { 2.0 * self.c.smss } else { 0.0 };
        let offload = if self.is_linux() { 3.0 * self.burst() } else { 0.0 };
        inflight.max(offload).max(self.min_pipe_cwnd()) + probing
    }

    /// `TargetInflight`.
    pub fn target_inflight(&self) -> f64 {
        let volume = if self.is_linux() { self.inflight(1.0) } else { self.bdp_multiple(1.0) };
        volume.min(self.c.cwnd)
    }

    pub fn pacing_gain(&self) -> f64 {
        let params = &self.params;
        match self.state {
            State::Startup => params.startup_gain,
            State::Drain => params.drain_gain,
            State::ProbeBwDown => params.down_gain,
            State::ProbeBwCruise | State::ProbeBwRefill | State::ProbeRtt => 1.0,
            State::ProbeBwUp => params.up_gain,
        }
    }

    fn cwnd_gain(&self) -> f64 {
        let params = &self.params;
        match self.state {
            State::ProbeRtt => params.probe_rtt_cwnd_gain,
            State::ProbeBwUp => params.up_cwnd_gain,
            _ => params.cwnd_gain,
        }
    }

    /// `InitPacingRate`, with an RTT [s] once there is one.
    pub fn init_pacing_rate(&mut self, rtt: Option<f64>) {
        let margin = if self.is_linux() { PACING_MARGIN } else { 1.0 };
        self.c.pacing_rate =
            margin * self.params.startup_gain * self.c.initial_cwnd / rtt.unwrap_or(FIRST_RTT);
    }

    /// `UpdateControlParameters`; there is no send quantum to set.
    pub fn update_control_parameters(&mut self, flow: &Flow) {
        self.set_pacing_rate(flow);
        self.set_cwnd();
    }

    /// `SetPacingRate`.
    fn set_pacing_rate(&mut self, flow: &Flow) {
        if !self.has_seen_rtt && flow.srtt.seconds() > 0.0 {
            self.has_seen_rtt = true;
            self.init_pacing_rate(Some(flow.srtt.seconds()));
        }
        self.set_pacing_rate_with_gain(self.pacing_gain());
    }

    /// `SetPacingRateWithGain`.
    pub fn set_pacing_rate_with_gain(&mut self, gain: f64) {
        let rate = gain * self.bound_bw_for_model() * PACING_MARGIN;
        // Without any bandwidth sample there is nothing better than the rate so far.
        if rate > 0.0 && (self.startup.full_bw_reached || rate > self.c.pacing_rate) {
            self.c.pacing_rate = rate;
        }
    }

    /// `UpdateMaxInflight`.
    fn max_inflight(&self) -> f64 {
        self.quantization_budget(self.bdp_multiple(self.cwnd_gain()) + self.extra_acked())
    }

    /// `SetCwnd`.
    fn set_cwnd(&mut self) {
        let max_inflight = self.max_inflight();
        let is_early = if self.is_linux() {
            self.c.cwnd < 2.0 * self.c.initial_cwnd
        } else {
            to_float(self.rounds.delivered) < self.c.initial_cwnd
        };
        if self.startup.full_bw_reached {
            self.c.cwnd = (self.c.cwnd + self.rs.newly_acked).min(max_inflight);
        } else if self.c.cwnd < max_inflight || is_early {
            self.c.cwnd += self.rs.newly_acked;
        }
        self.c.cwnd = self.c.cwnd.max(self.min_pipe_cwnd());
        self.bound_cwnd_for_probe_rtt();
        self.bound_cwnd_for_model();
    }

    /// `BoundCwndForProbeRTT`.
    pub fn bound_cwnd_for_probe_rtt(&mut self) {
        if self.state == State::ProbeRtt {
            self.c.cwnd = self.c.cwnd.min(self.probe_rtt_cwnd());
        }
    }

    /// `BoundCwndForModel`.
    pub fn bound_cwnd_for_model(&mut self) {
        let long_term = match self.state {
            State::Startup | State::Drain => f64::INFINITY,
            State::ProbeBwDown | State::ProbeBwRefill | State::ProbeBwUp => self.model.inflight_longterm,
            State::ProbeBwCruise | State::ProbeRtt => self.inflight_with_headroom(),
        };
        let cap = long_term.min(self.model.inflight_shortterm).max(self.min_pipe_cwnd());
        self.c.cwnd = self.c.cwnd.min(cap);
    }

    /// `SaveCwnd`.
    pub fn save_cwnd(&mut self) {
        self.prior_cwnd = if self.recovery != Recovery::Open || self.state == State::ProbeRtt {
            self.prior_cwnd.max(self.c.cwnd)
        } else {
            self.c.cwnd
        };
    }

    /// `RestoreCwnd`.
    pub fn restore_cwnd(&mut self) {
        self.c.cwnd = self.c.cwnd.max(self.prior_cwnd);
    }
}
