//! Segments one by one, for controllers that ask for them: what left when, and what became of it.
//!
//! Loss detection says how many transmissions of a segment are in flight; a segment with fewer of them than before is lost,
//! unless it is delivered. Books are kept in segments, and told in bytes.

use std::cmp::Ordering;
use std::collections::VecDeque;

use congestion::{Delivery, SentSegment, Time};

use crate::net::packet;

/// Segment that is not cumulatively acknowledged.
#[derive(Clone, Debug)]
struct Record {
    sent: SentSegment,
    /// Earlier transmissions that are in flight, too, in order: those that a probe of QUIC has left behind.
    earlier: Vec<SentSegment>,
    /// Transmissions in flight.
    copies: u32,
    is_delivered: bool,
}

impl Record {
    fn leave(&mut self, sent: SentSegment, added: u32) {
        if self.copies > 0 && added > 0 {
            self.earlier.push(self.sent);
        }
        self.sent = sent;
        self.copies += added;
    }

    /// Transmission that an ACK delivers: the latest that had left by the time it echoes. RFC 9002 appendix A.7 has times
    /// of the packet that is acknowledged.
    /// <https://www.rfc-editor.org/rfc/rfc9002#appendix-A.7>
    fn delivered_by(&self, echoed: Time) -> SentSegment {
        let had_left = |copy: &&SentSegment| packet::to_grain(copy.sent) <= echoed;
        let copies = std::iter::once(&self.sent).chain(self.earlier.iter().rev());
        *copies.into_iter().find(had_left).unwrap_or(&self.sent)
    }

    /// Transmission that is lost: the earliest, as RFC 9002 section 6.1 finds packets lost in the order of their numbers.
    /// <https://www.rfc-editor.org/rfc/rfc9002#section-6.1>
    fn lose(&mut self) -> SentSegment {
        self.copies -= 1;
        if self.earlier.is_empty() { self.sent } else { self.earlier.remove(0) }
    }
}

/// Segments that are not cumulatively acknowledged, in order.
#[derive(Clone, Debug, Default)]
pub struct Segments {
    records: VecDeque<Record>,
    /// Number of the first one.
    first: u32,
    /// Segments in flight.
    in_flight: u32,
    delivered: u64,
    lost: u64,
    ce_marked: u64,
    /// The last one that was lost.
    last_lost: Option<u32>,
}

/// Segment that leaves.
#[derive(Clone, Copy, Debug)]
pub struct Leaving {
    /// Its number.
    pub number: u32,
    /// Current time.
    pub now: Time,
    /// Segments in flight with it.
    pub pipe: u32,
    /// The application has nothing more to send, and the window has room.
    pub app_limited: bool,
    /// Payload of a segment [bytes].
    pub smss: u32,
}

/// Segments that an ACK may deliver.
#[derive(Clone, Copy, Debug)]
pub struct Delivered {
    /// Oldest unacknowledged segment before it.
    pub prior_una: u32,
    /// Oldest unacknowledged segment after it.
    pub snd_una: u32,
    /// Its SACK block.
    pub sack_block: Option<(u32, u32)>,
    /// Time at which the segment left that it echoes.
    pub echoed: Time,
    /// Segments that it delivers.
    pub delivered: u32,
    /// Segments in flight before it.
    pub prior_pipe: u32,
    /// Segments newly reported as marked.
    pub ce_marked: u32,
}

/// Change of a segment that neither left nor was delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is lost; the flag begins a run of losses.
    Lost(SentSegment, bool),
    /// It was taken for lost and is in flight again.
    Restored(SentSegment),
}

impl Segments {
    /// Record a segment that leaves.
    pub fn on_sent(&mut self, leaving: &Leaving) -> SentSegment {
        let Leaving { number, now, pipe, app_limited, smss } = *leaving;
        let smss = u64::from(smss);
        let added = pipe - self.in_flight;
        self.in_flight = pipe;
        if self.records.is_empty() {
            self.first = number;
        }
        let place = (number - self.first) as usize;
        let sent = SentSegment {
            number,
            sent: now,
            in_flight: u64::from(pipe) * smss,
            delivered: self.delivered * smss,
            lost: self.lost * smss,
            ce_marked: self.ce_marked * smss,
            app_limited,
            retransmission: place < self.records.len(),
            replaces: added == 0,
            restored: false,
        };
        if let Some(record) = self.records.get_mut(place) {
            record.leave(sent, added);
        } else {
            let record = Record { sent, earlier: Vec::new(), copies: added, is_delivered: false };
            self.records.push_back(record);
        }
        sent
    }

    /// Take in what an ACK delivers.
    pub fn on_ack(&mut self, ack: &Delivered, now: Time, smss: u32) -> Delivery {
        let (mut newest, mut is_earlier): (Option<SentSegment>, bool) = (None, false);
        let (mut left, in_flight) = (ack.delivered, self.in_flight);
        let sacked = ack.sack_block.unwrap_or_default();
        // What is new is mostly at the end of a block.
        let numbers = (ack.prior_una..ack.snd_una).chain((sacked.0.max(ack.snd_una)..sacked.1).rev());
        for number in numbers {
            if left == 0 {
                break;
            }
            let Some(record) =
                number.checked_sub(self.first).and_then(|at| self.records.get_mut(at as usize))
            else {
                continue;
            };
            if record.is_delivered {
                continue;
            }
            self.in_flight -= std::mem::take(&mut record.copies);
            record.is_delivered = true;
            left -= 1;
            let sent = record.delivered_by(ack.echoed);
            if newest.is_none_or(|other| (other.sent, other.number) < (sent.sent, number)) {
                (newest, is_earlier) = (Some(sent), sent.sent < record.sent.sent);
            }
        }
        let gone = (ack.snd_una.saturating_sub(self.first) as usize).min(self.records.len());
        self.records.drain(..gone);
        self.first += u32::try_from(gone).unwrap_or(u32::MAX);
        self.delivered += u64::from(ack.delivered);
        self.ce_marked += u64::from(ack.ce_marked);
        let newest = newest.unwrap_or_default();
        // TCP echoes the first of the segments that its ACK was held back for, which may have left between two copies.
        let left = packet::to_grain(newest.sent);
        let is_sure =
            if is_earlier { ack.echoed == left } else { !newest.retransmission || ack.echoed >= left };
        Delivery {
            newest,
            rtt: is_sure.then(|| now.since(newest.sent)),
            delivered: u64::from(ack.delivered) * u64::from(smss),
            from_flight: u64::from(in_flight - self.in_flight) * u64::from(smss),
            prior_in_flight: u64::from(ack.prior_pipe) * u64::from(smss),
            first_unacknowledged: ack.snd_una,
        }
    }

    /// Next change at place `at` or later, where `copies` says how many transmissions of a segment are in flight, `pipe` of
    /// all; none once the books agree. `at` moves on. Each transmission is told by itself.
    pub fn next_change(&mut self, at: &mut usize, pipe: u32, copies: impl Fn(u32) -> u32) -> Option<Change> {
        while self.in_flight != pipe {
            let record = self.records.get_mut(*at)?;
            let number = record.sent.number;
            let copies = if record.is_delivered { 0 } else { copies(number) };
            match copies.cmp(&record.copies) {
                Ordering::Equal => *at += 1,
                Ordering::Greater => {
                    record.copies += 1;
                    self.in_flight += 1;
                    let sent = SentSegment { restored: true, replaces: false, ..record.sent };
                    return Some(Change::Restored(sent));
                }
                Ordering::Less => {
                    let sent = record.lose();
                    self.in_flight -= 1;
                    self.lost += 1;
                    let starts_run = self.last_lost.replace(number).is_none_or(|last| last + 1 != number);
                    return Some(Change::Lost(sent, starts_run));
                }
            }
        }
        None
    }

    /// Bytes of memory held beyond its own.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.records.capacity() * size_of::<Record>()
    }
}
