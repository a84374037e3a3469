//! Thinning of acknowledgements on their way back: of some in a row of a flow only the last passes, and the first after a
//! while without any.
//!
//! What such boxes do, and how senders suffer from it, is in [RFC 3449 section 5.2.1] under "ACK filtering".
//!
//! [RFC 3449 section 5.2.1]: https://www.rfc-editor.org/rfc/rfc3449#section-5.2.1

use congestion::{Duration, Time};

use crate::measure::queue::Cause;
use crate::net::arrival::{ArrivalRule, Backlog, Verdict};
use crate::net::packet::Kind;
use crate::net::queue::{Port, Queued};

/// Time after the last ACK that passed after which the next one passes, so that small windows do not wait for timers.
const PAUSE: Duration = Duration::from_millis(10);

/// Thinning before a rule on arrival, if there is one.
///
/// ACKs that report a hole or a duplicate pass, and those with a congestion header.
#[derive(Debug)]
pub struct Thinning {
    every: u32,
    /// ACKs dropped in a row, and the time of the last one that passed, by connection.
    rows: Vec<(u32, Option<Time>)>,
    rule: Option<Box<dyn ArrivalRule>>,
}

impl Thinning {
    /// One of `every` ACKs passes.
    pub fn new(every: u32, rule: Option<Box<dyn ArrivalRule>>) -> Self {
        Self { every, rows: Vec::new(), rule }
    }

    /// `true` if the ACK is one of those that do not pass.
    fn drops(&mut self, connection: usize, now: Time) -> bool {
        if connection >= self.rows.len() {
            self.rows.resize(connection + 1, (0, None));
        }
        let (dropped, passed) = &mut self.rows[connection];
        let in_row = passed.is_some_and(|passed| now.since(passed) < PAUSE);
        if in_row && *dropped + 1 < self.every {
            *dropped += 1;
            return true;
        }
        (*dropped, *passed) = (0, Some(now));
        false
    }
}

impl ArrivalRule for Thinning {
    fn on_arrival(&mut self, arrival: &mut Queued, backlog: &Backlog, port: &mut Port<'_>) -> Verdict {
        let packet = &arrival.packet;
        let plain = matches!(packet.kind, Kind::Ack | Kind::EctAck) && packet.sack_block().is_none();
        if plain && self.drops(packet.slot as usize, port.now) {
            return Verdict::Drop(Cause::Random);
        }
        self.rule.as_mut().map_or(Verdict::Pass, |rule| rule.on_arrival(arrival, backlog, port))
    }

    fn control(&self) -> f64 {
        self.rule.as_ref().map_or(0.0, |rule| rule.control())
    }

    fn memory(&self) -> usize {
        self.rows.capacity() * size_of::<(u32, Option<Time>)>()
            + self.rule.as_ref().map_or(0, |rule| rule.memory())
    }
}
