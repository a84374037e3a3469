//! `ProbeRTT`: little in flight for a moment, so that the propagation delay shows (draft section 5.3.4).

use super::probe_bw::AckPhase;
use super::{Bbr3, State};
use crate::control::Flow;
use crate::units::{Duration, Time};

/// Where `ProbeRTT` is.
#[derive(Clone, Debug, Default)]
pub struct ProbeRtt {
    /// When little has been in flight long enough.
    done: Option<Time>,
    round_done: bool,
    /// The connection was silent and starts again.
    pub idle_restart: bool,
}

impl Bbr3 {
    /// `CheckProbeRTT`.
    pub fn check_probe_rtt(&mut self, flow: &Flow) {
        if self.state != State::ProbeRtt && self.path.probe_rtt_expired && !self.probe_rtt.idle_restart {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            self.probe_rtt.done = None;
            self.cycle.ack_phase = AckPhase::ProbeStopping;
            self.counts.start_round();
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(flow);
        }
        if self.rs.delivered > 0.0 {
            self.probe_rtt.idle_restart = false;
        }
    }

    /// `HandleProbeRTT`.
    fn handle_probe_rtt(&mut self, flow: &Flow) {
        // The low rates of this state say nothing about the path.
        self.mark_app_limited(flow);
        match self.probe_rtt.done {
            None if self.in_flight(flow) <= self.probe_rtt_cwnd() => {
                let duration = Duration::from_seconds(self.params.probe_rtt_duration);
                self.probe_rtt.done = Some(flow.now + duration);
                self.probe_rtt.round_done = false;
                self.counts.start_round();
            }
            None => {}
            Some(done) => {
                self.probe_rtt.round_done |= self.counts.round_start;
                if self.probe_rtt.round_done && flow.now > done {
                    self.path.probe_rtt_min_stamp = flow.now;
                    self.restore_cwnd();
                    self.exit_probe_rtt(flow);
                }
            }
        }
    }

    /// `ExitProbeRTT`: the next probe for bandwidth waits, since the flow has just come back.
    fn exit_probe_rtt(&mut self, flow: &Flow) {
        self.path.reset_short_term();
        if self.startup.full_bw_reached {
            self.start_down(flow);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }

    /// `ProbeRTTCwnd`.
    pub fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp(self.params.probe_rtt_cwnd_gain).max(self.min_pipe())
    }
}
