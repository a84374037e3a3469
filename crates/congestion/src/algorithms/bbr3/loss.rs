//! What losses say about the data in flight (draft section 5.5.10).

use super::{Bbr3, State};
use crate::control::{AckSample, Flow};

impl Bbr3 {
    /// `HandleLostPacket`, for all that one ACK declared lost. What was in flight when a lost segment was sent
    /// is taken from the segment whose ACK shows the loss; it was sent soon after.
    pub fn handle_losses(&mut self, ack: &AckSample, flow: &Flow) {
        if ack.lost == 0 {
            return;
        }
        self.note_loss();
        self.startup.loss_ranges += 1;
        if self.cycle.is_probe_sample && self.is_inflight_too_high() {
            self.rs.tx_in_flight = self.inflight_at_loss();
            self.handle_inflight_too_high(flow);
        }
    }

    /// `NoteLoss`.
    pub fn note_loss(&mut self) {
        if !self.path.is_loss_in_round {
            self.path.loss_round_delivered = self.counts.delivered;
        }
        self.path.is_loss_in_round = true;
    }

    /// `IsInflightTooHigh`: the transport has selective acknowledgements.
    pub fn is_inflight_too_high(&self) -> bool {
        self.rs.lost > self.rs.tx_in_flight * self.params.loss_thresh
    }

    /// `HandleInflightTooHigh`.
    fn handle_inflight_too_high(&mut self, flow: &Flow) {
        self.cycle.prev_probe_too_high = true;
        self.cycle.is_probe_sample = false;
        if !self.rs.app_limited {
            let least = self.params.beta * self.target_inflight();
            self.path.inflight_longterm = self.rs.tx_in_flight.max(least);
        }
        if self.state == State::Up {
            self.start_down(flow);
        }
    }

    /// `InflightAtLoss`: the volume at which the losses became too many.
    fn inflight_at_loss(&self) -> f64 {
        let threshold = self.params.loss_thresh;
        let inflight_before = self.rs.tx_in_flight - self.smss;
        let lost_before = self.rs.lost - self.smss;
        let lost_prefix = (threshold * inflight_before - lost_before) / (1.0 - threshold);
        inflight_before + lost_prefix
    }
}
