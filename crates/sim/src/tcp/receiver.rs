//! Receiving end of a connection.

use congestion::Time;
use serde::{Deserialize, Serialize};

use crate::net::ecn::AckFlags;
use crate::net::packet::{self, Packet, Report};
use crate::tcp::ecn::EcnReceiver;
use crate::tcp::ranges::{Pool, Ranges};

/// What a receiving end does, by the rules or against them.
///
/// S. Savage, N. Cardwell, D. Wetherall, T. Anderson, "TCP Congestion Control with a Misbehaving Receiver", CCR 29(5), 1999.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Conduct {
    /// By the rules.
    #[default]
    Honest,
    /// Acknowledges the latest segment and all before it, whether they have arrived or not (section 2.3 of the paper).
    HidesLosses,
    /// Reports no mark.
    HidesMarks,
    /// Sends every ACK [`COPIES`] times more (after section 2.2 of the paper).
    RepeatsAcks,
    /// Hides losses, and follows each ACK by one for the segment that comes next (section 2.3: optimistic ACKs).
    AcksAhead,
}

/// Further ACKs of a receiver that repeats them; three are the threshold of fast retransmit.
pub const COPIES: usize = 3;

/// State of one receiving end, and what its host keeps with it.
#[derive(Debug)]
pub struct Receiver<H = ()> {
    /// State of the host.
    pub host: H,
    /// Next segment expected.
    pub next: u32,
    /// In-order segments not acknowledged yet.
    pub held: u32,
    /// Stamp of the first of them.
    pub held_stamp: u32,
    /// Stamp of its arrival.
    pub held_arrival: u32,
    /// Deadline of the delayed ACK; [`Time::NEVER`] if none is held back.
    pub due: Time,
    /// Marks, and their echo.
    pub ecn: EcnReceiver,
    /// Segments received ahead of `next`.
    pub ahead: Option<Box<Ranges>>,
}

/// An acknowledgement to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Next segment expected.
    pub next: u32,
    /// Stamp to echo.
    pub stamp: u32,
    /// SACK block that holds the latest segment, or the stamp of its arrival.
    pub report: Report,
    /// Echo of marks.
    pub flags: AckFlags,
    /// The latest segment had arrived before.
    pub duplicate: bool,
}

impl<H> Receiver<H> {
    /// Receiving end that has received nothing.
    #[must_use]
    pub fn idle(host: H) -> Self {
        Self {
            host,
            next: 0,
            held: 0,
            held_stamp: 0,
            held_arrival: 0,
            due: Time::NEVER,
            ecn: EcnReceiver::default(),
            ahead: None,
        }
    }

    /// Acknowledge what was held back before a data segment is taken in, if the echo asks for it.
    #[inline]
    pub fn before(&mut self, packet: &Packet) -> Option<Reply> {
        (self.held > 0 && self.ecn.splits(packet, self.next)).then(|| self.reply())
    }

    /// Take in a data segment; the ACK to send at once, or none if it is held back.
    ///
    /// A segment out of order is acknowledged at once, and so is one that fills a gap
    /// (<https://www.rfc-editor.org/rfc/rfc5681#section-4.2>), and one whose mark the echo is in haste to report.
    #[expect(clippy::inline_always, reason = "receivers whose ACKs are timed call it, too")]
    #[inline(always)]
    pub fn on_data(&mut self, packet: &Packet, ack_every: u32, pool: &mut Pool) -> Option<Reply> {
        let urgent = self.ecn.hurries(packet, self.next);
        self.ecn.on_data(packet, self.next);
        let segment = packet.seq;
        if segment == self.next {
            self.next += 1;
            let mut filled = false;
            if let Some(ahead) = &mut self.ahead {
                self.next = ahead.advance(self.next);
                filled = true;
                if ahead.is_empty() {
                    pool.extend(self.ahead.take());
                }
            }
            if self.held == 0 {
                self.held_stamp = packet.stamp;
                self.held_arrival = packet::stamp(packet.time);
            }
            self.held += 1;
            if self.held < ack_every && !filled && !urgent {
                return None;
            }
            return Some(self.reply());
        }
        let mut report = Report::arrival(packet::stamp(packet.time));
        let mut duplicate = true;
        if segment > self.next {
            let ahead = self.ahead.get_or_insert_with(|| pool.pop().unwrap_or_default());
            duplicate = ahead.insert(segment, segment + 1, 0).0 == 0;
            if let Some(range) = ahead.containing(segment) {
                // A longer block is reported around its latest segment.
                let longest = self.ecn.longest_block();
                let end = range.end.min(segment + longest / 2);
                let start = range.start.max(end.saturating_sub(longest));
                report = Report::block(start, end);
            }
        }
        Some(Reply { stamp: packet.stamp, report, duplicate, ..self.reply() })
    }

    /// ACK with what a reply says, for a congestion header or without one.
    #[must_use]
    #[inline]
    pub fn fill(&self, ack: Packet, reply: &Reply, has_header: bool) -> Packet {
        self.ecn.fill(ack, reply.report, reply.flags, has_header)
    }

    /// Acknowledge everything received so far, echoing the stamp of the first segment held back.
    pub fn reply(&mut self) -> Reply {
        self.held = 0;
        self.due = Time::NEVER;
        Reply {
            next: self.next,
            stamp: self.held_stamp,
            report: Report::arrival(self.held_arrival),
            flags: self.ecn.acknowledge(),
            duplicate: false,
        }
    }
}

#[cfg(test)]
mod tests;
