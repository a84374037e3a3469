//! Packets on paths whose conditions change. From: `forward`, when a packet has been sent. To: as there, or lost.

use congestion::{Duration, Time};

use super::Region;
use crate::kernel::channels::Channels;
use crate::net::packet::Packet;
use crate::net::paths::Passage;
use crate::net::station::Hop;

/// Site of a packet that does not arrive.
const NOWHERE: u16 = u16::MAX;

impl<C: Channels<Packet>> Region<C> {
    /// A packet has been sent at `departs`, none before the last one.
    pub(super) fn travel(&mut self, path: u16, packet: Packet, departs: Time) {
        let travel = &mut self.stations.paths[usize::from(path)];
        let Some(time) = travel.pass(departs) else { return self.travel_any(path, packet, departs) };
        let (station, channel) = (travel.station, usize::from(travel.channel));
        match travel.ways.first(packet.site) {
            Hop::Exit(exit) => self.leave(usize::from(exit), packet, time),
            Hop::Access if self.world.access_delay(&packet) > Duration::ZERO => {
                self.access(station, packet, time);
            }
            _ => self.events.push(channel, Packet { time, ..packet }),
        }
    }

    /// The same for a packet that may not pass at once.
    #[inline(never)]
    fn travel_any(&mut self, path: u16, packet: Packet, departs: Time) {
        let at = usize::from(path);
        let travel = &mut self.stations.paths[at];
        if travel.renews(departs) {
            return self.travel(path, packet, departs);
        }
        let beyond = match travel.ways.first(packet.site) {
            Hop::Exit(exit) => self.outlets.exits[usize::from(exit)].delay,
            Hop::Access => self.world.access_delay(&packet),
            _ => Duration::ZERO,
        };
        let (station, channel) = (travel.station, usize::from(travel.channel));
        match travel.carry(&packet, departs, beyond) {
            Passage::InOrder(time) => {
                match travel.ways.ahead(packet.site, time) {
                    Hop::Exit(exit) => self.leave(usize::from(exit), packet, time),
                    Hop::Access if beyond > Duration::ZERO => self.access(station, packet, time),
                    _ => self.events.push(channel, Packet { time, ..packet }),
                }
                while let Some(packet) = self.stations.paths[at].release() {
                    self.go_late(path, packet, time);
                }
            }
            Passage::OutOfOrder(time) => self.go_late(path, packet, time),
            Passage::Held => {}
            // It stays in the account of what is in the air until then.
            Passage::Lost(time) => self.events.push(channel, Packet { time, site: NOWHERE, ..packet }),
        }
    }

    /// A packet that others have overtaken leaves a path at a time.
    fn go_late(&mut self, path: u16, packet: Packet, time: Time) {
        let travel = &self.stations.paths[usize::from(path)];
        // Not into the line of those that are in order: the way to the hosts is in the time.
        let access = matches!(travel.ways.first(packet.site), Hop::Access);
        let time = time + if access { self.world.access_delay(&packet) } else { Duration::ZERO };
        self.events.push(usize::from(travel.channel), Packet { time, ..packet });
    }

    /// A packet leaves a path for what lies behind it, or is lost.
    pub(super) fn on_path(&mut self, path: u16, packet: Packet, now: Time) {
        let travel = &mut self.stations.paths[usize::from(path)];
        let station = travel.station;
        let hop = if packet.site == NOWHERE { Hop::None } else { travel.ways.here(packet.site, now) };
        match hop {
            Hop::Station(next) => self.enter(next, packet, now),
            Hop::Deliver | Hop::Access => self.deliver(packet, now),
            Hop::Exit(exit) => self.leave(usize::from(exit), packet, now),
            Hop::Path(_) | Hop::None => {
                self.stations[station].count_lost();
                self.lose(packet, now);
            }
        }
    }
}
