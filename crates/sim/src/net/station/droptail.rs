//! Drop-tail: first in, first out, and a packet that finds no room is lost.
//!
//! With one server and known times of service, the departure of a packet is known on arrival, so a hop is one event. At one
//! instant departures come before arrivals. The rule of the buffer is one, [`Buffer::has_room`]; what waits is known in three forms:
//!
//! | Form | Goes by | Where | Reason |
//! |---|---|---|---|
//! | [`Plain`] | the time until the last departure | one time of service, and only room decides: in the loop of events, and in the routers' pass | nearly all hops of a national network: it remembers nothing of packets, and reads nothing of theirs |
//! | [`Departures`](crate::net::departures::Departures) | departures to come | all other stations: sizes, rates that change, marks, rules on arrival, random loss, records | sizes of what waits do not follow from a time |
//! | [`Room::Channel`] | the packets in the station's channel | the reference path | an answer that nothing remembers: the other two are compared with it |
//!
//! A queue discipline, even one that drops as these do, holds its packets itself (`queueing`).

use congestion::{Duration, Time};

use super::{Hands, Room, Station};
use crate::measure::queue::Cause;
use crate::net::arrival::{Backlog, Verdict};
use crate::net::departures::Waiting;
use crate::net::queue::{Buffer, Queued};

/// What a server has done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Everything that was given to it has been sent by then.
    pub last_departure: Time,
    /// Packets that arrived.
    pub arrivals: u64,
    /// Packets that found no room at a plain queue; others count drops by cause.
    pub drops: u64,
}

/// A drop-tail queue where every packet costs the same and none is lost at random, marked or recorded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain {
    /// Time to serve a packet.
    pub service: Duration,
    /// Longest wait before a packet enters.
    pub longest_wait: Duration,
}

impl Plain {
    /// A packet arrives; its departure, unless it has to wait too long and is dropped.
    #[inline]
    pub fn admit(self, tally: &mut Tally, now: Time) -> Option<Time> {
        tally.arrivals += 1;
        // The sums stay in range, as the longest wait does.
        if tally.last_departure.0 > now.0 + self.longest_wait.0 {
            tally.drops += 1;
            return None;
        }
        tally.last_departure = Time(tally.last_departure.max(now).0 + self.service.0);
        Some(tally.last_departure)
    }

    /// Packets waiting or in service, the last of which departs after `left`.
    pub fn present(self, left: Duration) -> u64 {
        left.0.div_ceil(self.service.0.max(1))
    }
}

impl Station {
    /// A packet arrives at a drop-tail queue that is not plain. `in_channel` is what waits in the station's channel, `None`
    /// while nothing is in service; only [`Room::Channel`] goes by it. The time of its departure; `None` if it is lost.
    #[inline]
    pub fn admit(
        &mut self,
        arrival: &mut Queued,
        in_channel: Option<Waiting>,
        hands: &mut Hands<'_>,
    ) -> Option<Time> {
        let now = hands.now;
        arrival.packet.time = now;
        let waiting = match &mut self.room {
            Room::Departures(departures) => departures.waiting(now),
            _ => in_channel,
        };
        if !self.judge(arrival, waiting, hands) {
            return None;
        }
        // A packet that finds nothing in service needs no room.
        if waiting.is_some_and(|waiting| !Buffer::has_room(self.buffer, waiting, arrival.bytes)) {
            self.account.port(hands).drop(arrival, Cause::Overlimit);
            return None;
        }
        let starts = self.tally.last_departure.max(now);
        self.account.observe(now, starts.since(now));
        self.tally.last_departure = self.transmitter.finish(starts, arrival.bytes);
        match &mut self.room {
            Room::Departures(departures) => departures.push(self.tally.last_departure, arrival.bytes),
            _ => self.backlog += u64::from(arrival.bytes),
        }
        Some(self.tally.last_departure)
    }

    /// Count an arrival, and ask chance, the rule on arrival and the threshold of marks: `false` if it is dropped.
    #[expect(clippy::inline_always, reason = "a call costs as much as what it does")]
    #[inline(always)]
    pub(super) fn judge(
        &mut self,
        arrival: &mut Queued,
        waiting: Option<Waiting>,
        hands: &mut Hands<'_>,
    ) -> bool {
        self.tally.arrivals += 1;
        if let Some((probability, draws)) = &mut self.loss
            && draws.uniform() < *probability
        {
            self.account.port(hands).drop(arrival, Cause::Random);
            return false;
        }
        let passes = self.rule.is_none() || self.ask_rule(arrival, waiting, hands);
        if passes && waiting.is_some_and(|waiting| waiting.packets > self.mark_above) {
            self.account.port(hands).mark(arrival, Cause::Step);
        }
        passes
    }

    fn ask_rule(&mut self, arrival: &mut Queued, waiting: Option<Waiting>, hands: &mut Hands<'_>) -> bool {
        let Some(rule) = &mut self.rule else { return true };
        let mut port = self.account.port(hands);
        let free_since = self.tally.last_departure;
        let idle_since = (free_since <= port.now).then_some(free_since);
        let backlog = Backlog { waiting: waiting.unwrap_or(Waiting { packets: 0, bytes: 0 }), idle_since };
        let verdict = rule.on_arrival(arrival, &backlog, &mut port);
        if let Verdict::Drop(cause) = verdict {
            port.drop(arrival, cause);
        }
        verdict == Verdict::Pass
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::net::headers::Headers;
    use crate::net::packet::Packet;
    use crate::net::service::Service;
    use crate::net::station::StationSetup;

    proptest! {
        /// Where packets cost the same, the three forms let in the same packets, which depart at the same times.
        #[test]
        fn all_forms_are_one_queue(
            service in 1u64..20,
            room in prop::option::of(0u64..6),
            gaps in prop::collection::vec(0u64..30, 1..200),
        ) {
            let service = Service::Fixed(Duration(service));
            let setup = || StationSetup::drop_tail(0, service, room.map(Buffer::Packets));
            let mut by_time = Station::new(setup());
            let plain = by_time.plain().expect("only room decides");
            let mut by_departures = Station::new(StationSetup { observed: Some(Time::ZERO), ..setup() });
            let mut by_channel = Station::new(StationSetup { shortcuts: false, ..setup() });
            let mut channel: Vec<Time> = Vec::new();
            let (mut headers, mut dropped, mut now) = (Headers::default(), Vec::new(), Time::ZERO);
            for gap in gaps {
                now += Duration(gap);
                channel.retain(|&departs| departs > now);
                let waiting = channel.len().checked_sub(1);
                let waiting = waiting.map(|packets| Waiting { packets: packets as u64, bytes: 0 });
                let mut hands = Hands { now, headers: &mut headers, dropped: &mut dropped };
                let mut arrival = Queued { packet: Packet::default(), bytes: 1500 };
                let departs = plain.admit(&mut by_time.tally, now);
                let others = [(&mut by_departures, None), (&mut by_channel, waiting)];
                for (station, waiting) in others {
                    let other = station.admit(&mut arrival, waiting, &mut hands);
                    prop_assert_eq!(other, departs);
                }
                channel.extend(departs);
                let present = channel.len() as u64;
                prop_assert_eq!([by_time.present(now, 0), by_departures.present(now, 0)], [present; 2]);
            }
            prop_assert_eq!(by_time.totals(now, 0), by_departures.totals(now, 0));
            prop_assert_eq!(by_time.counts(), by_departures.counts());
        }
    }
}
