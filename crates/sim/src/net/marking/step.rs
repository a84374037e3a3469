//! Step marking: ECN-capable packets that find a long queue are marked (RFC 8257 section 3.1).
//! <https://www.rfc-editor.org/rfc/rfc8257#section-3.1>

use crate::net::packet::Packet;

/// Marking above a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepMarking {
    /// Packets that may wait before arrivals are marked.
    pub above: u64,
}

impl StepMarking {
    /// Mark a packet that finds `waiting` packets waiting, if that is too many.
    #[inline]
    pub fn on_arrival(self, packet: &mut Packet, waiting: u64) {
        if waiting > self.above && packet.kind.is_data() && packet.is_ect() {
            packet.mark();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::packet::Kind;

    #[test]
    fn marks_ecn_capable_data_above_the_threshold() {
        let marking = StepMarking { above: 5 };
        let marked = |packet: Packet, waiting| {
            let mut packet = packet;
            marking.on_arrival(&mut packet, waiting);
            packet.is_ce()
        };
        let ect = Packet::default().with_flags(true, false);
        assert!(!marked(ect, 5) && marked(ect, 6));
        assert!(!marked(Packet::default(), 6), "not ECN-capable");
        assert!(!marked(Packet { kind: Kind::Ack, ..ect }, 6), "not data");
    }
}
