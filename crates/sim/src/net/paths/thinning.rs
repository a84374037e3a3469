//! Thinning of acknowledgements on their way back: of some in a row of a flow only the last passes, and the first after a
//! while without any.
//!
//! What such boxes do, and how senders suffer from it, is in [RFC 3449 section 5.2.1] under "ACK filtering".
//!
//! [RFC 3449 section 5.2.1]: https://www.rfc-editor.org/rfc/rfc3449#section-5.2.1

use congestion::{Duration, Time};

use crate::measure::queue::Cause;
use crate::net::arrival::{ArrivalRule, Backlog, Verdict};
use crate::net::packet::{Kind, Packet};
use crate::net::queue::{Port, Queued};

/// Time after the last ACK that passed after which the next one passes, so that small windows do not wait for timers.
const PAUSE: Duration = Duration::from_millis(10);

/// ACKs of a connection dropped in a row, and the time of the last one that passed.
type Row = (u32, Option<Time>);

/// Thinning before a rule on arrival, if there is one.
///
/// ACKs that report a hole or a duplicate pass, and those with a congestion header.
#[derive(Debug)]
pub struct Thinning {
    every: u32,
    /// Rows of connections, whose numbers are those of a site.
    sites: Vec<Vec<Row>>,
    rule: Option<Box<dyn ArrivalRule>>,
}

impl Thinning {
    /// One of `every` ACKs passes.
    pub fn new(every: u32, rule: Option<Box<dyn ArrivalRule>>) -> Self {
        Self { every, sites: Vec::new(), rule }
    }

    /// `true` if the ACK is one of those that do not pass.
    fn drops(&mut self, ack: &Packet, now: Time) -> bool {
        let (dropped, passed) = entry(entry(&mut self.sites, ack.site.into()), ack.slot as usize);
        let in_row = passed.is_some_and(|passed| now.since(passed) < PAUSE);
        if in_row && *dropped + 1 < self.every {
            *dropped += 1;
            return true;
        }
        (*dropped, *passed) = (0, Some(now));
        false
    }
}

/// The entry of a number; those before it are there, too.
fn entry<T: Clone + Default>(entries: &mut Vec<T>, number: usize) -> &mut T {
    if number >= entries.len() {
        entries.resize(number + 1, T::default());
    }
    &mut entries[number]
}

impl ArrivalRule for Thinning {
    fn on_arrival(&mut self, arrival: &mut Queued, backlog: &Backlog, port: &mut Port<'_>) -> Verdict {
        let packet = &arrival.packet;
        let plain = matches!(packet.kind, Kind::Ack | Kind::EctAck) && packet.sack_block().is_none();
        if plain && self.drops(packet, port.now) {
            return Verdict::Drop(Cause::Random);
        }
        self.rule.as_mut().map_or(Verdict::Pass, |rule| rule.on_arrival(arrival, backlog, port))
    }

    fn control(&self) -> f64 {
        self.rule.as_ref().map_or(0.0, |rule| rule.control())
    }

    fn memory(&self) -> usize {
        let rows: usize = self.sites.iter().map(Vec::capacity).sum();
        self.sites.capacity() * size_of::<Vec<Row>>()
            + rows * size_of::<Row>()
            + self.rule.as_ref().map_or(0, |rule| rule.memory())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of connections are those of a site: the first ACK of each passes, and the third after it.
    #[test]
    fn rows_are_of_one_connection_at_one_site() {
        let mut thinning = Thinning::new(3, None);
        let ends = [(0, 7), (1, 7), (1, 8)];
        for drops in [false, true, true, false] {
            for (site, slot) in ends {
                let ack = Packet { slot, site, ..Packet::default() };
                assert_eq!(thinning.drops(&ack, Time::ZERO), drops, "connection {slot} at site {site}");
            }
        }
    }

    #[test]
    fn the_first_after_a_pause_passes() {
        let mut thinning = Thinning::new(3, None);
        let ack = Packet::default();
        assert!(!thinning.drops(&ack, Time::ZERO) && thinning.drops(&ack, Time::ZERO));
        assert!(!thinning.drops(&ack, Time::ZERO + PAUSE));
    }
}
