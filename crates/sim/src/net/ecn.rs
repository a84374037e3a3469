//! ECN of a connection in its packets: what both ends have agreed on, and the ECN flags of TCP.

use crate::net::packet::{Codepoint, Kind, Packet, Report};

/// Echo of marks by a receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Echo {
    /// None.
    #[default]
    Off = 0,
    /// ECE from a mark on, until CWR ([RFC 3168 section 6.1.3]).
    ///
    /// [RFC 3168 section 6.1.3]: https://www.rfc-editor.org/rfc/rfc3168#section-6.1.3
    Classic = 1,
    /// ECE as long as segments arrive marked ([RFC 8257 section 3.2]).
    ///
    /// [RFC 8257 section 3.2]: https://www.rfc-editor.org/rfc/rfc8257#section-3.2
    Dctcp = 2,
    /// Number of marked packets, in the ACE field ([RFC 9768 section 3.2.2]).
    ///
    /// [RFC 9768 section 3.2.2]: https://www.rfc-editor.org/rfc/rfc9768#section-3.2.2
    Accurate = 3,
}

/// Agreement of both ends on ECN: the echo, and the codepoint of pure ACKs.
///
/// The handshake makes it. A SYN has no room for it here, so data segments repeat it to the receiving end.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Agreement(u8);

impl std::fmt::Debug for Agreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}, ACKs {:?}", self.echo(), self.ack_codepoint())
    }
}

// Bits of an agreement.
const ECHO: u8 = 3;
const L4S: u8 = 4;

impl Agreement {
    /// Agreement on an echo, of a flow of L4S or not.
    pub fn new(echo: Echo, l4s: bool) -> Self {
        Self(echo as u8 | (u8::from(l4s) * L4S))
    }

    /// Echo of marks.
    #[inline]
    pub fn echo(self) -> Echo {
        match self.0 & ECHO {
            0 => Echo::Off,
            1 => Echo::Classic,
            2 => Echo::Dctcp,
            _ => Echo::Accurate,
        }
    }

    /// Codepoint of pure ACKs. RFC 3168 section 6.1.4: "pure acknowledgement packets [...] MUST be sent with the
    /// not-ECT codepoint"; connections with DCTCP or AccECN feedback send them ECN-capable, as Linux does.
    #[inline]
    pub fn ack_codepoint(self) -> Codepoint {
        match (self.echo(), self.0 & L4S > 0) {
            (Echo::Off | Echo::Classic, _) => Codepoint::NotEct,
            (_, false) => Codepoint::Ect0,
            (_, true) => Codepoint::Ect1,
        }
    }
}

/// Flags AE, CWR and ECE of an ACK. With AccECN feedback the three are the ACE field (RFC 9768 section 3.2.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckFlags(u8);

impl AckFlags {
    const ECE: u8 = 1;

    /// ECE, set or not, and nothing else.
    #[inline]
    pub fn ece(set: bool) -> Self {
        Self(u8::from(set) * Self::ECE)
    }

    /// ECE is set.
    #[inline]
    pub fn is_ece(self) -> bool {
        self.0 & Self::ECE > 0
    }

    /// ACE field: the three low bits of the counter of marked packets. RFC 9768 section 3.2.2: "a Data Receiver
    /// MUST encode the three least significant bits of its r.cep counter into the ACE field".
    #[inline]
    pub fn ace(packets: u8) -> Self {
        Self(packets & 7)
    }
}

// Bits of a data segment's `span` above those of its codepoint and trace.
const CWR: u16 = 1 << 3;
const AGREEMENT_SHIFT: u16 = 4;
const AGREEMENT: u16 = 7 << AGREEMENT_SHIFT;

// Parts of an ECN-capable ACK's `span`; the codepoint is in the same place as on data.
const FLAGS_SHIFT: u16 = 2;
const LENGTH_SHIFT: u16 = 5;

/// Bit of any other ACK's `span`; the rest is the length of its SACK block.
const ECE: u16 = 0x8000;

/// The longest SACK block that an ECN-capable ACK carries [segments].
pub const LONGEST_ECT_BLOCK: u32 = 0x7ff;

impl Packet {
    /// Put into a data segment what its ends have agreed on, and the flag CWR.
    #[must_use]
    #[inline]
    pub fn with_ecn(self, agreement: Agreement, cwr: bool) -> Self {
        let span = self.span & !(AGREEMENT | CWR);
        Self { span: span | (u16::from(agreement.0) << AGREEMENT_SHIFT) | (u16::from(cwr) * CWR), ..self }
    }

    /// Agreement on ECN of a data segment's ends.
    #[inline]
    pub fn agreement(&self) -> Agreement {
        Agreement(((self.span & AGREEMENT) >> AGREEMENT_SHIFT) as u8)
    }

    /// CWR on a data segment: its sender has reduced the window (RFC 3168 section 6.1.2).
    #[inline]
    pub fn is_cwr(&self) -> bool {
        self.span & CWR > 0
    }

    /// Make an ACK report on the latest segment, and whether that was marked.
    #[must_use]
    #[inline]
    pub fn reporting(self, report: Report, echo_ce: bool) -> Self {
        Self { extent: report.extent(), span: report.length() | (u16::from(echo_ce) * ECE), ..self }
    }

    /// Make an ACK ECN-capable, and have it report on the latest segment with all three flags.
    #[must_use]
    #[inline]
    pub fn reporting_as_ect(self, report: Report, flags: AckFlags, codepoint: Codepoint) -> Self {
        let kind = if self.kind == Kind::AckOfDuplicate { Kind::EctAckOfDuplicate } else { Kind::EctAck };
        let span = (report.length() << LENGTH_SHIFT) | (u16::from(flags.0) << FLAGS_SHIFT) | codepoint as u16;
        Self { extent: report.extent(), span, kind, ..self }
    }

    /// ECN-Echo: the segment that caused this ACK was marked (RFC 8257 section 3.2), or one before it was and the
    /// sender has not answered yet (RFC 3168 section 6.1.3).
    #[inline]
    pub fn echoes_ce(&self) -> bool {
        if self.kind.is_ect_ack() { self.span & (1 << FLAGS_SHIFT) > 0 } else { self.span & ECE > 0 }
    }

    /// ACE field of an ACK: packets that arrived marked, modulo 8 (RFC 9768 section 3.2.2).
    #[inline]
    pub fn ace(&self) -> u8 {
        ((self.span >> FLAGS_SHIFT) & 7) as u8
    }

    /// SACK block of an ACK that holds the latest segment, as (first segment, one past the last) (RFC 2018).
    #[inline]
    pub fn sack_block(&self) -> Option<(u32, u32)> {
        let length = self.block_length();
        (length > 0).then(|| (self.extent - length, self.extent))
    }

    /// Stamp of the latest segment's arrival, on an ACK without a SACK block.
    #[inline]
    pub fn arrival(&self) -> Option<u32> {
        (self.block_length() == 0).then_some(self.extent)
    }

    /// Segments in an ACK's SACK block.
    #[inline]
    fn block_length(&self) -> u32 {
        u32::from(if self.kind.is_ect_ack() { self.span >> LENGTH_SHIFT } else { self.span & !ECE })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::packet::LONGEST_BLOCK;

    #[test]
    fn what_ends_agree_on_travels_beside_the_other_flags_of_data() {
        for echo in [Echo::Off, Echo::Classic, Echo::Dctcp, Echo::Accurate] {
            for (l4s, cwr) in [(false, false), (false, true), (true, false), (true, true)] {
                let agreement = Agreement::new(echo, l4s);
                let plain = Packet::default().with_flags(Codepoint::Ect1, true);
                let mut data = plain.with_ecn(agreement, cwr);
                data.mark();
                assert!(data.is_traced() && data.is_ce());
                assert_eq!((data.agreement(), data.is_cwr()), (agreement, cwr));
                assert_eq!(agreement.echo(), echo);
            }
        }
    }

    /// RFC 3168 section 6.1.4; Linux for the rest.
    #[test]
    fn pure_acks_are_ecn_capable_where_the_echo_is_exact() {
        use Codepoint::{Ect0, Ect1, NotEct};
        let codepoint = |echo, l4s| Agreement::new(echo, l4s).ack_codepoint();
        assert_eq!([Echo::Off, Echo::Classic].map(|echo| codepoint(echo, false)), [NotEct; 2]);
        assert_eq!([Echo::Dctcp, Echo::Accurate].map(|echo| codepoint(echo, false)), [Ect0; 2]);
        assert_eq!(codepoint(Echo::Accurate, true), Ect1);
    }

    #[test]
    fn flags_and_block_of_an_ack_do_not_meet() {
        let longest = Report::block(10, 10 + LONGEST_BLOCK);
        for echo in [false, true] {
            let ack = Packet { kind: Kind::Ack, ..Packet::default() };
            let block = ack.reporting(longest, echo);
            assert_eq!(block.sack_block(), Some((10, 10 + LONGEST_BLOCK)));
            assert_eq!((block.echoes_ce(), block.arrival()), (echo, None));
            let arrival = ack.reporting(Report::arrival(7), echo);
            assert_eq!((arrival.echoes_ce(), arrival.sack_block(), arrival.arrival()), (echo, None, Some(7)));
        }
    }

    #[test]
    fn an_ecn_capable_ack_has_room_for_a_codepoint_and_the_ace_field() {
        let ack = Packet { kind: Kind::AckOfDuplicate, ..Packet::default() };
        let longest = Report::block(10, 10 + LONGEST_ECT_BLOCK);
        for count in 0..20 {
            let mut sent = ack.reporting_as_ect(longest, AckFlags::ace(count), Codepoint::Ect1);
            assert!(sent.codepoint() == Codepoint::Ect1 && sent.mark() && sent.is_ce());
            assert_eq!((sent.ace(), sent.echoes_ce()), (count % 8, count % 2 == 1));
            assert_eq!(sent.sack_block(), Some((10, 10 + LONGEST_ECT_BLOCK)));
            assert!(sent.kind.is_dsack() && sent.arrival().is_none());
            let sent = ack.reporting_as_ect(Report::arrival(7), AckFlags::ece(true), Codepoint::Ect0);
            assert_eq!((sent.arrival(), sent.echoes_ce()), (Some(7), true));
        }
    }
}
