//! A packet in 32 bytes: two to a cache line.

use congestion::{Duration, Time};
use serde::{Deserialize, Serialize};

use crate::kernel::Timed;

/// Kind of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A full-sized data segment.
    #[default]
    Data,
    /// Full-sized data segment with a congestion header, whose place `extent` is.
    DataWithHeader,
    /// Full-sized datagram of an application, of no connection: nobody acknowledges it, and it is never retransmitted.
    Datagram,
    /// Report on the datagrams of a call whose rate adapts.
    Report,
    /// Connection request.
    Syn,
    /// Acknowledgement.
    Ack,
    /// Acknowledgement with a congestion header, whose place `extent` is.
    AckWithHeader,
    /// Acknowledgement caused by a segment that had arrived before, as a D-SACK block would say (RFC 2883). One
    /// with a congestion header does not say it.
    AckOfDuplicate,
    /// ECN-capable acknowledgement, of a connection whose echo is exact ([`crate::net::ecn`]).
    EctAck,
    /// ECN-capable acknowledgement caused by a segment that had arrived before.
    EctAckOfDuplicate,
    /// Answer to a connection request.
    SynAck,
    /// The sender has finished with the connection; costs nothing and is never lost.
    Release,
}

impl Kind {
    /// `true` if the packet travels from source to receiver and counts in the conservation of packets.
    pub fn is_forward(self) -> bool {
        self.is_data() || self == Self::Syn
    }

    /// `true` for a data segment, with or without a congestion header, and for a datagram.
    pub fn is_data(self) -> bool {
        matches!(self, Self::Data | Self::DataWithHeader | Self::Datagram)
    }

    /// `true` for an acknowledgement with an ECN field.
    #[inline]
    pub fn is_ect_ack(self) -> bool {
        matches!(self, Self::EctAck | Self::EctAckOfDuplicate)
    }

    /// `true` for a packet with an ECN field: data, or an ECN-capable acknowledgement.
    #[inline]
    pub fn has_ecn_field(self) -> bool {
        self.is_data() || self.is_ect_ack()
    }

    /// `true` for an acknowledgement caused by a segment that had arrived before.
    #[inline]
    pub fn is_dsack(self) -> bool {
        matches!(self, Self::AckOfDuplicate | Self::EctAckOfDuplicate)
    }

    /// `true` if the packet has a congestion header ([`crate::net::headers`]).
    pub fn has_header(self) -> bool {
        matches!(self, Self::DataWithHeader | Self::AckWithHeader)
    }
}

/// A packet in flight.
///
/// | kind | `slot` | `seq` | `extent` | `span` |
/// |---|---|---|---|---|
/// | `Data` | receiver's connection | segment | receiving host | [`Packet::codepoint`], [`Packet::is_traced`], [`Packet::is_cwr`], [`Packet::agreement`] |
/// | `Datagram` | flow given by name | its number in the flow | receiving host | [`Packet::codepoint`] |
/// | `Report` | flow given by name | congestion signal | receiving rate, both as bits of an `f32` | 1 where the rate may be ramped up |
/// | `Syn` | sender's connection | source | receiving host | [`Packet::cycle`] |
/// | `Ack` | sender's connection | next segment expected | [`Packet::sack_block`] or [`Packet::arrival`], of which QUIC makes an `AckDelay` | [`Packet::echoes_ce`] |
/// | `EctAck` | the same | | | [`Packet::codepoint`], [`Packet::echoes_ce`] or [`Packet::ace`] |
/// | `SynAck` | sender's connection | receiver's connection | | [`Packet::receiver_generation`] |
/// | `Release` | receiver's connection | source | | |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// When it leaves the channel it is in.
    pub time: Time,
    /// Connection at the far end.
    pub slot: u32,
    /// Sequence number in segments.
    pub seq: u32,
    /// When the segment was sent, in units of 2^14 ps, modulo 2^32 (70 s); ACKs echo it (RFC 7323).
    pub stamp: u32,
    /// See the table above; the accessors know what it means.
    pub extent: u32,
    /// See the table above; the accessors know what it means.
    pub span: u16,
    /// Generation of the connection, so that late packets of an older one are recognised.
    pub generation: u16,
    /// Site it is bound for.
    pub site: u16,
    /// Interface class of the flow.
    pub interface: u8,
    /// Kind of packet.
    pub kind: Kind,
}

/// ECN codepoint of a packet, the two bits of its IP header ([RFC 3168 section 5]).
///
/// [RFC 3168 section 5]: https://www.rfc-editor.org/rfc/rfc3168#section-5
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u16)]
pub enum Codepoint {
    /// Not ECN-capable: 00.
    #[default]
    NotEct = 0,
    /// ECN-capable, and of L4S ([RFC 9331]): 01.
    ///
    /// [RFC 9331]: https://www.rfc-editor.org/rfc/rfc9331#section-2
    Ect1 = 1,
    /// ECN-capable: 10.
    Ect0 = 2,
    /// Congestion experienced: 11.
    Ce = 3,
}

// Bits of a data segment's `span`: the codepoint, and whether it is traced.
const CODEPOINT: u16 = 3;
const TRACED: u16 = 4;

/// The longest SACK block that an ACK carries that is not ECN-capable [segments].
pub const LONGEST_BLOCK: u32 = 0x7fff;

impl Timed for Packet {
    #[inline]
    fn time(&self) -> Time {
        self.time
    }
}

impl Packet {
    /// Give a data segment its ECN codepoint, and have it traced.
    #[must_use]
    #[inline]
    pub fn with_flags(self, codepoint: Codepoint, traced: bool) -> Self {
        Self { span: codepoint as u16 | (u16::from(traced) * TRACED), ..self }
    }

    /// ECN codepoint; Not-ECT of packets without an ECN field.
    #[inline]
    pub fn codepoint(&self) -> Codepoint {
        match self.span & CODEPOINT {
            _ if !self.kind.has_ecn_field() => Codepoint::NotEct,
            1 => Codepoint::Ect1,
            2 => Codepoint::Ect0,
            3 => Codepoint::Ce,
            _ => Codepoint::NotEct,
        }
    }

    /// Change the ECN codepoint of a data segment.
    #[inline]
    pub fn set_codepoint(&mut self, codepoint: Codepoint) {
        self.span = (self.span & !CODEPOINT) | codepoint as u16;
    }

    /// Congestion experienced: a router has marked this data segment (RFC 3168 section 5).
    #[inline]
    pub fn is_ce(&self) -> bool {
        self.span & CODEPOINT == Codepoint::Ce as u16
    }

    /// Mark a packet that is ECN-capable, instead of dropping it: `false` if it is not. RFC 3168 section 5: "Upon
    /// the receipt by an ECN-Capable transport of a single CE packet, the congestion control algorithms followed at
    /// the end-systems MUST be essentially the same as the congestion control response to a *single* dropped packet".
    #[inline]
    pub fn mark(&mut self) -> bool {
        let capable = self.codepoint() != Codepoint::NotEct;
        if capable {
            self.set_codepoint(Codepoint::Ce);
        }
        capable
    }

    /// Fate of this data segment is recorded.
    #[inline]
    pub fn is_traced(&self) -> bool {
        self.span & TRACED > 0
    }

    /// Cycle of the source that sent this SYN, modulo 2^16.
    #[inline]
    pub fn cycle(&self) -> u16 {
        self.span
    }

    /// Generation of the receiver's connection that a SYN-ACK answers for.
    #[inline]
    pub fn receiver_generation(&self) -> u16 {
        self.span
    }
}

/// Sizes on the wire [bytes].
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct PacketSizes {
    /// Payload of a full segment.
    pub smss: u32,
    /// Headers of a data segment.
    pub header: u32,
    /// A pure ACK, SYN or SYN+ACK.
    pub control: u32,
}

impl PacketSizes {
    /// Largest packet.
    pub fn largest(&self) -> u32 {
        self.smss.saturating_add(self.header).max(self.control)
    }
}

/// Report of an ACK on the latest segment: the stamp of its arrival, or the SACK block that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Stamp, or one past the last segment of the block.
    extent: u32,
    /// Segments in the block, 0 for a stamp.
    length: u16,
}

impl Report {
    /// Stamp of its arrival; it was in order.
    #[inline]
    pub fn arrival(stamp: u32) -> Self {
        Self { extent: stamp, length: 0 }
    }

    /// SACK block that holds it, from segment `start` to the one before `end` (RFC 2018), of at most
    /// [`LONGEST_BLOCK`] segments.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "at most LONGEST_BLOCK")]
    pub fn block(start: u32, end: u32) -> Self {
        Self { extent: end, length: (end - start) as u16 }
    }

    /// Stamp, or one past the last segment of the block.
    pub(super) fn extent(self) -> u32 {
        self.extent
    }

    /// Segments in the block, 0 for a stamp.
    pub(super) fn length(self) -> u16 {
        self.length
    }

    /// Stamp of the arrival, if it is one.
    pub fn arrival_stamp(self) -> Option<u32> {
        (self.length == 0).then_some(self.extent)
    }

    /// SACK block as (first segment, one past the last), if it is one.
    pub fn sack_block(self) -> Option<(u32, u32)> {
        (self.length > 0).then(|| (self.extent - u32::from(self.length), self.extent))
    }
}

/// Bits of a picosecond clock that a stamp leaves out.
const STAMP_SHIFT: u32 = 14;

/// Time after which stamps begin anew: 70.4 s.
pub const WRAP: Duration = Duration(1 << (32 + STAMP_SHIFT));

/// Instant to the grain of stamps, 16 ns, rounded down.
#[inline]
pub fn to_grain(now: Time) -> Time {
    Time(now.0 >> STAMP_SHIFT << STAMP_SHIFT)
}

/// Stamp of an instant.
#[expect(clippy::cast_possible_truncation, reason = "stamps wrap by design")]
pub fn stamp(now: Time) -> u32 {
    (now.0 >> STAMP_SHIFT) as u32
}

/// Time from one stamp to a later one, to 16 ns.
pub fn between(earlier: u32, later: u32) -> Duration {
    Duration(u64::from(later.wrapping_sub(earlier)) << STAMP_SHIFT)
}

/// Time since `stamp` was made, to 16 ns.
pub fn since(now: Time, stamp_then: u32) -> Duration {
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
    fn flags_of_data_do_not_meet() {
        let mut data = Packet::default().with_flags(Codepoint::Ect1, true);
        assert!(data.codepoint() == Codepoint::Ect1 && data.is_traced() && !data.is_ce());
        assert!(data.mark() && data.mark(), "a marked one is capable, too");
        assert!(data.codepoint() == Codepoint::Ce && data.is_traced() && data.is_ce());
        let mut plain = Packet::default().with_flags(Codepoint::NotEct, true);
        assert!(!plain.mark() && plain.codepoint() == Codepoint::NotEct);
        let mut syn = Packet { kind: Kind::Syn, span: 2, ..Packet::default() };
        assert!(!syn.mark() && syn.cycle() == 2, "no control packet is ECN-capable");
    }

    #[test]
    fn stamps_survive_wrapping() {
        let sent = Time((1 << 46) - 5_000_000);
        let rtt = Duration::from_millis(40);
        assert!(since(sent + rtt, stamp(sent)).0.abs_diff(rtt.0) <= 1 << 14);
    }
}
