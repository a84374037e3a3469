//! The model of the path (draft section 4.1): rounds, the largest delivery rate, the smallest RTT.

use super::Bbr1;
use crate::control::{AckSample, Flow};
use crate::filters::MaxFilter;
use crate::units::{Duration, Time};
use crate::window::to_float;

/// Packet-timed round trips.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    pub delivered: u64,
    pub next_round_delivered: u64,
    pub round_count: u64,
    /// This ACK begins a round.
    pub round_start: bool,
    /// Samples of segments sent until `delivered` passed this count are of `ProbeRTT`.
    pub app_limited_until: Option<u64>,
}

impl Rounds {
    /// A round ends with a segment that is sent from now on.
    pub fn start_round(&mut self) {
        self.next_round_delivered = self.delivered;
    }
}

/// Bandwidth and propagation delay of the path.
#[derive(Debug, Default)]
pub(super) struct Model {
    /// `BBR.BtlBw` [bytes/s].
    pub btl_bw: MaxFilter,
    /// Rounds over which it is the largest.
    pub btl_bw_filter_len: u64,
    /// `BBR.RTprop`.
    pub rtprop: Option<Duration>,
    /// When it was measured; set by the first ACK.
    pub rtprop_stamp: Option<Time>,
    pub rtprop_expired: bool,
}

impl Bbr1 {
    /// `BBRUpdateBtlBw` (section 4.1.1.5); true if the ACK has a sample that the application did not limit.
    pub(super) fn update_btl_bw(&mut self, ack: &AckSample) -> bool {
        let rounds = &mut self.rounds;
        rounds.delivered += ack.delivered;
        rounds.round_start = false;
        let Some(rate) = ack.rate.filter(|rate| rate.interval > Duration::ZERO) else { return false };
        let prior_delivered = rounds.delivered.saturating_sub(rate.delivered);
        self.update_round(prior_delivered);
        let rounds = &self.rounds;
        let app_limited =
            rate.app_limited || rounds.app_limited_until.is_some_and(|until| prior_delivered <= until);
        let sample = to_float(rate.delivered) / rate.interval.seconds();
        let model = &mut self.model;
        if sample >= model.btl_bw.max() || !app_limited {
            model.btl_bw.update(sample, rounds.round_count, model.btl_bw_filter_len);
        }
        !app_limited
    }

    /// `BBRUpdateRound` (section 4.1.1.3), by an ACK of a segment sent when `prior_delivered` bytes were delivered.
    fn update_round(&mut self, prior_delivered: u64) {
        let rounds = &mut self.rounds;
        if prior_delivered >= rounds.next_round_delivered {
            rounds.start_round();
            rounds.round_count += 1;
            rounds.round_start = true;
        }
    }

    /// `BBRUpdateRTprop` (section 4.1.2.3).
    pub(super) fn update_rtprop(&mut self, ack: &AckSample, flow: &Flow) {
        let model = &mut self.model;
        let stamp = *model.rtprop_stamp.get_or_insert(flow.now);
        model.rtprop_expired = flow.now.since(stamp).seconds() > self.params.min_rtt_filter;
        if let Some(rtt) = ack.rtt
            && (model.rtprop_expired || model.rtprop.is_none_or(|least| rtt <= least))
        {
            model.rtprop = Some(rtt);
            model.rtprop_stamp = Some(flow.now);
        }
    }
}
