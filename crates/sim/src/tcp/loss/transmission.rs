//! Segments that leave, and why.

/// Segment chosen to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// Its number.
    pub segment: u32,
    /// Reason to send it.
    pub kind: TransmissionKind,
}

/// Reason to send a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransmissionKind {
    /// It was never sent before.
    New,
    /// It is lost, or may be.
    Retransmission,
    /// Rescue retransmission: an ACK is wanted (RFC 6675 section 4, `NextSeg` rule 4).
    Rescue,
    /// Tail loss probe of the last segment: an ACK is wanted (RFC 8985 section 7.3).
    Probe,
}

impl Transmission {
    /// Repetition of a segment that was sent before.
    #[must_use]
    #[inline]
    pub fn is_retransmission(&self) -> bool {
        self.kind != TransmissionKind::New
    }
}
