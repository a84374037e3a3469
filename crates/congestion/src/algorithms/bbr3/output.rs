//! Pacing rate and window from the model (draft section 5.6).

use super::{Bbr3, State};
use crate::control::Flow;
use crate::window::to_float;

/// Smallest window that keeps ACKs coming [segments] (`BBR.MinPipeCwnd`).
const MIN_PIPE: f64 = 4.0;

/// Part of the bandwidth that pacing uses (`BBR.PacingMarginPercent`).
const MARGIN: f64 = 0.99;

/// RTT before the first sample [s].
const FIRST_RTT: f64 = 0.001;

impl Bbr3 {
    /// Bytes in the network.
    #[expect(clippy::unused_self, reason = "reads like the draft's C.inflight")]
    pub fn in_flight(&self, flow: &Flow) -> f64 {
        to_float(flow.in_flight)
    }

    pub fn min_pipe(&self) -> f64 {
        MIN_PIPE * self.smss
    }

    /// `BDPMultiple`, at the bounded bandwidth.
    pub fn bdp(&self, gain: f64) -> f64 {
        self.bdp_at(self.path.bw(), gain)
    }

    fn bdp_at(&self, bw: f64, gain: f64) -> f64 {
        self.path.min_rtt.map_or(self.initial_window, |min_rtt| gain * bw * min_rtt.seconds())
    }

    /// `Inflight`.
    pub fn inflight(&self, gain: f64) -> f64 {
        self.inflight_at(self.path.bw(), gain)
    }

    pub fn inflight_at(&self, bw: f64, gain: f64) -> f64 {
        self.quantize(self.bdp_at(bw, gain))
    }

    /// `QuantizationBudget`; hosts here send single segments, so there is no budget for offload.
    fn quantize(&self, inflight: f64) -> f64 {
        let probing = if self.state == State::Up { 2.0 * self.smss } else { 0.0 };
        inflight.max(self.min_pipe()) + probing
    }

    /// `TargetInflight`.
    pub fn target_inflight(&self) -> f64 {
        self.bdp(1.0).min(self.cwnd)
    }

    fn pacing_gain(&self) -> f64 {
        let params = &self.params;
        match self.state {
            State::Startup => params.startup_gain,
            State::Drain => params.drain_gain,
            State::Down => params.down_gain,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
            State::Up => params.up_gain,
        }
    }

    fn cwnd_gain(&self) -> f64 {
        let params = &self.params;
        match self.state {
            State::ProbeRtt => params.probe_rtt_cwnd_gain,
            State::Up => params.up_cwnd_gain,
            _ => params.cwnd_gain,
        }
    }

    /// `InitPacingRate`, with an RTT [s] once there is one.
    pub fn initial_pacing(&self, rtt: Option<f64>) -> f64 {
        self.params.startup_gain * self.initial_window / rtt.unwrap_or(FIRST_RTT)
    }

    /// `SetPacingRate`.
    pub fn set_pacing(&mut self, flow: &Flow) {
        if self.awaits_rtt && flow.srtt.seconds() > 0.0 {
            self.awaits_rtt = false;
            self.pacing_rate = self.initial_pacing(Some(flow.srtt.seconds()));
        }
        self.set_pacing_with(self.pacing_gain());
    }

    /// `SetPacingRateWithGain`.
    pub fn set_pacing_with(&mut self, gain: f64) {
        let rate = gain * self.path.bw() * MARGIN;
        // Without any bandwidth sample there is nothing better than the rate so far.
        if rate > 0.0 && (self.startup.full_bw_reached || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// `SetCwnd`.
    pub fn set_cwnd(&mut self) {
        let max_inflight = self.quantize(self.bdp(self.cwnd_gain()) + self.path.extra_acked());
        if self.startup.full_bw_reached {
            self.cwnd = (self.cwnd + self.rs.newly_acked).min(max_inflight);
        } else if self.cwnd < max_inflight || to_float(self.counts.delivered) < self.initial_window {
            self.cwnd += self.rs.newly_acked;
        }
        self.cwnd = self.cwnd.max(self.min_pipe());
        self.bound_cwnd();
    }

    /// `BoundCwndForProbeRTT` and `BoundCwndForModel`.
    pub fn bound_cwnd(&mut self) {
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        let long_term = match self.state {
            State::Startup | State::Drain => f64::INFINITY,
            State::Down | State::Refill | State::Up => self.path.inflight_longterm,
            State::Cruise | State::ProbeRtt => self.inflight_with_headroom(),
        };
        let cap = long_term.min(self.path.inflight_shortterm).max(self.min_pipe());
        self.cwnd = self.cwnd.min(cap);
    }

    /// `SaveCwnd`.
    pub fn save_cwnd(&mut self) {
        self.prior_cwnd = if self.is_recovering || self.state == State::ProbeRtt {
            self.prior_cwnd.max(self.cwnd)
        } else {
            self.cwnd
        };
    }

    /// `RestoreCwnd`.
    pub fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }
}
