//! Aggregation of ACKs: what arrives at once beyond the bandwidth (draft section 5.5.9).

use super::Bbr3;
use crate::control::Flow;
use crate::filters::MaxFilter;
use crate::units::Time;

/// Rounds over which aggregation is remembered (`BBR.ExtraAckedFilterLen`).
const EXTRA_ACKED_FILTER_LEN: u64 = 10;

/// The draft's `BBR.extra_acked` and what belongs to it.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_field_names, reason = "the draft's names")]
pub struct Aggregation {
    /// [bytes]
    extra_acked: MaxFilter,
    extra_acked_interval_start: Time,
    /// [bytes]
    extra_acked_delivered: f64,
}

impl Aggregation {
    /// Starts the clock of a connection whose first ACK comes at `now`.
    pub fn start_clock(&mut self, now: Time) {
        self.extra_acked_interval_start = now;
    }

    /// Largest aggregation of recent rounds [bytes].
    pub fn extra_acked(&self) -> f64 {
        self.extra_acked.max()
    }
}

impl Bbr3 {
    /// `UpdateACKAggregation`.
    pub fn update_ack_aggregation(&mut self, flow: &Flow) {
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
}
