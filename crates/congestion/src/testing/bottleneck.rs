//! Scripts by path: segments through one bottleneck. Every segment is acknowledged on its own, and new data
//! replace what is lost.

use std::collections::VecDeque;

use super::routers;
use super::transport::{EMPTY_ROUND, RTO, Transport, Verdict};
use crate::control::{AckSample, CongestionControl, CongestionEvent, Feedback, RateSample};
use crate::units::{Duration, Time};
use crate::window::to_float;

/// Later segments after whose ACK one counts as lost (RFC 5681 section 3.2).
const DUP_THRESH: u64 = 3;

/// Segments on their way, and the transport's memory of them.
#[derive(Debug, Default)]
pub(super) struct Bottleneck {
    segments: VecDeque<Segment>,
    /// Number of the next segment, and the earliest time for it.
    next: u64,
    next_send: Time,
    /// End of the transmission in progress.
    free: Time,
    /// Bytes delivered, and when the last of them were and had been sent (draft-ietf-ccwg-bbr, section 4.1.2).
    delivered: u64,
    delivered_at: Time,
    first_sent: Time,
    /// Next segment when recovery began (RFC 6675, `RecoveryPoint`).
    recovery_point: Option<u64>,
    /// Segments from which on a mark counts anew, and a new round begins.
    ecn_point: u64,
    round_end: u64,
}

/// One segment on its way.
#[derive(Clone, Copy, Debug)]
struct Segment {
    number: u64,
    sent: Time,
    /// Arrival of its ACK; `None` if it is lost.
    acked: Option<Time>,
    /// One-way delay.
    forward_delay: Duration,
    marked: bool,
    feedback: Feedback,
    /// State of the sender when it was sent.
    delivered: u64,
    delivered_at: Time,
    first_sent: Time,
    app_limited: bool,
}

impl<C: CongestionControl + ?Sized> Transport<C> {
    /// Runs the flow over its path for so many seconds.
    ///
    /// # Errors
    /// A decision makes no sense, or congestion has opened the window.
    pub fn run(&mut self, seconds: f64) -> Verdict {
        self.run_until(seconds, |_| false).map(drop)
    }

    /// Runs the flow over its path until `until` says so, for at most so many seconds. Returns true if it did.
    ///
    /// # Errors
    /// A decision makes no sense, or congestion has opened the window.
    pub fn run_until(&mut self, seconds: f64, mut until: impl FnMut(&Self) -> bool) -> Result<bool, String> {
        let end = self.flow.now + Duration::from_seconds(seconds);
        while self.flow.now < end {
            if until(self) {
                return Ok(true);
            }
            self.step()?;
        }
        Ok(false)
    }

    /// Next event: the controller wakes, a segment leaves, an ACK arrives, or the timer expires.
    fn step(&mut self) -> Verdict {
        let ack = self.bottleneck.segments.iter().find_map(|segment| segment.acked);
        let may_send = self.in_flight() + 1.0 <= self.segments();
        let send = may_send.then_some(self.bottleneck.next_send.max(self.flow.now));
        let Some(next) = ack.into_iter().chain(send).min() else { return self.lose_everything() };
        if let Some(at) = self.controller.wakeup().filter(|&at| at <= next) {
            return self.wake(at);
        }
        self.flow.now = next;
        if ack.is_none_or(|ack| next < ack) {
            self.send();
            return Ok(());
        }
        self.arrive()
    }

    fn in_flight(&self) -> f64 {
        to_float(self.bottleneck.segments.len() as u64)
    }

    fn send(&mut self) {
        let now = self.flow.now;
        let service = Duration::from_seconds(1.0 / self.path.rate);
        let pacing = self.controller.decision().pacing_rate.map_or(0.0, |rate| self.smss() / rate.0);
        let spacing = if self.app_limited { 4.0 / self.path.rate } else { 0.0 };
        let feedback = self.header();
        let line = &mut self.bottleneck;
        if line.segments.is_empty() {
            (line.first_sent, line.delivered_at) = (now, now);
        }
        let arrival = now + self.path.rtt / 2;
        // Without a bottleneck nothing waits.
        let queue = to_float(line.free.since(arrival).0) / to_float(service.0.max(1));
        let is_scripted = self.path.lose_every.is_some_and(|every| (line.next + 1).is_multiple_of(every));
        let is_lost = is_scripted || queue > self.path.buffer;
        if !is_lost {
            line.free = line.free.max(arrival) + service;
        }
        line.segments.push_back(Segment {
            number: line.next,
            sent: now,
            acked: (!is_lost).then(|| line.free + self.path.rtt / 2),
            forward_delay: line.free.since(now),
            marked: queue > self.path.mark_above,
            feedback,
            delivered: line.delivered,
            delivered_at: line.delivered_at,
            first_sent: line.first_sent,
            app_limited: spacing > pacing,
        });
        line.next += 1;
        line.next_send = now + Duration::from_seconds(pacing.max(spacing));
    }

    /// Header of the next segment when it comes back.
    fn header(&mut self) -> Feedback {
        let mut header = routers::stamp(&mut *self.controller, &self.flow);
        routers::pass_bottleneck(&mut header, self.in_flight() + 1.0, self.path.bdp(), self.smss());
        header
    }

    /// ACK of the oldest segment that is not lost.
    fn arrive(&mut self) -> Verdict {
        let now = self.flow.now;
        let smss = u64::from(self.flow.smss);
        let was_filled = self.in_flight() + 2.0 > self.segments();
        let line = &mut self.bottleneck;
        let position = line.segments.iter().position(|segment| segment.acked.is_some());
        let segment = position.and_then(|at| line.segments.remove(at)).expect("an ACK arrives");
        let before = line.segments.len();
        line.segments.retain(|other| other.acked.is_some() || other.number + DUP_THRESH > segment.number);
        let lost = (before - line.segments.len()) as u64;
        line.delivered += smss;
        line.delivered_at = now;
        line.first_sent = segment.sent;
        let interval = segment.sent.since(segment.first_sent).max(now.since(segment.delivered_at));
        let rate = RateSample {
            delivered: line.delivered - segment.delivered,
            interval,
            app_limited: segment.app_limited,
            rtt: Some(now.since(segment.sent)),
        };
        self.lost += lost;
        self.arrived += 1;
        let rtt = now.since(segment.sent);
        self.sample_rtt(rtt);
        self.set_flight(self.bottleneck.segments.len() as u64);
        self.flow.app_limited = !was_filled;
        self.flow.cwnd_limited = was_filled;
        let is_marked = segment.marked && self.is_ecn_capable();
        self.enter_episode(&segment, lost, is_marked)?;
        let ce_marked = if is_marked { smss } else { 0 };
        self.add_to_round(smss, lost * smss, ce_marked, rtt);
        let ack = AckSample {
            delivered: smss,
            lost: lost * smss,
            ce_marked,
            rtt: Some(rtt),
            forward_delay: Some(segment.forward_delay),
            rate: (interval > Duration::ZERO).then_some(rate),
            round: (segment.number >= self.bottleneck.round_end).then_some(self.round_sample),
            feedback: segment.feedback,
        };
        if ack.round.is_some() {
            self.round_sample = EMPTY_ROUND;
            self.bottleneck.round_end = self.bottleneck.next;
        }
        self.report_ack(&ack)?;
        self.leave_episode()
    }

    /// Reports a loss or a mark, each once per flight.
    fn enter_episode(&mut self, segment: &Segment, lost: u64, is_marked: bool) -> Verdict {
        let line = &mut self.bottleneck;
        if line.recovery_point.is_some() {
            return Ok(());
        }
        if lost > 0 {
            line.recovery_point = Some(line.next);
            return self.report(CongestionEvent::EnterRecovery);
        }
        if is_marked && segment.number >= line.ecn_point {
            line.ecn_point = line.next;
            return self.report(CongestionEvent::EcnEcho);
        }
        Ok(())
    }

    /// Ends recovery when nothing is outstanding that was so at its beginning.
    fn leave_episode(&mut self) -> Verdict {
        let line = &mut self.bottleneck;
        let oldest = line.segments.front().map_or(line.next, |segment| segment.number);
        if line.recovery_point.is_none_or(|point| oldest < point) {
            return Ok(());
        }
        line.recovery_point = None;
        self.report(CongestionEvent::ExitRecovery)
    }

    fn lose_everything(&mut self) -> Verdict {
        self.flow.now += RTO;
        self.flow.in_flight = 0;
        self.lost += self.bottleneck.segments.len() as u64;
        self.bottleneck.segments.clear();
        self.report(CongestionEvent::Rto)?;
        self.bottleneck.recovery_point = None;
        self.report(CongestionEvent::ExitRecovery)
    }
}
