//! Startup and Drain: fill the pipe, notice that it is full, empty the queue (draft sections 5.3.1 and 5.3.2).

use super::{Bbr3, Form, State};
use crate::control::Flow;
use crate::window::to_float;

/// Growth of the delivery rate that counts as growth.
const GROWTH: f64 = 1.25;

/// Rounds without growth after which the pipe is full.
const PLATEAU: u32 = 3;

/// Ranges lost in a round from which on losses end Startup (`BBR.StartupFullLossCnt`).
const STARTUP_FULL_LOSS_COUNT: u32 = 6;

/// Rounds after which Drain ends whatever is in flight.
const DRAIN_ROUNDS: u64 = 3;

/// The search for the rate that the pipe carries.
#[derive(Clone, Debug, Default)]
pub struct Startup {
    /// The pipe has been full at some time.
    pub full_bw_reached: bool,
    /// It is full in this probe.
    pub full_bw_now: bool,
    /// Rate to compare with [bytes/s].
    pub full_bw: f64,
    full_bw_count: u32,
    drain_start_round: u64,
    /// ACKs that found losses in this loss round; each stands for a range.
    pub loss_ranges: u32,
    /// Round in which fast recovery began.
    pub recovery_round: Option<u64>,
}

impl Startup {
    /// `ResetFullBW`.
    pub fn reset_full_bw(&mut self) {
        self.full_bw = 0.0;
        self.full_bw_count = 0;
        self.full_bw_now = false;
    }
}

impl Bbr3 {
    /// `CheckFullBWReached`.
    pub fn check_full_bw_reached(&mut self) {
        let startup = &mut self.startup;
        // In Linux a sample of any ACK shows growth; rounds count where there is none.
        let is_judged = self.rounds.round_start || self.c.form == Form::Linux;
        if startup.full_bw_now || !is_judged || self.rs.app_limited {
            return;
        }
        if self.rs.delivery_rate >= GROWTH * startup.full_bw {
            startup.reset_full_bw();
            startup.full_bw = self.rs.delivery_rate;
            return;
        }
        if !self.rounds.round_start {
            return;
        }
        startup.full_bw_count += 1;
        startup.full_bw_now = startup.full_bw_count >= PLATEAU;
        startup.full_bw_reached |= startup.full_bw_now;
    }

    /// `CheckStartupDone`.
    pub fn check_startup_done(&mut self) {
        if self.state != State::Startup {
            return;
        }
        self.check_startup_high_loss();
        if self.startup.full_bw_reached {
            self.enter_drain();
        }
    }

    /// `CheckStartupHighLoss` (draft section 5.3.1.3): a round of recovery, more than the tolerated losses, six ranges
    /// of them.
    fn check_startup_high_loss(&mut self) {
        let round = self.rounds.round_count;
        if !self.startup.full_bw_reached
            && self.signals.loss_round_start
            && self.startup.recovery_round.is_some_and(|entered| round > entered || self.is_linux())
            && self.startup.loss_ranges >= STARTUP_FULL_LOSS_COUNT
            && self.is_inflight_too_high()
        {
            self.handle_queue_too_high();
        }
    }

    /// Ends Startup by losses or marks, with a long-term bound (Linux, `bbr_handle_queue_too_high_in_startup`).
    pub fn handle_queue_too_high(&mut self) {
        self.startup.full_bw_reached = true;
        let volume =
            if self.is_linux() { self.inflight_at(self.model.max_bw(), 1.0) } else { self.bdp_multiple(1.0) };
        self.model.inflight_longterm = volume.max(self.signals.inflight_latest);
    }

    /// `EnterDrain`.
    fn enter_drain(&mut self) {
        self.transition_to(State::Drain);
        self.startup.drain_start_round = self.rounds.round_count;
        if self.is_linux() {
            self.signals.reset_congestion_signals();
        }
    }

    /// `CheckDrainDone`.
    pub fn check_drain_done(&mut self, flow: &Flow) {
        let is_over = if self.is_linux() {
            self.in_net(to_float(flow.in_flight), flow) <= self.inflight_at(self.model.max_bw(), 1.0)
        } else {
            let late = self.rounds.round_count > self.startup.drain_start_round + DRAIN_ROUNDS;
            to_float(flow.in_flight) <= self.inflight(1.0) || late
        };
        if self.state == State::Drain && is_over {
            self.enter_probe_bw(flow);
        }
    }

    /// `EnterProbeBW`.
    fn enter_probe_bw(&mut self, flow: &Flow) {
        self.start_probe_bw_down(flow);
    }
}
