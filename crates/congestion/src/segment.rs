//! Segments one by one, for controllers that need them ([`Needs::segments`](crate::Needs::segments)): those of QUIC and
//! the modules of Linux keep books of what they have sent.

use crate::units::{Duration, Time};

/// A data segment that has left, as it was then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct SentSegment {
    /// Its number in the transfer, from zero; a retransmission has that of its original.
    pub number: u32,
    /// When it left.
    pub sent: Time,
    /// Bytes in flight with it.
    pub in_flight: u64,
    /// Bytes that had been delivered.
    pub delivered: u64,
    /// Bytes that had been taken for lost.
    pub lost: u64,
    /// Bytes that had been reported as marked "congestion experienced".
    pub ce_marked: u64,
    /// The application has nothing more to send, and the window has room for it.
    pub app_limited: bool,
    /// It was sent before.
    pub retransmission: bool,
    /// It stands for a transmission that is in flight, as a tail loss probe does, and adds nothing to what is.
    pub replaces: bool,
    /// It did not leave: it was taken for lost and is in flight again.
    pub restored: bool,
}

/// What an ACK delivers, before losses that it shows are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// The segment sent last among those that are delivered.
    pub newest: SentSegment,
    /// Its round-trip time, unless an earlier transmission of it was delivered.
    pub rtt: Option<Duration>,
    /// Bytes that are delivered.
    pub delivered: u64,
    /// Those of them that were in flight; the others had been taken for lost.
    pub from_flight: u64,
    /// Bytes in flight before the ACK.
    pub prior_in_flight: u64,
    /// Oldest segment that is not cumulatively acknowledged; those before are heard of no more.
    pub first_unacknowledged: u32,
}
