//! Routers of a region that splits into passes: all stations through one window, with a future-event set of their own.
//!
//! Within a window they depend on nothing but what was there when it began and what the region's senders inject. So
//! they advance alone, after the senders and before the receivers, in a loop that knows one kind of event: a packet
//! arrives at a station. Its departure is known then, and it goes on into a FIFO, whatever lies behind: the next
//! station, a link, or hosts.
//!
//! A packet here has a *word* for its time: the time, and in the low bits the station that it arrives at next. The key
//! of a FIFO is the time of its first packet, and in the low bits its number; so packets are taken in the order (time,
//! FIFO, place in the FIFO), and FIFOs have the order of the channels that they stand for.

use std::hint::select_unpredictable;

use congestion::{Duration, Time};

use super::events::{Channel, ChannelMap};
use super::stations::Stations;
use crate::kernel::fifo::Fifo;
use crate::net::headers::{Batch, Headers};
use crate::net::packet::Packet;
use crate::net::station::{Hop, Plain, Station, Tally};
use crate::world::Exit;

/// Key of an empty FIFO. Keys fit 63 bits, so that a difference of two has the sign of their order.
const IDLE: u64 = u64::MAX >> 1;
/// Latest time of a packet; one beyond is beyond the end of every run that splits [ps].
pub(super) const LATEST: u64 = (IDLE >> BITS) - 1;
/// Low bits of words and keys.
const BITS: u32 = 6;
const MASK: u64 = (1 << BITS) - 1;
/// FIFOs that packets can be taken from, at most.
const MOST: usize = 1 << BITS;
/// That many take a level of the tree less.
const FEW: usize = MOST / 2;
/// Windows after which FIFOs settle.
const SETTLING: u32 = 16;
/// FIFOs at most, so that their numbers fit a byte.
const FIFOS: usize = 1 << 8;

/// See the module.
#[derive(Debug)]
pub(super) struct Routers {
    /// Winner tree over the keys of the FIFOs that packets are taken from.
    heads: Box<[u64; 2 * MOST]>,
    fifos: Box<[Fifo<Packet>; FIFOS]>,
    /// Delay behind the station whose packets go into each FIFO.
    delays: Box<[Duration; FIFOS]>,
    servers: Box<[(Plain, Tally); MOST]>,
    /// Ways out of the stations, by station and site.
    legs: Vec<Leg>,
    sites: usize,
    /// FIFO of each channel of the region, and the station that it leads to.
    inlets: Vec<Leg>,
    map: FifoMap,
    /// Windows so far.
    windows: u32,
    /// Packets dropped in this window.
    pub dropped: Vec<Packet>,
}

/// FIFOs by number, in the order of the channels that they stand for: outputs of stations, injections by interface
/// class, links; then those that no packet is taken from within a window, deliveries by station and exits.
#[derive(Debug)]
struct FifoMap {
    stations: usize,
    /// First link.
    links: usize,
    /// First delivery, which is the number of FIFOs that packets are taken from.
    deliveries: usize,
    /// First exit.
    exits: usize,
    /// Number of each exit among those of the region.
    exit_numbers: Vec<u16>,
}

/// Way of a packet: a FIFO, and the station behind it.
#[derive(Clone, Copy, Debug)]
struct Leg {
    fifo: u8,
    station: u8,
}

impl Routers {
    /// Routers of a region with these stations, channels and exits; `None` if a station is not plain, or where there are
    /// too many.
    pub fn new(stations: &Stations, channels: &ChannelMap, exits: &[Exit], region: u16) -> Option<Self> {
        let map = FifoMap::new(stations, channels, exits, region)?;
        let mut servers = [(Plain::default(), Tally::default()); MOST];
        for ((plain, _), station) in servers.iter_mut().zip(stations.iter()) {
            *plain = station.plain().filter(|plain| plain.service > Duration::ZERO)?;
        }
        // Routes that lead nowhere end at one station more, which lets nobody in.
        servers[map.stations].1.last_departure = Time::NEVER;
        let inlets = map.inlets(channels)?;
        let (mut delays, mut legs) = ([Duration::ZERO; FIFOS], Vec::new());
        for (station, at) in stations.iter().zip(0..) {
            for &hop in station.hops() {
                let leg = map.leg(at, hop, exits, region, &inlets)?;
                if let Hop::Exit(exit) = hop {
                    delays[usize::from(leg.fifo)] = exits[usize::from(exit)].delay;
                }
                legs.push(leg);
            }
        }
        Some(Self {
            heads: Box::new([IDLE; 2 * MOST]),
            fifos: Box::new(std::array::from_fn(|_| Fifo::default())),
            delays: Box::new(delays),
            servers: Box::new(servers),
            sites: legs.len() / stations.len().max(1),
            legs,
            inlets,
            map,
            windows: 0,
            dropped: Vec::new(),
        })
    }

    /// A packet of an interface class enters the network at a station.
    #[inline]
    pub fn inject(&mut self, packet: Packet, station: u16, now: Time) {
        let word = now.0 << BITS | u64::from(station);
        let fifo = self.map.stations + usize::from(packet.interface);
        self.fifos[fifo % FIFOS].push(Packet { time: Time(word), ..packet });
    }

    /// Packets come in over the link of a channel; none is left.
    pub fn accept(&mut self, channel: usize, packets: &mut Vec<Packet>) {
        let Leg { fifo, station } = self.inlets[channel];
        let word = |time: Time| Time(time.0.min(LATEST) << BITS | u64::from(station));
        self.fifos[usize::from(fifo)].extend(packets, |packet| Packet { time: word(packet.time), ..*packet });
        packets.clear();
    }

    /// Every arrival at a station before `end`; the number of events that these are.
    pub fn advance(&mut self, end: Time) -> u64 {
        let before = self.events();
        if self.map.deliveries <= FEW {
            self.pass::<FEW>(end);
        } else {
            self.pass::<MOST>(end);
        }
        self.events() - before
    }

    /// Arrivals so far, and injections to come: what is injected arrives in the event in which its interface was done with it.
    fn events(&self) -> u64 {
        let injections = self.fifos[self.map.stations..self.map.links].iter().map(|fifo| fifo.len() as u64);
        self.servers.iter().map(|(_, tally)| tally.arrivals).chain(injections).sum()
    }

    /// Hand over what has left the stations for exits, and write the stations' accounts.
    pub fn hand_over(&mut self, stations: &mut Stations, outbox: &mut [Batch], headers: &mut Headers) {
        self.windows = self.windows.wrapping_add(1);
        let settles = self.windows.is_multiple_of(SETTLING);
        for (fifo, &exit) in self.fifos[self.map.exits..].iter_mut().zip(&self.map.exit_numbers) {
            let (before, after) = fifo.slices();
            for packets in [before, after] {
                outbox[usize::from(exit)].extend(packets, timed, headers);
            }
            if settles {
                fifo.settle();
            }
            fifo.clear();
        }
        if settles {
            self.fifos[..self.map.exits].iter_mut().for_each(Fifo::settle);
        }
        for (server, station) in self.servers.iter().zip(stations.iter_mut()) {
            station.tally = server.1;
        }
    }

    /// Departures to hosts before `end`: `host` gets each packet, with its station and a look at the next but one, a stale
    /// one if there is none. Their number.
    pub fn deliver(&mut self, end: Time, mut host: impl FnMut(u16, Packet, &Packet)) -> u64 {
        let stop = end.0 << BITS;
        let mut count = 0;
        for (fifo, station) in self.fifos[self.map.deliveries..self.map.exits].iter_mut().zip(0..) {
            while !fifo.is_empty() && fifo.next().time.0 < stop {
                count += 1;
                let packet = timed(&fifo.take());
                host(station, packet, fifo.ahead(1));
            }
        }
        count
    }

    /// Every packet here.
    pub fn each(&self, see: &mut dyn FnMut(&Packet)) {
        self.fifos.iter().flat_map(Fifo::iter).for_each(see);
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.fifos.iter().map(Fifo::memory).sum::<usize>() + self.dropped.capacity() * size_of::<Packet>()
    }

    fn pass<const LEAVES: usize>(&mut self, end: Time) {
        self.plant::<LEAVES>();
        let Self { heads, fifos, delays, servers, legs, sites, map, dropped, .. } = self;
        let (heads, fifos, servers) = (&mut **heads, &mut **fifos, &mut **servers);
        let (delays, legs, sites, inputs) = (&**delays, legs.as_slice(), *sites, map.deliveries);
        let stop = end.0 << BITS;
        while heads[1] < stop {
            let from = low(heads[1]);
            let &Packet { time: word, site, .. } = fifos[from].next();
            let (now, at) = (Time(word.0 >> BITS), low(word.0));
            // A packet arrives at the station that its word names.
            let (plain, tally) = &mut servers[at];
            let Some(departure) = plain.admit(tally, now) else {
                let (packet, next) = fifos[from].take_and_look();
                dropped.push(Packet { time: now, ..packet });
                let next = next.time;
                let next = key(next, fifos[from].is_empty(), from);
                replay::<LEAVES>(heads, from, next);
                continue;
            };
            let leg = legs[at * sites + usize::from(site)];
            let to = usize::from(leg.fifo);
            // A time beyond the horizon is beyond the end of the run and never reached.
            let time = (departure.0 + delays[to].0).min(LATEST) << BITS;
            let word = Time(time | u64::from(leg.station));
            let (leads, next) = match fifos.get_disjoint_mut([from, to]) {
                Ok([inlet, outlet]) => {
                    let (leads, next) = inlet.move_front_to(outlet, |packet| packet.time = word);
                    let next = next.time;
                    (leads, key(next, inlet.is_empty(), from))
                }
                Err(_) => turn_round(&mut fifos[to], word, from),
            };
            replay::<LEAVES>(heads, from, next);
            if leads && to < inputs {
                replay::<LEAVES>(heads, to, time | to as u64);
            }
        }
    }

    /// Keys of the FIFOs that were filled without a look at the tree: injections and links.
    fn plant<const LEAVES: usize>(&mut self) {
        let (from, to) = (self.map.stations, self.map.deliveries);
        for (fifo, leaf) in self.fifos[from..to].iter().zip(from..) {
            let key = fifo.iter().next().map_or(IDLE, |packet| key(packet.time, false, leaf));
            replay::<LEAVES>(&mut self.heads, leaf, key);
        }
    }
}

/// A FIFO has another key. The walk has always the same length ([`crate::kernel::tree`]).
#[expect(clippy::inline_always, reason = "a call costs as much as what it does")]
#[inline(always)]
fn replay<const LEAVES: usize>(heads: &mut [u64; 2 * MOST], fifo: usize, key: u64) {
    let mut least = key;
    let mut at = LEAVES + (fifo & (LEAVES - 1));
    heads[at] = least;
    for _ in 0..LEAVES.trailing_zeros() {
        let other = heads[(at ^ 1) & (2 * LEAVES - 1)];
        // A comparison by the sign of the difference stays free of branches; that of a minimum does not.
        least = select_unpredictable(other.wrapping_sub(least).cast_signed() < 0, other, least);
        at >>= 1;
        heads[at & (2 * LEAVES - 1)] = least;
    }
}

/// A packet with its time in the place of its word.
#[inline]
fn timed(packet: &Packet) -> Packet {
    Packet { time: Time(packet.time.0 >> BITS), ..*packet }
}

/// Number in the low bits of a word or key.
#[inline]
fn low(word: u64) -> usize {
    (word & MASK) as usize
}

/// The first packet of a FIFO goes to the end of the same: `true` if it is the first again, and the FIFO's key.
#[cold]
fn turn_round(fifo: &mut Fifo<Packet>, word: Time, number: usize) -> (bool, u64) {
    let packet = fifo.take();
    let leads = fifo.push(Packet { time: word, ..packet });
    (leads, key(fifo.next().time, false, number))
}

/// Key of a FIFO whose first packet has this word; above every time if there is none.
#[inline]
fn key(word: Time, is_empty: bool, number: usize) -> u64 {
    select_unpredictable(is_empty, IDLE, word.0 & !MASK | number as u64)
}

impl FifoMap {
    fn new(stations: &Stations, channels: &ChannelMap, exits: &[Exit], region: u16) -> Option<Self> {
        let interfaces = channels.kinds.iter().filter(|kind| **kind == Channel::Transmit).count();
        let inward = channels.kinds.iter().filter(|kind| matches!(kind, Channel::Link(_))).count();
        let is_out = |exit: u16| exits[usize::from(exit)].region != region;
        let hops = stations.iter().flat_map(Station::hops);
        let mut exit_numbers: Vec<u16> = hops
            .filter_map(|hop| if let Hop::Exit(exit) = hop { Some(*exit) } else { None })
            .filter(|&exit| is_out(exit))
            .collect();
        exit_numbers.sort_unstable();
        exit_numbers.dedup();
        let links = stations.len() + interfaces;
        let deliveries = links + inward;
        let exits = deliveries + stations.len();
        let map = Self { stations: stations.len(), links, deliveries, exits, exit_numbers };
        (map.stations < MOST && map.deliveries <= MOST && map.end() <= FIFOS).then_some(map)
    }

    /// Number of FIFOs.
    fn end(&self) -> usize {
        self.exits + self.exit_numbers.len()
    }

    /// Links by channel: FIFO and station.
    fn inlets(&self, channels: &ChannelMap) -> Option<Vec<Leg>> {
        let mut fifos = self.links..;
        let leg = |kind: &Channel| match *kind {
            Channel::Link(station) => leg(fifos.next()?, usize::from(station)),
            _ => leg(0, 0),
        };
        channels.kinds.iter().map(leg).collect()
    }

    /// Way of a packet that hops so from a station.
    fn leg(&self, station: u16, hop: Hop, exits: &[Exit], region: u16, inlets: &[Leg]) -> Option<Leg> {
        let output = usize::from(station);
        match hop {
            Hop::Station(next) => leg(output, usize::from(next)),
            Hop::Deliver => leg(self.deliveries + output, 0),
            Hop::None => leg(output, self.stations),
            Hop::Exit(exit) if exits[usize::from(exit)].region == region => {
                Some(inlets[usize::from(exits[usize::from(exit)].channel)])
            }
            Hop::Exit(exit) => leg(self.exits + self.exit_numbers.binary_search(&exit).ok()?, 0),
            Hop::Access | Hop::Path(_) => None,
        }
    }
}

fn leg(fifo: usize, station: usize) -> Option<Leg> {
    Some(Leg { fifo: fifo.try_into().ok()?, station: station.try_into().ok()? })
}
