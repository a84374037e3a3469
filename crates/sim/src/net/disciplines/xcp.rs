//! An XCP router (Katabi, Handley, Rohrs, Sigcomm 2002): a drop-tail queue that grants changes of windows.
//!
//! Traffic and queues are measured in time of service, so that it makes no difference whether the server counts
//! packets or bits. Timers are looked at when a packet comes or goes, which is exact: between packets neither
//! the queue nor the traffic changes. Page: `docs/models/xcp.md`.

use congestion::{Duration, Feedback, Protocol, Time};

use super::step::MarkAbove;
use super::{DisciplineParameters, Fifo, Mechanics, Server};
use crate::measure::queue::Cause;
use crate::net::headers::Headers;
use crate::net::packet::{Packet, PacketSizes};
use crate::net::queue::{Buffer, Port, QueueDiscipline, Queued};
use crate::net::service::Service;

/// Part of the spare bandwidth that is granted per interval, and part of the queue that is drained (section 3.5).
const ALPHA: f64 = 0.4;
const BETA: f64 = 0.226;
/// Part of the traffic that is moved between flows per interval.
const GAMMA: f64 = 0.1;

/// Interval before any round-trip time is known; ns-2's.
const FIRST_INTERVAL: Duration = Duration::from_millis(50);
/// Bounds of the interval; the specification's (draft-falk-xcp-spec), as in ns-2.
const MIN_INTERVAL: Duration = Duration::from_millis(1);
const MAX_INTERVAL: Duration = Duration::from_millis(1000);
/// Least time over which the persistent queue is measured; the specification's.
const MIN_QUEUE_INTERVAL: Duration = Duration::from_millis(2);

parameters! {
    /// Parameters of an XCP router.
    pub struct XcpParameters {
        mark_above: MarkAbove = MarkAbove(None), [0.0, MarkAbove::MAX], "packets",
            "Packets that may wait before ECN-capable arrivals are marked; none marks nothing";
    }
}

impl DisciplineParameters for XcpParameters {
    const SOURCE: &'static str = "Katabi, Handley, Rohrs, Sigcomm 2002";
    const PROTOCOL: Option<Protocol> = Some(Protocol::Xcp);

    fn mechanics(&self, server: &Server) -> Mechanics {
        let queue = Xcp::new(server.buffer, server.service(), server.sizes);
        Mechanics { mark_above: self.mark_above.0, queue: Some(Box::new(queue)), rule: None }
    }
}

/// See the module.
#[derive(Debug)]
pub struct Xcp {
    queue: Fifo,
    service: Service,
    /// Payload of a segment [bytes], and of those that the server can forward [bytes/s].
    smss: f64,
    capacity: f64,
    /// Service time of what waits.
    backlog: Duration,
    estimates: Estimates,
    grants: Grants,
    /// Control interval in progress.
    began: Time,
    ends: Time,
    /// Mean round-trip time of the flows [s].
    mean_rtt: f64,
    /// Smallest backlog since the last measurement of the queue, the one before that, and when the next
    /// measurement ends.
    least: Duration,
    persistent: Duration,
    queue_ends: Time,
}

/// Sums over the packets of a control interval.
#[derive(Clone, Copy, Debug, Default)]
struct Estimates {
    /// Service time.
    input: Duration,
    /// Sum of rtt s / cwnd [s], s the segment's size.
    inverse: f64,
    /// Sum of rtt^2 s / cwnd [s^2].
    weighted: f64,
    /// Sum of s [bytes].
    payload: f64,
}

/// Changes that may still be granted in a control interval, of throughput [bytes/s].
#[derive(Clone, Copy, Debug, Default)]
struct Grants {
    /// Per second of rtt s / cwnd, and per byte.
    xi_p: f64,
    xi_n: f64,
    /// Left of the totals.
    positive: f64,
    negative: f64,
}

impl Xcp {
    /// An idle router.
    pub fn new(buffer: Option<Buffer>, service: Service, sizes: PacketSizes) -> Self {
        let smss = f64::from(sizes.smss);
        Self {
            queue: Fifo::new(buffer),
            service,
            smss,
            capacity: smss / service.time(sizes.smss + sizes.header).max(Duration(1)).seconds(),
            backlog: Duration::ZERO,
            estimates: Estimates::default(),
            grants: Grants::default(),
            began: Time::ZERO,
            ends: Time::ZERO + FIRST_INTERVAL,
            mean_rtt: FIRST_INTERVAL.seconds(),
            least: Duration::ZERO,
            persistent: Duration::ZERO,
            queue_ends: Time::ZERO + FIRST_INTERVAL,
        }
    }

    /// Let the timers expire that are due by `now`.
    fn advance(&mut self, now: Time) {
        while self.queue_ends.min(self.ends) <= now {
            if self.queue_ends <= self.ends { self.measure_queue(now) } else { self.decide(now) }
        }
    }

    /// Section 3.5: the persistent queue is the smallest that was seen in the last propagation delay, which is
    /// the mean round-trip time without the local queueing delay.
    fn measure_queue(&mut self, now: Time) {
        let settled = self.least == self.backlog && self.persistent == self.backlog;
        (self.persistent, self.least) = (self.least, self.backlog);
        let propagation = self.mean_rtt - self.backlog.seconds();
        let interval = Duration::from_seconds(propagation).max(MIN_QUEUE_INTERVAL);
        let skipped = if settled { now.since(self.queue_ends) / interval } else { 0 };
        self.queue_ends += interval * (skipped + 1);
    }

    /// Section 3.5: aggregate feedback by the efficiency controller, shared out by the fairness controller.
    fn decide(&mut self, now: Time) {
        let sums = std::mem::take(&mut self.estimates);
        if sums.inverse > 0.0 {
            self.mean_rtt = sums.weighted / sums.inverse;
            let span = self.ends.since(self.began).seconds();
            let input = self.capacity * (sums.input.seconds() / span);
            let queue = self.capacity * self.persistent.seconds();
            let phi = ALPHA * (self.capacity - input) - BETA * queue / self.mean_rtt;
            let shuffled = (GAMMA * input - phi.abs()).max(0.0);
            let (positive, negative) = (phi.max(0.0) + shuffled, (-phi).max(0.0) + shuffled);
            self.grants =
                Grants { xi_p: positive / sums.inverse, xi_n: negative / sums.payload, positive, negative };
        }
        let interval = Duration::from_seconds(self.mean_rtt).clamp(MIN_INTERVAL, MAX_INTERVAL);
        // Of the intervals that nothing arrived in only the last one matters.
        self.began = self.ends + interval * (now.since(self.ends) / interval);
        self.ends = self.began + interval;
    }

    fn arrive(&mut self, packet: &Packet, bytes: u32, headers: &mut Headers) {
        self.estimates.input += self.service.time(bytes);
        if let Some(&mut Feedback::Xcp { cwnd, rtt, .. }) = headers.of(packet)
            && rtt > 0.0
        {
            let inverse = rtt * self.smss / cwnd;
            self.estimates.inverse += inverse;
            self.estimates.weighted += inverse * rtt.min(MAX_INTERVAL.seconds());
            self.estimates.payload += self.smss;
        }
    }

    /// Write the router's feedback into the header, unless an earlier router has granted less.
    fn stamp(&mut self, packet: &Packet, headers: &mut Headers) {
        let Some(Feedback::Xcp { cwnd, rtt, feedback }) = headers.of(packet) else { return };
        if *rtt <= 0.0 {
            *feedback = feedback.min(0.0);
            return;
        }
        let grants = &mut self.grants;
        let mut positive = grants.positive.min(grants.xi_p * *rtt * self.smss / *cwnd);
        let mut negative = grants.negative.min(grants.xi_n * self.smss);
        let (ours, asked) = (positive - negative, *feedback / *rtt);
        if asked >= ours {
            *feedback = ours * *rtt;
        } else {
            // What the earlier router holds back stays to be granted to others.
            negative = grants.negative.min(negative + (ours - asked));
            positive = asked + negative;
        }
        grants.positive = (grants.positive - positive).max(0.0);
        grants.negative = (grants.negative - negative).max(0.0);
    }
}

impl QueueDiscipline for Xcp {
    fn enqueue(&mut self, arrival: Queued, port: &mut Port<'_>) {
        self.advance(port.now);
        self.arrive(&arrival.packet, arrival.bytes, port.headers);
        if self.queue.push(arrival) {
            self.backlog += self.service.time(arrival.bytes);
        } else {
            port.drop(&arrival, Cause::Overlimit);
        }
    }

    fn pass(&mut self, arrival: Queued, port: &mut Port<'_>) -> Option<Queued> {
        self.advance(port.now);
        self.arrive(&arrival.packet, arrival.bytes, port.headers);
        self.stamp(&arrival.packet, port.headers);
        Some(arrival)
    }

    fn dequeue(&mut self, port: &mut Port<'_>) -> Option<Queued> {
        self.advance(port.now);
        let next = self.queue.pop()?;
        self.backlog = self.backlog - self.service.time(next.bytes);
        self.least = self.least.min(self.backlog);
        self.stamp(&next.packet, port.headers);
        Some(next)
    }

    answers_of!(queue);
}
