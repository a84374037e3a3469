//! Bounds on the data in flight from losses (draft section 5.5.10.2).

use super::{Bbr3, State};
use crate::control::{AckSample, Flow};

impl Bbr3 {
    /// `HandleLostPacket`, for all that one ACK declared lost. What was in flight when a lost segment was sent
    /// is taken from the segment whose ACK shows the loss; it was sent soon after.
    pub fn handle_lost_packet(&mut self, ack: &AckSample, flow: &Flow) {
        if ack.lost == 0 {
            return;
        }
        self.note_loss();
        self.startup.loss_ranges += 1;
        if self.cycle.bw_probe_samples && self.is_inflight_too_high() {
            self.rs.tx_in_flight = self.inflight_at_loss();
            self.handle_inflight_too_high(flow);
        }
    }

    /// `NoteLoss`.
    pub fn note_loss(&mut self) {
        if !self.signals.loss_in_round {
            self.signals.loss_round_delivered = self.rounds.delivered;
        }
        self.signals.loss_in_round = true;
    }

    /// `IsInflightTooHigh`, by losses or marks: the transport has selective acknowledgements.
    pub fn is_inflight_too_high(&self) -> bool {
        let tolerated = self.in_segments(self.rs.tx_in_flight * self.params.loss_thresh);
        self.rs.lost > tolerated || self.is_marked_too_much()
    }

    /// `HandleInflightTooHigh`.
    pub fn handle_inflight_too_high(&mut self, flow: &Flow) {
        self.cycle.prev_probe_too_high = true;
        self.cycle.bw_probe_samples = false;
        if !self.rs.app_limited {
            let least = self.params.beta * self.target_inflight();
            self.model.inflight_longterm = self.rs.tx_in_flight.max(least);
        }
        if self.state == State::ProbeBwUp {
            self.start_probe_bw_down(flow);
        }
    }

    /// `InflightAtLoss`: the volume at which the losses became too many.
    fn inflight_at_loss(&self) -> f64 {
        let threshold = self.params.loss_thresh;
        let inflight_prev = self.rs.tx_in_flight - self.c.smss;
        let lost_prev = self.rs.lost - self.c.smss;
        if self.is_linux() {
            let budget = libm::ceil(threshold * inflight_prev / self.c.smss) * self.c.smss;
            let prefix = (budget - lost_prev).max(0.0) / (1.0 - threshold);
            return (inflight_prev + self.in_segments(prefix)).max(0.0);
        }
        let lost_prefix = (threshold * inflight_prev - lost_prev) / (1.0 - threshold);
        inflight_prev + lost_prefix
    }
}
