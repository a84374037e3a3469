//! A desk for tests of disciplines: packets in, packets out, without stations, links and transports.

use congestion::Time;

use super::{Mechanics, Server};
use crate::kernel::rng::Streams;
use crate::measure::queue::{Cause, QueueCounts};
use crate::net::arrival::{ArrivalRule, Backlog, Verdict};
use crate::net::departures::Waiting;
use crate::net::headers::Headers;
use crate::net::packet::{Codepoint, Packet, PacketSizes};
use crate::net::queue::{Buffer, Port, QueueDiscipline, Queued};
use crate::net::service::ServiceRate;
use crate::net::transmitter::Transmitter;

/// A discipline, and everything that it needs.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    mechanics: Mechanics,
    headers: Headers,
    /// Packets dropped, in order.
    pub dropped: Vec<Packet>,
    /// Drops and marks by cause.
    pub counts: QueueCounts,
}

impl Desk {
    /// A server of 10 Mbit/s and packets of 1500 bytes, behind room for `packets`.
    pub fn server(packets: u64) -> Server {
        Server {
            buffer: Some(Buffer::Packets(packets)),
            transmitter: Transmitter::new(ServiceRate::BitsPerSecond(10e6), None),
            sizes: PacketSizes { smss: 1460, header: 40, control: 40 },
            streams: Streams::new(1),
            station: 0,
        }
    }

    /// A discipline under test.
    pub fn new(mechanics: Mechanics) -> Self {
        Self { mechanics, ..Self::default() }
    }

    /// A rule under test.
    pub fn with_rule(rule: Option<Box<dyn ArrivalRule>>) -> Self {
        Self::new(Mechanics { rule, ..Mechanics::default() })
    }

    /// Data segment `seq` of 1500 bytes with a codepoint.
    pub fn data(seq: u32, codepoint: Codepoint) -> Queued {
        let packet = Packet { seq, ..Packet::default() }.with_flags(codepoint, false);
        Queued { packet, bytes: 1500 }
    }

    /// Call with the mechanics and their surroundings at a time.
    pub fn at<T>(&mut self, now: Time, call: impl FnOnce(&mut Mechanics, &mut Port<'_>) -> T) -> T {
        let Self { mechanics, headers, dropped, counts } = self;
        call(mechanics, &mut Port { now, headers, dropped, counts })
    }

    /// Give a packet that finds `waiting` packets of 1500 bytes to the rule: its codepoint afterwards, and the
    /// verdict.
    pub fn judge(&mut self, codepoint: Codepoint, waiting: u64) -> (Codepoint, Verdict) {
        let busy = Backlog { waiting: Waiting { packets: waiting, bytes: waiting * 1500 }, idle_since: None };
        self.judge_at(Self::data(0, codepoint), busy, Time::ZERO)
    }

    /// Give a packet to the rule: its codepoint afterwards, and the verdict.
    pub fn judge_at(&mut self, arrival: Queued, backlog: Backlog, now: Time) -> (Codepoint, Verdict) {
        let mut arrival = arrival;
        arrival.packet.time = now;
        let verdict = self.at(now, |mechanics, port| {
            let rule = mechanics.rule.as_mut().expect("a rule");
            rule.on_arrival(&mut arrival, &backlog, port)
        });
        if let Verdict::Drop(cause) = verdict {
            self.counts.dropped[cause as usize] += 1;
        }
        (arrival.packet.codepoint(), verdict)
    }

    /// The queue under test.
    pub fn queue(&self) -> &dyn QueueDiscipline {
        &**self.mechanics.queue.as_ref().expect("a queue")
    }

    /// A packet arrives and has to wait.
    pub fn enqueue(&mut self, arrival: Queued, now: Time) {
        let mut arrival = arrival;
        arrival.packet.time = now;
        self.at(now, |mechanics, port| mechanics.queue.as_mut().expect("a queue").enqueue(arrival, port));
    }

    /// The server is free.
    pub fn dequeue(&mut self, now: Time) -> Option<Queued> {
        self.at(now, |mechanics, port| mechanics.queue.as_mut().expect("a queue").dequeue(port))
    }

    /// Packets dropped for a cause.
    pub fn drops(&self, cause: Cause) -> u64 {
        self.counts.dropped[cause as usize]
    }

    /// Packets marked for a cause.
    pub fn marks(&self, cause: Cause) -> u64 {
        self.counts.marked[cause as usize]
    }
}
