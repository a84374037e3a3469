//! Receptions of a region that splits into passes: hosts take packets station by station, and are done with them in
//! time order. From: `passes`. To: `deliver`.
//!
//! A host serves the packets of its station in the order of their departures. So it is known on arrival when it will be
//! done: a time of service later, or a time of service after it is done with the packet before. No event has to say that a
//! host is free. What ends in a window is sorted once; what ends later waits in a heap.
//!
//! Receptions that end at one instant come in the order in which one loop of events has them: by interface class and
//! begin of service; of those that begin together, first those that did not wait, by station, then the others, in the
//! order in which their hosts were done with the packets before.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use congestion::Time;

use crate::kernel::distribution::Distribution;
use crate::kernel::prefetch::prefetch;
use crate::net::headers::Headers;
use crate::net::packet::Packet;
use crate::world::{InterfaceInfo, World};

/// Low bits of a key, for the interface class: 64 of them, which routers have, too.
const BITS: u32 = 6;
/// Latest time in a key; one beyond is beyond the end of every run that splits [ps].
const LATEST: u64 = u64::MAX >> BITS;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Receptions {
    hosts: Vec<ReceivingHost>,
    /// Times of service of a control packet and of a data segment, by interface class [ps].
    services: Vec<[u64; 2]>,
    /// Packets whose receptions end in this window, and the order of these.
    packets: Vec<Packet>,
    order: Vec<Reception>,
    distribution: Distribution<Reception>,
    /// Number of those in `order` that have ended, and that are in their final order.
    ended: usize,
    settled: usize,
    /// Receptions that end after the window.
    unfinished: BinaryHeap<Reverse<Unfinished>>,
    /// Number of receptions that have ended in the run, modulo 2^32.
    count: u32,
}

/// Interface of a receiving host.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReceivingHost {
    /// End of the last reception that it knows of, in bytes, so that a host takes 12 of them [ps].
    free: [u8; 8],
    /// Number of its last reception that has ended.
    last: u32,
}

/// A reception.
#[derive(Clone, Copy, Debug, Default)]
struct Reception {
    /// Its end, and the interface class in the low bits.
    key: u64,
    /// Place of the packet.
    at: u32,
    station: u16,
    /// The host was busy when the packet arrived.
    waited: bool,
}

/// A reception that ends after the window.
#[derive(Debug)]
struct Unfinished {
    reception: Reception,
    packet: Packet,
}

impl Receptions {
    /// Idle hosts of a world in which every interface takes time.
    pub fn new(hosts: usize, world: &World) -> Self {
        let bytes = [world.sizes.control, world.data_bytes()];
        let times = |interface: &InterfaceInfo| {
            bytes.map(|bytes| interface.service.map_or(0, |service| service.time(bytes).0))
        };
        Self {
            hosts: vec![ReceivingHost::default(); hosts],
            services: world.interfaces.iter().map(times).collect(),
            ..Self::default()
        }
    }

    /// A packet reaches its host from a station at `now`, in a window that ends before `window_end`.
    #[inline]
    pub fn arrive(&mut self, mut packet: Packet, host: u32, station: u16, now: Time, window_end: Time) {
        let service = self.service(&packet);
        let host = &mut self.hosts[host as usize];
        let (free, waited) = (host.free(), host.free() >= now.0);
        let end = free.max(now.0) + service;
        host.free = end.to_ne_bytes();
        packet.time = Time(end);
        let key = end.min(LATEST) << BITS | u64::from(packet.interface);
        let reception = Reception { key, at: 0, station, waited };
        if end < window_end.0 {
            self.put(reception, packet);
        } else {
            self.unfinished.push(Reverse(Unfinished { reception, packet }));
        }
    }

    /// Everything has arrived that does so in the window.
    pub fn sort(&mut self, window_begin: Time, window_end: Time) {
        while self.unfinished.peek().is_some_and(|Reverse(unfinished)| unfinished.packet.time < window_end) {
            let Some(Reverse(Unfinished { reception, packet })) = self.unfinished.pop() else { break };
            self.put(reception, packet);
        }
        let (begin, end) = (window_begin.0 << BITS, window_end.0 << BITS);
        self.distribution.sort(&mut self.order, begin, end, |reception| reception.key);
    }

    /// The packet of the next reception that ends in the window, with that time. There is room for another window after the last.
    #[inline]
    pub fn next(&mut self, headers: &Headers) -> Option<Packet> {
        let Some(key) = self.order.get(self.ended).map(|reception| reception.key) else {
            self.packets.clear();
            self.order.clear();
            (self.ended, self.settled) = (0, 0);
            return None;
        };
        if self.order.get(self.ended + 1).is_some_and(|next| next.key == key) {
            self.settle(headers);
        }
        let packet = self.packets[self.order[self.ended].at as usize];
        self.ended += 1;
        self.count = self.count.wrapping_add(1);
        self.hosts[headers.extent(&packet) as usize].last = self.count;
        Some(packet)
    }

    /// The packet that has so many before it in the window; for hints alone.
    #[inline]
    pub fn ahead(&self, before: usize) -> Option<&Packet> {
        let reception = self.order.get(self.ended + before)?;
        self.packets.get(reception.at as usize)
    }

    /// Ask for the memory of a host.
    #[inline]
    pub fn prefetch(&self, host: u32) {
        if let Some(host) = self.hosts.get(host as usize) {
            prefetch(host);
        }
    }

    /// Every packet here between two windows.
    pub fn each(&self, see: &mut dyn FnMut(&Packet)) {
        self.unfinished.iter().for_each(|Reverse(unfinished)| see(&unfinished.packet));
    }

    /// Bytes of memory held: hosts, and what waits.
    pub fn memory(&self) -> (usize, usize) {
        let waiting = self.packets.capacity() * size_of::<Packet>()
            + self.order.capacity() * size_of::<Reception>()
            + self.distribution.memory()
            + self.unfinished.capacity() * size_of::<Unfinished>();
        (self.hosts.capacity() * size_of::<ReceivingHost>(), waiting)
    }

    #[inline]
    fn put(&mut self, reception: Reception, packet: Packet) {
        let at = u32::try_from(self.packets.len()).unwrap_or(u32::MAX);
        self.packets.push(packet);
        self.order.push(Reception { at, ..reception });
    }

    #[inline]
    fn service(&self, packet: &Packet) -> u64 {
        self.services[usize::from(packet.interface)][usize::from(packet.kind.is_data())]
    }

    /// Put the receptions that end together with the next one, over interfaces of the same class, in their final order.
    #[cold]
    fn settle(&mut self, headers: &Headers) {
        if self.ended < self.settled {
            return;
        }
        let key = self.order[self.ended].key;
        let equal = self.order[self.ended..].iter().take_while(|reception| reception.key == key).count();
        self.settled = self.ended + equal;
        let mut group = std::mem::take(&mut self.order);
        group[self.ended..self.settled].sort_by_key(|reception| {
            let packet = &self.packets[reception.at as usize];
            let begin = packet.time.0 - self.service(packet);
            // Numbers go round, so their age is what is compared: the older, the earlier.
            let age = self.count.wrapping_sub(self.hosts[headers.extent(packet) as usize].last);
            let place = if reception.waited { u32::MAX - age } else { u32::from(reception.station) };
            (begin, reception.waited, place)
        });
        self.order = group;
    }
}

impl ReceivingHost {
    #[inline]
    fn free(self) -> u64 {
        u64::from_ne_bytes(self.free)
    }
}

impl PartialEq for Unfinished {
    fn eq(&self, other: &Self) -> bool {
        self.reception.key == other.reception.key
    }
}

impl Eq for Unfinished {}

impl PartialOrd for Unfinished {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Unfinished {
    fn cmp(&self, other: &Self) -> Ordering {
        self.reception.key.cmp(&other.reception.key)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::net::packet::Kind;
    use proptest::prelude::*;

    /// Times of service that make receptions meet: two classes, control packets and data.
    const SERVICES: [[u64; 2]; 2] = [[1, 2], [2, 4]];
    const HOSTS_PER_STATION: u32 = 2;

    /// Departures from up to four stations, a time step or more apart at each: times, stations and packets.
    fn departures() -> impl Strategy<Value = Vec<(u64, u16, Packet)>> {
        let departure = (1u64..4, 0..HOSTS_PER_STATION, 0u8..2, any::<bool>());
        let station = prop::collection::vec(departure, 0..25);
        prop::collection::vec(station, 1..5).prop_map(|stations| {
            let mut all = Vec::new();
            for (station, departures) in (0u16..).zip(stations) {
                let mut now = 0;
                for (gap, host, interface, is_data) in departures {
                    now += gap;
                    let kind = if is_data { Kind::Data } else { Kind::Syn };
                    let extent = u32::from(station) * HOSTS_PER_STATION + host;
                    let slot = u32::try_from(all.len()).expect("they are few");
                    all.push((now, station, Packet { slot, extent, interface, kind, ..Packet::default() }));
                }
            }
            all
        })
    }

    /// Ends of receptions and packets as one loop of events has them: stations first, then receptions by class.
    fn one_loop(departures: &[(u64, u16, Packet)]) -> Vec<(u64, u32)> {
        let mut departures = departures.to_vec();
        departures.sort_by_key(|&(time, station, _)| (time, station));
        let mut departures = VecDeque::from(departures);
        let mut receiving: [Vec<(u64, Packet)>; 2] = Default::default();
        let mut waiting = vec![VecDeque::<Packet>::new(); 10];
        let mut busy = [false; 10];
        let mut ended = Vec::new();
        let serve = |receiving: &mut [Vec<(u64, Packet)>; 2], packet: Packet, now: u64| {
            let class = usize::from(packet.interface);
            let end = now + SERVICES[class][usize::from(packet.kind.is_data())];
            let at = receiving[class].partition_point(|&(other, _)| other <= end);
            receiving[class].insert(at, (end, packet));
        };
        loop {
            let heads =
                receiving.iter().enumerate().filter_map(|(class, list)| Some((list.first()?.0, class)));
            let reception = heads.min();
            let departure = departures.front().map(|departure| departure.0);
            if let Some(now) = departure.filter(|&now| reception.is_none_or(|(end, _)| now <= end)) {
                let (_, _, packet) = departures.pop_front().expect("there is one");
                let host = packet.extent as usize;
                if std::mem::replace(&mut busy[host], true) {
                    waiting[host].push_back(packet);
                } else {
                    serve(&mut receiving, packet, now);
                }
            } else if let Some((now, class)) = reception {
                let (_, packet) = receiving[class].remove(0);
                let host = packet.extent as usize;
                match waiting[host].pop_front() {
                    Some(next) => serve(&mut receiving, next, now),
                    None => busy[host] = false,
                }
                ended.push((now, packet.slot));
            } else {
                return ended;
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

        /// Whatever the windows, receptions end when and in the order in which they do in one loop.
        #[test]
        fn end_as_in_one_loop(departures in departures(), windows in prop::collection::vec(1u64..20, 100)) {
            let mut receptions = Receptions {
                hosts: vec![ReceivingHost::default(); 10],
                services: SERVICES.into(),
                count: u32::MAX - 10,
                ..Receptions::default()
            };
            let (headers, mut ended, mut begin) = (Headers::default(), Vec::new(), 0);
            for length in windows {
                let end = begin + length;
                for &(now, station, packet) in departures.iter().filter(|departure| (begin..end).contains(&departure.0)) {
                    receptions.arrive(packet, packet.extent, station, Time(now), Time(end));
                }
                receptions.sort(Time(begin), Time(end));
                while let Some(packet) = receptions.next(&headers) {
                    ended.push((packet.time.0, packet.slot));
                }
                begin = end;
            }
            let mut under_way = 0;
            receptions.each(&mut |_| under_way += 1);
            let expected = one_loop(&departures);
            let reached = expected.iter().take_while(|&&(end, _)| end < begin).count();
            prop_assert_eq!(&ended[..], &expected[..reached]);
            prop_assert!(under_way <= departures.len() - reached);
        }
    }
}
