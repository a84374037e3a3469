//! Flows of packets by hash, and the index of the flows that a station knows.

use crate::kernel::rng::{Purpose, Streams};
use crate::net::packet::{Kind, Packet};

/// No flow, no packet.
pub const NONE: u32 = u32::MAX;

/// Hash of packets into queues, salted per station, so that flows which collide at one station do not at the next.
#[derive(Clone, Copy, Debug)]
pub struct FlowHash {
    salt: u64,
    queues: u64,
}

impl FlowHash {
    /// Hash of a station into a number of queues; 0 for a queue of its own for every flow.
    pub fn new(streams: &Streams, station: u32, queues: u64) -> Self {
        Self { salt: streams.block(Purpose::Salt, station, 0)[0], queues }
    }

    /// Queue of a packet.
    #[inline]
    pub fn queue(&self, packet: &Packet) -> u64 {
        let flow = flow(packet);
        if self.queues == 0 {
            return flow;
        }
        // The high half of the product is uniform over the queues without a division.
        let scaled = u128::from(mix(flow ^ self.salt)) * u128::from(self.queues);
        (scaled >> 64) as u64
    }
}

/// Flow of a packet, which has no addresses and ports: the connection at its far end, with its generation, stands for
/// them. A SYN, which has no connection at the far end yet, is a flow of its own; an answer to it goes with the ACKs.
#[inline]
fn flow(packet: &Packet) -> u64 {
    let (class, end) = match packet.kind {
        Kind::Data | Kind::DataWithHeader => (0, packet.slot),
        Kind::Syn => (1, packet.seq),
        Kind::Release | Kind::Datagram | Kind::Report => (2, packet.slot),
        _ => (3, packet.slot),
    };
    let end = u64::from(end & 0x3fff_ffff);
    class << 62 | end << 32 | u64::from(packet.site) << 16 | u64::from(packet.generation)
}

/// Host that a packet is bound for, where it names one: data and SYNs do. An ACK's host is its connection.
#[inline]
pub fn host(packet: &Packet, extent: u32) -> u64 {
    match packet.kind {
        Kind::Data | Kind::DataWithHeader | Kind::Datagram | Kind::Syn => {
            u64::from(packet.site) << 32 | u64::from(extent)
        }
        _ => 1 << 63 | u64::from(packet.site) << 32 | u64::from(packet.slot),
    }
}

/// Bijection that spreads neighbours: the finaliser of `SplitMix64`.
#[inline]
fn mix(word: u64) -> u64 {
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// Places of the entries of a list by their keys: a table with open addressing, empty until the first entry, that
/// doubles when it is half full.
#[derive(Clone, Debug, Default)]
pub struct Index {
    places: Vec<u32>,
    entries: usize,
}

impl Index {
    /// Place of a key, given the key at a place.
    #[inline]
    pub fn find(&self, key: u64, key_at: impl Fn(u32) -> u64) -> Option<u32> {
        if self.places.is_empty() {
            return None;
        }
        let mut slot = self.home(key);
        loop {
            let place = self.places[slot];
            if place == NONE {
                return None;
            }
            if key_at(place) == key {
                return Some(place);
            }
            slot = self.after(slot);
        }
    }

    /// Add a key that is not there.
    pub fn insert(&mut self, key: u64, place: u32, key_at: impl Fn(u32) -> u64) {
        if (self.entries + 1) * 2 > self.places.len() {
            let larger = vec![NONE; (self.places.len() * 2).max(8)];
            for place in
                std::mem::replace(&mut self.places, larger).into_iter().filter(|&place| place != NONE)
            {
                self.put(key_at(place), place);
            }
        }
        self.put(key, place);
        self.entries += 1;
    }

    /// Take a key out that is there.
    pub fn remove(&mut self, key: u64, key_at: impl Fn(u32) -> u64) {
        let mut hole = self.home(key);
        while key_at(self.places[hole]) != key {
            hole = self.after(hole);
        }
        // What follows without a gap moves up, where the hole is between its home and its slot.
        let mut slot = self.after(hole);
        while self.places[slot] != NONE {
            let wanted = self.home(key_at(self.places[slot]));
            let mask = self.places.len() - 1;
            if (slot.wrapping_sub(wanted) & mask) >= (slot.wrapping_sub(hole) & mask) {
                self.places[hole] = self.places[slot];
                hole = slot;
            }
            slot = self.after(slot);
        }
        self.places[hole] = NONE;
        self.entries -= 1;
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.places.capacity() * size_of::<u32>()
    }

    fn put(&mut self, key: u64, place: u32) {
        let mut slot = self.home(key);
        while self.places[slot] != NONE {
            slot = self.after(slot);
        }
        self.places[slot] = place;
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "below the number of slots")]
    fn home(&self, key: u64) -> usize {
        let bits = self.places.len().trailing_zeros();
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize
    }

    #[inline]
    fn after(&self, slot: usize) -> usize {
        (slot + 1) & (self.places.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_of_a_connection_are_one_flow_and_its_syn_is_another() {
        let data = Packet { slot: 5, site: 2, generation: 1, ..Packet::default() };
        let of = |kind| flow(&Packet { kind, ..data });
        assert_eq!(of(Kind::Data), of(Kind::DataWithHeader));
        assert_eq!(of(Kind::Ack), of(Kind::AckOfDuplicate));
        assert_eq!(of(Kind::Ack), of(Kind::SynAck));
        let flows = [of(Kind::Data), of(Kind::Ack), of(Kind::Syn)];
        assert!(flows[0] != flows[1] && flows[1] != flows[2] && flows[0] != flows[2]);
        let others =
            [Packet { slot: 6, ..data }, Packet { site: 3, ..data }, Packet { generation: 2, ..data }];
        assert!(others.iter().all(|other| flow(other) != flow(&data)));
        assert_eq!(flow(&Packet { seq: 9, stamp: 7, extent: 3, ..data }), flow(&data));
    }

    /// RFC 8290 section 5.3: flows meet in a queue with the probability of the birthday problem.
    #[test]
    fn flows_collide_as_often_as_drawn_at_random() {
        let collide = |flows: u32, seed| {
            let hash = FlowHash::new(&Streams::new(seed), 3, 1024);
            let mut queues: Vec<_> =
                (0..flows).map(|slot| hash.queue(&Packet { slot, ..Packet::default() })).collect();
            queues.sort_unstable();
            queues.windows(2).any(|pair| pair[0] == pair[1])
        };
        for flows in [10, 40, 100] {
            let runs = 4000u32;
            let met = (0..u64::from(runs)).filter(|&seed| collide(flows, seed)).count();
            let alone: f64 = (0..flows).map(|i| 1.0 - f64::from(i) / 1024.0).product();
            let (expected, n) = (1.0 - alone, f64::from(runs));
            let met = f64::from(u32::try_from(met).expect("at most all"));
            let deviation = (expected * (1.0 - expected) / n).sqrt();
            assert!((met / n - expected).abs() < 4.0 * deviation, "{flows}: {} of {expected}", met / n);
        }
    }

    #[test]
    fn stations_hash_differently_and_zero_queues_separate_all_flows() {
        let packet = |slot| Packet { slot, ..Packet::default() };
        let at = |station| {
            let hash = FlowHash::new(&Streams::new(1), station, 1024);
            (0..20).map(|slot| hash.queue(&packet(slot))).collect::<Vec<_>>()
        };
        assert_ne!(at(0), at(1));
        assert!(at(0).iter().all(|&queue| queue < 1024));
        let perfect = FlowHash::new(&Streams::new(1), 0, 0);
        let mut queues: Vec<_> = (0..10_000).map(|slot| perfect.queue(&packet(slot))).collect();
        queues.sort_unstable();
        queues.dedup();
        assert_eq!(queues.len(), 10_000);
    }

    #[test]
    fn the_index_finds_what_is_in_it_and_nothing_else() {
        let keys: Vec<u64> = (0..200).map(|n| mix(n) % 500).collect();
        let key_at = |place: u32| keys[place as usize];
        let mut index = Index::default();
        let mut present: Vec<u32> = Vec::new();
        for round in 0..4000u64 {
            let place = u32::try_from(mix(round) % 200).expect("small");
            let at = present.iter().position(|&other| keys[other as usize] == keys[place as usize]);
            if let Some(at) = at {
                index.remove(keys[place as usize], key_at);
                present.swap_remove(at);
            } else {
                index.insert(keys[place as usize], place, key_at);
                present.push(place);
            }
            for key in 0..500 {
                let expected = present.iter().copied().find(|&place| keys[place as usize] == key);
                assert_eq!(index.find(key, key_at), expected);
            }
        }
        assert!(present.len() > 50 && index.memory() <= 4 * 1024);
    }
}
