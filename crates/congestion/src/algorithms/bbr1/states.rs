//! The state machine (draft section 4.3): which state follows which, and when.

use super::Bbr1;
use crate::control::{AckSample, Flow};
use crate::units::{Duration, Time};
use crate::window::to_float;

/// Growth of the bandwidth that counts as growth (draft section 4.3.2.2).
const GROWTH: f64 = 1.25;

/// Rounds without growth after which the pipe is full.
const PLATEAU: u32 = 3;

/// Phases of `ProbeBW` (section 4.3.4.3, `BBRGainCycleLen`).
const GAIN_CYCLE_LEN: u64 = 8;

/// States of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Startup,
    Drain,
    /// A phase of the gain cycle and when it began.
    ProbeBw {
        cycle_index: u64,
        cycle_stamp: Time,
    },
    ProbeRtt,
}

impl State {
    /// The machine may go from here to `next` (section 4.3.1): Startup, Drain, then the phases of `ProbeBW` in turn;
    /// `ProbeRTT` comes from everywhere and leads back to Startup or `ProbeBW`.
    fn may_become(self, next: Self) -> bool {
        match (self, next) {
            (Self::Startup, Self::Drain)
            | (Self::ProbeRtt, Self::Startup)
            | (Self::Drain | Self::ProbeRtt, Self::ProbeBw { .. }) => true,
            (Self::ProbeBw { cycle_index: index, .. }, Self::ProbeBw { cycle_index: next, .. }) => {
                next == (index + 1) % GAIN_CYCLE_LEN
            }
            (from, Self::ProbeRtt) => from != Self::ProbeRtt,
            _ => false,
        }
    }
}

/// The search for a full pipe in Startup.
#[derive(Debug, Default)]
#[expect(clippy::struct_field_names, reason = "the draft's names")]
pub(super) struct Pipe {
    pub filled_pipe: bool,
    /// [bytes/s]
    pub full_bw: f64,
    pub full_bw_count: u32,
}

/// The visit to `ProbeRTT`, and what puts it off.
#[derive(Debug, Default)]
pub(super) struct ProbeRtt {
    /// When little has been in flight long enough.
    pub done_stamp: Option<Time>,
    pub round_done: bool,
    /// The connection was silent and starts again.
    pub idle_restart: bool,
}

impl Bbr1 {
    /// Goes to `next`; nothing else changes the state.
    fn transition_to(&mut self, next: State) {
        debug_assert!(self.state.may_become(next), "{:?} does not become {next:?}", self.state);
        self.state = next;
    }

    /// `BBRCheckFullPipe` (section 4.3.2.2).
    pub(super) fn check_full_pipe(&mut self, has_sample: bool) {
        if self.pipe.filled_pipe || !self.rounds.round_start || !has_sample {
            return;
        }
        let btl_bw = self.model.btl_bw.max();
        if btl_bw >= GROWTH * self.pipe.full_bw {
            self.pipe.full_bw = btl_bw;
            self.pipe.full_bw_count = 0;
            return;
        }
        self.pipe.full_bw_count += 1;
        self.pipe.filled_pipe = self.pipe.full_bw_count >= PLATEAU;
    }

    /// `BBRCheckDrain` (section 4.3.3), with `BBREnterDrain`.
    pub(super) fn check_drain(&mut self, flow: &Flow) {
        if self.state == State::Startup && self.pipe.filled_pipe {
            self.transition_to(State::Drain);
        }
        if self.state == State::Drain && to_float(flow.in_flight) <= self.inflight(1.0) {
            self.enter_probe_bw(flow);
        }
    }

    /// `BBREnterProbeBW` (section 4.3.4.3): any phase but the one that drains, at random.
    fn enter_probe_bw(&mut self, flow: &Flow) {
        let cycle_index = (GAIN_CYCLE_LEN - self.random.below(GAIN_CYCLE_LEN - 1)) % GAIN_CYCLE_LEN;
        self.transition_to(State::ProbeBw { cycle_index, cycle_stamp: flow.now });
    }

    /// `BBRCheckCyclePhase`, with `BBRAdvanceCyclePhase`.
    pub(super) fn check_cycle_phase(&mut self, ack: &AckSample, flow: &Flow) {
        let State::ProbeBw { cycle_index, cycle_stamp } = self.state else { return };
        if self.is_next_cycle_phase(cycle_index, cycle_stamp, ack, flow) {
            let cycle_index = (cycle_index + 1) % GAIN_CYCLE_LEN;
            self.transition_to(State::ProbeBw { cycle_index, cycle_stamp: flow.now });
        }
    }

    /// `BBRIsNextCyclePhase`.
    fn is_next_cycle_phase(&self, index: u64, stamp: Time, ack: &AckSample, flow: &Flow) -> bool {
        let is_full_length = self.model.rtprop.is_some_and(|rtprop| flow.now.since(stamp) > rtprop);
        // What was in flight before this ACK.
        let prior_inflight = to_float(flow.in_flight + ack.delivered + ack.lost);
        match index {
            0 => is_full_length && (ack.lost > 0 || prior_inflight >= self.inflight(self.pacing_gain())),
            1 => is_full_length || prior_inflight <= self.inflight(1.0),
            _ => is_full_length,
        }
    }

    /// `BBRCheckProbeRTT` (section 4.3.5).
    pub(super) fn check_probe_rtt(&mut self, ack: &AckSample, flow: &Flow) {
        if self.state != State::ProbeRtt && self.model.rtprop_expired && !self.probe_rtt.idle_restart {
            self.enter_probe_rtt();
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(flow);
        }
        if ack.delivered > 0 {
            self.probe_rtt.idle_restart = false;
        }
    }

    /// `BBREnterProbeRTT`, with what `BBRCheckProbeRTT` does beside it.
    fn enter_probe_rtt(&mut self) {
        self.transition_to(State::ProbeRtt);
        self.save_cwnd();
        self.probe_rtt.done_stamp = None;
    }

    /// `BBRHandleProbeRTT`.
    fn handle_probe_rtt(&mut self, flow: &Flow) {
        // The low rates of this state say nothing about the path.
        self.rounds.app_limited_until = Some(self.rounds.delivered + flow.in_flight);
        match self.probe_rtt.done_stamp {
            None if to_float(flow.in_flight) <= self.min_pipe_cwnd() => {
                let duration = Duration::from_seconds(self.params.probe_rtt_duration);
                self.probe_rtt.done_stamp = Some(flow.now + duration);
                self.probe_rtt.round_done = false;
                self.rounds.start_round();
            }
            None => {}
            Some(done) => {
                self.probe_rtt.round_done |= self.rounds.round_start;
                if self.probe_rtt.round_done && flow.now > done {
                    self.model.rtprop_stamp = Some(flow.now);
                    self.restore_cwnd();
                    self.exit_probe_rtt(flow);
                }
            }
        }
    }

    /// `BBRExitProbeRTT`.
    fn exit_probe_rtt(&mut self, flow: &Flow) {
        if self.pipe.filled_pipe {
            self.enter_probe_bw(flow);
        } else {
            self.transition_to(State::Startup);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::State;
    use crate::units::Time;

    fn probe_bw(cycle_index: u64) -> State {
        State::ProbeBw { cycle_index, cycle_stamp: Time::ZERO }
    }

    /// Draft section 4.3.1; the phases of the cycle come in their order.
    #[test]
    fn transitions_are_those_of_the_draft() {
        let all = [State::Startup, State::Drain, probe_bw(7), State::ProbeRtt];
        let expected = ["0101", "0011", "0001", "1010"];
        for (from, row) in all.iter().zip(expected) {
            for (to, mark) in all.iter().zip(row.chars()) {
                assert_eq!(from.may_become(*to), mark == '1', "{from:?} to {to:?}");
            }
        }
        assert!(probe_bw(7).may_become(probe_bw(0)) && probe_bw(0).may_become(probe_bw(1)));
        assert!(!probe_bw(1).may_become(probe_bw(0)));
    }
}
