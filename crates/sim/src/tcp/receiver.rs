//! Receiving end of a connection.

use congestion::{Feedback, Time};

use crate::net::ecn::AckFlags;
use crate::net::packet::{self, Packet, Report};
use crate::tcp::ack_timing::AckTiming;
use crate::tcp::ecn::EcnReceiver;
use crate::tcp::ranges::{Pool, Ranges};

/// State of one receiving end.
#[derive(Debug)]
pub struct Receiver {
    /// Generation of the connection at the sender.
    pub generation: u16,
    /// Slot of the connection at the sender.
    pub sender: u32,
    /// Site of the sender.
    pub sender_site: u16,
    /// Interface class of the flow.
    pub interface: u8,
    /// Way back of ACKs: a delay line, or the station they enter where they cost capacity.
    pub way: u16,
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
    /// A timer for it is pending.
    pub timer: bool,
    /// Marks, and their echo.
    pub ecn: EcnReceiver,
    /// Segments received ahead of `next`.
    pub ahead: Option<Box<Ranges>>,
    /// State that few receiving ends have.
    pub extras: Option<Box<Extras>>,
}

/// State that few receiving ends have, behind one pointer.
#[derive(Debug, Default)]
pub struct Extras {
    /// Congestion headers of segments not acknowledged yet, merged into one; only where there are any.
    feedback: Option<Feedback>,
    /// Timing of ACKs, where it is not a fixed delay.
    timing: Option<Box<AckTiming>>,
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

impl Receiver {
    /// Receiving end that has received nothing, of no connection in particular.
    #[must_use]
    pub fn idle() -> Self {
        Self {
            generation: 0,
            sender: 0,
            sender_site: 0,
            interface: 0,
            way: 0,
            next: 0,
            held: 0,
            held_stamp: 0,
            held_arrival: 0,
            due: Time::NEVER,
            timer: false,
            ecn: EcnReceiver::default(),
            ahead: None,
            extras: None,
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

    /// Keep the congestion header of a segment for the next ACK.
    pub fn take_feedback(&mut self, feedback: Feedback) {
        let merged = self.extras.get_or_insert_default().feedback.get_or_insert_default();
        *merged = merged.merge(feedback);
    }

    /// Tests whether segments bring congestion headers.
    #[must_use]
    #[inline]
    pub fn has_feedback(&self) -> bool {
        self.extras.as_ref().is_some_and(|extras| extras.feedback.is_some())
    }

    /// Congestion headers since the last ACK, merged into one.
    pub fn feedback_for_ack(&mut self) -> Feedback {
        let feedback = self.extras.as_mut().and_then(|extras| extras.feedback.as_mut());
        feedback.map(std::mem::take).unwrap_or_default()
    }

    /// Timing of ACKs, where it is not a fixed delay.
    #[inline]
    pub fn timing(&mut self) -> Option<&mut AckTiming> {
        self.extras.as_mut()?.timing.as_deref_mut()
    }

    /// Time ACKs by `timing` from now on.
    pub fn set_timing(&mut self, timing: Box<AckTiming>) {
        self.extras.get_or_insert_default().timing = Some(timing);
    }

    /// Take the timing of ACKs, to be put back.
    pub fn take_timing(&mut self) -> Option<Box<AckTiming>> {
        self.extras.as_mut()?.timing.take()
    }

    /// ACK with what a reply says.
    #[must_use]
    #[inline]
    pub fn fill(&self, ack: Packet, reply: &Reply) -> Packet {
        self.ecn.fill(ack, reply.report, reply.flags, self.has_feedback())
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
