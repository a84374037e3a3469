//! Packets through stations.

use super::Region;
use crate::kernel::channels::Channels;
use crate::measure::output::Fate;
use crate::net::departures::Waiting;
use crate::net::packet::Packet;
use crate::net::station::{Admission, Hop};

impl<C: Channels> Region<C> {
    pub(crate) fn bytes(&self, packet: &Packet) -> u32 {
        self.world.bytes(packet)
    }

    /// A packet arrives at a station.
    #[inline]
    pub(crate) fn enter(&mut self, station: u16, mut packet: Packet, now: u64) {
        let server = &mut self.stations[usize::from(station)];
        let Some(plain) = server.plain() else { return self.enter_any(station, packet, now) };
        let Some(time) = server.admit_plain(plain, now) else { return self.lose(packet, now) };
        let (channel, hop) = (server.channel, server.hop(packet.site));
        match hop {
            Hop::Exit(exit) => self.leave(usize::from(exit), packet, time),
            Hop::Access if self.access_delay(&packet) > 0 => self.access(station, packet, time),
            _ => {
                packet.time = time;
                self.push(usize::from(channel), packet);
            }
        }
    }

    /// A packet arrives at a station of any kind.
    #[inline(never)]
    fn enter_any(&mut self, station: u16, mut packet: Packet, now: u64) {
        let bytes = self.bytes(&packet);
        let mut waiting = None;
        if !self.stations[usize::from(station)].is_timed() {
            // Whoever departs at this instant makes room first.
            self.serve_next(station, now);
            waiting = self.waiting(station, now);
        }
        let server = &mut self.stations[usize::from(station)];
        match server.admit(&mut packet, bytes, now, waiting, &mut self.headers) {
            Admission::Departs(time) => {
                let (channel, hop, timed) = (server.channel, server.hop(packet.site), server.is_timed());
                match hop {
                    Hop::Exit(exit) if timed => self.leave(usize::from(exit), packet, time),
                    Hop::Access if timed && self.access_delay(&packet) > 0 => {
                        self.access(station, packet, time);
                    }
                    _ => {
                        packet.time = time;
                        self.push(usize::from(channel), packet);
                    }
                }
            }
            Admission::Waits => {}
            Admission::Lost => self.lose(packet, now),
        }
    }

    /// What waits in a station's channel; `None` while nothing is in service.
    fn waiting(&self, station: u16, now: u64) -> Option<Waiting> {
        let server = &self.stations[usize::from(station)];
        let channel = usize::from(server.channel);
        let mut waiting = Waiting { packets: self.channels.len(channel) as u64, bytes: server.backlog };
        for packet in self.channels.packets(channel) {
            waiting.packets -= 1;
            waiting.bytes = waiting.bytes.saturating_sub(u64::from(self.bytes(packet)));
            if packet.time > now {
                return Some(waiting);
            }
        }
        None
    }

    pub(crate) fn lose(&mut self, mut packet: Packet, now: u64) {
        if packet.kind.is_data() && packet.is_traced() {
            self.trace_data(&packet, Fate::Dropped, now);
        }
        self.headers.detach(&mut packet);
        self.counters.dropped += u64::from(packet.kind.is_forward());
    }

    /// A station has served a packet.
    #[inline]
    pub(crate) fn on_departure(&mut self, station: u16, packet: Packet, now: u64) {
        let server = &self.stations[usize::from(station)];
        let hop = server.hop(packet.site);
        if !server.is_timed() {
            let bytes = self.bytes(&packet);
            let server = &mut self.stations[usize::from(station)];
            server.backlog = server.backlog.saturating_sub(u64::from(bytes));
            self.serve_next(station, now);
        }
        match hop {
            Hop::Station(next) => self.enter(next, packet, now),
            Hop::Exit(exit) => self.leave(usize::from(exit), packet, now),
            Hop::Access if self.access_delay(&packet) > 0 => self.access(station, packet, now),
            Hop::Deliver | Hop::Access => self.on_host(packet, now),
            Hop::None => self.lose(packet, now),
        }
    }

    /// The general path: ask the discipline for the next packet, if the server is free.
    fn serve_next(&mut self, station: u16, now: u64) {
        if self.stations[usize::from(station)].discipline.is_none() {
            return;
        }
        let mut dropped = std::mem::take(&mut self.dropped);
        let world = self.world.clone();
        let server = &mut self.stations[usize::from(station)];
        let channel = usize::from(server.channel);
        if let Some(packet) = server.serve(now, &mut dropped, &mut self.headers, |packet| world.bytes(packet))
        {
            self.push(channel, packet);
        }
        for packet in dropped.drain(..) {
            self.lose(packet, now);
        }
        self.dropped = dropped;
    }

    /// Propagation delay from a site to the packet's hosts [ps].
    #[inline]
    fn access_delay(&self, packet: &Packet) -> u64 {
        self.world.interfaces[usize::from(packet.interface)].delay
    }

    /// From a station, which the packet leaves at `time`, to hosts a delay away.
    #[inline]
    fn access(&mut self, station: u16, mut packet: Packet, time: u64) {
        packet.time = time.saturating_add(self.access_delay(&packet));
        let class = u16::from(packet.interface) * self.delivering;
        self.push(usize::from(self.stations[usize::from(station)].access + class), packet);
    }
}
