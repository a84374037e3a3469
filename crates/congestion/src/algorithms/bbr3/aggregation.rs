//! Aggregation of ACKs: what arrives at once beyond the bandwidth (draft section 5.5.9).

use super::Bbr3;
use crate::algorithms::bbr_linux;
use crate::control::Flow;
use crate::filters::MaxFilter;
use crate::units::Time;
use crate::window::to_float;

/// Rounds over which aggregation is remembered (`BBR.ExtraAckedFilterLen`).
const EXTRA_ACKED_FILTER_LEN: u64 = 10;

/// The draft's `BBR.extra_acked` and what belongs to it.
#[derive(Clone, Debug, Default)]
pub struct Aggregation {
    /// [bytes]
    extra_acked: MaxFilter,
    /// The first ACK begins an interval.
    extra_acked_interval_start: Time,
    /// [bytes]
    extra_acked_delivered: f64,
    /// Aggregation in whole segments, for Linux's form.
    in_linux: bbr_linux::Aggregation,
}

impl Aggregation {
    /// Begins an interval after idle time (`HandleRestartFromIdle`; Linux, `bbr_cwnd_event`).
    pub fn restart(&mut self, now: Time) {
        self.extra_acked_interval_start = now;
        self.in_linux.restart(now);
    }

    /// Largest aggregation of recent rounds [bytes].
    pub fn extra_acked(&self) -> f64 {
        self.extra_acked.max()
    }
}

impl Bbr3 {
    /// Bytes by which aggregation opens the window.
    pub fn extra_acked(&self) -> f64 {
        if !self.is_linux() {
            return self.aggregation.extra_acked();
        }
        let segments = self.aggregation.in_linux.cwnd(bbr_linux::UNIT, self.bw_in_linux());
        to_float(segments) * self.c.smss
    }

    /// `UpdateACKAggregation`.
    pub fn update_ack_aggregation(&mut self, flow: &Flow) {
        if self.is_linux() {
            self.aggregate_in_linux(flow);
            return;
        }
        let bw = self.bound_bw_for_model();
        let seen = &mut self.aggregation;
        let mut expected = bw * flow.now.since(seen.extra_acked_interval_start).seconds();
        if seen.extra_acked_delivered <= expected {
            seen.extra_acked_delivered = 0.0;
            seen.extra_acked_interval_start = flow.now;
            expected = 0.0;
        }
        seen.extra_acked_delivered += self.rs.newly_acked;
        let extra = (seen.extra_acked_delivered - expected).min(self.c.cwnd);
        let rounds = if self.startup.full_bw_reached { EXTRA_ACKED_FILTER_LEN } else { 1 };
        seen.extra_acked.update(extra, self.rounds.round_count, rounds);
    }

    /// `bbr_update_ack_aggregation`.
    fn aggregate_in_linux(&mut self, flow: &Flow) {
        if self.rs.prior_delivered.is_none() || self.rs.newly_acked <= 0.0 {
            return;
        }
        let (bw, was_full) = (self.bw_in_linux(), self.startup.full_bw_reached);
        let [acked, cwnd] = [self.rs.newly_acked, self.c.cwnd].map(|bytes| self.count_segments(bytes));
        self.aggregation.in_linux.on_ack(acked, bw, cwnd, self.rounds.round_start, was_full, flow.now);
    }
}
