//! Packet-timed round trips: a round ends when a segment sent after its beginning is delivered
//! (draft-ietf-ccwg-bbr, section 4.1.1). Counted here once, for every controller that wants rounds.

use congestion::{Duration, RoundSample};

/// The round in progress.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// Next segment to be sent when the round began.
    end: u32,
    min_rtt: u64,
    rtt_count: u32,
    delivered: u64,
    lost: u64,
    ce_marked: u64,
}

impl Round {
    /// A round that ends when segment `end` is delivered, or one that is sent again from now on.
    #[must_use]
    pub fn starting(end: u32) -> Self {
        Self { end, min_rtt: u64::MAX, rtt_count: 0, delivered: 0, lost: 0, ce_marked: 0 }
    }

    /// Count bytes reported as marked.
    pub fn on_mark(&mut self, bytes: u64) {
        self.ce_marked += bytes;
    }

    /// Account for one ACK. `highest` is one past the highest segment it reports, `repaired` says whether the
    /// first segment sent again since the round began is delivered, and `next` is the next segment to be
    /// sent. Returns the summary of the round if this ACK ends it.
    pub fn on_ack(
        &mut self,
        delivered: u64,
        lost: u64,
        rtt: u64,
        highest: u32,
        repaired: bool,
        next: u32,
    ) -> Option<RoundSample> {
        self.delivered += delivered;
        self.lost += lost;
        self.min_rtt = self.min_rtt.min(rtt);
        self.rtt_count += 1;
        if highest <= self.end && !repaired {
            return None;
        }
        let sample = RoundSample {
            min_rtt: Some(Duration(self.min_rtt)),
            rtt_count: self.rtt_count,
            delivered: self.delivered,
            lost: self.lost,
            ce_marked: self.ce_marked,
        };
        *self = Self::starting(next);
        Some(sample)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_ends_with_the_first_segment_sent_in_it() {
        let mut round = Round::starting(10);
        for highest in 1..=10 {
            assert!(
                round.on_ack(1, 0, 40, highest, false, 10 + highest).is_none(),
                "segment {highest} is of the old round"
            );
        }
        let sample = round.on_ack(1, 0, 30, 11, false, 21).expect("segment 10 was the first of the round");
        assert_eq!((sample.rtt_count, sample.delivered, sample.min_rtt), (11, 11, Some(Duration(30))));
        assert!(round.on_ack(1, 0, 40, 21, false, 31).is_none());
        assert!(round.on_ack(1, 0, 40, 22, false, 31).is_some());
    }

    #[test]
    fn a_segment_sent_again_ends_a_round_like_any_other() {
        let mut round = Round::starting(10);
        assert!(round.on_ack(1, 0, 40, 9, false, 10).is_none());
        assert!(round.on_ack(1, 0, 40, 9, true, 10).is_some());
        assert!(round.on_ack(1, 0, 40, 9, false, 10).is_none());
    }
}
