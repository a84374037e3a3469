//! Marks above a threshold: ECN-capable packets that find a long queue are marked, at a drop-tail queue (RFC 8257
//! section 3.1). <https://www.rfc-editor.org/rfc/rfc8257#section-3.1>. Page: `docs/models/queues.md`.

use serde::{Deserialize, Serialize};

use super::{DisciplineParameters, Fault, Kind, Mechanics, ParameterList, ParameterType, Server, Value};
use crate::net::queue::Buffer;

parameters! {
    /// Parameters of step marking.
    pub struct StepParameters {
        threshold: u64 = 65, [0.0, 1e9], "packets",
            "Packets that may wait before arrivals are marked; K of DCTCP";
    }
}

impl DisciplineParameters for StepParameters {
    const SOURCE: &'static str = "RFC 8257 section 3.1";

    fn faults(&self, buffer: Option<Buffer>) -> Vec<Fault> {
        let mut faults = self.out_of_range();
        if let Some(Buffer::Packets(room)) = buffer
            && self.threshold >= room
        {
            let message = format!("expected less than the buffer of {room} packets, got {}", self.threshold);
            faults.push(Fault { parameter: "threshold", message });
        }
        faults
    }

    fn mechanics(&self, _server: &Server) -> Mechanics {
        Mechanics { mark_above: Some(self.threshold), ..Mechanics::default() }
    }
}

/// Threshold above which a queue marks, beside a discipline without one, written as `mark_above`: a number of
/// packets, or `null` for none.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(transparent)]
pub struct MarkAbove(pub Option<u64>);

impl ParameterType for MarkAbove {
    const KIND: Kind = Kind::Whole;
    const OPTIONAL: bool = true;

    fn value(self) -> Value {
        self.0.value()
    }

    fn number(self) -> Option<f64> {
        self.0.number()
    }
}

impl MarkAbove {
    /// Largest threshold: beyond it, numbers of a scenario are not exact.
    pub const MAX: f64 = 9_007_199_254_740_992.0;
}

#[cfg(test)]
mod tests {
    use congestion::Time;

    use super::*;
    use crate::net::disciplines::testing::Desk;
    use crate::net::headers::Headers;
    use crate::net::packet::Codepoint;
    use crate::net::station::{Hands, Station, StationSetup};

    /// Codepoint of a packet that finds so many waiting behind the one in service.
    fn after(codepoint: Codepoint, waiting: u32) -> Codepoint {
        let server = Desk::server(100);
        let mut station = Station::new(StationSetup {
            mark_above: StepParameters { threshold: 5 }.mechanics(&server).mark_above,
            ..StationSetup::drop_tail(0, server.service(), server.buffer)
        });
        let (mut headers, mut dropped) = (Headers::default(), Vec::new());
        let mut hands = Hands { now: Time::ZERO, headers: &mut headers, dropped: &mut dropped };
        for seq in 0..=waiting {
            station.admit(&mut Desk::data(seq, Codepoint::NotEct), None, &mut hands);
        }
        let mut arrival = Desk::data(0, codepoint);
        station.admit(&mut arrival, None, &mut hands).expect("there is room");
        let codepoint = arrival.packet.codepoint();
        assert_eq!(station.counts().marks(), u64::from(codepoint == Codepoint::Ce));
        codepoint
    }

    #[test]
    fn marks_ecn_capable_packets_above_the_threshold() {
        assert_eq!(after(Codepoint::Ect0, 5), Codepoint::Ect0);
        assert_eq!(after(Codepoint::Ect0, 6), Codepoint::Ce);
        assert_eq!(after(Codepoint::Ect1, 6), Codepoint::Ce);
        assert_eq!(after(Codepoint::NotEct, 6), Codepoint::NotEct, "not ECN-capable");
    }

    #[test]
    fn a_threshold_that_the_buffer_never_reaches_is_a_fault() {
        let faults = StepParameters { threshold: 100 }.faults(Some(Buffer::Packets(100)));
        assert_eq!(faults[0].message, "expected less than the buffer of 100 packets, got 100");
        assert!(StepParameters { threshold: 99 }.faults(Some(Buffer::Packets(100))).is_empty());
        assert!(StepParameters::default().faults(None).is_empty());
    }
}
