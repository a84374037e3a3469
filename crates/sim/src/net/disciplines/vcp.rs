//! A VCP router (Xia, Subramanian, Stoica, Kalyanaraman, Sigcomm 2005): a drop-tail queue that tells its load.
//!
//! Traffic and queues are measured in time of service, so that it makes no difference whether the server counts
//! packets or bits. Timers are looked at when a packet comes or goes, which is exact: between packets neither
//! the queue nor the traffic changes. Page: `docs/models/vcp.md`.

use congestion::{Duration, Feedback, Load, Protocol, Time};

use super::step::MarkAbove;
use super::{DisciplineParameters, Fifo, Mechanics, Server};
use crate::measure::queue::Cause;
use crate::net::headers::Headers;
use crate::net::packet::Packet;
use crate::net::queue::{Buffer, Port, QueueDiscipline, Queued};
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

parameters! {
    /// Parameters of a VCP router.
    pub struct VcpParameters {
        mark_above: MarkAbove = MarkAbove(None), [0.0, MarkAbove::MAX], "packets",
            "Packets that may wait before ECN-capable arrivals are marked; none marks nothing";
    }
}

impl DisciplineParameters for VcpParameters {
    const SOURCE: &'static str = "Xia, Subramanian, Stoica, Kalyanaraman, Sigcomm 2005";
    const PROTOCOL: Option<Protocol> = Some(Protocol::Vcp);

    fn mechanics(&self, server: &Server) -> Mechanics {
        let queue = Vcp::new(server.buffer, server.service());
        Mechanics { mark_above: self.mark_above.0, queue: Some(Box::new(queue)), rule: None }
    }
}

/// See the module.
#[derive(Debug)]
pub struct Vcp {
    queue: Fifo,
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
    pub fn new(buffer: Option<Buffer>, service: Service) -> Self {
        Self {
            queue: Fifo::new(buffer),
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
    fn enqueue(&mut self, arrival: Queued, port: &mut Port<'_>) {
        self.advance(port.now);
        let service = self.service.time(arrival.bytes);
        self.input += service;
        if self.queue.push(arrival) {
            self.backlog += service;
        } else {
            port.drop(&arrival, Cause::Overlimit);
        }
    }

    fn pass(&mut self, arrival: Queued, port: &mut Port<'_>) -> Option<Queued> {
        self.advance(port.now);
        self.input += self.service.time(arrival.bytes);
        self.stamp(&arrival.packet, port.headers);
        Some(arrival)
    }

    fn dequeue(&mut self, port: &mut Port<'_>) -> Option<Queued> {
        self.advance(port.now);
        let next = self.queue.pop()?;
        self.backlog = self.backlog - self.service.time(next.bytes);
        self.stamp(&next.packet, port.headers);
        Some(next)
    }

    answers_of!(queue);
}
