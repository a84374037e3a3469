//! The cycle DOWN, CRUISE, REFILL, UP, which looks for more bandwidth (draft section 5.3.3).

use super::{Bbr3, State};
use crate::control::Flow;
use crate::random::Random;
use crate::units::Time;

/// Rounds between probes at most, so that Reno and CUBIC get their share.
const RENO_ROUNDS: f64 = 63.0;

/// Least time between probes [s]; up to a second more is added at random.
const WAIT: f64 = 2.0;

/// Largest number of doublings of the growth within a probe.
const DOUBLINGS: u32 = 30;

/// The draft's `BBR.ack_phase`: the part of a probe that ACKs are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckPhase {
    /// None.
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// The cycle; fields bear the draft's names.
#[derive(Clone, Debug)]
#[expect(clippy::struct_field_names, reason = "the draft's names")]
pub struct Cycle {
    pub ack_phase: AckPhase,
    /// Start of DOWN.
    cycle_stamp: Time,
    /// Longest time until the next probe [s].
    bw_probe_wait: f64,
    pub rounds_since_bw_probe: u64,
    /// Bytes acknowledged since the long-term bound grew.
    bw_probe_up_acks: f64,
    /// Bytes to be acknowledged until it grows by a segment.
    probe_up_cnt: f64,
    bw_probe_up_rounds: u32,
    /// ACKs are for segments sent while probing, and no loss has been answered yet.
    pub bw_probe_samples: bool,
    pub prev_probe_too_high: bool,
    prev_probe_precautionary: bool,
    random: Random,
}

impl Cycle {
    /// The cycle of a flow whose random stream has this seed.
    pub fn new(seed: u64) -> Self {
        Self {
            ack_phase: AckPhase::Init,
            cycle_stamp: Time::ZERO,
            bw_probe_wait: 0.0,
            rounds_since_bw_probe: 0,
            bw_probe_up_acks: 0.0,
            probe_up_cnt: f64::INFINITY,
            bw_probe_up_rounds: 0,
            bw_probe_samples: false,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
            random: Random::new(seed),
        }
    }

    /// `PickProbeWait`.
    fn pick_probe_wait(&mut self) {
        self.rounds_since_bw_probe = self.random.below(2);
        self.bw_probe_wait = WAIT + self.random.unit();
    }

    /// `HasElapsedInPhase`: more than `interval` seconds since the start of DOWN.
    fn has_elapsed_in_phase(&self, interval: f64, now: Time) -> bool {
        now.since(self.cycle_stamp).seconds() > interval
    }
}

impl Bbr3 {
    /// `StartProbeBW_DOWN`.
    pub fn start_probe_bw_down(&mut self, flow: &Flow) {
        self.signals.reset_congestion_signals();
        self.cycle.probe_up_cnt = f64::INFINITY;
        self.cycle.pick_probe_wait();
        self.cycle.cycle_stamp = flow.now;
        self.cycle.ack_phase = AckPhase::ProbeStopping;
        self.rounds.start_round();
        self.transition_to(State::ProbeBwDown);
    }

    /// `StartProbeBW_CRUISE`.
    pub fn start_probe_bw_cruise(&mut self) {
        if self.is_linux() && self.model.inflight_shortterm.is_finite() {
            let model = &mut self.model;
            model.inflight_shortterm = model.inflight_shortterm.min(model.inflight_longterm);
        }
        self.transition_to(State::ProbeBwCruise);
    }

    /// `StartProbeBW_REFILL`.
    fn start_probe_bw_refill(&mut self) {
        self.model.reset_short_term_model();
        self.cycle.bw_probe_up_rounds = 0;
        self.cycle.bw_probe_up_acks = 0.0;
        self.cycle.prev_probe_precautionary = false;
        self.cycle.ack_phase = AckPhase::Refilling;
        self.rounds.start_round();
        self.transition_to(State::ProbeBwRefill);
    }

    /// `StartProbeBW_UP`.
    fn start_probe_bw_up(&mut self) {
        self.cycle.ack_phase = AckPhase::ProbeStarting;
        self.rounds.start_round();
        self.startup.reset_full_bw();
        self.startup.full_bw = self.rs.delivery_rate;
        self.transition_to(State::ProbeBwUp);
        self.raise_inflight_longterm_slope();
    }

    /// `UpdateProbeBWCyclePhase`.
    pub fn update_probe_bw_cycle_phase(&mut self, flow: &Flow) {
        if !self.startup.full_bw_reached || self.adapt_long_term_model(flow) {
            return;
        }
        match self.state {
            State::ProbeBwDown => {
                if self.is_time_to_probe_bw(flow) {
                    self.start_probe_bw_refill();
                } else if self.is_time_to_cruise(flow) {
                    self.start_probe_bw_cruise();
                }
            }
            State::ProbeBwCruise => {
                if self.is_time_to_probe_bw(flow) {
                    self.start_probe_bw_refill();
                }
            }
            State::ProbeBwRefill => {
                // After one round of REFILL, start UP.
                if self.rounds.round_start {
                    self.cycle.bw_probe_samples = true;
                    self.start_probe_bw_up();
                }
            }
            State::ProbeBwUp => {
                if self.is_time_to_go_down(flow) {
                    self.cycle.prev_probe_too_high = false;
                    self.start_probe_bw_down(flow);
                }
            }
            State::Startup | State::Drain | State::ProbeRtt => {}
        }
    }

    /// `IsTimeToProbeBW`.
    fn is_time_to_probe_bw(&self, flow: &Flow) -> bool {
        self.cycle.has_elapsed_in_phase(self.cycle.bw_probe_wait, flow.now)
            || self.is_reno_coexistence_probe_time()
    }

    /// `IsRenoCoexistenceProbeTime`.
    fn is_reno_coexistence_probe_time(&self) -> bool {
        let rounds = (self.target_inflight() / self.c.smss).min(RENO_ROUNDS);
        count(self.cycle.rounds_since_bw_probe) >= rounds
    }

    /// `IsTimeToCruise`.
    fn is_time_to_cruise(&self, flow: &Flow) -> bool {
        let in_flight = self.volume(flow);
        in_flight <= self.inflight_with_headroom() && in_flight <= self.inflight_at(self.model.max_bw(), 1.0)
    }

    /// `IsTimeToGoDown`.
    fn is_time_to_go_down(&mut self, flow: &Flow) -> bool {
        let bound = self.model.inflight_longterm;
        if self.cycle.prev_probe_too_high && self.volume(flow) >= bound {
            self.cycle.prev_probe_precautionary = true;
            return true;
        }
        if self.c.is_cwnd_limited && self.c.cwnd >= bound {
            // The bound, not the path, limits the rate.
            self.startup.reset_full_bw();
            self.startup.full_bw = self.rs.delivery_rate;
            return false;
        }
        self.startup.full_bw_now
    }

    /// `InflightWithHeadroom`: room is left for other flows.
    pub fn inflight_with_headroom(&self) -> f64 {
        let bound = self.model.inflight_longterm;
        if bound.is_infinite() {
            return bound;
        }
        let headroom = self.c.smss.max(self.params.headroom * bound);
        (bound - headroom).max(self.min_pipe_cwnd())
    }

    /// `RaiseInflightLongtermSlope`: 1, 2, 4, ... segments per round.
    fn raise_inflight_longterm_slope(&mut self) {
        let growth_this_round = f64::from(1_u32 << self.cycle.bw_probe_up_rounds);
        self.cycle.bw_probe_up_rounds = (self.cycle.bw_probe_up_rounds + 1).min(DOUBLINGS);
        self.cycle.probe_up_cnt = self.in_segments(self.c.cwnd / growth_this_round).max(self.c.smss);
    }

    /// `ProbeInflightLongtermUpward`.
    fn probe_inflight_longterm_upward(&mut self) {
        if !self.c.is_cwnd_limited || self.c.cwnd < self.model.inflight_longterm {
            return;
        }
        let cycle = &mut self.cycle;
        cycle.bw_probe_up_acks += self.rs.newly_acked;
        if cycle.bw_probe_up_acks >= cycle.probe_up_cnt {
            let delta = libm::floor(cycle.bw_probe_up_acks / cycle.probe_up_cnt);
            cycle.bw_probe_up_acks -= delta * cycle.probe_up_cnt;
            self.model.inflight_longterm += delta * self.c.smss;
        }
        if self.rounds.round_start {
            self.raise_inflight_longterm_slope();
        }
    }

    /// `AdaptLongTermModel`; true if it decided on a new state.
    fn adapt_long_term_model(&mut self, flow: &Flow) -> bool {
        if self.cycle.ack_phase == AckPhase::ProbeStarting && self.rounds.round_start {
            self.cycle.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.cycle.ack_phase == AckPhase::ProbeStopping && self.rounds.round_start {
            self.cycle.bw_probe_samples = false;
            self.cycle.ack_phase = AckPhase::Init;
            if self.is_in_a_probe_bw_state() && !self.rs.app_limited {
                self.model.advance_max_bw_filter();
            }
            // A cautious probe went well: the next one follows at once and goes further.
            if self.is_in_a_probe_bw_state()
                && self.cycle.prev_probe_precautionary
                && !self.cycle.prev_probe_too_high
            {
                self.start_probe_bw_refill();
                return true;
            }
        }
        if self.is_inflight_too_high() {
            // In the draft's form, losses and marks have been answered when they were found.
            if self.is_linux() && self.cycle.bw_probe_samples {
                self.handle_inflight_too_high(flow);
            }
        } else if self.model.inflight_longterm.is_finite() {
            self.model.inflight_longterm = self.model.inflight_longterm.max(self.rs.tx_in_flight);
            if self.state == State::ProbeBwUp {
                self.probe_inflight_longterm_upward();
            }
        }
        false
    }
}

/// A count of rounds as a floating-point number.
#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 rounds")]
fn count(rounds: u64) -> f64 {
    rounds as f64
}
