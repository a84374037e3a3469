//! Packets through stations. From: `send` for data and SYNs, `reply` for ACKs that cost capacity, and links. To: the
//! next station, a delay line here or to another region, or `deliver`.

use congestion::{Duration, Time};

use super::Region;
use crate::kernel::channels::Channels;
use crate::measure::output::Fate;
use crate::net::departures::Waiting;
use crate::net::packet::Packet;
use crate::net::queue::Queued;
use crate::net::station::Hop;

impl<C: Channels<Packet>> Region<C> {
    /// A packet arrives at a station.
    #[inline]
    pub(super) fn enter(&mut self, station: u16, mut packet: Packet, now: Time) {
        let server = &mut self.stations[station];
        let Some(plain) = server.plain() else { return self.enter_any(station, packet, now) };
        let Some(time) = plain.admit(&mut server.tally, now) else { return self.lose(packet, now) };
        let (channel, hop) = (server.channel, server.hop(packet.site));
        match hop {
            Hop::Exit(exit) => self.leave(usize::from(exit), packet, time),
            Hop::Access if self.world.access_delay(&packet) > Duration::ZERO => {
                self.access(station, packet, time);
            }
            Hop::Path(path) => self.travel(path, packet, time),
            _ => {
                packet.time = time;
                self.events.push(usize::from(channel), packet);
            }
        }
    }

    /// A packet arrives at a station of any kind.
    #[inline(never)]
    fn enter_any(&mut self, station: u16, packet: Packet, now: Time) {
        let mut arrival = Queued { packet, bytes: self.world.bytes(&packet) };
        if self.stations[station].discipline.is_some() {
            return self.enter_queue(station, arrival, now);
        }
        let in_channel = if C::SHORTCUTS { None } else { self.waiting(station, now) };
        let (server, mut hands) = self.stations.at_work(station, now, &mut self.headers);
        if let Some(time) = server.admit(&mut arrival, in_channel, &mut hands) {
            self.depart(station, Packet { time, ..arrival.packet });
        }
        self.lose_dropped(now);
    }

    /// A packet arrives at a station with a discipline.
    #[inline]
    fn enter_queue(&mut self, station: u16, arrival: Queued, now: Time) {
        // Whoever departs at this instant makes room first.
        self.catch_up(station, now + Duration(1));
        // The reference path always asks.
        if !C::SHORTCUTS || self.stations[station].asks_before(now) {
            self.serve_next(station, now);
        }
        let (server, mut hands) = self.stations.at_work(station, now, &mut self.headers);
        if let Some(packet) = server.admit_queued(arrival, &mut hands) {
            self.depart(station, packet);
        }
        self.enlist(station, now);
        self.lose_dropped(now);
    }

    /// A packet will leave a station at its time: by the station's channel, unless nothing happens to it there.
    #[inline]
    fn depart(&mut self, station: u16, packet: Packet) {
        let server = &self.stations[station];
        let (channel, timed) = (server.channel, server.is_timed());
        match server.hop(packet.site) {
            Hop::Exit(exit) if timed => self.leave(usize::from(exit), packet, packet.time),
            Hop::Access if timed && self.world.access_delay(&packet) > Duration::ZERO => {
                self.access(station, packet, packet.time);
            }
            Hop::Path(path) if timed => self.travel(path, packet, packet.time),
            _ => self.events.push(usize::from(channel), packet),
        }
    }

    /// A station has served a packet.
    #[inline]
    pub(super) fn on_departure(&mut self, station: u16, packet: Packet, now: Time) {
        let server = &self.stations[station];
        let hop = server.hop(packet.site);
        if !server.is_timed() {
            if server.discipline.is_some() {
                self.serve_next(station, now);
            } else {
                let bytes = self.world.bytes(&packet);
                let server = &mut self.stations[station];
                server.backlog = server.backlog.saturating_sub(u64::from(bytes));
            }
        }
        match hop {
            Hop::Station(next) => self.enter(next, packet, now),
            Hop::Exit(exit) => self.leave(usize::from(exit), packet, now),
            Hop::Access if self.world.access_delay(&packet) > Duration::ZERO => {
                self.access(station, packet, now);
            }
            Hop::Path(path) => self.travel(path, packet, now),
            Hop::Deliver | Hop::Access => self.deliver(packet, now),
            Hop::None => self.lose(packet, now),
        }
    }

    /// Put a packet into a delay line; its time is set to `now` plus the delay.
    pub(super) fn leave(&mut self, exit: usize, mut packet: Packet, now: Time) {
        let line = self.outlets.exits[exit];
        packet.time = now + line.delay;
        if line.region == self.index {
            self.events.channels.push_line(usize::from(line.channel), packet);
        } else {
            self.outlets.outbox[exit].push(packet, &mut self.headers);
        }
    }

    /// From a station, which the packet leaves at `time`, to hosts a delay away.
    #[inline]
    pub(super) fn access(&mut self, station: u16, mut packet: Packet, time: Time) {
        packet.time = time + self.world.access_delay(&packet);
        let channel = self.events.map.access(self.stations[station].access, packet.interface);
        self.events.push(channel, packet);
    }

    /// A packet ends here undelivered.
    pub(super) fn lose(&mut self, mut packet: Packet, now: Time) {
        if packet.kind.is_data() && packet.is_traced() {
            self.trace_data(&packet, Fate::Dropped, now);
        }
        self.headers.detach(&mut packet);
        self.recorder.counters.dropped += u64::from(packet.kind.is_forward());
    }

    /// Ask the discipline of a station for the next packet, if the server is free.
    #[inline]
    pub(super) fn serve_next(&mut self, station: u16, now: Time) {
        let (server, mut hands) = self.stations.at_work(station, now, &mut self.headers);
        if let Some(packet) = server.serve(&mut hands) {
            self.depart(station, packet);
        }
        self.lose_dropped(now);
    }

    /// Packets that a station has dropped end here.
    #[inline]
    fn lose_dropped(&mut self, now: Time) {
        if !self.stations.dropped.is_empty() {
            self.lose_some(now);
        }
    }

    #[cold]
    fn lose_some(&mut self, now: Time) {
        for at in 0..self.stations.dropped.len() {
            self.lose(self.stations.dropped[at], now);
        }
        self.stations.dropped.clear();
    }

    /// Packets that wait in a station's channel; `None` while nothing is in service.
    fn waiting(&self, station: u16, now: Time) -> Option<Waiting> {
        let server = &self.stations[station];
        let channel = usize::from(server.channel);
        let channels = &self.events.channels;
        let mut waiting = Waiting { packets: channels.len(channel) as u64, bytes: server.backlog };
        for packet in channels.packets(channel) {
            waiting.packets -= 1;
            waiting.bytes = waiting.bytes.saturating_sub(u64::from(self.world.bytes(packet)));
            if packet.time > now {
                return Some(waiting);
            }
        }
        None
    }
}
