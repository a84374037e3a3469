//! The general path of a station: a discipline holds its packets and decides what departs.
//!
//! A decision is due when the server becomes free. Nobody sees its outcome before the packet has been served and has
//! travelled on. Where a delay lies behind the station, decisions may therefore be *deferred*: they are made in
//! order, each with the time at which it was due, when the next packet arrives or before their outcome is due.

use congestion::Time;

use super::{Hands, Room, Station};
use crate::net::departures::Waiting;
use crate::net::packet::Packet;
use crate::net::queue::Queued;

/// Deferred dequeue decisions of a station.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Deferred {
    /// A decision is due when the packet in service departs.
    is_due: bool,
    /// The region has the station on its list of those with deferred decisions.
    listed: bool,
}

impl Station {
    /// A packet arrives at a station with a discipline and no overdue decision. The packet that goes into service, with
    /// the time of its departure; `None` if the arrival waits or is lost.
    #[inline]
    pub fn admit_queued(&mut self, mut arrival: Queued, hands: &mut Hands<'_>) -> Option<Packet> {
        let now = hands.now;
        arrival.packet.time = now;
        let busy = self.is_busy(now);
        let queue =
            self.discipline.as_ref().filter(|_| busy && (self.rule.is_some() || self.mark_above < u64::MAX));
        let waiting = queue.map(|queue| Waiting { packets: queue.len() as u64, bytes: queue.bytes() });
        if !self.judge(&mut arrival, waiting, hands) {
            return None;
        }
        let discipline = self.discipline.as_mut()?;
        let mut port = self.account.port(hands);
        if busy {
            discipline.enqueue(arrival, &mut port);
            return None;
        }
        let next = discipline.pass(arrival, &mut port)?;
        Some(self.begin_service(next, now))
    }

    /// Ask the discipline for the next packet, if the server is free: it goes into service, with the time of its departure.
    #[inline]
    pub fn serve(&mut self, hands: &mut Hands<'_>) -> Option<Packet> {
        let now = hands.now;
        if self.is_busy(now) {
            return None;
        }
        let next = self.discipline.as_mut()?.dequeue(&mut self.account.port(hands))?;
        Some(self.begin_service(next, now))
    }

    /// `true` if the discipline has to be asked before an arrival at `now`, where no decision is overdue: the server is free
    /// and nobody has asked it since then, or asking again may change something.
    #[inline]
    pub fn asks_before(&self, now: Time) -> bool {
        if self.is_busy(now) {
            return false;
        }
        let asked = self.defers() || self.tally.last_departure < now;
        !asked || self.discipline.as_ref().is_some_and(|queue| !queue.empty_is_final())
    }

    /// Take a packet that a discipline has given into service.
    #[inline]
    fn begin_service(&mut self, next: Queued, now: Time) -> Packet {
        let starts = self.discipline.as_ref().map_or(now, |discipline| discipline.service_starts(now));
        self.account.observe(next.packet.time, next.sojourn(starts));
        self.tally.last_departure = self.transmitter.finish(starts, next.bytes);
        if let Room::Deferred(deferred) = &mut self.room {
            deferred.is_due = true;
        }
        Packet { time: self.tally.last_departure, ..next.packet }
    }

    /// Time of the deferred decision, if that is before `until`; it is deferred no longer.
    #[inline]
    pub fn pop_overdue(&mut self, until: Time) -> Option<Time> {
        let due = self.tally.last_departure;
        match &mut self.room {
            Room::Deferred(deferred) if deferred.is_due && due < until => {
                deferred.is_due = false;
                Some(due)
            }
            _ => None,
        }
    }

    /// Returns true if decisions of this station may be deferred.
    #[inline]
    pub fn defers(&self) -> bool {
        matches!(self.room, Room::Deferred(_))
    }

    /// Returns true if the station has to go on the list of those with deferred decisions; from now on it is there.
    #[inline]
    pub fn enlist_deferred(&mut self) -> bool {
        match &mut self.room {
            Room::Deferred(deferred) => deferred.is_due && !std::mem::replace(&mut deferred.listed, true),
            _ => false,
        }
    }

    /// Returns true if the station stays on that list; else it is there no longer.
    #[inline]
    pub fn stays_deferred(&mut self) -> bool {
        match &mut self.room {
            Room::Deferred(deferred) => {
                deferred.listed = deferred.is_due;
                deferred.is_due
            }
            _ => false,
        }
    }

    /// `true` while a packet is in service.
    #[inline]
    pub fn is_busy(&self, now: Time) -> bool {
        self.tally.last_departure > now
    }

    pub(super) fn waiting_in_discipline(&self) -> u64 {
        self.discipline.as_ref().map_or(0, |discipline| discipline.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::disciplines::testing::Desk;
    use crate::net::disciplines::{DisciplineParameters, FqCodelParameters};
    use crate::net::headers::Headers;
    use crate::net::packet::Codepoint;
    use crate::net::station::StationSetup;
    use crate::net::station::account::Account;

    fn station() -> Station {
        let server = Desk::server(10_240);
        Station::new(StationSetup {
            discipline: FqCodelParameters::default().mechanics(&server).queue,
            defers: true,
            ..StationSetup::drop_tail(0, server.service(), server.buffer)
        })
    }

    /// 10^5 stations take 84 MB before they are used, routes not counted.
    #[test]
    fn an_idle_station_under_fq_codel_takes_at_most_840_bytes() {
        let station = station();
        let queue = station.discipline.as_deref().map_or(0, size_of_val);
        let bytes = size_of::<Station>() + size_of::<Account>() + queue + station.memory();
        assert!(queue > 0 && bytes <= 840, "{bytes} bytes");
    }

    /// The first packet passes, so a decision is due when it departs; there is none before.
    #[test]
    fn defers_one_decision_per_packet_in_service() {
        let (mut station, mut headers, mut dropped) = (station(), Headers::default(), Vec::new());
        let mut hands = Hands { now: Time(1), headers: &mut headers, dropped: &mut dropped };
        assert!(station.pop_overdue(Time::NEVER).is_none() && !station.enlist_deferred());
        let first = station.admit_queued(Desk::data(0, Codepoint::NotEct), &mut hands);
        let due = first.expect("it passes").time;
        assert!(station.admit_queued(Desk::data(1, Codepoint::NotEct), &mut hands).is_none());
        assert!(station.enlist_deferred() && !station.enlist_deferred() && station.stays_deferred());
        assert_eq!((station.pop_overdue(due), station.pop_overdue(Time(due.0 + 1))), (None, Some(due)));
        hands.now = due;
        assert_eq!(station.serve(&mut hands).map(|packet| packet.seq), Some(1));
        let last = station.pop_overdue(Time::NEVER).expect("the second packet is in service");
        hands.now = last;
        assert!(station.serve(&mut hands).is_none() && !station.stays_deferred());
    }
}
