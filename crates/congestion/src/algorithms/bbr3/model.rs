//! The model of the path: bandwidth and data in flight, and what is left of them after losses (draft sections
//! 5.5.2 to 5.5.5 and 5.5.10).

use super::Bbr3;
use super::ecn::Marks;

/// Estimates of what the path carries.
#[derive(Clone, Debug)]
pub struct Model {
    /// Largest delivery rates of the cycle before and of this one [bytes/s]; `BBR.MaxBwFilterLen` is 2.
    max_bw: [f64; 2],
    /// Bound on the rate from losses since the last probe [bytes/s].
    pub bw_shortterm: f64,
    /// Bound on the data in flight from losses since the last probe [bytes].
    pub inflight_shortterm: f64,
    /// Data in flight that the path stood in the last probes [bytes].
    pub inflight_longterm: f64,
}

impl Default for Model {
    fn default() -> Self {
        let (bw_shortterm, inflight_shortterm) = (f64::INFINITY, f64::INFINITY);
        Self { max_bw: [0.0; 2], bw_shortterm, inflight_shortterm, inflight_longterm: f64::INFINITY }
    }
}

impl Model {
    /// Largest delivery rate of this cycle and the one before [bytes/s].
    pub fn max_bw(&self) -> f64 {
        self.max_bw[0].max(self.max_bw[1])
    }

    /// `AdvanceMaxBwFilter`: a new cycle; one without any sample does not count.
    pub fn advance_max_bw_filter(&mut self) {
        if self.max_bw[1] > 0.0 {
            self.max_bw = [self.max_bw[1], 0.0];
        }
    }

    /// `ResetShortTermModel`.
    pub fn reset_short_term_model(&mut self) {
        self.bw_shortterm = f64::INFINITY;
        self.inflight_shortterm = f64::INFINITY;
    }
}

/// Signals of congestion in a round (draft section 5.5.10).
#[derive(Clone, Debug, Default)]
pub struct Signals {
    /// Largest delivery rate of the running loss round [bytes/s].
    bw_latest: f64,
    /// Largest volume delivered in a round trip of the running loss round [bytes].
    pub inflight_latest: f64,
    pub loss_round_delivered: u64,
    pub loss_round_start: bool,
    pub loss_in_round: bool,
    /// Marks, if the flow answers them.
    pub marks: Option<Box<Marks>>,
}

impl Signals {
    /// Signals of a new flow, with marks if it answers them.
    pub fn new(marks: Option<Box<Marks>>) -> Self {
        Self { marks, ..Self::default() }
    }

    /// `ResetCongestionSignals`.
    pub fn reset_congestion_signals(&mut self) {
        self.loss_in_round = false;
        self.forget_marks();
        self.bw_latest = 0.0;
        self.inflight_latest = 0.0;
    }

    fn forget_marks(&mut self) {
        if let Some(marks) = &mut self.marks {
            marks.in_round = false;
        }
    }
}

impl Bbr3 {
    /// `BoundBWForModel`: the rate to send at, before gains [bytes/s].
    pub fn bound_bw_for_model(&self) -> f64 {
        self.model.max_bw().min(self.model.bw_shortterm)
    }

    /// `UpdateLatestDeliverySignals`, near the start of ACK processing.
    pub fn update_latest_delivery_signals(&mut self) {
        let (signals, rs) = (&mut self.signals, &self.rs);
        signals.loss_round_start = false;
        signals.bw_latest = signals.bw_latest.max(rs.delivery_rate);
        signals.inflight_latest = signals.inflight_latest.max(rs.delivered);
        if rs.prior_delivered.is_some_and(|prior| prior >= signals.loss_round_delivered) {
            signals.loss_round_delivered = self.rounds.delivered;
            signals.loss_round_start = true;
        }
    }

    /// `AdvanceLatestDeliverySignals`, near its end.
    pub fn advance_latest_delivery_signals(&mut self) {
        if self.signals.loss_round_start {
            self.signals.bw_latest = self.rs.delivery_rate;
            self.signals.inflight_latest = self.rs.delivered;
            self.startup.loss_ranges = 0;
        }
    }

    /// `UpdateCongestionSignals`: the bandwidth, and once per round the answer to losses.
    pub fn update_congestion_signals(&mut self) {
        self.update_max_bw();
        if !self.signals.loss_round_start {
            return;
        }
        self.adapt_lower_bounds_from_congestion();
        self.signals.loss_in_round = false;
        self.signals.forget_marks();
    }

    /// `UpdateMaxBw`.
    fn update_max_bw(&mut self) {
        let (rate, model) = (self.rs.delivery_rate, &mut self.model);
        if rate > 0.0 && (rate >= model.max_bw() || !self.rs.app_limited) {
            model.max_bw[1] = model.max_bw[1].max(rate);
        }
    }

    /// `AdaptLowerBoundsFromCongestion`: losses and marks count outside of probes.
    fn adapt_lower_bounds_from_congestion(&mut self) {
        if self.is_probing_bw() {
            return;
        }
        let ecn_lower_bound = self.ecn_lower_bound();
        if self.signals.loss_in_round {
            self.init_lower_bounds();
            self.loss_lower_bounds();
        }
        self.model.inflight_shortterm = self.model.inflight_shortterm.min(ecn_lower_bound);
    }

    /// `InitLowerBounds`.
    fn init_lower_bounds(&mut self) {
        let model = &mut self.model;
        if model.bw_shortterm.is_infinite() {
            model.bw_shortterm = model.max_bw();
        }
        if model.inflight_shortterm.is_infinite() {
            model.inflight_shortterm = self.c.cwnd;
        }
    }

    /// `LossLowerBounds`.
    fn loss_lower_bounds(&mut self) {
        let (model, signals, beta) = (&mut self.model, &self.signals, self.params.beta);
        model.bw_shortterm = signals.bw_latest.max(beta * model.bw_shortterm);
        model.inflight_shortterm = signals.inflight_latest.max(beta * model.inflight_shortterm);
    }
}
