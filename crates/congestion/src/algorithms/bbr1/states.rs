//! The states: when Startup, Drain, the gain cycle and `ProbeRTT` end.

use super::{Bbr1, State};
use crate::control::{AckSample, Flow};
use crate::units::{Duration, Time};
use crate::window::to_float;

/// Growth of the bandwidth that counts as growth (draft section 4.3.2.2).
const GROWTH: f64 = 1.25;

/// Rounds without growth after which the pipe is full.
const PLATEAU: u32 = 3;

/// Phases of `ProbeBW` (section 4.3.4.3, `BBRGainCycleLen`).
const PHASES: u64 = 8;

/// The search for a full pipe in Startup.
#[derive(Debug, Default)]
pub(super) struct Pipe {
    pub is_full: bool,
    /// [bytes/s]
    pub full_bandwidth: f64,
    pub rounds: u32,
}

/// The visit to `ProbeRTT`, and what puts it off.
#[derive(Debug, Default)]
pub(super) struct ProbeRtt {
    /// When little has been in flight long enough.
    pub done: Option<Time>,
    pub round_done: bool,
    /// The connection was silent and starts again.
    pub idle_restart: bool,
}

impl Bbr1 {
    /// `BBRCheckFullPipe` (section 4.3.2.2).
    pub(super) fn check_full_pipe(&mut self, has_sample: bool) {
        if self.pipe.is_full || !self.rounds.start || !has_sample {
            return;
        }
        let bandwidth = self.model.bandwidth.max();
        if bandwidth >= GROWTH * self.pipe.full_bandwidth {
            self.pipe.full_bandwidth = bandwidth;
            self.pipe.rounds = 0;
            return;
        }
        self.pipe.rounds += 1;
        self.pipe.is_full = self.pipe.rounds >= PLATEAU;
    }

    /// `BBRCheckDrain` (section 4.3.3), and the end of Startup.
    pub(super) fn check_drain(&mut self, flow: &Flow) {
        if self.state == State::Startup && self.pipe.is_full {
            self.state = State::Drain;
        }
        if self.state == State::Drain && to_float(flow.in_flight) <= self.inflight(1.0) {
            self.enter_probe_bw(flow);
        }
    }

    /// `BBREnterProbeBW` (section 4.3.4.3): any phase but the one that drains, at random.
    fn enter_probe_bw(&mut self, flow: &Flow) {
        let phase = (PHASES - self.random.below(PHASES - 1)) % PHASES;
        self.state = State::ProbeBw { phase, since: flow.now };
    }

    /// `BBRCheckCyclePhase` and `BBRIsNextCyclePhase`.
    pub(super) fn check_cycle_phase(&mut self, ack: &AckSample, flow: &Flow) {
        let State::ProbeBw { phase, since } = self.state else { return };
        let is_full_length = self.model.min_rtt.is_some_and(|min_rtt| flow.now.since(since) > min_rtt);
        // What was in flight before this ACK.
        let prior_inflight = to_float(flow.in_flight + ack.delivered + ack.lost);
        let is_next = match phase {
            0 => is_full_length && (ack.lost > 0 || prior_inflight >= self.inflight(self.pacing_gain())),
            1 => is_full_length || prior_inflight <= self.inflight(1.0),
            _ => is_full_length,
        };
        if is_next {
            self.state = State::ProbeBw { phase: (phase + 1) % PHASES, since: flow.now };
        }
    }

    /// `BBRCheckProbeRTT` and `BBRHandleProbeRTT` (section 4.3.5).
    pub(super) fn check_probe_rtt(&mut self, ack: &AckSample, flow: &Flow) {
        if self.state != State::ProbeRtt && self.model.min_rtt_expired && !self.probe_rtt.idle_restart {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            self.probe_rtt.done = None;
        }
        if self.state == State::ProbeRtt {
            // The low rates of this state say nothing about the path.
            self.rounds.app_limited_until = Some(self.rounds.delivered + flow.in_flight);
            match self.probe_rtt.done {
                None if to_float(flow.in_flight) <= self.min_pipe() => {
                    let duration = Duration::from_seconds(self.params.probe_rtt_duration);
                    self.probe_rtt.done = Some(flow.now + duration);
                    self.probe_rtt.round_done = false;
                    self.rounds.next_delivered = self.rounds.delivered;
                }
                None => {}
                Some(done) => {
                    self.probe_rtt.round_done |= self.rounds.start;
                    if self.probe_rtt.round_done && flow.now > done {
                        self.model.min_rtt_stamp = Some(flow.now);
                        self.cwnd = self.cwnd.max(self.prior_cwnd);
                        if self.pipe.is_full {
                            self.enter_probe_bw(flow);
                        } else {
                            self.state = State::Startup;
                        }
                    }
                }
            }
        }
        if ack.delivered > 0 {
            self.probe_rtt.idle_restart = false;
        }
    }
}
