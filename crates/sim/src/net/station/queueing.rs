//! The general path of a station: a discipline holds its packets and decides what departs.
//!
//! A decision is due when the server becomes free. Nobody sees its outcome before the packet has been served and has
//! travelled on. Where a delay lies behind the station, decisions may therefore be *late*: they are made up for in
//! order, each with the time at which it was due, when the next packet arrives or before their outcome is due.

use congestion::Time;

use super::{Hands, Room, Station};
use crate::net::departures::Waiting;
use crate::net::packet::Packet;
use crate::net::queue::Queued;

/// Standing of a station whose decisions are made up for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Late {
    /// A decision is due when the packet in service departs.
    owes: bool,
    /// The region has the station on its list of those that may owe decisions.
    listed: bool,
}

impl Station {
    /// A packet arrives at a station with a discipline that owes no decision. The packet that goes into service, with
    /// the time of its departure; `None` if the arrival waits or is lost.
    #[inline]
    pub fn admit_queued(&mut self, mut arrival: Queued, hands: &mut Hands<'_>) -> Option<Packet> {
        let now = hands.now;
        arrival.packet.time = now;
        let busy = self.is_busy(now);
        let waiting = match &self.discipline {
            Some(queue) if busy && self.rule.is_some() => {
                Some(Waiting { packets: queue.len() as u64, bytes: queue.bytes() })
            }
            _ => None,
        };
        if self.loss.is_none() && self.rule.is_none() {
            self.totals.arrivals += 1;
        } else if !self.judge(&mut arrival, waiting, hands) {
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

    /// `true` if the discipline has to be asked before an arrival at `now`, where no decision is owed: the server is free
    /// and nobody has asked it since then, or asking again may change something.
    #[must_use]
    #[inline]
    pub fn asks_before(&self, now: Time) -> bool {
        if self.is_busy(now) {
            return false;
        }
        let asked = self.is_late() || self.last_departure < now;
        !asked || self.discipline.as_ref().is_some_and(|queue| !queue.empty_is_final())
    }

    /// Take a packet that a discipline has given into service.
    #[inline]
    fn begin_service(&mut self, next: Queued, now: Time) -> Packet {
        let starts = self.discipline.as_ref().map_or(now, |discipline| discipline.service_starts(now));
        self.account.observe(next.packet.time, next.sojourn(starts));
        self.last_departure = self.transmitter.finish(starts, next.bytes);
        if let Room::Late(late) = &mut self.room {
            late.owes = true;
        }
        Packet { time: self.last_departure, ..next.packet }
    }

    /// Time of the first decision that is owed, if that is before `until`. It is owed no longer.
    #[inline]
    pub fn take_debt(&mut self, until: Time) -> Option<Time> {
        let due = self.last_departure;
        match &mut self.room {
            Room::Late(late) if late.owes && due < until => {
                late.owes = false;
                Some(due)
            }
            _ => None,
        }
    }

    /// `true` if decisions of this station may be made up for.
    #[must_use]
    #[inline]
    pub fn is_late(&self) -> bool {
        matches!(self.room, Room::Late(_))
    }

    /// `true` if the station has to go on the list of those that may owe decisions; from now on it is there.
    #[inline]
    pub fn joins_list(&mut self) -> bool {
        match &mut self.room {
            Room::Late(late) => late.owes && !std::mem::replace(&mut late.listed, true),
            _ => false,
        }
    }

    /// `true` if the station stays on that list; else it is there no longer.
    #[inline]
    pub fn stays_on_list(&mut self) -> bool {
        match &mut self.room {
            Room::Late(late) => {
                late.listed = late.owes;
                late.owes
            }
            _ => false,
        }
    }

    /// `true` while a packet is in service.
    #[must_use]
    #[inline]
    pub fn is_busy(&self, now: Time) -> bool {
        self.last_departure > now
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
            late: true,
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

    /// The first packet passes, so a decision is owed when it departs; there is none before.
    #[test]
    fn owes_one_decision_per_packet_in_service() {
        let (mut station, mut headers, mut dropped) = (station(), Headers::default(), Vec::new());
        let mut hands = Hands { now: Time(1), headers: &mut headers, dropped: &mut dropped };
        assert!(station.take_debt(Time::NEVER).is_none() && !station.joins_list());
        let first = station.admit_queued(Desk::data(0, Codepoint::NotEct), &mut hands);
        let due = first.expect("it passes").time;
        assert!(station.admit_queued(Desk::data(1, Codepoint::NotEct), &mut hands).is_none());
        assert!(station.joins_list() && !station.joins_list() && station.stays_on_list());
        assert_eq!((station.take_debt(due), station.take_debt(Time(due.0 + 1))), (None, Some(due)));
        hands.now = due;
        assert_eq!(station.serve(&mut hands).map(|packet| packet.seq), Some(1));
        let last = station.take_debt(Time::NEVER).expect("the second packet is in service");
        hands.now = last;
        assert!(station.serve(&mut hands).is_none() && !station.stays_on_list());
    }
}
