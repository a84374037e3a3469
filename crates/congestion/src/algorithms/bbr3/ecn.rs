//! Bounds on the data in flight from marks, as in Linux (`net/ipv4/tcp_bbr.c`, version 3). The draft leaves them open,
//! section 3.7: it "does not specify a specific response to Classic [RFC3168], Alternative Backoff with ECN (ABE) [RFC8511]
//! or L4S [RFC9330] style ECN".

use super::sample::Recent;
use super::{Bbr3, Params};
use crate::control::{AckSample, Ecn, Flow};
use crate::units::Duration;
use crate::window::to_float;

/// Rounds with many marks in a row after which the pipe is full (`bbr_full_ecn_cnt`).
const FULL_ECN_COUNT: u32 = 2;

/// State of a flow that answers marks.
#[derive(Clone, Debug)]
pub struct Marks {
    /// Averaged part of the bytes that were marked, 0 to 1 (`ecn_alpha`).
    pub alpha: f64,
    /// Marks count: the echo is exact and the path short (`ecn_eligible`).
    is_eligible: bool,
    /// A mark has come in this loss round.
    pub in_round: bool,
    /// Bytes since `alpha` was updated: delivered, and marked of them.
    since_update: [u64; 2],
    recent: Recent,
    startup_rounds: u32,
}

impl Marks {
    /// State of a new flow, if it answers marks.
    pub fn new(params: &Params) -> Option<Box<Self>> {
        let marks = Self {
            // A bottleneck may be congested from the start.
            alpha: 1.0,
            is_eligible: false,
            in_round: false,
            since_update: [0, 0],
            recent: Recent::default(),
            startup_rounds: 0,
        };
        params.ecn.then(|| Box::new(marks))
    }

    /// Takes in the round that ends; the part of it that was marked, if anything was delivered.
    fn end_round(&mut self, gain: f64) -> Option<f64> {
        let [delivered, marked] = std::mem::take(&mut self.since_update);
        let ratio = (delivered > 0).then(|| to_float(marked) / to_float(delivered))?;
        self.alpha += gain * (ratio - self.alpha);
        Some(ratio)
    }
}

impl Bbr3 {
    /// Takes in what an ACK says of marks, and answers a probe or a Startup with too many.
    pub fn follow_marks(&mut self, ack: &AckSample, flow: &Flow) {
        let Some(marks) = &mut self.signals.marks else { return };
        let marked = ack.ce_marked.min(ack.delivered);
        marks.since_update[0] += ack.delivered;
        marks.since_update[1] += marked;
        if marked > 0 {
            marks.recent.add(self.rounds.delivered - ack.delivered, marked);
        }
        if let Some(prior_delivered) = self.rs.prior_delivered {
            self.rs.delivered_ce = to_float(marks.recent.since(prior_delivered));
        }
        if self.rounds.round_start {
            self.update_ecn_alpha(flow);
        }
        let Some(marks) = &mut self.signals.marks else { return };
        marks.in_round |= marks.is_eligible && marked > 0;
        if self.cycle.bw_probe_samples && self.is_marked_too_much() {
            self.handle_inflight_too_high(flow);
        }
    }

    /// Once per round: the average, and the end of Startup by two rounds in a row with too many marks.
    fn update_ecn_alpha(&mut self, flow: &Flow) {
        let Params { ecn_alpha_gain, ecn_thresh, ecn_max_rtt, .. } = self.params;
        let Some(marks) = &mut self.signals.marks else { return };
        let min_rtt = self.min_rtt.min_rtt.map_or(f64::INFINITY, Duration::seconds);
        let is_exact = matches!(flow.ecn, Ecn::Dctcp | Ecn::L4s);
        marks.is_eligible |= is_exact && (ecn_max_rtt <= 0.0 || min_rtt <= ecn_max_rtt);
        if !marks.is_eligible {
            marks.since_update = [0, 0];
            return;
        }
        let Some(ratio) = marks.end_round(ecn_alpha_gain) else { return };
        marks.startup_rounds = if ratio >= ecn_thresh { marks.startup_rounds + 1 } else { 0 };
        if marks.startup_rounds >= FULL_ECN_COUNT && !self.startup.full_bw_reached {
            self.handle_queue_too_high();
        }
    }

    /// More than `ecn_thresh` of what the rate sample covers was marked.
    pub fn is_marked_too_much(&self) -> bool {
        self.signals.marks.as_ref().is_some_and(|marks| marks.is_eligible)
            && self.rs.delivered_ce > self.rs.delivered * self.params.ecn_thresh
    }

    /// Bound on the data in flight after a round with marks [bytes]: (1 - alpha x `ecn_factor`) of the one so far.
    pub fn ecn_lower_bound(&mut self) -> f64 {
        match &self.signals.marks {
            Some(marks) if marks.in_round => {
                let kept = 1.0 - marks.alpha * self.params.ecn_factor;
                let inflight = self.model.inflight_shortterm;
                kept * if inflight.is_finite() { inflight } else { self.c.cwnd }
            }
            _ => f64::INFINITY,
        }
    }
}
