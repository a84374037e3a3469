//! Receiving hosts of a region: their interfaces, and the packets that wait for them.

use super::NONE;
use crate::net::packet::Packet;

/// A receiving host's interface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Host {
    busy: bool,
    /// Packets that wait for it, first and last, as places in [`Hosts::waiting`].
    first: u32,
    last: u32,
}

/// Receiving hosts by their number within the region.
#[derive(Debug)]
pub(crate) struct Hosts {
    list: Vec<Host>,
    /// Lists of packets in one pool: a packet, and the place of the next.
    waiting: Vec<(Packet, u32)>,
    /// First free place; free places are a list, too.
    free: u32,
}

impl Hosts {
    /// Idle hosts.
    pub fn new(hosts: usize) -> Self {
        let idle = Host { busy: false, first: NONE, last: NONE };
        Self { list: vec![idle; hosts], waiting: Vec::new(), free: NONE }
    }

    /// Number of hosts.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Give a packet to a host's interface: `true` if that is free and serves it now, else it waits.
    #[inline]
    pub fn receive(&mut self, host: u32, packet: Packet) -> bool {
        let entry = &mut self.list[host as usize];
        if !entry.busy {
            entry.busy = true;
            return true;
        }
        self.wait(host, packet);
        false
    }

    fn wait(&mut self, host: u32, packet: Packet) {
        let at = if self.free == NONE {
            self.waiting.push((packet, NONE));
            u32::try_from(self.waiting.len() - 1).unwrap_or(NONE)
        } else {
            let at = self.free;
            self.free = self.waiting[at as usize].1;
            self.waiting[at as usize] = (packet, NONE);
            at
        };
        let host = &mut self.list[host as usize];
        if host.first == NONE {
            host.first = at;
        } else {
            self.waiting[host.last as usize].1 = at;
        }
        host.last = at;
    }

    /// The next packet for an interface that is done with one; without any it is free.
    #[inline]
    pub fn next(&mut self, host: u32) -> Option<Packet> {
        let host = &mut self.list[host as usize];
        let at = host.first;
        if at == NONE {
            host.busy = false;
            return None;
        }
        let (packet, after) = self.waiting[at as usize];
        host.first = after;
        self.waiting[at as usize].1 = self.free;
        self.free = at;
        Some(packet)
    }

    /// Every packet that waits.
    pub fn each(&self, see: &mut dyn FnMut(&Packet)) {
        for host in &self.list {
            let mut at = host.first;
            while at != NONE {
                let (packet, next) = &self.waiting[at as usize];
                see(packet);
                at = *next;
            }
        }
    }

    /// Bytes of memory held: hosts, and what waits.
    pub fn memory(&self) -> (usize, usize) {
        let waiting = self.waiting.capacity() * size_of::<(Packet, u32)>();
        (self.list.capacity() * size_of::<Host>(), waiting)
    }
}
