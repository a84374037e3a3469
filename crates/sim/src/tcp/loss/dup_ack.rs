//! Loss detection by duplicate ACKs: fast retransmit of RFC 5681, with the partial ACKs of NewReno (RFC 6582).
//!
//! Tahoe detects losses in the same way and responds to them as to a timeout.
//! <https://www.rfc-editor.org/rfc/rfc6582>

use super::marks::Marks;
use super::{Ack, AckOutcome, Evidence, View};
use crate::tcp::recovery::RecoveryState;
use crate::tcp::sequence::SequenceSpace;

/// State of loss detection by duplicate ACKs.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)] // See `Sack`.
pub struct DupAck {
    /// Duplicate ACKs since the last ACK that moved SND.UNA, in whatever phase.
    dupacks: u32,
    /// SND.NXT when the last recovery began, one past `recover` (RFC 6582 section 3.2); zero before the first.
    recover: u32,
    pub(super) marks: Marks,
}

impl DupAck {
    pub(super) fn on_ack(&mut self, ack: &Ack<'_>, view: &View<'_>) -> AckOutcome {
        let delivered = self.update(ack, view);
        let lost = self.detect_loss(view) + self.marks.take_deferred_lost();
        let lost_retransmission = self.repeats_loss(ack, view);
        AckOutcome { delivered, lost, lost_retransmission, ..AckOutcome::default() }
    }

    /// Take in what an ACK says; the number of segments newly acknowledged.
    fn update(&mut self, ack: &Ack<'_>, view: &View<'_>) -> u32 {
        let seg_ack = ack.packet.seq;
        if seg_ack > ack.prior_una {
            let acked = seg_ack - ack.prior_una;
            let retransmitted = self.marks.acked_below_high_rxt(ack.prior_una, seg_ack);
            self.marks.deliver_retransmitted(retransmitted);
            match view.state {
                RecoveryState::Open => self.marks.sacked_out = 0,
                // RFC 6582 section 3.2, step 3, of a partial ACK: "Deflate the congestion window by the amount of
                // new data acknowledged by the Cumulative Acknowledgment field." Here the pipe is deflated: duplicate
                // ACKs stood for the segments above the hole.
                RecoveryState::FastRecovery { .. } => {
                    self.marks.sacked_out = (self.marks.sacked_out + 1).saturating_sub(acked);
                }
                RecoveryState::RtoRecovery { .. } => {}
            }
            self.dupacks = 0;
            return acked;
        }
        if seg_ack == ack.prior_una && view.seq.flight_size() > 0 {
            self.dupacks += 1;
            // RFC 5681 section 3.2, step 4: each duplicate ACK reports "the additional segment that has left the network". After
            // a timeout they come from segments that no longer count as in flight.
            if !matches!(view.state, RecoveryState::RtoRecovery { .. }) {
                self.marks.sacked_out = (self.marks.sacked_out + 1).min(view.seq.flight_size() - 1);
            }
        }
        0
    }

    /// Find out if the oldest segment is lost; the number of segments newly lost, one or none.
    /// <https://www.rfc-editor.org/rfc/rfc6582#section-3.2>
    fn detect_loss(&mut self, view: &View<'_>) -> u32 {
        let seq = view.seq;
        if seq.flight_size() == 0 || self.marks.has_lost(seq) {
            return 0;
        }
        let is_lost = match view.state {
            // RFC 5681 section 3.2: "The fast retransmit algorithm uses the arrival of 3 duplicate ACKs ... as an
            // indication that a segment has been lost."
            RecoveryState::Open => {
                self.marks.sacked_out >= view.options.dup_thresh
                    && (view.options.evidence == Evidence::AnyDupAck || self.covers_recover(seq))
            }
            // RFC 6582 section 3.2, step 3: "If this ACK does *not* acknowledge all of the data up to and including
            // recover, then this is a partial ACK. In this case, retransmit the first unacknowledged segment."
            RecoveryState::FastRecovery { recovery_point } => seq.snd_una < recovery_point,
            RecoveryState::RtoRecovery { .. } => false,
        };
        if is_lost {
            self.marks.lost_below = seq.snd_una + 1;
        }
        u32::from(is_lost)
    }

    /// Returns true if duplicate ACKs after a timeout are a loss, too. Tahoe of 1988 restarts at every `DupThresh`-th, also
    /// at those of its own retransmissions (Floyd 1994).
    fn repeats_loss(&self, ack: &Ack<'_>, view: &View<'_>) -> bool {
        view.options.evidence == Evidence::AnyDupAck
            && matches!(view.state, RecoveryState::RtoRecovery { .. })
            && ack.packet.seq <= ack.prior_una
            && self.dupacks == view.options.dup_thresh
    }

    /// Acknowledgement of more than the segments of the last recovery, whose retransmissions may be acknowledged in
    /// duplicate. RFC 6582 section 3.2, step 2: "the TCP sender first checks the value of recover to see if the
    /// Cumulative Acknowledgment field covers more than recover".
    fn covers_recover(&self, seq: &SequenceSpace) -> bool {
        self.recover == 0 || seq.snd_una > self.recover
    }

    pub(super) fn next_lost(&self, seq: &SequenceSpace) -> Option<u32> {
        let oldest = self.marks.first_not_retransmitted(seq);
        (oldest < self.marks.lost_below).then_some(oldest)
    }

    pub(super) fn on_fast_recovery(&mut self, seq: &SequenceSpace) {
        self.recover = seq.snd_nxt;
    }

    /// RFC 6582 section 3.2, step 4: "After a retransmit timeout, record the highest sequence number transmitted in the
    /// variable recover".
    pub(super) fn on_rto(&mut self, seq: &SequenceSpace) {
        self.marks.on_rto(seq);
        self.recover = seq.snd_nxt;
    }

    pub(super) fn on_recovery_exit(&mut self) {
        self.marks.sacked_out = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::Connection;
    use crate::tcp::loss::Evidence;

    /// RFC 5681 section 3.2: the third duplicate ACK reports a loss, and each one that a segment has left.
    #[test]
    fn the_third_duplicate_ack_declares_the_oldest_segment_lost() {
        let mut connection = Connection::new(Evidence::DupAck, 10);
        let outcomes = [0; 4].map(|_| (connection.ack(0, None).lost, connection.pipe()));
        // Segment 0 leaves the pipe as lost, one more with every duplicate ACK.
        assert_eq!(outcomes, [(0, 9), (0, 8), (1, 6), (0, 5)]);
        connection.enter_fast_recovery();
        assert_eq!((connection.retransmit(), connection.retransmit(), connection.pipe()), (Some(0), None, 6));
    }

    /// RFC 6582 section 3.2, step 3: a partial ACK uncovers the next hole; a full one does not.
    #[test]
    fn a_partial_ack_declares_the_next_segment_lost() {
        let mut connection = Connection::new(Evidence::DupAck, 10);
        for _ in 0..3 {
            connection.ack(0, None);
        }
        connection.enter_fast_recovery();
        connection.retransmit();
        let partial = connection.ack(4, None);
        assert_eq!((partial.delivered, partial.lost, connection.retransmit()), (4, 1, Some(4)));
        let full = connection.ack(10, None);
        assert_eq!((full.delivered, full.lost, connection.retransmit()), (6, 0, None));
    }

    /// RFC 6582 section 3.2, step 2, and what Tahoe of 1988 lacks (Floyd 1994).
    #[test]
    fn duplicate_acks_mean_nothing_until_more_than_recover_is_acknowledged() {
        for (evidence, lost) in [(Evidence::DupAck, 0), (Evidence::AnyDupAck, 1)] {
            let mut connection = Connection::new(evidence, 10);
            connection.on_rto();
            connection.ack(10, None);
            connection.exit_recovery();
            for _ in 0..5 {
                connection.send_new();
            }
            let losses: u32 = (0..3).map(|_| connection.ack(10, None).lost).sum();
            assert_eq!(losses, lost, "{evidence:?}");
            connection.ack(11, None);
            let losses: u32 = (0..3).map(|_| connection.ack(11, None).lost).sum();
            assert_eq!(losses, 1, "{evidence:?}: segment 10, the first after recover, is acknowledged");
        }
    }

    #[test]
    fn a_timeout_empties_the_pipe_and_duplicate_acks_do_not_count() {
        let mut connection = Connection::new(Evidence::DupAck, 10);
        connection.ack(0, None);
        connection.on_rto();
        assert_eq!(connection.pipe(), 0);
        assert_eq!(connection.retransmit(), Some(0));
        connection.ack(0, None);
        assert_eq!(connection.pipe(), 1, "the retransmission");
    }
}
