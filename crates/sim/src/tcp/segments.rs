//! Segments one by one, for controllers that ask for them: what left when, and what became of it.
//!
//! Loss detection says how many transmissions of a segment are in flight; a segment with fewer of them than before is lost,
//! unless it is delivered. Books are kept in segments, and told in bytes.

use std::cmp::Ordering;
use std::collections::VecDeque;

use congestion::{Delivery, SentSegment, Time};

use crate::net::packet;

/// Segment that is not cumulatively acknowledged.
#[derive(Clone, Copy, Debug)]
struct Record {
    sent: SentSegment,
    /// Transmissions in flight.
    copies: u32,
    is_delivered: bool,
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
        match self.records.get_mut(place) {
            Some(record) => *record = Record { sent, copies: record.copies + added, ..*record },
            None => self.records.push_back(Record { sent, copies: added, is_delivered: false }),
        }
        sent
    }

    /// Take in what an ACK delivers.
    pub fn on_ack(&mut self, ack: &Delivered, now: Time, smss: u32) -> Delivery {
        let mut newest: Option<SentSegment> = None;
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
            if newest.is_none_or(|other| (other.sent, other.number) < (record.sent.sent, number)) {
                newest = Some(record.sent);
            }
        }
        let gone = (ack.snd_una.saturating_sub(self.first) as usize).min(self.records.len());
        self.records.drain(..gone);
        self.first += u32::try_from(gone).unwrap_or(u32::MAX);
        self.delivered += u64::from(ack.delivered);
        self.ce_marked += u64::from(ack.ce_marked);
        let newest = newest.unwrap_or_default();
        let is_latest = !newest.retransmission || ack.echoed >= packet::to_grain(newest.sent);
        Delivery {
            newest,
            rtt: is_latest.then(|| now.since(newest.sent)),
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
            let (number, sent) = (record.sent.number, record.sent);
            let copies = if record.is_delivered { 0 } else { copies(number) };
            match copies.cmp(&record.copies) {
                Ordering::Equal => *at += 1,
                Ordering::Greater => {
                    record.copies += 1;
                    self.in_flight += 1;
                    return Some(Change::Restored(SentSegment { restored: true, replaces: false, ..sent }));
                }
                Ordering::Less => {
                    record.copies -= 1;
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
