//! Modes of the machine: Startup, Drain, the cycle of gains, `PROBE_RTT`.

use super::{Arrival, Bbr1Linux};
use crate::algorithms::bbr_linux::{CWND_MIN_TARGET, UNIT, in_net_at_departure, micros_since};
use crate::control::Flow;
use crate::random::Random;
use crate::units::Time;

/// Phases of the cycle (`CYCLE_LEN`).
const CYCLE_LEN: u64 = 8;

/// Phases at which it may begin (`bbr_cycle_rand`).
const CYCLE_RAND: u64 = 7;

/// Modes (`enum bbr_mode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// Phase of the cycle, and when it began.
#[derive(Clone, Debug)]
pub(super) struct Cycle {
    pub index: u64,
    stamp: Time,
    random: Random,
}

impl Cycle {
    /// The cycle of a flow with this random stream.
    pub(super) fn new(random: Random) -> Self {
        Self { index: 0, stamp: Time::ZERO, random }
    }
}

/// The visit to `PROBE_RTT`, and what puts it off.
#[derive(Clone, Debug, Default)]
pub(super) struct ProbeRtt {
    /// Tick at which little has been in flight long enough.
    done_tick: Option<u64>,
    round_done: bool,
    /// The connection was silent and starts again.
    pub idle_restart: bool,
}

impl Bbr1Linux {
    /// Gains of pacing and window in 1/256 (`bbr_update_gains`).
    pub(super) fn update_gains(&mut self) {
        let params = &self.params;
        self.gains = match self.mode {
            Mode::Startup => (params.high_gain, params.high_gain),
            Mode::Drain => (params.drain_gain, params.high_gain),
            Mode::ProbeBw => (self.cycle_gain(), params.cwnd_gain),
            Mode::ProbeRtt => (UNIT, UNIT),
        };
    }

    fn cycle_gain(&self) -> u64 {
        match self.cycle.index {
            _ if self.long_term.use_bw => UNIT,
            0 => self.params.probe_gain,
            1 => 2 * UNIT - self.params.probe_gain,
            _ => UNIT,
        }
    }

    /// Segments in the network when the next one leaves (`bbr_packets_in_net_at_edt`).
    pub(super) fn in_net(&self, in_flight: u64, flow: &Flow) -> u64 {
        let added = if self.gains.0 > UNIT { self.burst() } else { 0 };
        in_net_at_departure(in_flight, added, self.bw(), micros_since(flow.next_send_time, flow.now))
    }

    /// `bbr_update_cycle_phase`.
    pub(super) fn update_cycle(&mut self, ack: &Arrival, flow: &Flow) {
        if self.mode == Mode::ProbeBw && self.is_next_phase(ack, flow) {
            self.advance_cycle(flow.now);
        }
    }

    /// `bbr_is_next_cycle_phase`.
    fn is_next_phase(&self, ack: &Arrival, flow: &Flow) -> bool {
        let span = micros_since(flow.now, self.cycle.stamp);
        let is_full_length = self.path.min_rtt.is_some_and(|min_rtt| span > min_rtt);
        let gain = self.gains.0;
        if gain == UNIT {
            return is_full_length;
        }
        let in_net = self.in_net(ack.prior_in_flight, flow);
        let bw = self.path.bw.max();
        if gain > UNIT {
            return is_full_length && (ack.lost > 0 || in_net >= self.inflight(bw, gain));
        }
        is_full_length || in_net <= self.inflight(bw, UNIT)
    }

    fn advance_cycle(&mut self, now: Time) {
        self.cycle.index = (self.cycle.index + 1) % CYCLE_LEN;
        self.cycle.stamp = now;
    }

    /// `bbr_reset_probe_bw_mode`: any phase but the one that drains, at random.
    pub(super) fn enter_probe_bw(&mut self, now: Time) {
        self.mode = Mode::ProbeBw;
        self.cycle.index = CYCLE_LEN - 1 - self.cycle.random.below(CYCLE_RAND);
        self.advance_cycle(now);
    }

    /// `bbr_check_drain`.
    pub(super) fn check_drain(&mut self, ack: &Arrival, flow: &Flow) {
        if self.mode == Mode::Startup && self.full.is_reached {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain
            && self.in_net(ack.in_flight, flow) <= self.inflight(self.path.bw.max(), UNIT)
        {
            self.enter_probe_bw(flow.now);
        }
    }

    /// Second half of `bbr_update_min_rtt`; `expired` says that the smallest RTT was too old.
    pub(super) fn check_probe_rtt(&mut self, expired: bool, ack: &Arrival, tick: u64, now: Time) {
        if expired && !self.probe_rtt.idle_restart && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.save_cwnd();
            self.probe_rtt.done_tick = None;
        }
        if self.mode == Mode::ProbeRtt {
            self.counts.limit(ack.in_flight);
            self.probe(ack, tick, now);
        }
        if ack.rate.is_some_and(|rate| rate.delivered > 0) {
            self.probe_rtt.idle_restart = false;
        }
    }

    fn probe(&mut self, ack: &Arrival, tick: u64, now: Time) {
        if self.probe_rtt.done_tick.is_none() {
            if ack.in_flight <= CWND_MIN_TARGET {
                self.probe_rtt.done_tick = Some(tick + self.params.probe_rtt_ticks);
                self.probe_rtt.round_done = false;
                self.counts.start_round();
            }
            return;
        }
        self.probe_rtt.round_done |= self.counts.round_start;
        if self.probe_rtt.round_done {
            self.check_probe_rtt_done(tick, now);
        }
    }

    /// `bbr_check_probe_rtt_done`.
    pub(super) fn check_probe_rtt_done(&mut self, tick: u64, now: Time) {
        if self.probe_rtt.done_tick.is_some_and(|done| tick > done) {
            self.path.min_rtt_stamp = tick;
            self.cwnd = self.cwnd.max(self.prior_cwnd);
            if self.full.is_reached {
                self.enter_probe_bw(now);
            } else {
                self.mode = Mode::Startup;
            }
        }
    }
}
