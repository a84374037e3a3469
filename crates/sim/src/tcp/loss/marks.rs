//! Two marks in the place of two flags for every segment.
//!
//! RFC 6675 asks two things of a segment that is not SACKed: is it lost, and was it retransmitted? Both answers
//! depend on its place only. It is lost once `DupThresh` SACKed segments lie above it, so everything below the
//! `DupThresh`-th highest SACKed segment is lost, and nothing above. And lost segments are retransmitted from the
//! lowest up, so everything up to HighRxt was retransmitted, and nothing above. One mark for each answer makes
//! `SetPipe` a sum of four numbers, where the RFC walks through the sequence space.

use super::{Transmission, TransmissionKind};
use crate::tcp::sequence::SequenceSpace;

/// Marks in the sequence space, and counts on both sides of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    /// One past the last lost segment: below, every segment that is not SACKed is lost.
    pub lost_below: u32,
    /// One past HighRxt: below, every segment that is not SACKed was retransmitted. It stays from one fast recovery to the
    /// next, so that holes which are repaired already are not sent a third time.
    pub high_rxt: u32,
    /// Retransmissions in flight.
    pub retransmitted: u32,
    /// SACKed segments that are not below `lost_below`; without SACK duplicate ACKs, which stand for them.
    pub sacked_out: u32,
    /// Segments declared lost and not yet reported to the controller.
    pub deferred_lost: u32,
}

impl Marks {
    /// Segments in flight. RFC 6675 section 4, `SetPipe`, of every octet that is not SACKed: "(a) If IsLost (S1)
    /// returns false: Pipe is incremented by 1 octet", and "(b) If S1 <= HighRxt: Pipe is incremented by 1 octet".
    /// <https://www.rfc-editor.org/rfc/rfc6675#section-4>
    #[inline]
    pub fn set_pipe(&self, seq: &SequenceSpace) -> u32 {
        let not_lost = (seq.snd_nxt - self.first_not_lost(seq)).saturating_sub(self.sacked_out);
        not_lost + self.retransmitted
    }

    /// Transmissions in flight of a segment that is not SACKed: the addends of `SetPipe`.
    pub fn copies_in_flight(&self, segment: u32, seq: &SequenceSpace) -> u32 {
        u32::from(segment >= self.first_not_lost(seq)) + u32::from(segment < self.high_rxt)
    }

    /// Lowest segment that is not lost, SACKed or not.
    #[inline]
    pub fn first_not_lost(&self, seq: &SequenceSpace) -> u32 {
        self.lost_below.max(seq.snd_una)
    }

    /// Lowest segment that was not retransmitted in this recovery, SACKed or not.
    #[inline]
    pub fn first_not_retransmitted(&self, seq: &SequenceSpace) -> u32 {
        self.high_rxt.max(seq.snd_una)
    }

    /// Losses that are not acknowledged yet.
    #[inline]
    pub fn has_lost(&self, seq: &SequenceSpace) -> bool {
        self.lost_below > seq.snd_una
    }

    /// Segments up to HighRxt that an ACK of `seg_ack` acknowledges cumulatively, SACKed ones included.
    #[inline]
    pub fn acked_below_high_rxt(&self, prior_una: u32, seg_ack: u32) -> u32 {
        seg_ack.min(self.high_rxt).saturating_sub(prior_una)
    }

    /// Segments declared lost that were deferred until now.
    #[inline]
    pub fn take_deferred_lost(&mut self) -> u32 {
        std::mem::take(&mut self.deferred_lost)
    }

    /// Note that retransmissions have left the network.
    #[inline]
    pub fn deliver_retransmitted(&mut self, segments: u32) {
        self.retransmitted = self.retransmitted.saturating_sub(segments);
    }

    /// Note that a segment leaves. RFC 6675 section 5, step C.2: "HighRxt MUST be set to the highest sequence number of
    /// the retransmitted segment unless NextSeg () rule (4) was invoked for this retransmission".
    /// <https://www.rfc-editor.org/rfc/rfc6675#section-5>
    #[inline]
    pub fn on_sent(&mut self, sent: Transmission) {
        if sent.kind == TransmissionKind::Retransmission {
            self.high_rxt = sent.segment + 1;
            self.retransmitted += 1;
        }
    }

    /// Take everything outstanding for lost, and nothing for retransmitted; the controller is notified of a timeout
    /// instead of losses.
    pub fn on_rto(&mut self, seq: &SequenceSpace) {
        *self = Self { lost_below: seq.snd_nxt, ..Self::default() };
    }
}
