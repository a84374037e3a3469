//! Loss detection by time: a segment is lost if one that was sent after it has arrived, and a moment passed in
//! which the two might have changed places. So a repair that is lost is found, too (RACK, RFC 8985).
//! <https://www.rfc-editor.org/rfc/rfc8985>

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::net::packet;

/// What became of the latest sending of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Flying,
    Lost,
    Delivered,
}

/// A segment that is not acknowledged cumulatively.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// Number of its latest sending.
    sending: u64,
    again: bool,
    state: State,
}

/// The sending of a segment, first or again.
#[derive(Clone, Copy, Debug)]
struct Sending {
    segment: u32,
    at: u64,
}

/// Sendings in the order of time, and segments in the order of numbers.
#[derive(Clone, Debug)]
pub struct Rack {
    /// Oldest unacknowledged segment, and those from there on.
    una: u32,
    segments: VecDeque<Segment>,
    /// Sendings whose end is not known, between others, and the number of the first.
    sendings: VecDeque<Sending>,
    first: u64,
    flying: u32,
    /// Segments that were lost at some time; which of them still are, their states tell.
    lost: BinaryHeap<Reverse<u32>>,
    /// Number of the latest sending that arrived, and how long its acknowledgement took [ps].
    newest: Option<u64>,
    rtt: u64,
    /// One past the highest segment delivered.
    highest: u32,
    /// A segment that was sent once arrived after a later one.
    reordering: bool,
    /// When those that may only be late count as lost [ps]; `u64::MAX` if there are none.
    pub wait_until: u64,
}

impl Default for Rack {
    fn default() -> Self {
        Self {
            una: 0,
            segments: VecDeque::new(),
            sendings: VecDeque::new(),
            first: 0,
            flying: 0,
            lost: BinaryHeap::new(),
            newest: None,
            rtt: 0,
            highest: 0,
            reordering: false,
            wait_until: u64::MAX,
        }
    }
}

impl Rack {
    /// Segments in the network as far as the sender can tell.
    #[must_use]
    pub fn flying(&self) -> u32 {
        self.flying
    }

    /// Bytes of memory held, its own included.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of::<Self>()
            + self.segments.capacity() * size_of::<Segment>()
            + self.sendings.capacity() * size_of::<Sending>()
            + self.lost.capacity() * size_of::<u32>()
    }

    /// `segment` leaves at `now` [ps]: the one after the last, or one of those sent before.
    pub fn on_send(&mut self, segment: u32, now: u64) {
        let sending = self.first + self.sendings.len() as u64;
        self.sendings.push_back(Sending { segment, at: now });
        if let Some(known) = self.segments.get_mut((segment - self.una) as usize) {
            self.flying += u32::from(known.state != State::Flying);
            *known = Segment { sending, again: true, state: State::Flying };
        } else {
            self.segments.push_back(Segment { sending, again: false, state: State::Flying });
            self.flying += 1;
        }
    }

    /// Segments below `una` are acknowledged by an ACK that echoes `stamp`.
    pub fn acknowledge(&mut self, una: u32, stamp: u32, now: u64) {
        for segment in self.una..una {
            self.deliver(segment, stamp, now);
        }
        let gone = (una - self.una).min(u32::try_from(self.segments.len()).unwrap_or(u32::MAX));
        self.segments.drain(..gone as usize);
        self.una = una;
    }

    /// A segment is reported received by an ACK that echoes `stamp` (section 6.2, steps 2 and 3).
    pub fn deliver(&mut self, segment: u32, stamp: u32, now: u64) {
        let Some(known) = self.segments.get_mut((segment - self.una) as usize) else { return };
        if known.state == State::Delivered {
            return;
        }
        self.flying -= u32::from(known.state == State::Flying);
        known.state = State::Delivered;
        if segment >= self.highest {
            self.highest = segment + 1;
        } else if !known.again {
            self.reordering = true;
        }
        // Sendings before the first were followed by one that arrived.
        let Some(index) = known.sending.checked_sub(self.first) else { return };
        let at = self.sendings[usize::try_from(index).unwrap_or(usize::MAX)].at;
        // An ACK that echoes an older time stamp answers an earlier sending.
        let earlier = packet::stamp(congestion::Time(at)).wrapping_sub(stamp);
        if known.again && earlier > 0 && earlier < u32::MAX / 2 {
            return;
        }
        if self.newest.is_none_or(|newest| newest < known.sending) {
            self.newest = Some(known.sending);
            self.rtt = now - at;
        }
    }

    /// How long a segment may be late [ps]: a quarter of the least round trip, or not at all while nothing was
    /// seen to change places and losses are `certain` (step 4).
    #[must_use]
    pub fn patience(&self, certain: bool, min_rtt: u64, srtt: u64) -> u64 {
        if certain && !self.reordering { 0 } else { (min_rtt / 4).min(srtt) }
    }

    /// Find the segments that are lost at `now`; how many there are (step 5).
    pub fn detect(&mut self, now: u64, patience: u64) -> u32 {
        self.wait_until = u64::MAX;
        let newest = self.newest.unwrap_or(0);
        let mut lost = 0;
        while let Some(&Sending { segment, at }) = self.sendings.front() {
            if self.is_flying(segment, self.first) {
                if self.first >= newest {
                    break;
                }
                if at + self.rtt + patience > now {
                    self.wait_until = self.last_due(newest, patience);
                    break;
                }
                self.lose(segment);
                lost += 1;
            }
            self.sendings.pop_front();
            self.first += 1;
        }
        lost
    }

    /// The retransmission timer expired at `now`: the oldest segment is lost, and all for which a round trip has
    /// passed (section 6.3).
    pub fn on_timeout(&mut self, now: u64) {
        self.wait_until = u64::MAX;
        while let Some(&Sending { segment, at }) = self.sendings.front()
            && at + self.rtt <= now
        {
            if self.is_flying(segment, self.first) {
                self.lose(segment);
            }
            self.sendings.pop_front();
            self.first += 1;
        }
        if self.segments.front().is_some_and(|oldest| oldest.state == State::Flying) {
            self.lose(self.una);
        }
    }

    /// The lowest segment that is lost.
    pub fn next_lost(&mut self) -> Option<u32> {
        while let Some(&Reverse(segment)) = self.lost.peek() {
            let known = segment.checked_sub(self.una).and_then(|at| self.segments.get(at as usize));
            if known.is_some_and(|known| known.state == State::Lost) {
                return Some(segment);
            }
            self.lost.pop();
        }
        None
    }

    /// Whether this sending of a segment is its latest, and under way.
    fn is_flying(&self, segment: u32, sending: u64) -> bool {
        let known = segment.checked_sub(self.una).and_then(|at| self.segments.get(at as usize));
        known.is_some_and(|known| known.sending == sending && known.state == State::Flying)
    }

    fn lose(&mut self, segment: u32) {
        self.segments[(segment - self.una) as usize].state = State::Lost;
        self.flying -= 1;
        self.lost.push(Reverse(segment));
    }

    /// When the last of those that were sent before `newest` counts as lost.
    fn last_due(&self, newest: u64, patience: u64) -> u64 {
        let before = usize::try_from(newest - self.first).unwrap_or(usize::MAX);
        let sendings = self.sendings.iter().zip(self.first..).take(before);
        sendings
            .filter(|(sending, number)| self.is_flying(sending.segment, *number))
            .last()
            .map_or(u64::MAX, |(sending, _)| sending.at + self.rtt + patience)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn stamp(now: u64) -> u32 {
        packet::stamp(congestion::Time(now))
    }

    const MS: u64 = 1_000_000_000;

    /// Ten segments, a millisecond apart.
    fn ten() -> Rack {
        let mut rack = Rack::default();
        for segment in 0..10 {
            rack.on_send(segment, u64::from(segment) * MS);
        }
        rack
    }

    /// RFC 8985 section 6.2, step 5.
    #[test]
    fn what_was_sent_before_a_delivered_segment_is_lost_after_the_reordering_window() {
        let mut rack = ten();
        rack.deliver(3, stamp(3 * MS), 43 * MS);
        assert_eq!(rack.detect(43 * MS, 10 * MS), 0);
        // The last of 0, 1 and 2 was sent at 2 ms; 40 ms for the round trip and 10 ms of patience.
        assert_eq!(rack.wait_until, 52 * MS);
        assert_eq!(rack.detect(52 * MS, 10 * MS), 3);
        assert_eq!((rack.flying(), rack.next_lost(), rack.wait_until), (6, Some(0), u64::MAX));
    }

    /// Section 6.2 step 4: no patience in recovery while no reordering was seen; a quarter of the least round
    /// trip otherwise, at most a smoothed one.
    #[test]
    fn reordering_once_seen_earns_patience() {
        let mut rack = ten();
        assert_eq!(rack.patience(true, 40 * MS, 40 * MS), 0);
        assert_eq!(rack.patience(false, 40 * MS, 40 * MS), 10 * MS);
        assert_eq!(rack.patience(false, 40 * MS, 8 * MS), 8 * MS);
        rack.deliver(3, stamp(3 * MS), 43 * MS);
        rack.deliver(1, stamp(MS), 44 * MS);
        assert_eq!(rack.patience(true, 40 * MS, 40 * MS), 10 * MS);
    }

    /// Section 6.2 makes no difference between first and further sendings: a lost repair is found by any segment
    /// that was sent after it.
    #[test]
    fn a_lost_repair_is_lost_again() {
        let mut rack = ten();
        rack.deliver(1, stamp(MS), 41 * MS);
        assert_eq!(rack.detect(41 * MS, 0), 1);
        rack.on_send(0, 41 * MS);
        rack.on_send(10, 42 * MS);
        rack.deliver(9, stamp(9 * MS), 49 * MS);
        assert_eq!(rack.detect(49 * MS, 0), 7, "segments 2 to 8, but not the repair, which was sent later");
        rack.deliver(10, stamp(42 * MS), 82 * MS);
        assert_eq!(rack.detect(82 * MS, 0), 1);
        assert_eq!(rack.next_lost(), Some(0));
    }

    /// Section 6.2 step 2: an ACK of the original is not taken for one of the repair.
    #[test]
    fn an_old_echo_is_none_of_the_repair() {
        let mut rack = ten();
        rack.deliver(1, stamp(MS), 41 * MS);
        rack.detect(41 * MS, 0);
        rack.on_send(0, 41 * MS);
        // The original, late: what was sent between it and the repair has not been overtaken.
        rack.acknowledge(2, stamp(0), 42 * MS);
        assert_eq!(rack.detect(42 * MS, 0), 0);
        assert_eq!(rack.flying(), 8);
    }

    /// Section 6.3: the oldest, and those for which a round trip has passed.
    #[test]
    fn a_timeout_spares_what_was_sent_just_now() {
        let mut rack = ten();
        rack.acknowledge(1, stamp(0), 40 * MS);
        rack.on_send(10, 230 * MS);
        rack.on_timeout(240 * MS);
        assert_eq!(rack.flying(), 1, "segment 10");
        assert_eq!(rack.next_lost(), Some(1));
        let mut rack = Rack::default();
        rack.on_send(0, 0);
        rack.on_timeout(240 * MS);
        assert_eq!((rack.flying(), rack.next_lost()), (0, Some(0)));
    }
}
