//! Pacing rate and window.

use super::{Arrival, Bbr1Linux, CaState, Mode, Recovery};
use crate::algorithms::bbr_linux::{BW_UNIT, CWND_MIN_TARGET, FIRST_RTT, INIT_CWND, UNIT, bdp, burst, scale};

/// Pacing rate below which bursts are single segments [bytes/s] (`bbr_min_tso_rate`).
const MIN_BURST_RATE: u64 = 1_200_000 / 8;

impl Bbr1Linux {
    /// Rate in bytes per second at a gain, less the margin (`bbr_rate_bytes_per_sec`).
    pub(super) fn bytes_per_second(&self, bw: u64, gain: u64) -> u64 {
        let rate = scale(scale(bw, self.params.smss, 1), gain, UNIT);
        scale(rate, self.params.paced, BW_UNIT)
    }

    /// `bbr_init_pacing_rate_from_rtt`, with an RTT [us] once there is one.
    pub(super) fn init_pacing_rate(&mut self, rtt: Option<u64>) {
        let bw = scale(self.cwnd, BW_UNIT, rtt.unwrap_or(FIRST_RTT).max(1));
        self.pacing_rate = self.bytes_per_second(bw, self.params.high_gain).max(1);
    }

    /// `bbr_set_pacing_rate`.
    pub(super) fn set_pacing_rate(&mut self, gain: u64) {
        let rate = self.bytes_per_second(self.bw(), gain).max(1);
        if self.full.is_reached || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    /// Segments of a burst (`bbr_tso_segs_goal`).
    pub(super) fn burst(&self) -> u64 {
        let least = if self.pacing_rate < MIN_BURST_RATE { 1 } else { 2 };
        burst(self.pacing_rate, self.params.smss, least)
    }

    /// `bbr_bdp`.
    fn bdp(&self, bw: u64, gain: u64) -> u64 {
        self.path.min_rtt.map_or(INIT_CWND, |min_rtt| bdp(bw, min_rtt, gain))
    }

    /// `bbr_quantization_budget`: three bursts that are on their way inside the hosts, an even number, and two segments for
    /// probes.
    fn quantization_budget(&self, cwnd: u64) -> u64 {
        let probing = if self.mode == Mode::ProbeBw && self.cycle.index == 0 { 2 } else { 0 };
        let cwnd = if self.params.bursts { cwnd.saturating_add(3 * self.burst()) } else { cwnd };
        (cwnd.saturating_add(1) & !1).saturating_add(probing)
    }

    /// `bbr_inflight`.
    pub(super) fn inflight(&self, bw: u64, gain: u64) -> u64 {
        self.quantization_budget(self.bdp(bw, gain))
    }

    /// Window to grow to [segments].
    fn target_cwnd(&self) -> u64 {
        let bw = self.bw();
        let aggregated =
            if self.full.is_reached { self.aggregation.cwnd(self.params.extra_acked_gain, bw) } else { 0 };
        self.quantization_budget(self.bdp(bw, self.gains.1).saturating_add(aggregated))
    }

    /// `bbr_set_cwnd`.
    pub(super) fn set_cwnd(&mut self, ack: &Arrival) {
        if ack.delivered > 0 && !self.recover_or_restore(ack) {
            let target = self.target_cwnd();
            let grown = self.cwnd.saturating_add(ack.delivered);
            if self.full.is_reached {
                self.cwnd = grown.min(target);
            } else if self.cwnd < target || self.counts.delivered < INIT_CWND {
                self.cwnd = grown;
            }
            self.cwnd = self.cwnd.max(CWND_MIN_TARGET);
        }
        self.bound_for_probe_rtt();
    }

    fn bound_for_probe_rtt(&mut self) {
        if self.mode == Mode::ProbeRtt {
            self.cwnd = self.cwnd.min(CWND_MIN_TARGET);
        }
    }

    /// `bbr_set_cwnd_to_recover_or_restore`; true while packets are conserved.
    fn recover_or_restore(&mut self, ack: &Arrival) -> bool {
        if ack.lost > 0 {
            self.cwnd = self.cwnd.saturating_sub(ack.lost).max(1);
        }
        if self.recovery.state == CaState::Recovery && self.recovery.prior_state != CaState::Recovery {
            self.recovery.packet_conservation = true;
            self.counts.start_round();
            self.cwnd = ack.in_flight + ack.delivered;
        }
        self.recovery.prior_state = self.recovery.state;
        if self.recovery.packet_conservation {
            self.cwnd = self.cwnd.max(ack.in_flight + ack.delivered);
        }
        self.recovery.packet_conservation
    }

    /// End of recovery: the window that was saved, if the model takes it.
    pub(super) fn restore_cwnd(&mut self) {
        let is_cut = self.recovery.prior_state != CaState::Open;
        self.recovery =
            Recovery { state: CaState::Open, prior_state: CaState::Open, packet_conservation: false };
        if is_cut {
            self.cwnd = self.cwnd.max(self.prior_cwnd);
            if self.full.is_reached {
                self.cwnd = self.cwnd.min(self.target_cwnd());
            }
            self.cwnd = self.cwnd.max(CWND_MIN_TARGET);
            self.bound_for_probe_rtt();
        }
    }

    /// `bbr_save_cwnd`.
    pub(super) fn save_cwnd(&mut self) {
        self.prior_cwnd = if self.recovery.prior_state == CaState::Open && self.mode != Mode::ProbeRtt {
            self.cwnd
        } else {
            self.prior_cwnd.max(self.cwnd)
        };
    }
}
