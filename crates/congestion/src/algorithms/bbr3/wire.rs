//! A sender, one bottleneck and a receiver, for the tests of controllers that need rates: every segment is
//! acknowledged on its own, and what is lost is replaced by new data.

use std::collections::VecDeque;

use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow, RateSample};
use crate::testing::SMSS;
use crate::units::{Duration, PS_PER_S, Time};

/// Segments after which a gap counts as a loss.
const DUP_THRESH: u64 = 3;

/// One segment under way.
#[derive(Clone, Copy, Debug)]
struct Segment {
    number: u64,
    sent: u64,
    /// When its ACK comes; `None` if it is lost.
    acked: Option<u64>,
    /// State of the sender when it was sent.
    delivered: u64,
    delivered_at: u64,
    first_sent: u64,
    app_limited: bool,
}

/// The path and what is on it; times in picoseconds.
pub struct Wire {
    pub controller: Box<dyn CongestionControl>,
    pub flow: Flow,
    /// [segments/s]
    pub rate: f64,
    /// [ps]
    pub delay: u64,
    /// [segments]
    pub buffer: f64,
    /// The application sends at most so many segments per second.
    pub offered: f64,
    segments: VecDeque<Segment>,
    next: u64,
    next_send: u64,
    /// When the bottleneck is free.
    free: u64,
    delivered: u64,
    delivered_at: u64,
    first_sent: u64,
    recovery_point: Option<u64>,
    /// Segments delivered and lost in all.
    pub arrived: u64,
    pub lost: u64,
}

impl Wire {
    /// A path of so many segments per second, so much propagation delay both ways and so much buffer.
    pub fn new(controller: Box<dyn CongestionControl>, rate: f64, delay: Duration, buffer: f64) -> Self {
        Self {
            controller,
            flow: Flow { smss: SMSS, ..Flow::default() },
            rate,
            delay: delay.0,
            buffer,
            offered: f64::INFINITY,
            segments: VecDeque::new(),
            next: 0,
            next_send: 0,
            free: 0,
            delivered: 0,
            delivered_at: 0,
            first_sent: 0,
            recovery_point: None,
            arrived: 0,
            lost: 0,
        }
    }

    /// The quantity that the controller records under this name.
    pub fn read(&self, name: &str) -> f64 {
        crate::testing::read(&*self.controller, name)
    }

    /// Runs until `until` says so, for at most `seconds`; whether it did.
    pub fn run_until(&mut self, seconds: f64, mut until: impl FnMut(&Self) -> bool) -> bool {
        let end = self.flow.now + Duration::from_seconds(seconds);
        while self.flow.now < end {
            if until(self) {
                return true;
            }
            self.step();
        }
        false
    }

    pub fn run(&mut self, seconds: f64) {
        self.run_until(seconds, |_| false);
    }

    /// The next event: a segment leaves, or an ACK arrives.
    fn step(&mut self) {
        let ack = self.segments.iter().find_map(|segment| segment.acked);
        let may_send = to_f64(self.in_flight()) + 1.0 <= self.controller.decision().cwnd / f64::from(SMSS);
        let send = may_send.then_some(self.next_send.max(self.flow.now.0));
        match (ack, send) {
            (Some(ack), Some(send)) if send < ack => self.send(send),
            (Some(ack), _) => self.acknowledge(ack),
            (None, Some(send)) => self.send(send),
            (None, None) => {
                // Everything is lost: the timer of a real transport would expire.
                let end = self.flow.now.0 + PS_PER_S;
                self.flow.now = Time(end);
                self.segments.clear();
                self.tell(CongestionEvent::Rto);
                self.tell(CongestionEvent::ExitRecovery);
            }
        }
    }

    fn in_flight(&self) -> u64 {
        self.segments.len() as u64
    }

    fn send(&mut self, at: u64) {
        self.flow.now = Time(at);
        if self.segments.is_empty() {
            self.first_sent = at;
            self.delivered_at = at;
        }
        let service = span(1.0 / self.rate);
        let arrival = at + self.delay / 2;
        let backlog = to_f64(self.free.saturating_sub(arrival)) / to_f64(service);
        let acked = (backlog <= self.buffer).then(|| {
            self.free = self.free.max(arrival) + service;
            self.free + self.delay / 2
        });
        let pacing = self.controller.decision().pacing_rate.map_or(0.0, |rate| f64::from(SMSS) / rate.0);
        let app_limited = 1.0 / self.offered > pacing;
        self.segments.push_back(Segment {
            number: self.next,
            sent: at,
            acked,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            app_limited,
        });
        self.next += 1;
        self.next_send = at + span(pacing.max(1.0 / self.offered));
    }

    fn acknowledge(&mut self, at: u64) {
        self.flow.now = Time(at);
        let position = self.segments.iter().position(|segment| segment.acked.is_some()).expect("an ACK");
        let cwnd_limited = to_f64(self.in_flight()) + 2.0 > self.controller.decision().cwnd / f64::from(SMSS);
        let segment = self.segments.remove(position).expect("it is there");
        let before = self.segments.len();
        self.segments.retain(|other| other.acked.is_some() || other.number + DUP_THRESH > segment.number);
        let lost = (before - self.segments.len()) as u64;
        self.lost += lost;
        self.arrived += 1;
        self.delivered += u64::from(SMSS);
        self.delivered_at = at;
        self.first_sent = segment.sent;
        let rtt = Duration(at - segment.sent);
        let flow = &mut self.flow;
        flow.srtt = if flow.srtt.0 == 0 { rtt } else { Duration((7 * flow.srtt.0 + rtt.0) / 8) };
        flow.min_rtt = if flow.min_rtt.0 == 0 { rtt } else { flow.min_rtt.min(rtt) };
        flow.in_flight = self.segments.len() as u64 * u64::from(SMSS);
        flow.flight_size = flow.in_flight;
        flow.cwnd_limited = cwnd_limited;
        if lost > 0 && self.recovery_point.is_none() {
            self.recovery_point = Some(self.next);
            self.tell(CongestionEvent::EnterRecovery);
        }
        let interval = (segment.sent - segment.first_sent).max(at - segment.delivered_at);
        let rate = RateSample {
            delivered: self.delivered - segment.delivered,
            interval: Duration(interval),
            app_limited: segment.app_limited,
        };
        let ack = AckSample {
            delivered: u64::from(SMSS),
            lost: lost * u64::from(SMSS),
            rtt: Some(rtt),
            rate: (interval > 0).then_some(rate),
            ..AckSample::default()
        };
        self.controller.on_ack(&ack, &self.flow);
        if self.recovery_point.is_some_and(|point| segment.number >= point) {
            self.recovery_point = None;
            self.tell(CongestionEvent::ExitRecovery);
        }
    }

    fn tell(&mut self, event: CongestionEvent) {
        self.flow.in_recovery = matches!(event, CongestionEvent::EnterRecovery | CongestionEvent::Rto);
        self.controller.on_congestion(event, &self.flow);
    }
}

fn span(seconds: f64) -> u64 {
    Duration::from_seconds(seconds).0
}

fn to_f64(count: u64) -> f64 {
    crate::window::to_float(count)
}
