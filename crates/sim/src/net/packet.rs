//! A packet in 32 bytes: two to a cache line.

/// What a packet is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A full-sized data segment.
    #[default]
    Data,
    /// The same with a congestion header, whose place `extent` is.
    DataWithHeader,
    /// Connection request.
    Syn,
    /// Acknowledgement.
    Ack,
    /// The same with a congestion header, whose place `extent` is.
    AckWithHeader,
    /// Acknowledgement caused by a segment that had arrived before, as a D-SACK block would say (RFC 2883). One
    /// with a congestion header does not say it.
    AckOfDuplicate,
    /// Answer to a connection request.
    SynAck,
    /// The sender has finished with the connection; costs nothing and is never lost.
    Release,
}

impl Kind {
    /// Whether the packet travels from source to receiver and counts in the conservation of packets.
    #[must_use]
    pub fn is_forward(self) -> bool {
        matches!(self, Self::Data | Self::DataWithHeader | Self::Syn)
    }

    /// Whether the packet is a data segment, with or without a congestion header.
    #[must_use]
    pub fn is_data(self) -> bool {
        matches!(self, Self::Data | Self::DataWithHeader)
    }

    /// Whether the packet has a congestion header ([`crate::net::headers`]).
    #[must_use]
    pub fn has_header(self) -> bool {
        matches!(self, Self::DataWithHeader | Self::AckWithHeader)
    }
}

/// A packet in flight.
///
/// | kind | `slot` | `seq` | `extent` | `span` |
/// |---|---|---|---|---|
/// | `Data` | receiver's connection | segment | receiving host | [`ECT`] or [`CE`], [`TRACED`] |
/// | `Syn` | sender's connection | source | receiving host | |
/// | `Ack` | sender's connection | next segment expected | end of the latest SACK block | its length, [`ECHO`] |
/// | `SynAck` | sender's connection | receiver's connection | | |
/// | `Release` | receiver's connection | source | | |
///
/// An ACK without a SACK block has the stamp of the segment's arrival in `extent`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// When it leaves the channel it is in [ps].
    pub time: u64,
    /// Connection at the far end.
    pub slot: u32,
    /// Sequence number in segments.
    pub seq: u32,
    /// When the segment was sent, in units of 2^14 ps, modulo 2^32 (70 s); ACKs echo it (RFC 7323).
    pub stamp: u32,
    /// See the table above.
    pub extent: u32,
    /// See the table above.
    pub span: u16,
    /// Generation of the connection, so that late packets of an older one are recognised.
    pub generation: u16,
    /// Site it is bound for.
    pub site: u16,
    /// Interface class of the flow.
    pub interface: u8,
    /// What it is.
    pub kind: Kind,
}

/// Bit of a data segment's `span`: routers may mark it (RFC 3168).
pub const ECT: u16 = 1;

/// Bit of a data segment's `span` instead of [`ECT`]: a router has marked it.
pub const CE: u16 = 2;

/// Bit of a data segment's `span`: what happens to it is recorded.
pub const TRACED: u16 = 4;

/// Bit of an ACK's `span`: the segment that caused it was marked.
pub const ECHO: u16 = 0x8000;

/// Bits of a picosecond clock that a stamp leaves out.
const STAMP_SHIFT: u32 = 14;

/// Stamp of an instant.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "stamps wrap by design")]
pub fn stamp(now: u64) -> u32 {
    (now >> STAMP_SHIFT) as u32
}

/// Time from one stamp to a later one [ps], to 16 ns.
#[must_use]
pub fn between(earlier: u32, later: u32) -> u64 {
    u64::from(later.wrapping_sub(earlier)) << STAMP_SHIFT
}

/// Time since `stamp` was made [ps], to 16 ns.
#[must_use]
pub fn since(now: u64, stamp_then: u32) -> u64 {
    between(stamp_then, stamp(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_packets_share_a_cache_line() {
        assert_eq!(size_of::<Packet>(), 32);
    }

    #[test]
    fn stamps_survive_wrapping() {
        let sent = (1u64 << 46) - 5_000_000;
        let rtt = 40_000_000_000;
        assert!(since(sent + rtt, stamp(sent)).abs_diff(rtt) <= 1 << 14);
    }
}
