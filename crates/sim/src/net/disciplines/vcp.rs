//! A VCP router (Xia, Subramanian, Stoica, Kalyanaraman, Sigcomm 2005): a drop-tail queue that tells its load.
//!
//! Traffic and queues are measured in time of service, so that it makes no difference whether the server counts
//! packets or bits. Timers are looked at when a packet comes or goes, which is exact: between packets neither
//! the queue nor the traffic changes. Page: `docs/models/vcp.md`.

use congestion::{Duration, Feedback, Load, Protocol, Time};
use serde::{Deserialize, Serialize};

use super::{DisciplineParameters, DropTail, Server};
use crate::net::headers::Headers;
use crate::net::marking::Marking;
use crate::net::packet::Packet;
use crate::net::queue::{Buffer, QueueDiscipline};
use crate::net::service::Service;

/// Interval over which load is measured, and time between two looks at the queue (section 3.2).
const INTERVAL: Duration = Duration::from_millis(200);
const QUEUE_INTERVAL: Duration = Duration::from_millis(10);
/// Part of the capacity that is the target.
const TARGET: f64 = 0.98;
/// Weight of the queue against the traffic.
const QUEUE_WEIGHT: f64 = 0.5;
/// Load at which it is no longer low.
const HIGH: f64 = 0.8;
/// Weight of a new interval in the averaged queue; the authors' program's.
const NEW: f64 = 0.25;
/// An averaged queue below this is none [s].
const NOTHING: f64 = 1e-12;

/// Parameters of a VCP router.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct VcpParameters {
    /// ECN rule.
    #[serde(rename = "mark_above", default)]
    pub marking: Marking,
}

impl DisciplineParameters for VcpParameters {
    const PROTOCOL: Option<Protocol> = Some(Protocol::Vcp);

    fn marking(&self) -> Marking {
        self.marking
    }

    fn queue(&self, server: &Server) -> Option<Box<dyn QueueDiscipline>> {
        Some(Box::new(Vcp::new(server.buffer, server.service)))
    }
}

/// See the module.
#[derive(Debug)]
pub struct Vcp {
    queue: DropTail,
    service: Service,
    /// Service time of what waits.
    backlog: Duration,
    /// Service time of what has arrived in the interval.
    input: Duration,
    ends: Time,
    /// Looks at the queue: the next one, and how many in this interval and what they add up to [s].
    look_at: Time,
    looks: f64,
    looks_sum: f64,
    /// Averaged queue, in time of service [s].
    steady: f64,
    /// Load of the last interval.
    load: Load,
}

impl Vcp {
    /// An idle router.
    #[must_use]
    pub fn new(buffer: Option<Buffer>, service: Service) -> Self {
        Self {
            queue: DropTail::new(buffer),
            service,
            backlog: Duration::ZERO,
            input: Duration::ZERO,
            ends: Time::ZERO + INTERVAL,
            look_at: Time::ZERO + QUEUE_INTERVAL,
            looks: 0.0,
            looks_sum: 0.0,
            steady: 0.0,
            load: Load::Low,
        }
    }

    /// Let the timers expire that are due by `now`.
    fn advance(&mut self, now: Time) {
        while self.look_at.min(self.ends) <= now {
            let empty = self.backlog == Duration::ZERO && self.input == Duration::ZERO;
            if empty && self.steady <= NOTHING && self.looks_sum <= NOTHING {
                // Nothing has happened and nothing will until now.
                self.load = if self.ends <= now { Load::Low } else { self.load };
                self.ends += INTERVAL * ((now + INTERVAL).since(self.ends) / INTERVAL);
                self.look_at = Time::ZERO + QUEUE_INTERVAL * (now.since(Time::ZERO) / QUEUE_INTERVAL + 1);
                self.looks = count((now + INTERVAL).since(self.ends) / QUEUE_INTERVAL);
            } else if self.look_at <= self.ends {
                self.look_at += QUEUE_INTERVAL;
                self.looks += 1.0;
                self.looks_sum += self.backlog.seconds();
            } else {
                self.decide();
            }
        }
    }

    /// Section 3.2: the load factor is (arrivals + weight x persistent queue) / (target x capacity x interval).
    fn decide(&mut self) {
        let mean = if self.looks > 0.0 { self.looks_sum / self.looks } else { 0.0 };
        self.steady = (1.0 - NEW) * self.steady + NEW * mean;
        let offered = self.input.seconds() + QUEUE_WEIGHT * self.steady;
        let factor = offered / (TARGET * INTERVAL.seconds());
        self.load = match factor {
            low if low < HIGH => Load::Low,
            high if high < 1.0 => Load::High,
            _ => Load::Over,
        };
        (self.input, self.looks, self.looks_sum) = (Duration::ZERO, 0.0, 0.0);
        self.ends += INTERVAL;
    }

    fn stamp(&self, packet: &Packet, headers: &mut Headers) {
        if let Some(Feedback::Vcp(load)) = headers.of(packet) {
            *load = self.load.max(*load);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "an interval has a few looks")]
fn count(looks: u64) -> f64 {
    looks as f64
}

impl QueueDiscipline for Vcp {
    fn enqueue(&mut self, packet: Packet, bytes: u32, now: Time, _headers: &mut Headers) -> bool {
        self.advance(now);
        let service = self.service.time(bytes);
        self.input += service;
        let fits = self.queue.push(packet, bytes);
        if fits {
            self.backlog += service;
        }
        fits
    }

    fn pass(&mut self, packet: &Packet, bytes: u32, now: Time, headers: &mut Headers) {
        self.advance(now);
        self.input += self.service.time(bytes);
        self.stamp(packet, headers);
    }

    fn dequeue(&mut self, now: Time, _dropped: &mut Vec<Packet>, headers: &mut Headers) -> Option<Packet> {
        self.advance(now);
        let (packet, bytes) = self.queue.pop()?;
        self.backlog = self.backlog - self.service.time(bytes);
        self.stamp(&packet, headers);
        Some(packet)
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn each(&self, see: &mut dyn FnMut(&Packet)) {
        self.queue.each(see);
    }
}
