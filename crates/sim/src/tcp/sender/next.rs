//! What to send next (RFC 6675 section 4, `NextSeg`).

use super::{Episode, Mechanism, Sender};

impl Sender {
    /// The next segment to put on the network now, and whether it is a retransmission (`NextSeg`).
    pub fn next_segment(&mut self, mechanism: &Mechanism, now: u64) -> Option<(u32, bool)> {
        let pipe = self.pipe();
        if !self.force && pipe >= self.cwnd {
            return None;
        }
        self.force = false;
        let outstanding = self.next - self.una;
        let segment =
            if self.timed.is_some() { self.choose_timed(now, mechanism) } else { self.choose(mechanism) }?;
        self.sent += 1;
        self.resent += u64::from(segment.1);
        if let Some(rate) = &mut self.rate {
            rate.on_send(segment.0, now, outstanding);
        }
        if self.rto_at == u64::MAX {
            self.rto_at = now + self.rtt.timeout();
        }
        if self.pace_gap > 0 {
            self.pace_at = self.pace_at.max(now).saturating_add(self.pace_gap);
        }
        if self.timed.is_some() {
            self.on_sent(segment, now, mechanism);
        }
        Some(segment)
    }

    fn choose(&mut self, mechanism: &Mechanism) -> Option<(u32, bool)> {
        // Rule 1: the first lost segment that was not retransmitted.
        let from = self.high_rxt.max(self.una);
        if from < self.lost_below {
            if let Some(hole) = self.hole(from, self.lost_below) {
                return Some(self.retransmit(hole));
            }
            self.high_rxt = self.lost_below;
        }
        // Rule 2: new data.
        if let Some(segment) = self.new_segment(mechanism) {
            return Some((segment, false));
        }
        if self.episode != Episode::Fast || !mechanism.sack {
            return None;
        }
        // Rule 3: a segment with SACKed data above it, though not lost yet.
        let end = self.board.as_ref().map_or(0, |board| board.end());
        if let Some(hole) = self.hole(self.high_rxt.max(self.una), end) {
            return Some(self.retransmit(hole));
        }
        // Rule 4: once per recovery, the highest outstanding segment, to provoke an ACK.
        if self.rescue {
            self.rescue = false;
            let last = match &self.board {
                Some(board) => board.last_hole(self.next),
                None => self.next.checked_sub(1),
            };
            return last.filter(|&segment| segment >= self.una).map(|segment| (segment, true));
        }
        None
    }

    /// A segment that was never sent, if there is one and the receiver takes it.
    pub(super) fn new_segment(&mut self, mechanism: &Mechanism) -> Option<u32> {
        if self.next < self.limit && self.next - self.una < mechanism.rwnd {
            self.next += 1;
            return Some(self.next - 1);
        }
        if let Some(rate) = &mut self.rate
            && self.next >= self.limit
        {
            rate.on_app_limited(self.next - self.una);
        }
        None
    }

    fn hole(&self, from: u32, below: u32) -> Option<u32> {
        match &self.board {
            Some(board) => board.first_hole(from, below),
            None => (from < below).then_some(from),
        }
    }

    fn retransmit(&mut self, segment: u32) -> (u32, bool) {
        self.high_rxt = segment + 1;
        self.retransmitted += 1;
        self.note_repair(segment);
        (segment, true)
    }

    /// A round ends, too, when the first segment sent again in it is delivered.
    pub(super) fn note_repair(&mut self, segment: u32) {
        if self.round_repair == u32::MAX {
            self.round_repair = segment;
        }
    }
}
