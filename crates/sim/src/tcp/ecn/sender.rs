//! ECN at the sending end: the codepoints of its segments, and what the echo says of marks.

use congestion::{Ecn, Needs};

use super::counter::Counter;
use super::{EcnOptions, negotiate};
use crate::net::ecn::{Agreement, Echo};
use crate::net::packet::{Codepoint, Packet};
use crate::tcp::sequence::SequenceSpace;

/// ECN of a sender; without ECN it takes no room.
#[derive(Clone, Debug)]
pub struct EcnSender(Option<Box<State>>);

/// ECN state of a sender.
#[derive(Clone, Debug)]
struct State {
    /// ECN that the hosts have agreed on.
    agreed: Ecn,
    agreement: Agreement,
    /// Retransmissions are as ECN-capable as new data.
    covers_retransmissions: bool,
    /// The next new segment says CWR.
    cwr_due: bool,
    /// SND.NXT when the window was last reduced: echoes below it belong to that window of data.
    cwr_point: u32,
    /// It was reduced for a mark.
    is_for_mark: bool,
    /// Segments reported as marked.
    ce_marked: u32,
    /// AccECN feedback.
    counter: Counter,
}

/// Echo of an ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Echoed {
    /// Congestion was experienced.
    pub congestion: bool,
    /// Segments newly reported as marked, of those that the ACK delivers.
    pub marked: u32,
    /// The window may not grow. RFC 3168 section 6.1.2: "The sending TCP SHOULD NOT increase the congestion window in
    /// response to the receipt of an ECN-Echo ACK packet."
    ///
    /// <https://www.rfc-editor.org/rfc/rfc3168#section-6.1.2>
    pub holds_window: bool,
}

impl EcnSender {
    /// ECN of a sender that has sent nothing, and whose controller has `needs`.
    #[must_use]
    pub fn new(needs: &Needs, options: &EcnOptions) -> Self {
        let (agreed, mut echo) = negotiate(needs, options);
        if echo == Echo::Accurate && needs.feedback.is_some() {
            echo = Echo::Dctcp; // A congestion header leaves no room for the ACE field.
        }
        if echo == Echo::Off {
            return Self(None);
        }
        // RFC 3168 section 6.1.5: "ECN-capable TCP implementations MUST NOT set either ECT codepoint (ECT(0) or ECT(1))
        // in the IP header for retransmitted data packets"; RFC 8311 section 4.3 lets experiments do it.
        Self(Some(Box::new(State {
            agreed,
            agreement: Agreement::new(echo, agreed == Ecn::L4s),
            covers_retransmissions: echo != Echo::Classic,
            cwr_due: false,
            cwr_point: 0,
            is_for_mark: false,
            ce_marked: 0,
            counter: Counter::default(),
        })))
    }

    /// `true` if the hosts have agreed on ECN.
    #[must_use]
    #[inline]
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// ECN that the hosts have agreed on.
    #[must_use]
    #[inline]
    pub fn agreed(&self) -> Ecn {
        self.0.as_ref().map_or(Ecn::None, |state| state.agreed)
    }

    /// Echo of marks that the hosts have agreed on.
    #[must_use]
    pub fn echo(&self) -> Echo {
        self.0.as_ref().map_or(Echo::Off, |state| state.agreement.echo())
    }

    /// Segments reported as marked.
    #[must_use]
    pub fn ce_marked(&self) -> u32 {
        self.0.as_ref().map_or(0, |state| state.ce_marked)
    }

    /// Bytes of memory held beyond its own.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.0.as_ref().map_or(0, |state| size_of_val(&**state))
    }

    /// Put codepoint, agreement and CWR into a data segment that leaves. RFC 3168 section 6.1.2: "the CWR bit in the TCP
    /// header SHOULD NOT be set on retransmitted packets", and is set "only on the first new data packet".
    /// <https://www.rfc-editor.org/rfc/rfc3168#section-6.1.2>
    #[inline]
    pub fn stamp(&mut self, data: Packet, traced: bool, is_retransmission: bool) -> Packet {
        match &mut self.0 {
            None => data.with_flags(Codepoint::NotEct, traced),
            Some(state) => state.stamp(data, traced, is_retransmission),
        }
    }

    /// Take in the echo of an ACK that newly delivers so many segments; `prior_una` is SND.UNA before it.
    #[inline]
    pub fn on_ack(&mut self, packet: &Packet, prior_una: u32, delivered: u32) -> Echoed {
        self.0.as_mut().map_or(Echoed::default(), |state| state.on_ack(packet, prior_una, delivered))
    }

    /// Note that the window is reduced for a loss: the first new segment says so, and echoes of this window of data are
    /// answered. RFC 3168 section 6.1.2: it is reduced "only once in response to a series of dropped and/or CE packets
    /// from a single window of data": `true` if a mark has reduced it for that of the loss. As in Linux, the DCTCP echo is
    /// answered beside a loss; answers to counted marks are too small to stand for one (RFC 9331 section 4.3).
    /// <https://www.rfc-editor.org/rfc/rfc3168#section-6.1.2>
    #[inline]
    pub fn on_loss(&mut self, seq: &SequenceSpace) -> bool {
        let Some(state) = &mut self.0 else { return false };
        if state.agreement.echo() == Echo::Dctcp {
            return false;
        }
        let is_answered = state.agreed == Ecn::Classic && state.is_for_mark && seq.snd_una < state.cwr_point;
        state.reduce(seq);
        state.is_for_mark = is_answered;
        is_answered
    }

    /// Begin a new window of data, if the one of the last reduction is acknowledged; the controller is notified then.
    /// RFC 3168 section 6.1.2: TCP "should not react to congestion indications more than once every window of data".
    /// <https://www.rfc-editor.org/rfc/rfc3168#section-6.1.2>
    pub fn begin_window(&mut self, seq: &SequenceSpace) -> bool {
        let Some(state) = &mut self.0 else { return false };
        let begins = seq.snd_una > state.cwr_point;
        if begins {
            state.reduce(seq);
            state.is_for_mark = true;
        }
        begins
    }
}

impl State {
    /// Codepoint of new data.
    #[inline]
    fn codepoint(&self) -> Codepoint {
        if self.agreed == Ecn::L4s { Codepoint::Ect1 } else { Codepoint::Ect0 }
    }

    fn stamp(&mut self, data: Packet, traced: bool, is_retransmission: bool) -> Packet {
        let (codepoint, cwr) = match is_retransmission {
            true if self.covers_retransmissions => (self.codepoint(), false),
            true => (Codepoint::NotEct, false),
            false => (self.codepoint(), std::mem::take(&mut self.cwr_due)),
        };
        data.with_flags(codepoint, traced).with_ecn(self.agreement, cwr)
    }

    fn on_ack(&mut self, packet: &Packet, prior_una: u32, delivered: u32) -> Echoed {
        let echo = self.agreement.echo();
        if echo == Echo::Accurate {
            let reported = self.counter.count(packet, prior_una, delivered);
            self.ce_marked += reported;
            let marked = self.counter.report(delivered);
            return Echoed { congestion: reported > 0, marked, holds_window: false };
        }
        // As Linux counts: with the classic echo everything that an ACK with ECE acknowledges.
        let congestion = packet.echoes_ce();
        let marked = u32::from(congestion) * delivered;
        self.ce_marked += marked;
        Echoed { congestion, marked, holds_window: congestion && echo == Echo::Classic }
    }

    fn reduce(&mut self, seq: &SequenceSpace) {
        self.cwr_point = seq.snd_nxt;
        self.cwr_due = self.agreement.echo() == Echo::Classic;
    }
}

#[cfg(test)]
mod tests {
    use super::super::receiver::INITIAL_CEP;
    use super::*;
    use crate::net::ecn::AckFlags;
    use crate::net::packet::{Kind, Report};
    use congestion::Protocol;

    fn sender(ecn: Ecn, echo: Option<Echo>) -> EcnSender {
        EcnSender::new(&Needs { ecn, ..Needs::default() }, &EcnOptions { classic: true, echo })
    }

    fn accurate() -> EcnSender {
        sender(Ecn::L4s, None)
    }

    /// RFC 3168 section 6.1.2.
    #[test]
    fn echoes_of_one_window_are_one_indication() {
        let mut ecn = sender(Ecn::Classic, None);
        let mut seq = SequenceSpace { snd_una: 5, snd_nxt: 15, limit: 100 };
        assert!(ecn.begin_window(&seq));
        for snd_una in 6..=15 {
            seq = SequenceSpace { snd_una, snd_nxt: snd_una + 10, ..seq };
            assert!(!ecn.begin_window(&seq), "segment {snd_una} was sent before the window closed");
        }
        seq.snd_una = 16;
        assert!(ecn.begin_window(&seq));
    }

    /// RFC 3168 section 6.1.2: a loss of the same window is the same indication, but to DCTCP.
    #[test]
    fn a_loss_and_a_mark_of_one_window_are_one_indication() {
        let seq = SequenceSpace { snd_una: 5, snd_nxt: 15, limit: 100 };
        let (at, above) = (SequenceSpace { snd_una: 15, ..seq }, SequenceSpace { snd_una: 16, ..seq });
        for (ecn, twice) in [(Ecn::Classic, false), (Ecn::L4s, false), (Ecn::Dctcp, true)] {
            let mut sender = sender(ecn, None);
            sender.on_loss(&seq);
            assert_eq!(sender.begin_window(&at), twice, "{ecn:?}");
            assert!(twice || sender.begin_window(&above));
        }
        // The loss of a segment that left before the mark was answered; that of the one with CWR is another.
        let later = SequenceSpace { snd_una: 14, snd_nxt: 20, ..seq };
        for (ecn, una, once) in [
            (Ecn::Classic, 14, true),
            (Ecn::Classic, 15, false),
            (Ecn::L4s, 14, false),
            (Ecn::Dctcp, 14, false),
        ] {
            let mut sender = sender(ecn, None);
            assert!(sender.begin_window(&seq));
            assert_eq!(sender.on_loss(&SequenceSpace { snd_una: una, ..later }), once, "{ecn:?}, {una}");
        }
        let mut taken_back = sender(Ecn::Classic, None);
        taken_back.on_loss(&seq);
        assert!(!taken_back.on_loss(&later), "a reduction for a loss may have been undone");
    }

    /// RFC 3168 section 6.1.2: CWR is on the first new segment after a reduction, and only there.
    #[test]
    fn cwr_follows_every_reduction_once() {
        let seq = SequenceSpace { snd_una: 5, snd_nxt: 15, limit: 100 };
        let mut ecn = sender(Ecn::Classic, None);
        let says_cwr = |ecn: &mut EcnSender, again| ecn.stamp(Packet::default(), false, again).is_cwr();
        assert!(!says_cwr(&mut ecn, false));
        ecn.begin_window(&seq);
        assert!(!says_cwr(&mut ecn, true) && says_cwr(&mut ecn, false) && !says_cwr(&mut ecn, false));
        ecn.on_loss(&seq);
        assert!(!says_cwr(&mut ecn, true) && says_cwr(&mut ecn, false) && !says_cwr(&mut ecn, false));
        for mut other in [sender(Ecn::Dctcp, None), accurate(), sender(Ecn::Classic, Some(Echo::Dctcp))] {
            other.begin_window(&seq);
            other.on_loss(&seq);
            assert!(!says_cwr(&mut other, false), "the exact echoes have no CWR");
        }
    }

    /// RFC 3168 section 6.1.5, RFC 9331 section 4.1.
    #[test]
    fn the_service_decides_on_codepoints() {
        use Codepoint::{Ect0, Ect1, NotEct};
        let codepoints = |mut ecn: EcnSender| {
            [false, true].map(|again| ecn.stamp(Packet::default(), false, again).codepoint())
        };
        assert_eq!(codepoints(sender(Ecn::None, None)), [NotEct, NotEct]);
        assert_eq!(codepoints(sender(Ecn::Classic, None)), [Ect0, NotEct]);
        assert_eq!(codepoints(sender(Ecn::Classic, Some(Echo::Accurate))), [Ect0, Ect0]);
        assert_eq!(codepoints(sender(Ecn::Dctcp, None)), [Ect0, Ect0]);
        assert_eq!(codepoints(accurate()), [Ect1, Ect1]);
        assert_eq!(codepoints(sender(Ecn::L4s, Some(Echo::Classic))), [Ect0, NotEct], "falls back");
    }

    /// RFC 3168 section 6.1.2 holds the window while ECE comes; exact echoes say what was marked.
    #[test]
    fn each_echo_is_read_in_its_way() {
        let ack = Packet { kind: Kind::Ack, seq: 4, ..Packet::default() };
        let ece = ack.reporting(Report::arrival(0), true);
        let echoed = |holds_window| Echoed { congestion: true, marked: 3, holds_window };
        assert_eq!(sender(Ecn::Classic, None).on_ack(&ece, 1, 3), echoed(true));
        let mut dctcp = sender(Ecn::Dctcp, None);
        assert!(dctcp.is_on() && !sender(Ecn::None, None).is_on());
        assert_eq!((dctcp.on_ack(&ece, 1, 3), dctcp.ce_marked()), (echoed(false), 3));
        let three = ack.reporting_as_ect(Report::arrival(0), AckFlags::ace(INITIAL_CEP + 3), Codepoint::Ect1);
        let mut accurate = accurate();
        assert_eq!((accurate.on_ack(&three, 1, 3), accurate.ce_marked()), (echoed(false), 3));
        assert_eq!(accurate.on_ack(&Packet { seq: 5, ..three }, 4, 1), Echoed::default(), "no further mark");
        assert_eq!(sender(Ecn::None, None).on_ack(&ece, 1, 3), Echoed::default());
    }

    #[test]
    fn a_flow_with_congestion_headers_has_no_ace_field() {
        let needs = Needs { ecn: Ecn::L4s, feedback: Some(Protocol::Vcp), ..Needs::default() };
        let ecn = EcnSender::new(&needs, &EcnOptions::default());
        assert_eq!(ecn.0.expect("ECN").agreement.echo(), Echo::Dctcp);
    }
}
