//! Hosts that flows are bound for, and how many of their flows are bulk.

use crate::net::disciplines::flows::{Index, NONE};

#[derive(Clone, Copy, Debug)]
struct Host {
    key: u64,
    /// Flows that are known.
    flows: u32,
    /// Flows that have used up a quantum; in a free place the next free one.
    bulk: u32,
}

/// Hosts with flows; those without are forgotten.
#[derive(Debug)]
pub struct Hosts {
    index: Index,
    list: Vec<Host>,
    free: u32,
}

impl Default for Hosts {
    fn default() -> Self {
        Self { index: Index::default(), list: Vec::new(), free: NONE }
    }
}

impl Hosts {
    /// A flow of a host: the host's number.
    pub fn join(&mut self, key: u64) -> u32 {
        if let Some(host) = self.index.find(key, |place| self.list[place as usize].key) {
            self.list[host as usize].flows += 1;
            return host;
        }
        let host = Host { key, flows: 1, bulk: 0 };
        let number = if self.free == NONE {
            self.list.push(host);
            u32::try_from(self.list.len() - 1).unwrap_or(NONE)
        } else {
            let number = self.free;
            self.free = std::mem::replace(&mut self.list[number as usize], host).bulk;
            number
        };
        self.index.insert(key, number, |place| self.list[place as usize].key);
        number
    }

    /// A flow of the host is forgotten.
    pub fn leave(&mut self, number: u32) {
        let host = &mut self.list[number as usize];
        host.flows -= 1;
        if host.flows == 0 {
            let key = host.key;
            host.bulk = std::mem::replace(&mut self.free, number);
            self.index.remove(key, |place| self.list[place as usize].key);
        }
    }

    /// Bulk flows of a host.
    pub fn bulk(&self, number: u32) -> u32 {
        self.list[number as usize].bulk
    }

    /// A flow of the host has become bulk.
    pub fn add_bulk(&mut self, number: u32) {
        self.list[number as usize].bulk += 1;
    }

    /// A flow of the host is no longer bulk.
    pub fn remove_bulk(&mut self, number: u32) {
        self.list[number as usize].bulk -= 1;
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.index.memory() + self.list.capacity() * size_of::<Host>()
    }
}
