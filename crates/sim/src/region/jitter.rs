//! Random delays at sending hosts. From: `send`. To: the channel of the interface, as if that took longer.

use congestion::{Duration, Time};

use super::Region;
use crate::kernel::channels::Channels;
use crate::kernel::rng::{Block, Purpose, Streams, uniform};
use crate::net::packet::{Kind, Packet};
use crate::tcp::sender::Sender;

/// Draws that a transfer has for itself before those of the source's next one begin: half a million.
const DRAWS: u32 = 16;

/// State of sending hosts by the slot of the connection; nothing without jitter.
#[derive(Debug, Default)]
pub(crate) struct Jitter {
    hosts: Vec<Host>,
}

/// Sending host of a connection.
#[derive(Clone, Debug, Default)]
struct Host {
    /// When it got to the packets that it sends now.
    began: Time,
    /// When the last of them has left.
    busy_until: Time,
    /// Source and block of the draws at hand.
    address: Option<(u32, u32)>,
    block: Block,
}

/// A packet of a source: number of the transfer, and of the packet in it, SYNs and retransmissions included.
#[derive(Clone, Copy, Debug)]
struct Number {
    source: u32,
    cycle: u32,
    packet: u32,
}

impl Jitter {
    /// Release time: arrival + uniform(0, `limit`), not before the previous packet.
    fn release(&mut self, slot: u32, number: Number, limit: Duration, streams: &Streams, now: Time) -> Time {
        let at = slot as usize;
        if at >= self.hosts.len() {
            self.hosts.resize(at + 1, Host::default());
        }
        let host = &mut self.hosts[at];
        // What leaves when the interface is done with another packet had waited for that.
        if host.busy_until != now {
            host.began = now;
        }
        let index = (number.cycle << DRAWS).wrapping_add(number.packet / 8);
        let address = Some((number.source, index));
        if host.address != address {
            host.address = address;
            host.block = streams.block(Purpose::HostJitter, number.source, index);
        }
        let delay = limit.seconds() * uniform(host.block[(number.packet % 8) as usize]);
        (host.began + Duration::from_seconds(delay)).max(host.busy_until).max(now)
    }

    /// Another connection gets the slot, with another host.
    pub fn forget(&mut self, slot: u32) {
        if let Some(host) = self.hosts.get_mut(slot as usize) {
            *host = Host::default();
        }
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.hosts.capacity() * size_of::<Host>()
    }
}

impl<C: Channels<Packet>> Region<C> {
    /// Give a packet to the interface after a random delay. Until then the host sends nothing else, so the order stays.
    #[cold]
    pub(super) fn transmit_jittered(&mut self, slot: u32, mut packet: Packet, limit: Duration, now: Time) {
        let connection = &mut self.connections[slot];
        let datagrams = if packet.kind == Kind::Datagram { u64::from(packet.seq) } else { 0 };
        let sent = connection.sender.as_ref().map_or(datagrams, Sender::sent);
        let source = &self.sources[connection.source];
        #[expect(clippy::cast_possible_truncation, reason = "draws are used again after 2^32 packets")]
        let packets = sent as u32;
        let number = Number {
            source: source.id,
            cycle: source.cycle,
            packet: packets.wrapping_add(u32::from(connection.tries)),
        };
        let service = self.world.interfaces[usize::from(packet.interface)].service;
        connection.busy = service.is_some();
        let service = service.map_or(Duration::ZERO, |service| service.time(self.world.bytes(&packet)));
        let jitter = &mut self.connections.jitter;
        packet.time = jitter.release(slot, number, limit, &self.world.streams, now) + service;
        jitter.hosts[slot as usize].busy_until = packet.time;
        self.events.push(self.events.map.transmit(packet.interface), packet);
    }
}
