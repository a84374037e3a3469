//! Thinning of acknowledgements on their way back: of some in a row of a flow only the last passes.
//!
//! What such boxes do, and how senders suffer from it, is in [RFC 3449 section 5.2.1] under "ACK filtering".
//!
//! [RFC 3449 section 5.2.1]: https://www.rfc-editor.org/rfc/rfc3449#section-5.2.1

use crate::measure::queue::Cause;
use crate::net::arrival::{ArrivalRule, Found, Verdict};
use crate::net::packet::Kind;
use crate::net::queue::{Port, Queued};

/// Thinning before a rule on arrival, if there is one.
///
/// ACKs that report a hole or a duplicate pass, and those with a congestion header.
#[derive(Debug)]
pub struct Thinning {
    every: u32,
    /// ACKs dropped in a row, by connection.
    dropped: Vec<u32>,
    rule: Option<Box<dyn ArrivalRule>>,
}

impl Thinning {
    /// One of `every` ACKs passes.
    pub fn new(every: u32, rule: Option<Box<dyn ArrivalRule>>) -> Self {
        Self { every, dropped: Vec::new(), rule }
    }

    /// `true` if the ACK is one of those that do not pass.
    fn drops(&mut self, connection: usize) -> bool {
        if connection >= self.dropped.len() {
            self.dropped.resize(connection + 1, 0);
        }
        let dropped = &mut self.dropped[connection];
        *dropped += 1;
        if *dropped < self.every {
            return true;
        }
        *dropped = 0;
        false
    }
}

impl ArrivalRule for Thinning {
    fn on_arrival(&mut self, arrival: &mut Queued, found: &Found, port: &mut Port<'_>) -> Verdict {
        let packet = &arrival.packet;
        let plain = matches!(packet.kind, Kind::Ack | Kind::EctAck) && packet.sack_block().is_none();
        if plain && self.drops(packet.slot as usize) {
            return Verdict::Drop(Cause::Random);
        }
        self.rule.as_mut().map_or(Verdict::Pass, |rule| rule.on_arrival(arrival, found, port))
    }

    fn control(&self) -> f64 {
        self.rule.as_ref().map_or(0.0, |rule| rule.control())
    }

    fn memory(&self) -> usize {
        self.dropped.capacity() * size_of::<u32>() + self.rule.as_ref().map_or(0, |rule| rule.memory())
    }
}
