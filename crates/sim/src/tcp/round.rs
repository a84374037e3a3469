//! Packet-timed round trips: a round ends when a segment sent after its beginning is delivered
//! (draft-ietf-ccwg-bbr, section 4.1.1). Counted here once, for every controller that wants rounds.

use congestion::{Duration, RoundSample};

/// Round in progress.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// SND.NXT when the round began.
    end: u32,
    /// First segment retransmitted in the round; `u32::MAX` if there is none.
    retransmitted: u32,
    min_rtt: Duration,
    rtt_count: u32,
    /// Segments.
    delivered: u32,
    lost: u32,
    ce_marked: u32,
}

/// Contribution of one ACK to a round.
#[derive(Clone, Copy, Debug)]
pub struct RoundAck {
    /// Segments newly delivered.
    pub delivered: u32,
    /// Segments newly declared lost.
    pub lost: u32,
    /// Segments newly reported as marked.
    pub ce_marked: u32,
    /// Bytes of a segment.
    pub smss: u32,
    /// Its RTT sample, if it gives one.
    pub rtt: Option<Duration>,
    /// One past the highest segment delivered so far.
    pub high_delivered: u32,
    /// The first segment retransmitted in the round is delivered.
    pub retransmission_delivered: bool,
    /// Next new segment.
    pub snd_nxt: u32,
}

impl Round {
    /// Round that ends when segment `end` is delivered, or one that is retransmitted from now on.
    #[must_use]
    pub fn starting(end: u32) -> Self {
        Self {
            end,
            retransmitted: u32::MAX,
            min_rtt: Duration::MAX,
            rtt_count: 0,
            delivered: 0,
            lost: 0,
            ce_marked: 0,
        }
    }

    /// First segment retransmitted in the round.
    #[must_use]
    #[inline]
    pub fn first_retransmitted(&self) -> Option<u32> {
        (self.retransmitted < u32::MAX).then_some(self.retransmitted)
    }

    /// Note that `segment` is retransmitted: its delivery ends the round, too.
    #[inline]
    pub fn on_retransmission(&mut self, segment: u32) {
        if self.retransmitted == u32::MAX {
            self.retransmitted = segment;
        }
    }

    /// Account for one ACK; the summary of the round if this ACK ends it.
    #[inline]
    pub fn on_ack(&mut self, ack: &RoundAck) -> Option<RoundSample> {
        self.delivered += ack.delivered;
        self.lost += ack.lost;
        self.ce_marked += ack.ce_marked;
        if let Some(rtt) = ack.rtt {
            self.min_rtt = self.min_rtt.min(rtt);
            self.rtt_count += 1;
        }
        if ack.high_delivered <= self.end && !ack.retransmission_delivered {
            return None;
        }
        let bytes = |segments| u64::from(segments) * u64::from(ack.smss);
        let sample = RoundSample {
            min_rtt: (self.rtt_count > 0).then_some(self.min_rtt),
            rtt_count: self.rtt_count,
            delivered: bytes(self.delivered),
            lost: bytes(self.lost),
            ce_marked: bytes(self.ce_marked),
        };
        *self = Self::starting(ack.snd_nxt);
        Some(sample)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(rtt: u64, high_delivered: u32, retransmission_delivered: bool, snd_nxt: u32) -> RoundAck {
        RoundAck {
            delivered: 1,
            lost: 0,
            ce_marked: 0,
            smss: 1,
            rtt: Some(Duration(rtt)),
            high_delivered,
            retransmission_delivered,
            snd_nxt,
        }
    }

    #[test]
    fn a_round_ends_with_the_first_segment_sent_in_it() {
        let mut round = Round::starting(10);
        for highest in 1..=10 {
            assert!(
                round.on_ack(&ack(40, highest, false, 10 + highest)).is_none(),
                "segment {highest} is of the old round"
            );
        }
        let sample = round.on_ack(&ack(30, 11, false, 21)).expect("segment 10 was the first of the round");
        assert_eq!((sample.rtt_count, sample.delivered, sample.min_rtt), (11, 11, Some(Duration(30))));
        assert!(round.on_ack(&ack(40, 21, false, 31)).is_none());
        assert!(round.on_ack(&ack(40, 22, false, 31)).is_some());
    }

    #[test]
    fn losses_and_marks_of_a_round_add_up() {
        let mut round = Round::starting(2);
        for highest in 1..=2 {
            let marked = RoundAck { lost: 2, ce_marked: 3, ..ack(40, highest, false, 9) };
            assert!(round.on_ack(&marked).is_none());
        }
        let sample = round.on_ack(&ack(40, 3, false, 9)).expect("segment 2 was the first of the round");
        assert_eq!((sample.lost, sample.ce_marked), (4, 6));
    }

    #[test]
    fn a_retransmitted_segment_ends_a_round_like_any_other() {
        let mut round = Round::starting(10);
        round.on_retransmission(7);
        round.on_retransmission(8);
        assert_eq!(round.first_retransmitted(), Some(7));
        assert!(round.on_ack(&ack(40, 9, false, 10)).is_none());
        assert!(round.on_ack(&ack(40, 9, true, 10)).is_some());
        assert_eq!(round.first_retransmitted(), None);
        assert!(round.on_ack(&ack(40, 9, false, 10)).is_none());
    }
}
