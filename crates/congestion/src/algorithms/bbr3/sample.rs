//! The rate sample of an ACK, and the rounds (draft sections 4.1.2 and 5.5.1).

use std::collections::VecDeque;

use super::{Bbr3, Form};
use crate::algorithms::bbr_linux;
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
    /// Bytes in flight before this ACK.
    pub prior_in_flight: f64,
    /// Bytes in flight when the acknowledged segment was sent, itself included.
    pub tx_in_flight: f64,
    /// Bytes declared lost since then.
    pub lost: f64,
    /// Bytes reported as marked since then, if the flow answers marks.
    pub delivered_ce: f64,
    /// All bytes delivered when it was sent; none if the ACK gives no rate sample.
    pub prior_delivered: Option<u64>,
}

/// Running counts of the connection, and the rounds that follow from them.
#[derive(Clone, Debug, Default)]
pub struct Rounds {
    /// Bytes delivered in all.
    pub delivered: u64,
    losses: Recent,
    /// Samples of segments sent until `delivered` passed this count as limited by the application.
    pub app_limited_until: Option<u64>,
    next_round_delivered: u64,
    pub round_start: bool,
    pub round_count: u64,
}

impl Rounds {
    /// `StartRound`: a round ends with a segment that is sent from now on.
    pub fn start_round(&mut self) {
        self.next_round_delivered = self.delivered;
    }
}

/// Recent losses, or marks.
#[derive(Clone, Debug, Default)]
pub struct Recent {
    /// Count of bytes delivered before the ACK that told of them, and bytes.
    events: VecDeque<(u64, u64)>,
    /// Bytes in `events`.
    bytes: u64,
}

impl Recent {
    /// Bytes that later ACKs than that which made the count of bytes delivered `delivered` told of; older ones are forgotten.
    pub fn since(&mut self, delivered: u64) -> u64 {
        while let Some(&(count, bytes)) = self.events.front() {
            if count >= delivered {
                break;
            }
            self.bytes -= bytes;
            self.events.pop_front();
        }
        self.bytes
    }

    /// Adds bytes of which an ACK tells before which so many were delivered.
    pub fn add(&mut self, delivered: u64, bytes: u64) {
        self.events.push_back((delivered, bytes));
        self.bytes += bytes;
    }
}

impl Bbr3 {
    /// `GenerateRateSample`, and `UpdateRound`, which the draft has after the losses.
    pub fn generate_rate_sample(&mut self, ack: &AckSample, flow: &Flow) {
        let rounds = &mut self.rounds;
        if ack.lost > 0 {
            rounds.losses.add(rounds.delivered, ack.lost);
        }
        rounds.delivered += ack.delivered;
        rounds.round_start = false;
        let rtt = match self.c.form {
            Form::Draft => ack.rate.and_then(|rate| rate.rtt).or(ack.rtt),
            Form::Linux => bbr_linux::rtt(ack, flow.now),
        };
        let prior_in_flight = to_float(flow.in_flight + ack.delivered + ack.lost);
        self.rs = Sample { newly_acked: to_float(ack.delivered), rtt, prior_in_flight, ..Sample::default() };
        self.c.is_cwnd_limited = !flow.app_limited;
        let Some(rate) = ack.rate.filter(|rate| rate.interval > Duration::ZERO) else { return };
        let prior_delivered = rounds.delivered.saturating_sub(rate.delivered);
        let lost = rounds.losses.since(prior_delivered);
        self.rs = Sample {
            delivered: to_float(rate.delivered),
            delivery_rate: to_float(rate.delivered) / rate.interval.seconds(),
            app_limited: rate.app_limited
                || rounds.app_limited_until.is_some_and(|until| prior_delivered <= until),
            // Everything that was in flight then has been delivered or lost by now.
            tx_in_flight: to_float(rate.delivered + lost),
            lost: to_float(lost),
            prior_delivered: Some(prior_delivered),
            ..self.rs
        };
        self.update_round(prior_delivered);
    }

    /// `UpdateRound`, by an ACK of a segment that was sent when `prior_delivered` bytes were delivered.
    fn update_round(&mut self, prior_delivered: u64) {
        let rounds = &mut self.rounds;
        if prior_delivered >= rounds.next_round_delivered {
            rounds.start_round();
            rounds.round_count += 1;
            self.cycle.rounds_since_bw_probe += 1;
            rounds.round_start = true;
        }
    }

    /// `MarkConnectionAppLimited`.
    pub fn mark_connection_app_limited(&mut self, flow: &Flow) {
        self.rounds.app_limited_until = Some(self.rounds.delivered + flow.in_flight);
    }
}
