//! Loss detection by time (RACK, RFC 8985 section 6): a segment is lost if one that was sent after it has been
//! delivered, and the reordering window has passed. So a lost retransmission is found, too.
//!
//! The RFC compares transmissions by (`xmit_ts`, `end_seq`). Here they are numbered in the order of sending, which
//! is that order, and kept in a queue: what `RACK_detect_loss` has to look at is its front.
//! <https://www.rfc-editor.org/rfc/rfc8985#section-6>

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use congestion::{Duration, Time};

use super::reo_wnd::ReoWnd;
use crate::net::packet;
use crate::tcp::rtt::RttEstimator;

/// Status of the latest transmission of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    InFlight,
    /// `Segment.lost`.
    Lost,
    Delivered,
}

/// Segment that is not cumulatively acknowledged (section 5.2).
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// Number of its latest transmission, which stands for `Segment.xmit_ts`.
    transmission: u64,
    /// `Segment.retransmitted`.
    retransmitted: bool,
    /// It was taken for lost and is in flight again: it left earlier than its number says.
    is_renumbered: bool,
    status: Status,
}

/// Transmission of a segment, the first or a later one.
#[derive(Clone, Copy, Debug)]
struct Sent {
    segment: u32,
    xmit_ts: Time,
}

/// RACK variables (section 5.3) and the reordering timer (section 5.4).
#[derive(Clone, Debug)]
pub struct Rack {
    /// Oldest unacknowledged segment, and those from there on.
    snd_una: u32,
    segments: VecDeque<Segment>,
    /// Transmissions in the order of time: the oldest whose outcome is not known, those after it, and its number.
    sent: VecDeque<Sent>,
    first_sent: u64,
    in_flight: u32,
    /// Segments that were lost at some time; those that still are have the status.
    lost: BinaryHeap<Reverse<u32>>,
    /// Number of the latest transmission that was delivered: `RACK.xmit_ts` and `RACK.end_seq`.
    latest_delivered: Option<u64>,
    /// `RACK.rtt`: round-trip time of that transmission.
    rtt: Duration,
    /// `RACK.fack`: one past the highest segment delivered.
    fack: u32,
    /// `RACK.reordering_seen`.
    reordering_seen: bool,
    /// Width of the reordering window.
    pub(super) reo_wnd: ReoWnd,
    /// Reordering timer; [`Time::NEVER`] when off.
    reordering_timer: Time,
    /// Round-trip time of the segment sent last among those that the ACK at hand delivers.
    pub last_rtt: Option<Duration>,
    /// Lost retransmissions were found the last time.
    pub has_lost_retransmission: bool,
}

impl Default for Rack {
    fn default() -> Self {
        Self {
            snd_una: 0,
            segments: VecDeque::new(),
            sent: VecDeque::new(),
            first_sent: 0,
            in_flight: 0,
            lost: BinaryHeap::new(),
            latest_delivered: None,
            rtt: Duration::ZERO,
            fack: 0,
            reordering_seen: false,
            reo_wnd: ReoWnd::default(),
            reordering_timer: Time::NEVER,
            last_rtt: None,
            has_lost_retransmission: false,
        }
    }
}

impl Rack {
    /// Segments in the network as far as the sender can tell.
    pub(super) fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Expiry of the reordering timer.
    pub(super) fn deadline(&self) -> Time {
        self.reordering_timer
    }

    /// Let the reordering timer, if it runs, expire so much later.
    pub(super) fn delay_timer(&mut self, margin: Duration) {
        if self.reordering_timer < Time::NEVER {
            self.reordering_timer += margin;
        }
    }

    /// Bytes of memory held beyond its own.
    pub(super) fn memory(&self) -> usize {
        self.segments.capacity() * size_of::<Segment>()
            + self.sent.capacity() * size_of::<Sent>()
            + self.lost.capacity() * size_of::<u32>()
    }

    /// Note that `segment` leaves, the one after the last or one of those before (section 6.1, `RACK_transmit_data` and
    /// `RACK_retransmit_data`).
    /// <https://www.rfc-editor.org/rfc/rfc8985#section-6.1>
    pub(super) fn on_sent(&mut self, segment: u32, now: Time) {
        let transmission = self.first_sent + self.sent.len() as u64;
        self.sent.push_back(Sent { segment, xmit_ts: now });
        if let Some(known) = self.segments.get_mut((segment - self.snd_una) as usize) {
            self.in_flight += u32::from(known.status != Status::InFlight);
            let status = Status::InFlight;
            *known = Segment { transmission, retransmitted: true, is_renumbered: false, status };
        } else {
            let status = Status::InFlight;
            let segment = Segment { transmission, retransmitted: false, is_renumbered: false, status };
            self.segments.push_back(segment);
            self.in_flight += 1;
        }
    }

    /// Take in a cumulative acknowledgement of everything below `snd_una` by an ACK that echoes a segment that
    /// left at `sent`.
    pub(super) fn acknowledge(&mut self, snd_una: u32, sent: Time, now: Time) {
        for segment in self.snd_una..snd_una {
            self.update(segment, sent, now);
        }
        let gone = (snd_una - self.snd_una).min(u32::try_from(self.segments.len()).unwrap_or(u32::MAX));
        self.segments.drain(..gone as usize);
        self.snd_una = snd_una;
    }

    /// Take in the delivery of a segment that an ACK reports, which echoes one that left at `sent`. Section 6.2, step 2, `RACK_update`:
    /// "each segment cumulatively ACKed or SACKed is marked as delivered in the scoreboard".
    /// <https://www.rfc-editor.org/rfc/rfc8985#section-6.2>
    pub(super) fn update(&mut self, segment: u32, sent: Time, now: Time) {
        let Some(known) = self.segments.get_mut((segment - self.snd_una) as usize) else { return };
        if known.status == Status::Delivered {
            return;
        }
        self.in_flight -= u32::from(known.status == Status::InFlight);
        known.status = Status::Delivered;
        let known = *known;
        self.detect_reordering(segment, known.retransmitted);
        // A transmission before the first of the queue was followed by one that was delivered.
        let Some(index) = known.transmission.checked_sub(self.first_sent) else { return };
        let xmit_ts = self.sent[usize::try_from(index).unwrap_or(usize::MAX)].xmit_ts;
        // "To avoid spurious inferences, ignore a segment as invalid if any of its sequence range has been
        // retransmitted before and if ... The Timestamp Echo Reply field (TSecr) of the ACK's timestamp option ...
        // indicates the ACK was not acknowledging the last retransmission of the segment."
        let may_be_older = known.retransmitted | known.is_renumbered;
        if may_be_older && sent < packet::to_grain(xmit_ts) {
            return;
        }
        // "record the most recent Segment.xmit_ts in RACK.xmit_ts if it is ahead of RACK.xmit_ts".
        if self.latest_delivered.is_none_or(|latest| latest < known.transmission) {
            self.latest_delivered = Some(known.transmission);
            self.rtt = now.since(xmit_ts);
            self.last_rtt = Some(self.rtt);
        }
    }

    /// Step 3: "If a never-retransmitted segment that's below RACK.fack is (selectively or cumulatively) acknowledged,
    /// it has been delivered out of order."
    /// <https://www.rfc-editor.org/rfc/rfc8985#section-6.2>
    fn detect_reordering(&mut self, segment: u32, retransmitted: bool) {
        if segment >= self.fack {
            self.fack = segment + 1;
        } else if !retransmitted {
            self.reordering_seen = true;
        }
    }

    /// Reordering window, `RACK.reo_wnd`. Step 4, `RACK_update_reo_wnd`, with `certain` for the two inner conditions:
    ///
    /// ```text
    /// If RACK.reordering_seen is FALSE:
    ///     If in Fast or RTO recovery:
    ///         Return 0
    ///     Else if RACK.segs_sacked >= DupThresh:
    ///         Return 0
    /// Return min(RACK.reo_wnd_mult * RACK.min_RTT / 4, SRTT)
    /// ```
    /// <https://www.rfc-editor.org/rfc/rfc8985#section-6.2>
    pub(super) fn update_reo_wnd(&self, certain: bool, rtt: &RttEstimator) -> Duration {
        if certain && !self.reordering_seen { Duration::ZERO } else { self.reo_wnd.width(rtt) }
    }

    /// Find the segments that are lost at `now`, and set the reordering timer for those that may be; the number of
    /// those lost. Step 5, `RACK_detect_loss`, of each segment that was sent before the latest one delivered:
    ///
    /// ```text
    /// remaining = Segment.xmit_ts + RACK.rtt + RACK.reo_wnd - Now()
    /// If remaining <= 0:
    ///     Segment.lost = TRUE
    /// Else:
    ///     timeout = max(remaining, timeout)
    /// ```
    /// <https://www.rfc-editor.org/rfc/rfc8985#section-6.2>
    pub(super) fn detect_loss(&mut self, now: Time, reo_wnd: Duration) -> u32 {
        self.reordering_timer = Time::NEVER;
        self.has_lost_retransmission = false;
        let latest = self.latest_delivered.unwrap_or(0);
        let mut lost = 0;
        while let Some(&Sent { segment, xmit_ts }) = self.sent.front() {
            if self.is_in_flight(segment, self.first_sent) {
                if self.first_sent >= latest {
                    break;
                }
                if xmit_ts + self.rtt + reo_wnd > now {
                    self.reordering_timer = self.reordering_deadline(latest, reo_wnd);
                    break;
                }
                self.mark_lost(segment);
                lost += 1;
            }
            self.sent.pop_front();
            self.first_sent += 1;
        }
        lost
    }

    /// Time at which the last segment sent before the latest one delivered counts as lost: the largest `timeout`.
    fn reordering_deadline(&self, latest: u64, reo_wnd: Duration) -> Time {
        let before = usize::try_from(latest - self.first_sent).unwrap_or(usize::MAX);
        let sent = self.sent.iter().zip(self.first_sent..).take(before);
        sent.filter(|(sent, number)| self.is_in_flight(sent.segment, *number))
            .last()
            .map_or(Time::NEVER, |(sent, _)| sent.xmit_ts + self.rtt + reo_wnd)
    }

    /// Find the segments that are lost when the retransmission timer expires. Section 6.3, `RACK_mark_losses_on_RTO`:
    /// "RACK marks the first outstanding segment as lost (since it was sent an RTO ago); for all the other segments,
    /// RACK only marks the segment as lost if the time elapsed since the segment was transmitted is at least the sum
    /// of the recent RTT and the reordering window", which is taken as zero here.
    /// <https://www.rfc-editor.org/rfc/rfc8985#section-6.3>
    pub(super) fn mark_losses_on_rto(&mut self, now: Time) {
        self.reordering_timer = Time::NEVER;
        while let Some(&Sent { segment, xmit_ts }) = self.sent.front()
            && xmit_ts + self.rtt <= now
        {
            if self.is_in_flight(segment, self.first_sent) {
                self.mark_lost(segment);
            }
            self.sent.pop_front();
            self.first_sent += 1;
        }
        if self.segments.front().is_some_and(|oldest| oldest.status == Status::InFlight) {
            self.mark_lost(self.snd_una);
        }
    }

    /// Take lost segments for in flight again, numbered as if they left now: their place in the order of sending is gone.
    /// Linux, `tcp_undo_cwnd_reduction`: they are not lost any more, and those that were not retransmitted still are not.
    pub(super) fn unmark_lost(&mut self, now: Time) {
        for at in 0..u32::try_from(self.segments.len()).unwrap_or(u32::MAX) {
            let Segment { retransmitted, status, .. } = self.segments[at as usize];
            if status == Status::Lost {
                self.on_sent(self.snd_una + at, now);
                let segment = &mut self.segments[at as usize];
                (segment.retransmitted, segment.is_renumbered) = (retransmitted, true);
            }
        }
    }

    /// A segment is lost, or in flight again since it was.
    #[must_use]
    pub fn is_repairing(&self) -> bool {
        let is_repaired = |known: &Segment| known.retransmitted && known.status == Status::InFlight;
        self.segments.iter().any(|known| known.status == Status::Lost || is_repaired(known))
    }

    /// A retransmission is in flight.
    #[must_use]
    pub fn is_retransmission_out(&self) -> bool {
        self.segments.iter().any(|known| known.retransmitted && known.status == Status::InFlight)
    }

    /// Retransmissions in flight: their number, and when the first of them left; `None` without any.
    #[must_use]
    pub fn retransmissions_out(&self) -> Option<(u32, Time)> {
        let is_out = |(sent, number): &(&Sent, u64)| {
            self.is_in_flight(sent.segment, *number)
                && self.known(sent.segment).is_some_and(|known| known.retransmitted)
        };
        let mut out = self.sent.iter().zip(self.first_sent..).filter(is_out).map(|(sent, _)| sent.xmit_ts);
        let first = out.next()?;
        Some((1 + u32::try_from(out.count()).unwrap_or(u32::MAX - 1), first))
    }

    /// One of the segments from `start` to the one before `end` was neither delivered nor retransmitted.
    #[must_use]
    pub fn awaits_original(&self, start: u32, end: u32) -> bool {
        let awaits = |known: &Segment| !known.retransmitted && known.status != Status::Delivered;
        (start..end).any(|segment| self.known(segment).is_some_and(awaits))
    }

    /// Lowest lost segment.
    pub(super) fn next_lost(&mut self) -> Option<u32> {
        while let Some(&Reverse(segment)) = self.lost.peek() {
            if self.known(segment).is_some_and(|known| known.status == Status::Lost) {
                return Some(segment);
            }
            self.lost.pop();
        }
        None
    }

    fn known(&self, segment: u32) -> Option<&Segment> {
        segment.checked_sub(self.snd_una).and_then(|at| self.segments.get(at as usize))
    }

    /// The latest transmission of a segment is in flight.
    pub(super) fn has_in_flight(&self, segment: u32) -> bool {
        self.known(segment).is_some_and(|known| known.status == Status::InFlight)
    }

    /// Returns true if this is the segment's latest transmission and it is in flight.
    fn is_in_flight(&self, segment: u32, transmission: u64) -> bool {
        self.known(segment)
            .is_some_and(|known| known.transmission == transmission && known.status == Status::InFlight)
    }

    fn mark_lost(&mut self, segment: u32) {
        let lost = &mut self.segments[(segment - self.snd_una) as usize];
        lost.status = Status::Lost;
        self.has_lost_retransmission |= lost.retransmitted;
        self.in_flight -= 1;
        self.lost.push(Reverse(segment));
    }
}

#[cfg(test)]
mod tests;
