//! Windows in three passes: senders, routers, receivers. From: `Region::advance`. To: `routers`, `receptions`, `deliver`.
//!
//! Where nothing that happens at the stations of a region reaches its senders within a window, and nothing at its receivers
//! reaches either, the region *splits*: its senders go through the whole window first, then its routers, then its
//! receivers. Every station, host and connection sees the same events in the same order as without, but the processor
//! sees few kinds of them at a time. There are three seams: `inject` leads from senders to routers, `Routers::deliver` from routers
//! to receivers, and a delay line to another region from there.

use congestion::{Duration, Time};

use super::Region;
use super::events::{Channel, Events};
use super::hosts::Hosts;
use super::receptions::Receptions;
use super::routers::{LATEST, Routers};
use crate::kernel::channels::Channels;
use crate::net::packet::Packet;

/// Receptions that memory is asked for before they end.
const AHEAD: usize = 2;

/// Parts of a region that splits, beside its senders, whose events are those of the region.
#[derive(Debug)]
pub(super) struct Passes<C> {
    pub routers: Routers,
    pub receptions: Receptions,
    /// Releases, and timers of receivers.
    pub receiving: Events<C>,
}

impl<C: Channels<Packet>> Passes<C> {
    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.routers.memory() + self.receiving.channels.memory() + self.receiving.timers.memory()
    }
}

impl<C: Channels<Packet>> Region<C> {
    /// Split the region if that changes nothing.
    pub(super) fn split(&mut self) {
        if !C::SHORTCUTS || !self.hosts_allow_passes() {
            return;
        }
        let (map, exits) = (&self.events.map, &self.outlets.exits);
        // Receivers that answer within the region would reach its senders.
        let answers = exits.iter().any(|exit| {
            exit.region == self.index && !matches!(map.kinds[usize::from(exit.channel)], Channel::Link(_))
        });
        if answers {
            return;
        }
        if let Some(routers) = Routers::new(&self.stations, map, exits, self.index) {
            let receiving = Events::new(map.clone(), self.world.end);
            let hosts = std::mem::replace(&mut self.hosts, Hosts::new(0));
            let receptions = Receptions::new(hosts.len(), &self.world);
            self.passes = Some(Passes { routers, receptions, receiving });
        }
    }

    /// `true` if ACKs cost nothing, all interfaces take time and nothing else does, and no packet is recorded: then no event
    /// at a host makes another of the same instant at a station.
    fn hosts_allow_passes(&self) -> bool {
        let (world, recording) = (&self.world, &self.world.recording);
        let takes_time = |bytes: u32| {
            world.interfaces.iter().all(|interface| {
                interface.service.is_some_and(|service| service.time(bytes) > Duration::ZERO)
                    && interface.delay == Duration::ZERO
            })
        };
        world.end.0 < LATEST
            && !world.acks.through_stations
            && !recording.segments
            && !recording.packets
            && takes_time(world.sizes.control)
            && takes_time(world.data_bytes())
    }

    /// Events of receiving hosts.
    #[inline]
    pub(super) fn receiving(&mut self) -> &mut Events<C> {
        match &mut self.passes {
            Some(passes) => &mut passes.receiving,
            None => &mut self.events,
        }
    }

    /// The routers' pass, and what leaves them for other regions.
    pub(super) fn route(&mut self, end: Time) {
        let Some(Passes { routers, .. }) = &mut self.passes else { return };
        self.recorder.counters.events += routers.advance(end);
        routers.hand_over(&mut self.stations, &mut self.outlets.outbox, &mut self.headers);
        let mut dropped = std::mem::take(&mut routers.dropped);
        for packet in dropped.drain(..) {
            self.lose(packet, packet.time);
        }
        if let Some(passes) = &mut self.passes {
            passes.routers.dropped = dropped;
        }
    }

    /// The receivers' pass.
    pub(super) fn receive_until(&mut self, end: Time) {
        let Some(Passes { routers, receptions, .. }) = &mut self.passes else { return };
        let mut receptions = std::mem::take(receptions);
        let headers = &self.headers;
        let arrived = routers.deliver(end, |station, packet, next| {
            // A header would stand in the place of the host; then the hint leads elsewhere.
            receptions.prefetch(next.extent);
            receptions.arrive(packet, headers.extent(&packet), station, packet.time, end);
        });
        receptions.sort(self.course.reached, end);
        self.recorder.counters.events += arrived;
        while let Some(packet) = receptions.next(&self.headers) {
            if let Some(next) = receptions.ahead(AHEAD) {
                self.receivers.prefetch(next.slot);
            }
            self.recorder.counters.events += 1;
            self.attend_receivers(packet.time, true);
            self.process(&packet, packet.time);
        }
        self.attend_receivers(end, false);
        if let Some(passes) = &mut self.passes {
            passes.receptions = receptions;
        }
    }

    /// Timers of receivers, and releases of theirs, before `until`; then timers are due as well, where a reception ends.
    #[inline]
    fn attend_receivers(&mut self, until: Time, reception: bool) {
        while let Some(passes) = &mut self.passes {
            let Events { channels, .. } = &mut passes.receiving;
            let (now, channel) = channels.first();
            if now > until || now == until && (channel > 0 || !reception) {
                return;
            }
            self.recorder.counters.events += 1;
            if channel > 0 {
                let packet = channels.take_line(channel);
                self.on_release(&packet, now);
            } else if let Some(timer) = passes.receiving.take_timer() {
                self.on_delayed_ack(timer.id, timer.generation, now);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::kernel::channels::Fifos;
    use crate::net::packet::Packet;
    use crate::scenario::build::build;
    use crate::scenario::factories::factories;
    use crate::spec::Spec;
    use crate::world::Unwatched;

    fn world() -> Spec {
        let text = include_str!("../../benches/worlds/internet-1b-moderate.json");
        crate::parse(text).expect("a valid world").into_spec()
    }

    /// Number of regions that split.
    fn splitting(change: impl FnOnce(&mut Spec)) -> usize {
        let mut spec = world();
        change(&mut spec);
        let checked = spec.checked().expect("the scenario is valid");
        let factories = factories(checked.spec(), &crate::plugin::Plugins::new()).expect("they are built in");
        let (_, regions) = build::<Fifos<Packet>>(&checked, 1, factories, Arc::new(Unwatched));
        regions.iter().filter(|region| region.passes.is_some()).count()
    }

    #[test]
    fn regions_split_where_nothing_comes_back_within_a_window() {
        assert_eq!(splitting(|_| ()), 11);
        assert_eq!(splitting(|spec| spec.transport.ack_cost = true), 0);
        assert_eq!(splitting(|spec| spec.measure.packets = true), 0);
        assert_eq!(splitting(|spec| spec.stations[0].loss = 0.1), 10, "one station has loss");
        assert_eq!(splitting(|spec| spec.interfaces[0].rate = None), 0);
        assert_eq!(splitting(|spec| spec.interfaces[1].delay = 0.001), 0);
    }
}
