//! What an ACK says of segments: delivered, or lost.

use super::{Episode, Mechanism, Sender};
use crate::measure::counters::Counters;
use crate::net::packet::Packet;
use crate::tcp::ranges::Pool;

impl Sender {
    /// Enter what the ACK says into the scoreboard; the number of segments newly delivered.
    pub(super) fn take(
        &mut self,
        ack: &Packet,
        now: u64,
        mechanism: &Mechanism,
        pool: &mut Pool,
        counters: &mut Counters,
    ) -> u32 {
        if self.timed.is_some() {
            return self.take_timed(ack, now, pool, counters);
        }
        let mut delivered = 0;
        if ack.seq > self.una {
            let advance = ack.seq - self.una;
            let repaired = ack.seq.min(self.high_rxt).saturating_sub(self.una);
            if let Some(board) = &mut self.board {
                let known = board.count_within(self.una, self.una + repaired);
                self.retransmitted = self.retransmitted.saturating_sub(repaired - known);
                delivered += advance - board.remove_below(ack.seq);
            } else {
                self.retransmitted = self.retransmitted.saturating_sub(repaired);
                delivered += advance;
                if !mechanism.sack && self.episode == Episode::Fast {
                    // A partial ACK: the segments it covers leave, and the next hole is lost (RFC 6582 3.2.3).
                    self.reported = (self.reported + 1).saturating_sub(advance);
                }
            }
            if self.episode == Episode::Open && !mechanism.sack {
                self.reported = 0;
            }
            self.una = ack.seq;
            self.repeats = 0;
        } else if ack.seq == self.una && self.next > self.una {
            counters.duplicate_acks += 1;
            self.repeats += 1;
            // After a restart they come from segments that no longer count as under way.
            if !mechanism.sack && self.episode != Episode::Timeout {
                self.reported = (self.reported + 1).min(self.next - self.una - 1);
            }
        }
        if mechanism.sack
            && let Some((start, end)) = ack.sack_block()
            && end > self.una
        {
            let start = start.max(self.una);
            let board = self.board.get_or_insert_with(|| pool.pop().unwrap_or_default());
            let (new, repaired) = board.insert(start, end, self.high_rxt);
            delivered += new;
            self.retransmitted = self.retransmitted.saturating_sub(repaired);
        }
        delivered
    }

    /// Losses that the controller hears of with the next ACK that delivers something.
    pub(super) fn remember_untold(&mut self, lost: u32) {
        match &mut self.timed {
            Some(timed) => timed.untold += lost,
            None => self.untold = lost > 0,
        }
    }

    /// Whether a segment counts as lost and is not on its way again.
    pub(super) fn has_losses(&mut self) -> bool {
        match &mut self.timed {
            Some(timed) => timed.rack.next_lost().is_some(),
            None => self.lost_below > self.una,
        }
    }

    /// Move the mark below which holes are lost; the number of segments newly lost (`IsLost`).
    pub(super) fn detect_losses(&mut self, now: u64, mechanism: &Mechanism) -> u32 {
        if self.timed.is_some() {
            return self.detect_timed(now, mechanism);
        }
        let mut lost = 0;
        if let Some(board) = &self.board {
            if let Some(mark) = board.nth_highest(mechanism.dup_thresh) {
                let known = self.lost_below.max(self.una);
                if mark > known {
                    lost = mark - known - board.count_within(known, mark);
                    self.lost_below = mark;
                }
            }
            self.reported = board.count_from(self.lost_below.max(self.una));
        } else if !mechanism.sack && self.una < self.next {
            let spared = !mechanism.successive && self.recovery_point > 0;
            let first_loss = self.episode == Episode::Open
                && self.reported >= mechanism.dup_thresh
                // What was sent again though it had arrived is acknowledged in duplicate: no loss before more
                // than the last episode's segments is acknowledged (RFC 6582 section 3.2, step 2).
                && self.una >= self.recovery_point + u32::from(spared);
            let partial = self.episode == Episode::Fast && self.una < self.recovery_point;
            if (first_loss || partial) && self.lost_below <= self.una {
                self.lost_below = self.una + 1;
                lost = 1;
            }
        }
        lost
    }
}
