//! What the path carries, as far as ACKs tell: rounds, the largest delivery rate, the smallest RTT.

use super::Bbr1;
use crate::control::{AckSample, Flow};
use crate::filters::MaxFilter;
use crate::units::{Duration, Time};
use crate::window::to_float;

/// Packet-timed round trips.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    pub delivered: u64,
    pub next_delivered: u64,
    pub count: u64,
    /// This ACK begins a round.
    pub start: bool,
    /// Samples of segments sent until `delivered` passed this count are of `ProbeRTT`.
    pub app_limited_until: Option<u64>,
}

/// What the path carries.
#[derive(Debug, Default)]
pub(super) struct Model {
    /// [bytes/s]
    pub bandwidth: MaxFilter,
    pub min_rtt: Option<Duration>,
    /// When it was measured; set by the first ACK.
    pub min_rtt_stamp: Option<Time>,
    pub min_rtt_expired: bool,
}

impl Bbr1 {
    /// `BBRUpdateRound` and `BBRUpdateBtlBw` (sections 4.1.1.3 and 4.1.1.5). Whether the ACK has a sample that
    /// the application did not limit.
    pub(super) fn update_bandwidth(&mut self, ack: &AckSample) -> bool {
        let rounds = &mut self.rounds;
        rounds.delivered += ack.delivered;
        rounds.start = false;
        let Some(rate) = ack.rate.filter(|rate| rate.interval > Duration::ZERO) else { return false };
        let prior_delivered = rounds.delivered.saturating_sub(rate.delivered);
        if prior_delivered >= rounds.next_delivered {
            rounds.next_delivered = rounds.delivered;
            rounds.count += 1;
            rounds.start = true;
        }
        let app_limited =
            rate.app_limited || rounds.app_limited_until.is_some_and(|until| prior_delivered <= until);
        let sample = to_float(rate.delivered) / rate.interval.seconds();
        if sample >= self.model.bandwidth.max() || !app_limited {
            self.model.bandwidth.update(sample, rounds.count, self.bw_rounds);
        }
        !app_limited
    }

    /// `BBRUpdateRTprop` (section 4.1.2.3).
    pub(super) fn update_min_rtt(&mut self, ack: &AckSample, flow: &Flow) {
        let model = &mut self.model;
        let stamp = *model.min_rtt_stamp.get_or_insert(flow.now);
        model.min_rtt_expired = flow.now.since(stamp).seconds() > self.params.min_rtt_filter;
        if let Some(rtt) = ack.rtt
            && (model.min_rtt_expired || model.min_rtt.is_none_or(|least| rtt <= least))
        {
            model.min_rtt = Some(rtt);
            model.min_rtt_stamp = Some(flow.now);
        }
    }
}
