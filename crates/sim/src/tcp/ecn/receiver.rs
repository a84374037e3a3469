//! ECN at the receiving end: which marks it has seen, and what its ACKs say of them.

use crate::net::ecn::{AckFlags, Agreement, Echo, LONGEST_ECT_BLOCK};
use crate::net::packet::{LONGEST_BLOCK, Packet, Report};

/// Initial value of the counters of marked packets, `r.cep` and `s.cep` (RFC 9768 section 3.2.1).
/// <https://www.rfc-editor.org/rfc/rfc9768#section-3.2.1>
pub(super) const INITIAL_CEP: u8 = 5;

/// Marked packets after which an AccECN receiver acknowledges at once, with data unacknowledged (RFC 9768 section
/// 3.2.2.5.1): "If there is unacknowledged data at the receiver, 'n' SHOULD be 2".
/// <https://www.rfc-editor.org/rfc/rfc9768#section-3.2.2.5.1>
const MARKS_PER_ACK: u8 = 2;

/// ECN state of a receiving end.
#[derive(Clone, Copy, Debug)]
pub struct EcnReceiver {
    agreement: Agreement,
    /// Classic echo: ECE is set until CWR comes. Otherwise: the latest segment was marked (`DCTCP.CE` of RFC 8257).
    marked: bool,
    /// Segments that arrived marked, modulo 2^8, counted from 5 on (`r.cep` of RFC 9768).
    cep: u8,
    /// Segments that arrived marked since the last ACK, 255 at most.
    unreported: u8,
}

impl Default for EcnReceiver {
    fn default() -> Self {
        Self { agreement: Agreement::default(), marked: false, cep: INITIAL_CEP, unreported: 0 }
    }
}

impl EcnReceiver {
    /// `true` if what is held back has to be acknowledged before a segment, because one is marked and the other is
    /// not; `next` is the segment expected. So each ACK of the DCTCP echo reports segments of one kind, and the sender
    /// can count marks exactly (RFC 8257: "an implementation MAY choose to send two ACKs").
    /// <https://www.rfc-editor.org/rfc/rfc8257#section-3.2>
    #[must_use]
    #[inline]
    pub fn splits(&self, packet: &Packet, next: u32) -> bool {
        packet.agreement().echo() == Echo::Dctcp && self.hurries(packet, next)
    }

    /// `true` if a segment that arrives, where `next` is expected, has to be acknowledged at once for its mark.
    #[must_use]
    #[inline]
    pub fn hurries(&self, packet: &Packet, next: u32) -> bool {
        let is_marked = packet.is_ce();
        match packet.agreement().echo() {
            Echo::Off | Echo::Classic => false,
            // RFC 8257 section 3.2, figure 1: the first segment marked, or not marked any more.
            Echo::Dctcp => packet.seq >= next && is_marked != self.marked,
            // RFC 9768 section 3.2.2.5.1: "An AccECN Data Receiver SHOULD emit an ACK whenever a data packet marked CE
            // arrives after the previous packet was not CE", and MUST "if 'n' CE marks have arrived since the previous
            // ACK".
            Echo::Accurate => {
                packet.seq >= next && is_marked && (!self.marked || self.unreported >= MARKS_PER_ACK - 1)
            }
        }
    }

    /// Take in the ECN field and CWR of a data segment; `next` is the segment expected.
    #[inline]
    pub fn on_data(&mut self, packet: &Packet, next: u32) {
        let agreement = packet.agreement();
        if agreement.echo() == Echo::Off {
            return;
        }
        self.agreement = agreement;
        let is_classic = agreement.echo() == Echo::Classic;
        // RFC 3168 section 6.1.3: the receiver "continues to set the ECN-Echo flag in all the ACK packets it sends [...]
        // until it receives a CWR packet". Marks that came before CWR, of segments not acknowledged yet, too, belong to
        // the window of data that the sender has answered: as in Linux (`tcp_ecn_accept_cwr`) their echo is over.
        if is_classic && packet.is_cwr() {
            self.marked = false;
        }
        // RFC 3168 section 6.1.5: it "SHOULD ignore the CE codepoint on out-of-window packets", and RFC 9768 section 3.2:
        // r.cep counts "every Acceptable packet that it receives with the CE code point".
        if packet.seq < next {
            return;
        }
        let is_marked = packet.is_ce();
        self.marked = is_marked || is_classic && self.marked;
        if is_marked {
            self.cep = self.cep.wrapping_add(1);
            self.unreported = self.unreported.saturating_add(1);
        }
    }

    /// Flags of the ACK that is sent now.
    #[inline]
    pub fn acknowledge(&mut self) -> AckFlags {
        self.unreported = 0;
        match self.agreement.echo() {
            Echo::Off => AckFlags::default(),
            Echo::Classic | Echo::Dctcp => AckFlags::ece(self.marked),
            Echo::Accurate => AckFlags::ace(self.cep),
        }
    }

    /// The longest SACK block that ACKs carry [segments].
    #[must_use]
    #[inline]
    pub fn longest_block(&self) -> u32 {
        match self.agreement.echo() {
            Echo::Off | Echo::Classic => LONGEST_BLOCK,
            Echo::Dctcp | Echo::Accurate => LONGEST_ECT_BLOCK,
        }
    }

    /// ACK with its report and flags; `laden` is one that a congestion header leaves no room for an ECN field.
    #[must_use]
    #[inline]
    pub fn fill(&self, ack: Packet, report: Report, flags: AckFlags, laden: bool) -> Packet {
        match self.agreement.echo() {
            Echo::Dctcp | Echo::Accurate if !laden => {
                ack.reporting_as_ect(report, flags, self.agreement.ack_codepoint())
            }
            _ => ack.reporting(report, flags.is_ece()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::packet::Codepoint;

    fn data(echo: Echo, seq: u32, marked: bool, cwr: bool) -> Packet {
        let codepoint = if marked { Codepoint::Ce } else { Codepoint::Ect0 };
        let packet = Packet { seq, ..Packet::default() };
        packet.with_flags(codepoint, false).with_ecn(Agreement::new(echo, false), cwr)
    }

    /// RFC 3168 section 6.1.3.
    #[test]
    fn classic_echo_lasts_until_cwr() {
        let mut receiver = EcnReceiver::default();
        let mut arrive = |seq, marked, cwr| {
            let packet = data(Echo::Classic, seq, marked, cwr);
            assert!(!receiver.hurries(&packet, seq));
            receiver.on_data(&packet, seq);
            receiver.acknowledge().is_ece()
        };
        assert!(!arrive(0, false, false));
        assert!(arrive(1, true, false));
        assert!(arrive(2, false, false) && arrive(3, true, false) && arrive(4, false, false));
        assert!(!arrive(5, false, true) && !arrive(6, false, false));
        assert!(arrive(7, true, true), "a mark on the segment with CWR is a new one");
        assert!(arrive(8, false, false) && !arrive(9, false, true));
    }

    /// ECE of the ACK of each second segment that arrives, marked, with CWR, or neither.
    fn echoes_of_pairs(segments: &[(bool, bool)]) -> Vec<bool> {
        let mut receiver = EcnReceiver::default();
        let mut arrive = |(seq, &(marked, cwr)): (u32, &(bool, bool))| {
            receiver.on_data(&data(Echo::Classic, seq, marked, cwr), seq);
            (seq % 2 == 1).then(|| receiver.acknowledge().is_ece())
        };
        (0..).zip(segments).filter_map(&mut arrive).collect()
    }

    /// RFC 3168 section 6.1.3, with an ACK for every second segment, sentence by sentence.
    #[test]
    fn classic_echo_with_delayed_acks() {
        const PLAIN: (bool, bool) = (false, false);
        const CE: (bool, bool) = (true, false);
        const CWR: (bool, bool) = (false, true);
        // "the ECN-Echo flag in the ACK packet will be set to '1' if the CE codepoint is set in any of the data packets
        // being acknowledged".
        assert_eq!(echoes_of_pairs(&[CE, PLAIN]), [true]);
        assert_eq!(echoes_of_pairs(&[PLAIN, CE]), [true]);
        // "continues to set the ECN-Echo flag in all the ACK packets it sends (whether they acknowledge CE data packets or
        // non-CE data packets) until it receives a CWR packet".
        assert_eq!(echoes_of_pairs(&[CE, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN]), [true; 3]);
        // "After the receipt of the CWR packet, acknowledgments for subsequent non-CE data packets will not have the
        // ECN-Echo flag set", also where a marked segment waited for the one with CWR.
        assert_eq!(echoes_of_pairs(&[CE, PLAIN, CWR, PLAIN, PLAIN, PLAIN]), [true, false, false]);
        assert_eq!(echoes_of_pairs(&[CE, PLAIN, CE, CWR, PLAIN, PLAIN]), [true, false, false]);
        // "If another CE packet is received by the data receiver, the receiver would once again send ACK packets with the
        // ECN-Echo flag set".
        assert_eq!(echoes_of_pairs(&[CE, PLAIN, CWR, CE, PLAIN, PLAIN]), [true; 3]);
        assert_eq!(echoes_of_pairs(&[CE, PLAIN, CWR, PLAIN, CE, PLAIN]), [true, false, true]);
        assert_eq!(echoes_of_pairs(&[CE, PLAIN, (true, true), PLAIN, PLAIN, PLAIN]), [true; 3]);
    }

    /// RFC 3168 section 6.1.5.
    #[test]
    fn classic_echo_ignores_marks_outside_of_the_window() {
        let mut receiver = EcnReceiver::default();
        receiver.on_data(&data(Echo::Classic, 4, true, false), 5);
        assert!(!receiver.acknowledge().is_ece());
        receiver.on_data(&data(Echo::Classic, 7, true, false), 5);
        assert!(receiver.acknowledge().is_ece(), "ahead of a gap is inside");
    }

    /// RFC 3168 section 6.1.5 for the two states of RFC 8257 section 3.2: a marked duplicate changes neither state nor ACK.
    #[test]
    fn dctcp_echo_ignores_marks_outside_of_the_window() {
        let mut receiver = EcnReceiver::default();
        receiver.on_data(&data(Echo::Dctcp, 4, false, false), 4);
        let duplicate = data(Echo::Dctcp, 3, true, false);
        assert!(!receiver.splits(&duplicate, 5));
        receiver.on_data(&duplicate, 5);
        assert!(!receiver.acknowledge().is_ece());
        let marked = data(Echo::Dctcp, 7, true, false);
        assert!(receiver.splits(&marked, 5), "ahead of a gap is inside");
        receiver.on_data(&marked, 5);
        assert!(receiver.acknowledge().is_ece());
    }

    /// RFC 9768 section 3.2.2.5.1.
    #[test]
    fn accurate_echo_is_at_once_for_a_change_to_marked_and_for_every_second_mark() {
        let mut receiver = EcnReceiver::default();
        let marks = [false, true, true, true, false, false, true, false, true];
        let at_once = [false, true, false, true, false, false, true, false, true];
        let mut count = INITIAL_CEP;
        for (seq, (marked, expected)) in (0..).zip(marks.into_iter().zip(at_once)) {
            let packet = data(Echo::Accurate, seq, marked, false);
            assert_eq!(receiver.hurries(&packet, seq), expected, "segment {seq}");
            receiver.on_data(&packet, seq);
            count += u8::from(marked);
            if expected {
                assert_eq!(receiver.acknowledge(), AckFlags::ace(count));
            }
        }
    }

    /// RFC 9768 section 3.2: packets outside of the window are not acceptable, and do not count.
    #[test]
    fn accurate_echo_counts_inside_of_the_window() {
        let mut receiver = EcnReceiver::default();
        receiver.on_data(&data(Echo::Accurate, 4, true, false), 5);
        assert_eq!(receiver.acknowledge(), AckFlags::ace(INITIAL_CEP));
        receiver.on_data(&data(Echo::Accurate, 7, true, false), 5);
        assert_eq!(receiver.acknowledge(), AckFlags::ace(INITIAL_CEP + 1));
    }

    /// RFC 9768 section 3.2.2.2: the ACE field counts modulo 8 and never stops.
    #[test]
    fn the_counter_of_marks_wraps() {
        let mut receiver = EcnReceiver::default();
        for count in 1..1000u32 {
            receiver.on_data(&data(Echo::Accurate, count, true, false), count);
            let expected = u8::try_from((count + u32::from(INITIAL_CEP)) % 8).expect("below 8");
            assert_eq!(receiver.acknowledge(), AckFlags::ace(expected));
        }
    }

    /// A congestion header leaves no room for an ECN field.
    #[test]
    fn laden_acks_are_not_capable() {
        let mut receiver = EcnReceiver::default();
        receiver.on_data(&data(Echo::Dctcp, 0, false, false), 0);
        let ack = Packet { kind: crate::net::packet::Kind::Ack, ..Packet::default() };
        let flags = receiver.acknowledge();
        for laden in [false, true] {
            let filled = receiver.fill(ack, Report::arrival(0), flags, laden);
            assert_eq!(filled.kind.is_ect_ack(), !laden);
        }
    }
}
