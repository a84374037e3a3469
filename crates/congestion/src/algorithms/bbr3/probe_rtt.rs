//! `ProbeRTT`: little in flight for a moment, so that the propagation delay shows (draft section 5.3.4).

use super::probe_bw::AckPhase;
use super::{Bbr3, State};
use crate::control::Flow;
use crate::units::{Duration, Time};
use crate::window::to_float;

/// Progress of `ProbeRTT`.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_field_names, reason = "the draft's names")]
pub struct ProbeRtt {
    /// When little has been in flight long enough.
    probe_rtt_done_stamp: Option<Time>,
    probe_rtt_round_done: bool,
    /// The connection was silent and starts again.
    pub idle_restart: bool,
}

impl Bbr3 {
    /// `CheckProbeRTT`.
    pub fn check_probe_rtt(&mut self, flow: &Flow) {
        if self.state != State::ProbeRtt && self.min_rtt.probe_rtt_expired && !self.probe_rtt.idle_restart {
            self.enter_probe_rtt();
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(flow);
        }
        if self.rs.delivered > 0.0 {
            self.probe_rtt.idle_restart = false;
        }
    }

    /// `EnterProbeRTT`, with what `CheckProbeRTT` does beside it.
    fn enter_probe_rtt(&mut self) {
        self.transition_to(State::ProbeRtt);
        self.save_cwnd();
        self.probe_rtt.probe_rtt_done_stamp = None;
        self.cycle.ack_phase = AckPhase::ProbeStopping;
        self.rounds.start_round();
    }

    /// `HandleProbeRTT`.
    fn handle_probe_rtt(&mut self, flow: &Flow) {
        // The low rates of this state say nothing about the path.
        self.mark_connection_app_limited(flow);
        match self.probe_rtt.probe_rtt_done_stamp {
            None if to_float(flow.in_flight) <= self.probe_rtt_cwnd() => {
                let duration = Duration::from_seconds(self.params.probe_rtt_duration);
                self.probe_rtt.probe_rtt_done_stamp = Some(flow.now + duration);
                self.probe_rtt.probe_rtt_round_done = false;
                self.rounds.start_round();
            }
            None => {}
            Some(_) => {
                self.probe_rtt.probe_rtt_round_done |= self.rounds.round_start;
                if self.probe_rtt.probe_rtt_round_done {
                    self.check_probe_rtt_done(flow);
                }
            }
        }
    }

    /// `CheckProbeRTTDone`.
    pub fn check_probe_rtt_done(&mut self, flow: &Flow) {
        if self.probe_rtt.probe_rtt_done_stamp.is_some_and(|done| flow.now > done) {
            self.min_rtt.probe_rtt_min_stamp = flow.now;
            self.restore_cwnd();
            self.exit_probe_rtt(flow);
        }
    }

    /// `ExitProbeRTT`: the next probe for bandwidth waits, since the flow has just come back.
    fn exit_probe_rtt(&mut self, flow: &Flow) {
        self.model.reset_short_term_model();
        if self.startup.full_bw_reached {
            self.start_probe_bw_down(flow);
            self.start_probe_bw_cruise();
        } else {
            self.transition_to(State::Startup);
        }
    }

    /// `ProbeRTTCwnd`.
    pub fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp_multiple(self.params.probe_rtt_cwnd_gain).max(self.min_pipe_cwnd())
    }
}
