//! Loss detection by selective acknowledgments (RFC 6675).
//! <https://www.rfc-editor.org/rfc/rfc6675>

use super::marks::Marks;
use super::{Ack, AckOutcome, Transmission, TransmissionKind, View, recycle};
use crate::tcp::ranges::{Pool, Ranges};
use crate::tcp::recovery::RecoveryState;
use crate::tcp::sequence::SequenceSpace;

/// State of loss detection by SACK.
#[derive(Clone, Debug, Default)]
#[repr(C)] // The marks lie where those of `DupAck` lie, so the pipe is counted without asking which of the two it is.
pub struct Sack {
    /// SACKed segments above SND.UNA; none held while there are none (section 3: "commonly called the
    /// "scoreboard"").
    pub(super) scoreboard: Option<Box<Ranges>>,
    pub(super) marks: Marks,
    /// `NextSeg` rule 4 has not been used in this recovery: RescueRxt is below HighACK.
    rescue_rxt_unused: bool,
}

impl Sack {
    pub(super) fn on_ack(&mut self, ack: &Ack<'_>, view: &View<'_>, pool: &mut Pool) -> AckOutcome {
        let delivered = self.update(ack, view.seq, pool);
        let lost = self.detect_loss(view) + self.marks.take_deferred_lost();
        recycle(&mut self.scoreboard, pool);
        AckOutcome { delivered, lost, ..AckOutcome::default() }
    }

    /// Record an ACK in the scoreboard; the number of segments newly delivered. Section 4, `Update`: "Given the
    /// information provided in an ACK, each octet that is cumulatively ACKed or SACKed should be marked accordingly in
    /// the scoreboard data structure, and the total number of octets SACKed should be recorded."
    /// <https://www.rfc-editor.org/rfc/rfc6675#section-4>
    fn update(&mut self, ack: &Ack<'_>, seq: &SequenceSpace, pool: &mut Pool) -> u32 {
        let mut delivered = 0;
        let (seg_ack, prior_una) = (ack.packet.seq, ack.prior_una);
        if seg_ack > prior_una {
            let acked = seg_ack - prior_una;
            let retransmitted = self.marks.acked_below_high_rxt(prior_una, seg_ack);
            if let Some(scoreboard) = &mut self.scoreboard {
                let sacked = scoreboard.count_within(prior_una, prior_una + retransmitted);
                self.marks.deliver_retransmitted(retransmitted - sacked);
                delivered += acked - scoreboard.remove_below(seg_ack);
            } else {
                self.marks.deliver_retransmitted(retransmitted);
                delivered += acked;
            }
        }
        if let Some((start, end)) = ack.packet.sack_block()
            && end > seq.snd_una
        {
            let start = start.max(seq.snd_una);
            let scoreboard = self.scoreboard.get_or_insert_with(|| pool.pop().unwrap_or_default());
            let (sacked, retransmitted) = scoreboard.insert(start, end, self.marks.high_rxt);
            self.marks.deliver_retransmitted(retransmitted);
            delivered += sacked;
        }
        delivered
    }

    /// Move the mark below which segments are lost; the number of segments newly lost. Section 4, `IsLost`: "returns
    /// true when either DupThresh discontiguous SACKed sequences have arrived above 'SeqNum' or more than
    /// (DupThresh - 1) * SMSS bytes with sequence numbers greater than 'SeqNum' have been SACKed". With full segments
    /// only, the second condition is that `DupThresh` of them are SACKed, and the first implies it.
    /// <https://www.rfc-editor.org/rfc/rfc6675#section-4>
    fn detect_loss(&mut self, view: &View<'_>) -> u32 {
        let Some(scoreboard) = &self.scoreboard else { return 0 };
        let mut lost = 0;
        if let Some(mark) = scoreboard.nth_highest(view.options.dup_thresh) {
            let known = self.marks.first_not_lost(view.seq);
            if mark > known {
                lost = mark - known - scoreboard.count_within(known, mark);
                self.marks.lost_below = mark;
            }
        }
        self.marks.sacked_out = scoreboard.count_from(self.marks.first_not_lost(view.seq));
        lost
    }

    /// `NextSeg` rule 1: the "smallest unSACKed sequence number 'S2'" that "is greater than HighRxt", "is less than the
    /// highest octet covered by any received SACK" and is lost. There is a lost one above HighRxt, SACKed or not.
    /// <https://www.rfc-editor.org/rfc/rfc6675#section-4>
    pub(super) fn next_lost(&mut self, seq: &SequenceSpace) -> Option<u32> {
        let from = self.marks.first_not_retransmitted(seq);
        let lost = self.first_unsacked(from, self.marks.lost_below);
        if lost.is_none() {
            self.marks.high_rxt = self.marks.lost_below; // All up to there is SACKed: the next search is short.
        }
        lost
    }

    /// `NextSeg` rules 3 and 4, which apply in fast recovery.
    /// <https://www.rfc-editor.org/rfc/rfc6675#section-4>
    pub(super) fn next_unsacked(
        &mut self,
        seq: &SequenceSpace,
        state: RecoveryState,
    ) -> Option<Transmission> {
        if !matches!(state, RecoveryState::FastRecovery { .. }) {
            return None;
        }
        // Rule 3: "there exists an unSACKed sequence number 'S3' that meets the criteria for detecting loss given in
        // steps (1.a) and (1.b) above (specifically excluding step (1.c))".
        let highest = self.scoreboard.as_ref().map_or(0, |scoreboard| scoreboard.end());
        let from = self.marks.first_not_retransmitted(seq);
        if let Some(segment) = self.first_unsacked(from, highest) {
            return Some(Transmission { segment, kind: TransmissionKind::Retransmission });
        }
        let segment = self.rescue_rxt(seq)?;
        Some(Transmission { segment, kind: TransmissionKind::Rescue })
    }

    /// `NextSeg` rule 4: "there exists outstanding unSACKed data, we provide the opportunity for a single "rescue"
    /// retransmission per entry into loss recovery", of the highest segment that is not SACKed.
    fn rescue_rxt(&mut self, seq: &SequenceSpace) -> Option<u32> {
        if !std::mem::take(&mut self.rescue_rxt_unused) {
            return None;
        }
        let highest = match &self.scoreboard {
            Some(scoreboard) => scoreboard.last_hole(seq.snd_nxt),
            None => seq.snd_nxt.checked_sub(1),
        };
        highest.filter(|&segment| segment >= seq.snd_una)
    }

    fn first_unsacked(&self, from: u32, below: u32) -> Option<u32> {
        match &self.scoreboard {
            Some(scoreboard) => scoreboard.first_hole(from, below),
            None => (from < below).then_some(from),
        }
    }

    pub(super) fn on_fast_recovery(&mut self) {
        self.rescue_rxt_unused = true;
    }

    /// Section 5.1: "a SACK TCP sender SHOULD utilize all SACK information made available during the loss recovery
    /// following an RTO", so the scoreboard stays.
    /// <https://www.rfc-editor.org/rfc/rfc6675#section-5.1>
    pub(super) fn on_rto(&mut self, seq: &SequenceSpace) {
        self.marks.on_rto(seq);
        self.rescue_rxt_unused = false;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::TransmissionKind;
    use super::super::fixtures::Connection;
    use crate::tcp::loss::Evidence;
    use crate::tcp::recovery::RecoveryState;

    /// RFC 6675's own words: flags for every segment, walked through.
    #[derive(Debug, Default)]
    struct Model {
        sacked: BTreeSet<u32>,
        /// Segments below are lost since a timeout.
        timed_out: u32,
        high_rxt: u32,
    }

    impl Model {
        fn is_lost(&self, segment: u32) -> bool {
            segment < self.timed_out || self.sacked.range(segment + 1..).count() >= 3
        }

        fn unsacked(&self, connection: &Connection) -> Vec<u32> {
            let outstanding = connection.seq.snd_una..connection.seq.snd_nxt;
            outstanding.filter(|segment| !self.sacked.contains(segment)).collect()
        }

        fn set_pipe(&self, connection: &Connection) -> u32 {
            let count = |segment: u32| u32::from(!self.is_lost(segment)) + u32::from(segment < self.high_rxt);
            self.unsacked(connection).into_iter().map(count).sum()
        }

        /// Rules 1 and 3 of `NextSeg`.
        fn next_seg(&self, connection: &Connection) -> (Option<u32>, Option<u32>) {
            let highest = self.sacked.last().copied().unwrap_or(0);
            let above = self.unsacked(connection).into_iter().filter(|&segment| segment >= self.high_rxt);
            let above: Vec<u32> = above.collect();
            let lost = above.iter().copied().find(|&segment| self.is_lost(segment));
            (lost, above.into_iter().find(|&segment| segment < highest))
        }
    }

    /// A connection, and the model of it.
    struct Trial {
        connection: Connection,
        model: Model,
    }

    type Checked = Result<(), TestCaseError>;

    impl Trial {
        /// SACK up to `length` segments, from the one `offset` above the oldest on.
        fn sack(&mut self, offset: u32, length: u32) -> Checked {
            let Self { connection, model } = self;
            let (start, next) = (connection.seq.snd_una + 1 + offset, connection.seq.snd_nxt);
            let end = (start + length).min(next);
            if start >= end {
                return Ok(());
            }
            let new: Vec<u32> = (start..end).filter(|segment| !model.sacked.contains(segment)).collect();
            let before: Vec<u32> =
                model.unsacked(connection).into_iter().filter(|&segment| model.is_lost(segment)).collect();
            model.sacked.extend(&new);
            let now_lost = model.unsacked(connection).into_iter().filter(|&segment| model.is_lost(segment));
            let lost = now_lost.filter(|segment| !before.contains(segment)).count();
            let outcome = connection.ack(connection.seq.snd_una, Some((start, end)));
            prop_assert_eq!((outcome.delivered as usize, outcome.lost as usize), (new.len(), lost));
            Ok(())
        }

        /// Acknowledge up to a hole, as receivers do.
        fn ack(&mut self, holes: u32) -> Checked {
            let Self { connection, model } = self;
            let unsacked = model.unsacked(connection);
            let to = unsacked.get(1 + holes as usize).copied().unwrap_or(connection.seq.snd_nxt);
            let delivered = unsacked.into_iter().filter(|&segment| segment < to).count();
            prop_assert_eq!(connection.ack(to, None).delivered as usize, delivered);
            model.sacked.retain(|&segment| segment >= to);
            Ok(())
        }

        /// Retransmit by rule 1 or 3 of `NextSeg`.
        fn retransmit(&mut self) -> Checked {
            let Self { connection, model } = self;
            if connection.state == RecoveryState::Open && connection.loss.has_lost(&connection.seq) {
                connection.enter_fast_recovery();
            }
            let (lost, unsacked) = model.next_seg(connection);
            prop_assert_eq!(connection.loss.next_lost(&connection.seq), lost);
            if let Some(lost) = lost {
                connection.retransmit();
                model.high_rxt = lost + 1;
            } else if matches!(connection.state, RecoveryState::FastRecovery { .. })
                && let Some(expected) = unsacked
            {
                let sent = connection.loss.next_unsacked(&connection.seq, connection.state);
                prop_assert_eq!(sent.map(|sent| sent.segment), Some(expected));
                sent.map(|sent| connection.send(sent));
                model.high_rxt = expected + 1;
            }
            Ok(())
        }

        fn on_rto(&mut self) {
            self.connection.on_rto();
            self.model.timed_out = self.connection.seq.snd_nxt;
            self.model.high_rxt = self.connection.seq.snd_una;
        }

        fn exit_if_over(&mut self) {
            if let RecoveryState::FastRecovery { recovery_point }
            | RecoveryState::RtoRecovery { recovery_point } = self.connection.state
                && self.connection.seq.snd_una >= recovery_point
            {
                self.connection.exit_recovery();
            }
        }
    }

    proptest! {
        /// Two marks give the answers that flags for every segment give.
        #[test]
        fn marks_agree_with_the_rules_of_the_rfc(
            steps in prop::collection::vec((0u8..10, 0u32..12, 1u32..5), 1..80),
        ) {
            let connection = Connection::new(Evidence::Sack, 12);
            let mut trial = Trial { connection, model: Model::default() };
            for (step, offset, length) in steps {
                match step {
                    0..=1 => trial.connection.send_new(),
                    2..=5 => trial.sack(offset, length)?,
                    6 => trial.ack(offset)?,
                    7..=8 => trial.retransmit()?,
                    _ if offset == 0 => trial.on_rto(),
                    _ => {}
                }
                trial.exit_if_over();
                prop_assert_eq!(trial.connection.pipe(), trial.model.set_pipe(&trial.connection));
            }
        }
    }

    /// RFC 6675 section 4, `NextSeg` rule 4: one rescue retransmission per recovery, of the highest segment that is not
    /// SACKed, and in fast recovery only.
    #[test]
    fn one_rescue_retransmission_leaves_per_recovery() {
        let mut connection = Connection::new(Evidence::Sack, 10);
        connection.ack(0, Some((1, 4)));
        assert_eq!(connection.loss.next_unsacked(&connection.seq, connection.state), None, "not in recovery");
        connection.enter_fast_recovery();
        assert_eq!(connection.retransmit(), Some(0));
        let rescue = connection.loss.next_unsacked(&connection.seq, connection.state);
        let rescue = rescue.map(|sent| (sent.segment, sent.kind));
        assert_eq!(rescue, Some((9, TransmissionKind::Rescue)));
        assert_eq!(connection.loss.next_unsacked(&connection.seq, connection.state), None);
    }

    #[test]
    fn scoreboards_go_back_to_the_pool() {
        for evidence in [Evidence::Sack, Evidence::Rack] {
            let mut connection = Connection::new(evidence, 10);
            connection.ack(0, Some((1, 4)));
            assert!(connection.pool.is_empty() && connection.loss.scoreboard().is_some(), "it is in use");
            connection.ack(4, None);
            assert!(connection.pool.len() == 1 && connection.loss.scoreboard().is_none());
            connection.ack(4, Some((5, 6)));
            assert!(connection.pool.is_empty(), "it is used again");
            connection.loss.retire(&mut connection.pool);
            assert!(
                connection.pool.iter().all(|scoreboard| scoreboard.is_empty()) && connection.pool.len() == 1
            );
        }
    }
}
