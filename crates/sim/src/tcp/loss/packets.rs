//! Loss detection by packet number (RFC 9002 section 6.1): a packet is lost if one that was sent three packets later is
//! acknowledged, or if one that was sent later is and it left long enough ago.
//!
//! Each transmission is a packet with a number of its own. Numbers do not travel: an ACK echoes the time stamp of the
//! latest packet, which tells transmissions of a segment apart. A segment is sent again in a new packet, while the old one
//! stays in flight until it is acknowledged or lost itself.
//! <https://www.rfc-editor.org/rfc/rfc9002#section-6.1>

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use congestion::{Duration, Time};

use super::{Ack, View, recycle};
use crate::net::packet;
use crate::tcp::ranges::{Pool, Ranges};

/// `kPersistentCongestionThreshold` (section 7.6.1).
const PERSISTENT_CONGESTION_THRESHOLD: u64 = 3;

/// Packet that was sent (appendix A.1.1).
#[derive(Clone, Copy, Debug)]
struct Packet {
    time_sent: Time,
    segment: u32,
    /// Packets back to the one before with the same segment, 0 if it is the first.
    back: u32,
    acked: bool,
}

/// Segment that is not cumulatively acknowledged.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// Number of the latest packet with it.
    newest: u64,
    delivered: bool,
}

/// Consequences of an ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acked {
    /// Segments newly delivered.
    pub delivered: u32,
    /// Number of the latest packet newly acknowledged.
    pub newest: Option<u64>,
    /// Its round trip, if it is the largest acknowledged so far (section 5.1).
    pub rtt: Option<Duration>,
}

/// Packets found lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Their count.
    pub count: u32,
    /// Number of the latest one.
    pub latest: Option<u64>,
    /// They establish persistent congestion (section 7.6.2).
    pub persistent: bool,
}

/// `sent_packets` of appendix A.3, and what loss detection knows of them.
#[derive(Clone, Debug, Default)]
pub struct SentPackets {
    /// Oldest packet whose fate is open, and those from there on.
    first: u64,
    packets: VecDeque<Packet>,
    /// Oldest unacknowledged segment, and those from there on.
    snd_una: u32,
    segments: VecDeque<Segment>,
    in_flight: u32,
    /// Segments that were lost at some time; those that still are have no packet whose fate is open.
    lost: BinaryHeap<Reverse<u32>>,
    /// One past `largest_acked_packet`.
    acked_below: u64,
    /// Latest packet that the ACK at hand newly acknowledges.
    newly_acked: Option<u64>,
    /// `loss_time`: when the next packet is lost; none before a later one is acknowledged.
    loss_time: Option<Time>,
    /// When the oldest left of the lost packets between which none is acknowledged.
    lost_since: Option<Time>,
    /// Probes to be sent.
    probes: u32,
    /// SACKed segments above SND.UNA; none held while there are none.
    pub(super) scoreboard: Option<Box<Ranges>>,
    /// Packets found lost and not yet reported to the controller.
    pub(super) deferred_lost: u32,
}

impl SentPackets {
    /// Packets in flight. Copies of what was delivered do not count.
    #[must_use]
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Packets in flight with a segment that was not delivered.
    pub(super) fn copies_in_flight(&self, segment: u32) -> u32 {
        let (mut next, mut count) = (self.newest(segment), 0);
        while let Some(number) = next.filter(|&number| number >= self.first) {
            let back = self.packet(number).back;
            count += 1;
            next = (back > 0).then(|| number - u64::from(back));
        }
        count
    }

    /// Number of the next packet.
    #[must_use]
    pub fn next_number(&self) -> u64 {
        self.first + self.packets.len() as u64
    }

    /// Expiry of the timer for the time threshold.
    pub(super) fn deadline(&self) -> Time {
        self.loss_time.unwrap_or(Time::NEVER)
    }

    /// Bytes of memory held beyond its own.
    pub(super) fn memory(&self) -> usize {
        self.packets.capacity() * size_of::<Packet>()
            + self.segments.capacity() * size_of::<Segment>()
            + self.lost.capacity() * size_of::<u32>()
    }

    /// Note that a packet leaves with `segment`, the one after the last or one of those before.
    pub(super) fn on_sent(&mut self, segment: u32, now: Time) {
        let number = self.next_number();
        let mut back = 0;
        if let Some(known) = self.segments.get_mut((segment - self.snd_una) as usize) {
            back = u32::try_from(number - known.newest).unwrap_or(0);
            known.newest = number;
        } else {
            self.segments.push_back(Segment { newest: number, delivered: false });
        }
        self.packets.push_back(Packet { time_sent: now, segment, back, acked: false });
        self.in_flight += 1;
        self.probes = self.probes.saturating_sub(1);
    }

    /// Take in an ACK; the packet that it echoes left at `sent`.
    pub fn on_ack(&mut self, ack: &Ack<'_>, sent: Time, view: &View<'_>, pool: &mut Pool) -> Acked {
        let acked_below = self.acked_below;
        self.newly_acked = None;
        let delivered = self.update(ack, sent, view, pool);
        if ack.packet.kind.is_dsack() {
            self.acknowledge_copy(sent);
        }
        recycle(&mut self.scoreboard, pool);
        let largest = self.newly_acked.filter(|&number| number >= acked_below);
        let rtt = largest.map(|number| view.now.since(self.packet(number).time_sent));
        Acked { delivered, newest: self.newly_acked, rtt }
    }

    /// Record what an ACK reports; the number of segments newly delivered.
    fn update(&mut self, ack: &Ack<'_>, sent: Time, view: &View<'_>, pool: &mut Pool) -> u32 {
        let mut delivered = 0;
        let seg_ack = ack.packet.seq;
        if seg_ack > ack.prior_una {
            let sacked = self.scoreboard.as_mut().map_or(0, |scoreboard| scoreboard.remove_below(seg_ack));
            delivered += seg_ack - ack.prior_una - sacked;
            for segment in ack.prior_una..seg_ack {
                self.deliver(segment, ack, sent);
            }
            self.segments.drain(..(seg_ack - ack.prior_una) as usize);
            self.snd_una = seg_ack;
        }
        if let Some((start, end)) = ack.packet.sack_block()
            && end > view.seq.snd_una
        {
            let mut scoreboard = self.scoreboard.take().or_else(|| pool.pop()).unwrap_or_default();
            let start = start.max(view.seq.snd_una);
            let mut from = start;
            while let Some(segment) = scoreboard.first_hole(from, end) {
                self.deliver(segment, ack, sent);
                from = segment + 1;
            }
            delivered += scoreboard.insert(start, end, 0).0;
            self.scoreboard = Some(scoreboard);
        }
        delivered
    }

    /// Take in the delivery of a segment. The packet that did it is the latest one that had left by the time that the ACK
    /// echoes. Where the receiver says that it had a packet before, earlier ones of the segment have arrived as well.
    fn deliver(&mut self, segment: u32, ack: &Ack<'_>, sent: Time) {
        let known = &mut self.segments[(segment - self.snd_una) as usize];
        if std::mem::replace(&mut known.delivered, true) {
            return;
        }
        let (mut next, mut has_arrived) = (Some(known.newest), false);
        while let Some(number) = next.filter(|&number| number >= self.first) {
            let Packet { time_sent, back, .. } = *self.packet(number);
            self.in_flight -= 1;
            if packet::to_grain(time_sent) <= sent && (!has_arrived || ack.packet.kind.is_dsack()) {
                self.acknowledge(number);
                has_arrived = true;
            }
            next = (back > 0).then(|| number - u64::from(back));
        }
    }

    /// Take in that another packet of a segment that was delivered has arrived, which left at `sent`.
    fn acknowledge_copy(&mut self, sent: Time) {
        let at = self.packets.partition_point(|known| packet::to_grain(known.time_sent) < sent);
        let same = self.packets.range(at..).take_while(|known| packet::to_grain(known.time_sent) == sent);
        let copy = |known: &Packet| !known.acked && self.is_delivered(known.segment);
        if let Some(further) = same.into_iter().position(copy) {
            self.acknowledge(self.first + (at + further) as u64);
        }
    }

    fn acknowledge(&mut self, number: u64) {
        let packet = self.packet_mut(number);
        if !std::mem::replace(&mut packet.acked, true) {
            self.acked_below = self.acked_below.max(number + 1);
            self.newly_acked = self.newly_acked.max(Some(number));
        }
    }

    /// Find the packets that are lost, and when the next one will be, where the latest round trip took `latest_rtt`.
    /// Sections 6.1.1 and 6.1.2: each that "was sent `kPacketThreshold` packets before an acknowledged packet", or at least
    /// "max(kTimeThreshold * max(`smoothed_rtt`, `latest_rtt`), kGranularity)" ago and before an acknowledged one.
    ///
    /// Section 7.6.2: congestion is persistent if two packets are lost, none sent between them is acknowledged, and "the
    /// duration between the send times of these two packets exceeds the persistent congestion duration".
    /// <https://www.rfc-editor.org/rfc/rfc9002#section-6.1>
    pub fn detect_loss(&mut self, latest_rtt: Duration, view: &View<'_>) -> Losses {
        let delay = (view.rtt.srtt.max(latest_rtt) * 9 / 8).max(view.rto.min);
        let duration = view.rtt.pto(view.rto) * PERSISTENT_CONGESTION_THRESHOLD;
        let mut losses = Losses { count: std::mem::take(&mut self.deferred_lost), ..Losses::default() };
        self.loss_time = None;
        while let Some(&Packet { time_sent, segment, acked, .. }) = self.packets.front() {
            if acked {
                self.lost_since = None;
            } else if self.first >= self.acked_below {
                break;
            } else if self.first + u64::from(view.options.dup_thresh) >= self.acked_below
                && time_sent + delay > view.now
            {
                self.loss_time = Some(time_sent + delay);
                break;
            } else {
                losses.count += 1;
                losses.latest = Some(self.first);
                let since = *self.lost_since.get_or_insert(time_sent);
                losses.persistent |= time_sent.since(since) > duration;
                if let Some(newest) = self.newest(segment) {
                    self.in_flight -= 1;
                    if newest == self.first {
                        self.lost.push(Reverse(segment));
                    }
                }
            }
            self.packets.pop_front();
            self.first += 1;
        }
        if losses.persistent {
            self.lost_since = None;
        }
        losses
    }

    /// Lowest segment that is lost and not in flight again.
    pub(super) fn next_lost(&mut self) -> Option<u32> {
        while let Some(&Reverse(segment)) = self.lost.peek() {
            if self.newest(segment).is_some_and(|newest| newest < self.first) {
                return Some(segment);
            }
            self.lost.pop();
        }
        None
    }

    /// Make so many probes due, or none.
    pub fn set_probes(&mut self, probes: u32) {
        self.probes = probes;
    }

    /// Probes to be sent.
    #[must_use]
    pub fn probes(&self) -> u32 {
        self.probes
    }

    /// Segment for a probe, if one is due: that of the oldest packet in flight which no later one carries. Section 6.2.4:
    /// "Previously sent data MAY be sent if no new data can be sent."
    /// <https://www.rfc-editor.org/rfc/rfc9002#section-6.2.4>
    pub(super) fn probe(&self) -> Option<u32> {
        let is_newest = |(number, known): &(u64, &Packet)| self.newest(known.segment) == Some(*number);
        let mut numbered = (self.first..).zip(&self.packets).filter(is_newest);
        numbered.next().filter(|_| self.probes > 0).map(|(_, known)| known.segment)
    }

    /// Latest packet of a segment that is not delivered.
    fn newest(&self, segment: u32) -> Option<u64> {
        let at = segment.checked_sub(self.snd_una)?;
        self.segments.get(at as usize).filter(|known| !known.delivered).map(|known| known.newest)
    }

    fn is_delivered(&self, segment: u32) -> bool {
        self.newest(segment).is_none()
    }

    fn packet(&self, number: u64) -> &Packet {
        &self.packets[usize::try_from(number - self.first).unwrap_or(usize::MAX)]
    }

    fn packet_mut(&mut self, number: u64) -> &mut Packet {
        &mut self.packets[usize::try_from(number - self.first).unwrap_or(usize::MAX)]
    }
}

#[cfg(test)]
mod tests;
