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

/// What the ACKs say about a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckPhase {
    /// Nothing.
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// Where the cycle is.
#[derive(Clone, Debug)]
pub struct Cycle {
    pub ack_phase: AckPhase,
    /// Start of DOWN.
    stamp: Time,
    /// Longest time until the next probe [s].
    wait: f64,
    pub rounds_since_probe_up: u64,
    /// Bytes acknowledged since the long-term bound grew.
    up_acked: f64,
    /// Bytes to be acknowledged until it grows by a segment.
    acked_per_increase: f64,
    up_rounds: u32,
    /// ACKs are for segments sent while probing, and no loss has been answered yet.
    pub is_probe_sample: bool,
    pub prev_probe_too_high: bool,
    prev_probe_precautionary: bool,
    random: Random,
}

impl Cycle {
    pub fn new(seed: u64) -> Self {
        Self {
            ack_phase: AckPhase::Init,
            stamp: Time::ZERO,
            wait: 0.0,
            rounds_since_probe_up: 0,
            up_acked: 0.0,
            acked_per_increase: f64::INFINITY,
            up_rounds: 0,
            is_probe_sample: false,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
            random: Random::new(seed),
        }
    }

    /// `PickProbeWait`.
    fn pick_wait(&mut self) {
        self.rounds_since_probe_up = self.random.below(2);
        self.wait = WAIT + self.random.unit();
    }
}

impl Bbr3 {
    /// `StartProbeBW_DOWN`.
    pub fn start_down(&mut self, flow: &Flow) {
        self.path.reset_congestion_signals();
        self.cycle.acked_per_increase = f64::INFINITY;
        self.cycle.pick_wait();
        self.cycle.stamp = flow.now;
        self.cycle.ack_phase = AckPhase::ProbeStopping;
        self.counts.start_round();
        self.state = State::Down;
    }

    /// `StartProbeBW_REFILL`.
    fn start_refill(&mut self) {
        self.path.reset_short_term();
        self.cycle.up_rounds = 0;
        self.cycle.up_acked = 0.0;
        self.cycle.prev_probe_precautionary = false;
        self.cycle.ack_phase = AckPhase::Refilling;
        self.counts.start_round();
        self.state = State::Refill;
    }

    /// `StartProbeBW_UP`.
    fn start_up(&mut self) {
        self.cycle.ack_phase = AckPhase::ProbeStarting;
        self.counts.start_round();
        self.startup.reset_full_bw();
        self.startup.full_bw = self.rs.delivery_rate;
        self.state = State::Up;
        self.raise_slope();
    }

    /// `UpdateProbeBWCyclePhase`.
    pub fn update_cycle(&mut self, flow: &Flow) {
        if !self.startup.full_bw_reached || self.adapt_long_term() {
            return;
        }
        let is_time_to_go_down = self.state == State::Up && self.is_time_to_go_down(flow);
        match self.state {
            State::Down => {
                if self.is_time_to_probe(flow) {
                    self.start_refill();
                } else if self.is_time_to_cruise(flow) {
                    self.state = State::Cruise;
                }
            }
            State::Cruise if self.is_time_to_probe(flow) => self.start_refill(),
            // After one round of REFILL, start UP.
            State::Refill if self.counts.round_start => {
                self.cycle.is_probe_sample = true;
                self.start_up();
            }
            State::Up if is_time_to_go_down => {
                self.cycle.prev_probe_too_high = false;
                self.start_down(flow);
            }
            _ => {}
        }
    }

    /// `IsInAProbeBWState`.
    pub fn is_in_cycle(&self) -> bool {
        matches!(self.state, State::Down | State::Cruise | State::Refill | State::Up)
    }

    fn is_time_to_probe(&self, flow: &Flow) -> bool {
        let rounds = (self.target_inflight() / self.smss).min(RENO_ROUNDS);
        let elapsed = flow.now.since(self.cycle.stamp).seconds();
        elapsed > self.cycle.wait || count(self.cycle.rounds_since_probe_up) >= rounds
    }

    fn is_time_to_cruise(&self, flow: &Flow) -> bool {
        let in_flight = self.in_flight(flow);
        in_flight <= self.inflight_with_headroom() && in_flight <= self.inflight_at(self.path.max_bw(), 1.0)
    }

    fn is_time_to_go_down(&mut self, flow: &Flow) -> bool {
        let bound = self.path.inflight_longterm;
        if self.cycle.prev_probe_too_high && self.in_flight(flow) >= bound {
            self.cycle.prev_probe_precautionary = true;
            return true;
        }
        if self.cwnd_limited && self.cwnd >= bound {
            // The bound, not the path, limits the rate.
            self.startup.reset_full_bw();
            self.startup.full_bw = self.rs.delivery_rate;
            return false;
        }
        self.startup.full_bw_now
    }

    /// `InflightWithHeadroom`: room is left for other flows.
    pub fn inflight_with_headroom(&self) -> f64 {
        let bound = self.path.inflight_longterm;
        if bound.is_infinite() {
            return bound;
        }
        let headroom = self.smss.max(self.params.headroom * bound);
        (bound - headroom).max(self.min_pipe())
    }

    /// `RaiseInflightLongtermSlope`: 1, 2, 4, ... segments per round.
    fn raise_slope(&mut self) {
        let growth = f64::from(1_u32 << self.cycle.up_rounds);
        self.cycle.up_rounds = (self.cycle.up_rounds + 1).min(DOUBLINGS);
        self.cycle.acked_per_increase = (self.cwnd / growth).max(self.smss);
    }

    /// `ProbeInflightLongtermUpward`.
    fn probe_upward(&mut self) {
        if !self.cwnd_limited || self.cwnd < self.path.inflight_longterm {
            return;
        }
        let cycle = &mut self.cycle;
        cycle.up_acked += self.rs.newly_acked;
        if cycle.up_acked >= cycle.acked_per_increase {
            let increases = libm::floor(cycle.up_acked / cycle.acked_per_increase);
            cycle.up_acked -= increases * cycle.acked_per_increase;
            self.path.inflight_longterm += increases * self.smss;
        }
        if self.counts.round_start {
            self.raise_slope();
        }
    }

    /// `AdaptLongTermModel`; whether it decided on a new state.
    fn adapt_long_term(&mut self) -> bool {
        if self.cycle.ack_phase == AckPhase::ProbeStarting && self.counts.round_start {
            self.cycle.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.cycle.ack_phase == AckPhase::ProbeStopping && self.counts.round_start {
            self.cycle.is_probe_sample = false;
            self.cycle.ack_phase = AckPhase::Init;
            if self.is_in_cycle() && !self.rs.app_limited {
                self.path.advance_max_bw();
            }
            // A cautious probe went well: the next one follows at once and goes further.
            if self.is_in_cycle() && self.cycle.prev_probe_precautionary && !self.cycle.prev_probe_too_high {
                self.start_refill();
                return true;
            }
        }
        if !self.is_inflight_too_high() && self.path.inflight_longterm.is_finite() {
            self.path.inflight_longterm = self.path.inflight_longterm.max(self.rs.tx_in_flight);
            if self.state == State::Up {
                self.probe_upward();
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
