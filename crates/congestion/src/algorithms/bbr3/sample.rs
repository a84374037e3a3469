//! What one ACK says, in the terms of the draft (sections 4.1.2 and 5.5.1), and the counts behind it.

use std::collections::VecDeque;

use super::Bbr3;
use crate::control::{AckSample, Flow};
use crate::units::Duration;
use crate::window::to_float;

/// The rate sample of the ACK in hand (the draft's RS); zeros where there is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    /// Bytes that this ACK newly acknowledged.
    pub newly_acked: f64,
    /// Bytes delivered since the acknowledged segment was sent.
    pub delivered: f64,
    /// [bytes/s]
    pub delivery_rate: f64,
    pub app_limited: bool,
    pub rtt: Option<Duration>,
    /// Bytes in flight when the acknowledged segment was sent, itself included.
    pub tx_in_flight: f64,
    /// Bytes declared lost since then.
    pub lost: f64,
    /// All bytes delivered when it was sent; `None` if the ACK gives no rate sample.
    pub prior_delivered: Option<u64>,
}

/// Running counts of the connection, and the rounds that follow from them.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Bytes delivered in all.
    pub delivered: u64,
    /// Recent losses: `delivered` when they were found, and bytes.
    losses: VecDeque<(u64, u64)>,
    /// Bytes in `losses`.
    recent_losses: u64,
    /// Samples of segments sent until `delivered` passed this count as limited by the application.
    pub app_limited_until: Option<u64>,
    next_round_delivered: u64,
    pub round_start: bool,
    pub round_count: u64,
}

impl Counts {
    /// The draft's `StartRound`: a round ends with a segment that is sent from now on.
    pub fn start_round(&mut self) {
        self.next_round_delivered = self.delivered;
    }

    /// Bytes lost since `delivered` was at `since`; older losses are forgotten.
    fn lost_since(&mut self, since: u64) -> u64 {
        while let Some(&(found, bytes)) = self.losses.front() {
            if found >= since {
                break;
            }
            self.recent_losses -= bytes;
            self.losses.pop_front();
        }
        self.recent_losses
    }

    fn add_loss(&mut self, bytes: u64) {
        self.losses.push_back((self.delivered, bytes));
        self.recent_losses += bytes;
    }
}

impl Bbr3 {
    /// The draft's `GenerateRateSample` and `UpdateRound`.
    pub fn take_sample(&mut self, ack: &AckSample, flow: &Flow) {
        let counts = &mut self.counts;
        counts.delivered += ack.delivered;
        if ack.lost > 0 {
            counts.add_loss(ack.lost);
        }
        counts.round_start = false;
        self.rs = Sample { newly_acked: to_float(ack.delivered), rtt: ack.rtt, ..Sample::default() };
        self.cwnd_limited = flow.cwnd_limited;
        let Some(rate) = ack.rate.filter(|rate| rate.interval > Duration::ZERO) else { return };
        let prior_delivered = counts.delivered.saturating_sub(rate.delivered);
        let lost = counts.lost_since(prior_delivered);
        self.rs = Sample {
            delivered: to_float(rate.delivered),
            delivery_rate: to_float(rate.delivered) / rate.interval.seconds(),
            app_limited: rate.app_limited
                || counts.app_limited_until.is_some_and(|until| prior_delivered <= until),
            // Everything that was in flight then has been delivered or lost by now.
            tx_in_flight: to_float(rate.delivered + lost),
            lost: to_float(lost),
            prior_delivered: Some(prior_delivered),
            ..self.rs
        };
        if prior_delivered >= counts.next_round_delivered {
            counts.start_round();
            counts.round_count += 1;
            self.cycle.rounds_since_probe_up += 1;
            counts.round_start = true;
        }
    }

    /// The draft's `MarkConnectionAppLimited`.
    pub fn mark_app_limited(&mut self, flow: &Flow) {
        self.counts.app_limited_until = Some(self.counts.delivered + flow.in_flight);
    }
}
