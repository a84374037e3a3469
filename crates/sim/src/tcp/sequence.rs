//! Sequence space of the sending end, in segments.

/// Send sequence variables (RFC 9293 section 3.3.1).
///
/// RFC 6675 counts the octets themselves: its HighACK is the last segment below `snd_una`, its HighData the
/// last one below `snd_nxt`.
/// <https://www.rfc-editor.org/rfc/rfc9293#section-3.3.1>
#[derive(Clone, Copy, Debug)]
pub struct SequenceSpace {
    /// SND.UNA: oldest unacknowledged segment, one past HighACK.
    pub snd_una: u32,
    /// SND.NXT: next new segment, one past HighData.
    pub snd_nxt: u32,
    /// One past the last segment of the transfer.
    pub limit: u32,
}

impl SequenceSpace {
    /// Sequence space of a transfer of `limit` segments, none of them sent.
    #[must_use]
    pub fn new(limit: u32) -> Self {
        Self { snd_una: 0, snd_nxt: 0, limit }
    }

    /// Segments sent and not cumulatively acknowledged (FlightSize, RFC 5681 section 2).
    #[must_use]
    #[inline]
    pub fn flight_size(&self) -> u32 {
        self.snd_nxt - self.snd_una
    }

    /// Move SND.UNA up to the acknowledgement number of an ACK.
    #[inline]
    pub fn acknowledge(&mut self, seg_ack: u32) {
        debug_assert!(seg_ack <= self.snd_nxt, "segment {seg_ack} was never sent");
        self.snd_una = self.snd_una.max(seg_ack);
    }

    /// Returns true if there is unsent data and it fits a receive window of `rwnd` segments.
    #[must_use]
    #[inline]
    pub fn has_unsent(&self, rwnd: u32) -> bool {
        self.snd_nxt < self.limit && self.flight_size() < rwnd
    }

    /// Number the next new segment.
    #[inline]
    pub fn take_new(&mut self) -> u32 {
        self.snd_nxt += 1;
        self.snd_nxt - 1
    }

    /// End the transfer with the segments sent so far.
    pub fn truncate(&mut self) {
        self.limit = self.snd_nxt;
    }

    /// Acknowledgement of the whole transfer.
    #[must_use]
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.snd_una >= self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_receive_window_and_the_transfer_bound_what_is_sent() {
        let mut seq = SequenceSpace::new(5);
        while seq.has_unsent(3) {
            seq.take_new();
        }
        assert_eq!((seq.snd_nxt, seq.flight_size()), (3, 3));
        seq.acknowledge(2);
        seq.acknowledge(1);
        assert_eq!((seq.snd_una, seq.flight_size()), (2, 1), "an old ACK does not move SND.UNA back");
        seq.take_new();
        seq.take_new();
        assert!(!seq.has_unsent(u32::MAX) && !seq.is_complete());
        seq.acknowledge(5);
        assert!(seq.is_complete());
    }

    #[test]
    fn a_truncated_transfer_ends_with_what_was_sent() {
        let mut seq = SequenceSpace::new(5);
        seq.take_new();
        seq.truncate();
        assert!(!seq.has_unsent(u32::MAX) && !seq.is_complete());
        seq.acknowledge(1);
        assert!(seq.is_complete());
    }
}
