//! Packets through stations.

use super::Region;
use crate::net::packet::{Kind, Packet};
use crate::net::station::{Admission, Hop};

impl Region {
    pub(crate) fn bytes(&self, packet: &Packet) -> u32 {
        if packet.kind == Kind::Data { self.world.data_bytes() } else { self.world.packet.control }
    }

    /// A packet arrives at a station.
    #[inline]
    pub(crate) fn enter(&mut self, station: u16, mut packet: Packet, now: u64) {
        let bytes = self.bytes(&packet);
        let server = &mut self.stations[usize::from(station)];
        let channel = usize::from(server.channel);
        match server.admit(&packet, bytes, now, self.rings[channel].len()) {
            Admission::Departs(time) => {
                packet.time = time;
                self.push(channel, packet);
            }
            Admission::Waits => {}
            Admission::Lost => self.lose(&packet),
        }
    }

    pub(crate) fn lose(&mut self, packet: &Packet) {
        self.counters.dropped += u64::from(packet.kind.is_forward());
    }

    /// A station has served a packet.
    #[inline]
    pub(crate) fn on_departure(&mut self, station: u16, packet: Packet, now: u64) {
        self.counters.hops += 1;
        let bytes = self.bytes(&packet);
        let server = &mut self.stations[usize::from(station)];
        server.depart(bytes);
        let hop = server.hop(packet.site);
        if server.discipline.is_some() {
            self.serve_next(station, now);
        }
        match hop {
            Hop::Station(next) => self.enter(next, packet, now),
            Hop::Exit(exit) => self.leave(usize::from(exit), packet, now),
            Hop::Deliver => self.access(packet, now),
            Hop::None => self.lose(&packet),
        }
    }

    /// The general path: ask the discipline for the next packet.
    #[cold]
    fn serve_next(&mut self, station: u16, now: u64) {
        let mut dropped = std::mem::take(&mut self.dropped);
        let server = &mut self.stations[usize::from(station)];
        let next = server.discipline.as_mut().and_then(|discipline| discipline.dequeue(now, &mut dropped));
        server.totals.drops += dropped.len() as u64;
        for packet in dropped.drain(..) {
            self.lose(&packet);
        }
        self.dropped = dropped;
        if let Some(mut packet) = next {
            let server = &self.stations[usize::from(station)];
            let channel = usize::from(server.channel);
            packet.time = now + server.service(self.bytes(&packet));
            self.push(channel, packet);
        }
    }

    /// From a site to its hosts.
    #[inline]
    fn access(&mut self, mut packet: Packet, now: u64) {
        let delay = self.world.interfaces[usize::from(packet.interface)].delay;
        if delay == 0 {
            self.on_host(packet, now);
        } else {
            packet.time = now + delay;
            self.push(usize::from(self.access + u16::from(packet.interface)), packet);
        }
    }
}
