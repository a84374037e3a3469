//! Routers that change the ECN field of what arrives, against [RFC 3168 section 5] or the needs of its senders.
//!
//! [RFC 3168 section 5]: https://www.rfc-editor.org/rfc/rfc3168#section-5

use serde::{Deserialize, Serialize};

use crate::net::arrival::{ArrivalRule, Backlog, Verdict};
use crate::net::packet::{Codepoint, Packet};
use crate::net::queue::{Port, Queued};

/// Change of the ECN field on arrival at a station.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum EcnImpairment {
    /// None.
    #[default]
    None,
    /// Bleaching: every codepoint becomes Not-ECT ("disabling ECN-capability", RFC 3168 section 18.1.3).
    Bleach,
    /// CE becomes ECT(0), and marks are lost ("erasing the congestion indication", RFC 3168 section 18.1.1).
    Strip,
    /// ECT(1) becomes ECT(0), so that queues for L4S take its packets for others.
    Ect1ToEct0,
}

impl EcnImpairment {
    /// Rule on arrival that impairs, then does what `rule` says; `rule` itself without impairment.
    pub fn before(self, rule: Option<Box<dyn ArrivalRule>>) -> Option<Box<dyn ArrivalRule>> {
        if self == Self::None {
            return rule;
        }
        Some(Box::new(Impaired { impairment: self, rule }))
    }

    fn apply(self, packet: &mut Packet) {
        use Codepoint::{Ce, Ect0, Ect1, NotEct};
        let codepoint = match (self, packet.codepoint()) {
            (Self::Bleach, Ect0 | Ect1 | Ce) => NotEct,
            (Self::Strip, Ce) | (Self::Ect1ToEct0, Ect1) => Ect0,
            _ => return,
        };
        packet.set_codepoint(codepoint);
    }
}

/// Impairment before a rule, if there is one.
#[derive(Debug)]
struct Impaired {
    impairment: EcnImpairment,
    rule: Option<Box<dyn ArrivalRule>>,
}

impl ArrivalRule for Impaired {
    fn on_arrival(&mut self, arrival: &mut Queued, backlog: &Backlog, port: &mut Port<'_>) -> Verdict {
        self.impairment.apply(&mut arrival.packet);
        self.rule.as_mut().map_or(Verdict::Pass, |rule| rule.on_arrival(arrival, backlog, port))
    }

    fn control(&self) -> f64 {
        self.rule.as_ref().map_or(0.0, |rule| rule.control())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::packet::Kind;

    #[test]
    fn each_impairment_changes_what_it_names() {
        use Codepoint::{Ce, Ect0, Ect1, NotEct};
        let all = [NotEct, Ect1, Ect0, Ce];
        let becomes = |impairment: EcnImpairment| {
            all.map(|codepoint| {
                let mut packet = Packet::default().with_flags(codepoint, true);
                impairment.apply(&mut packet);
                assert!(packet.is_traced(), "nothing else changes");
                packet.codepoint()
            })
        };
        assert_eq!(becomes(EcnImpairment::None), all);
        assert_eq!(becomes(EcnImpairment::Bleach), [NotEct; 4]);
        assert_eq!(becomes(EcnImpairment::Strip), [NotEct, Ect1, Ect0, Ect0]);
        assert_eq!(becomes(EcnImpairment::Ect1ToEct0), [NotEct, Ect0, Ect0, Ce]);
    }

    #[test]
    fn packets_without_an_ecn_field_stay_as_they_are() {
        for kind in [Kind::Syn, Kind::SynAck, Kind::Ack, Kind::AckOfDuplicate, Kind::AckWithHeader] {
            let mut packet = Packet { kind, span: 0xffff, ..Packet::default() };
            EcnImpairment::Bleach.apply(&mut packet);
            assert_eq!(packet.span, 0xffff, "{kind:?}");
        }
    }
}
