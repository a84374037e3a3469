//! Model of the path: rounds, the largest rate, the smallest RTT, and whether the pipe was full.

use super::max_filter::MaxRate;
use super::{Arrival, Bbr1Linux};
use crate::algorithms::bbr_linux::{BW_UNIT, scale};
use crate::control::Flow;
use crate::units::Time;

/// Growth of the bandwidth that counts as growth, in quarters (`bbr_full_bw_thresh`).
const GROWTH: u64 = 5;

/// Rounds without growth after which the pipe is full (`bbr_full_bw_cnt`).
const PLATEAU: u32 = 3;

/// Running counts of the connection [segments], and its rounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub delivered: u64,
    pub lost: u64,
    /// Segments delivered when a round ends (`next_rtt_delivered`).
    pub next_round: u64,
    pub rounds: u64,
    pub round_start: bool,
    /// The application, or `PROBE_RTT`, limited the last sample.
    pub app_limited: bool,
    /// Samples of segments sent between these counts of delivered segments are of `PROBE_RTT`.
    pub limited: Option<(u64, u64)>,
}

impl Counts {
    /// A round ends with a segment that is sent from now on.
    pub(super) fn start_round(&mut self) {
        self.next_round = self.delivered;
    }

    /// Marks what is sent until `in_flight` segments are delivered as limited by the application.
    pub(super) fn limit(&mut self, in_flight: u64) {
        let until = self.delivered + in_flight.max(1);
        let from =
            self.limited.filter(|&(_, end)| end >= self.delivered).map_or(self.delivered, |limit| limit.0);
        self.limited = Some((from, until));
    }
}

/// Bandwidth and propagation delay.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    pub bw: MaxRate,
    /// Smallest RTT [us], once there is one.
    pub min_rtt: Option<u64>,
    /// Tick at which it was measured.
    pub min_rtt_stamp: u64,
    /// The pacing rate was set with an RTT.
    pub has_seen_rtt: bool,
}

/// The search for a full pipe in Startup.
#[derive(Clone, Debug, Default)]
pub(super) struct FullPipe {
    pub is_reached: bool,
    pub bw: u64,
    pub rounds: u32,
}

impl Bbr1Linux {
    /// `bbr_update_bw`.
    pub(super) fn update_bw(&mut self, ack: &Arrival, flow: &Flow) {
        self.counts.delivered += ack.delivered;
        self.counts.lost += ack.lost;
        self.counts.round_start = false;
        let Some(rate) = ack.rate else { return };
        let prior_delivered = self.counts.delivered.saturating_sub(rate.delivered);
        if prior_delivered >= self.counts.next_round {
            self.counts.start_round();
            self.counts.rounds += 1;
            self.counts.round_start = true;
            self.recovery.packet_conservation = false;
        }
        let is_low = self.counts.limited.is_some_and(|(from, to)| (from..=to).contains(&prior_delivered));
        let app_limited = rate.app_limited || is_low;
        self.counts.app_limited = app_limited;
        self.sample_long_term(ack.lost > 0, app_limited, flow.now);
        let bw = scale(rate.delivered, BW_UNIT, rate.interval);
        if !app_limited || bw >= self.path.bw.max() {
            self.path.bw.update(self.params.bw_rounds, self.counts.rounds, bw);
        }
    }

    /// `bbr_update_ack_aggregation`.
    pub(super) fn update_aggregation(&mut self, ack: &Arrival, now: Time) {
        if ack.delivered > 0 && ack.rate.is_some() {
            let (bw, round_start) = (self.bw(), self.counts.round_start);
            self.aggregation.on_ack(ack.delivered, bw, self.cwnd, round_start, true, now);
        }
    }

    /// `bbr_bw`: the rate to go by.
    pub(super) fn bw(&self) -> u64 {
        self.long_term.in_use().unwrap_or_else(|| self.path.bw.max())
    }

    /// `bbr_check_full_bw_reached`.
    pub(super) fn check_full_pipe(&mut self) {
        if self.full.is_reached || !self.counts.round_start || self.counts.app_limited {
            return;
        }
        let bw = self.path.bw.max();
        if bw >= self.full.bw.saturating_mul(GROWTH) / 4 {
            (self.full.bw, self.full.rounds) = (bw, 0);
            return;
        }
        self.full.rounds += 1;
        self.full.is_reached = self.full.rounds >= PLATEAU;
    }

    /// First half of `bbr_update_min_rtt`; true if the smallest RTT was too old.
    pub(super) fn update_min_rtt(&mut self, ack: &Arrival, tick: u64) -> bool {
        let path = &mut self.path;
        let expired = tick > path.min_rtt_stamp + self.params.min_rtt_ticks;
        if let Some(rtt) = ack.rtt
            && (expired || path.min_rtt.is_none_or(|least| rtt < least))
        {
            (path.min_rtt, path.min_rtt_stamp) = (Some(rtt), tick);
        }
        expired
    }
}
