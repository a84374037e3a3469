//! The model of the path: bandwidth, round-trip time, aggregation, and what is left of them after losses
//! (draft sections 5.5.2 to 5.5.10).

use super::{Bbr3, State};
use crate::control::Flow;
use crate::filters::MaxFilter;
use crate::units::{Duration, Time};

/// Rounds over which aggregation is remembered (`BBR.ExtraAckedFilterLen`).
const EXTRA_ACKED_ROUNDS: u64 = 10;

/// Estimates of what the path carries.
#[derive(Clone, Debug)]
pub struct Path {
    /// Largest delivery rates of the cycle before and of this one [bytes/s]; `BBR.MaxBwFilterLen` is 2.
    max_bw: [f64; 2],
    /// Bound on the rate from losses since the last probe [bytes/s].
    pub bw_shortterm: f64,
    /// Bound on the data in flight from losses since the last probe [bytes].
    pub inflight_shortterm: f64,
    /// Data in flight that the path stood in the last probes [bytes].
    pub inflight_longterm: f64,
    /// Smallest RTT of `min_rtt_filter` seconds.
    pub min_rtt: Option<Duration>,
    min_rtt_stamp: Time,
    /// Smallest RTT since the last `ProbeRTT`.
    probe_rtt_min_delay: Option<Duration>,
    pub probe_rtt_min_stamp: Time,
    pub probe_rtt_expired: bool,
    /// Aggregation [bytes].
    extra_acked: MaxFilter,
    extra_acked_start: Time,
    extra_acked_delivered: f64,
    /// Largest delivery rate of the running loss round [bytes/s].
    bw_latest: f64,
    /// Largest volume delivered in a round trip of the running loss round [bytes].
    pub inflight_latest: f64,
    pub loss_round_delivered: u64,
    pub loss_round_start: bool,
    pub is_loss_in_round: bool,
}

impl Path {
    pub fn new() -> Self {
        Self {
            max_bw: [0.0; 2],
            bw_shortterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
            inflight_longterm: f64::INFINITY,
            min_rtt: None,
            min_rtt_stamp: Time::ZERO,
            probe_rtt_min_delay: None,
            probe_rtt_min_stamp: Time::ZERO,
            probe_rtt_expired: false,
            extra_acked: MaxFilter::default(),
            extra_acked_start: Time::ZERO,
            extra_acked_delivered: 0.0,
            bw_latest: 0.0,
            inflight_latest: 0.0,
            loss_round_delivered: 0,
            loss_round_start: false,
            is_loss_in_round: false,
        }
    }

    /// The clocks of a connection whose first ACK comes at `now`.
    pub fn start_clocks(&mut self, now: Time) {
        self.min_rtt_stamp = now;
        self.probe_rtt_min_stamp = now;
        self.extra_acked_start = now;
    }

    /// Largest delivery rate of this cycle and the one before [bytes/s].
    pub fn max_bw(&self) -> f64 {
        self.max_bw[0].max(self.max_bw[1])
    }

    /// The rate to send at, before gains [bytes/s] (`BoundBWForModel`).
    pub fn bw(&self) -> f64 {
        self.max_bw().min(self.bw_shortterm)
    }

    /// Aggregation [bytes].
    pub fn extra_acked(&self) -> f64 {
        self.extra_acked.max()
    }

    /// A new cycle; one without any sample does not count.
    pub fn advance_max_bw(&mut self) {
        if self.max_bw[1] > 0.0 {
            self.max_bw = [self.max_bw[1], 0.0];
        }
    }

    /// `ResetCongestionSignals`.
    pub fn reset_congestion_signals(&mut self) {
        self.is_loss_in_round = false;
        self.bw_latest = 0.0;
        self.inflight_latest = 0.0;
    }

    /// `ResetShortTermModel`.
    pub fn reset_short_term(&mut self) {
        self.bw_shortterm = f64::INFINITY;
        self.inflight_shortterm = f64::INFINITY;
    }
}

impl Bbr3 {
    /// `UpdateLatestDeliverySignals`, near the start of ACK processing.
    pub fn update_latest_delivery(&mut self) {
        let (path, rs) = (&mut self.path, &self.rs);
        path.loss_round_start = false;
        path.bw_latest = path.bw_latest.max(rs.delivery_rate);
        path.inflight_latest = path.inflight_latest.max(rs.delivered);
        if rs.prior_delivered.is_some_and(|prior| prior >= path.loss_round_delivered) {
            path.loss_round_delivered = self.counts.delivered;
            path.loss_round_start = true;
        }
    }

    /// `AdvanceLatestDeliverySignals`, near its end.
    pub fn advance_latest_delivery(&mut self) {
        if self.path.loss_round_start {
            self.path.bw_latest = self.rs.delivery_rate;
            self.path.inflight_latest = self.rs.delivered;
            self.startup.loss_ranges = 0;
        }
    }

    /// `UpdateCongestionSignals`: the bandwidth, and once per round the answer to losses outside of probes.
    pub fn update_congestion_signals(&mut self) {
        let rate = self.rs.delivery_rate;
        if rate > 0.0 && (rate >= self.path.max_bw() || !self.rs.app_limited) {
            self.path.max_bw[1] = self.path.max_bw[1].max(rate);
        }
        if !self.path.loss_round_start {
            return;
        }
        if self.path.is_loss_in_round && !self.is_probing() {
            self.lower_bounds();
        }
        self.path.is_loss_in_round = false;
    }

    /// `InitLowerBounds` and `LossLowerBounds`.
    fn lower_bounds(&mut self) {
        let (path, beta) = (&mut self.path, self.params.beta);
        if path.bw_shortterm.is_infinite() {
            path.bw_shortterm = path.max_bw();
        }
        if path.inflight_shortterm.is_infinite() {
            path.inflight_shortterm = self.cwnd;
        }
        path.bw_shortterm = path.bw_latest.max(beta * path.bw_shortterm);
        path.inflight_shortterm = path.inflight_latest.max(beta * path.inflight_shortterm);
    }

    /// `IsProbingBW`.
    pub fn is_probing(&self) -> bool {
        matches!(self.state, State::Startup | State::Refill | State::Up)
    }

    /// `UpdateACKAggregation`.
    pub fn update_aggregation(&mut self, flow: &Flow) {
        let (path, rs) = (&mut self.path, &self.rs);
        let mut expected = path.bw() * flow.now.since(path.extra_acked_start).seconds();
        if path.extra_acked_delivered <= expected {
            path.extra_acked_delivered = 0.0;
            path.extra_acked_start = flow.now;
            expected = 0.0;
        }
        path.extra_acked_delivered += rs.newly_acked;
        let extra = (path.extra_acked_delivered - expected).min(self.cwnd);
        let rounds = if self.startup.full_bw_reached { EXTRA_ACKED_ROUNDS } else { 1 };
        path.extra_acked.update(extra, self.counts.round_count, rounds);
    }

    /// `UpdateMinRTT`.
    pub fn update_min_rtt(&mut self, flow: &Flow) {
        let (path, params) = (&mut self.path, &self.params);
        path.probe_rtt_expired =
            flow.now.since(path.probe_rtt_min_stamp).seconds() > params.probe_rtt_interval;
        if let Some(rtt) = self.rs.rtt
            && (path.probe_rtt_expired || path.probe_rtt_min_delay.is_none_or(|least| rtt < least))
        {
            path.probe_rtt_min_delay = Some(rtt);
            path.probe_rtt_min_stamp = flow.now;
        }
        let expired = flow.now.since(path.min_rtt_stamp).seconds() > params.min_rtt_filter;
        if let Some(delay) = path.probe_rtt_min_delay
            && (expired || path.min_rtt.is_none_or(|least| delay < least))
        {
            path.min_rtt = Some(delay);
            path.min_rtt_stamp = path.probe_rtt_min_stamp;
        }
    }
}
