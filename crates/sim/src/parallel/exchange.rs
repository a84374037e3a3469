//! Exchange of packets between regions at the ends of windows.

use std::sync::Mutex;

use super::pool::lock;
use crate::kernel::channels::Channels;
use crate::net::headers::Batch;
use crate::net::packet::Packet;
use crate::region::Region;
use crate::world::World;

/// Mailboxes between all regions.
pub struct Exchange {
    /// By region of destination.
    inlets: Vec<Vec<Mailbox>>,
    /// By region of origin: region of destination, and which of its inlets.
    outlets: Vec<Vec<(usize, usize)>>,
}

/// Packets handed from one region to another at the end of a window. Two windows alternate, so a region
/// may already fill one batch while its neighbour still empties the other.
struct Mailbox {
    region: usize,
    exit: usize,
    channel: u16,
    batches: [Mutex<Batch>; 2],
}

impl Exchange {
    /// Empty mailboxes, one for every delay line between two regions.
    pub fn new(world: &World, regions: usize) -> Self {
        let mut inlets: Vec<Vec<Mailbox>> = (0..regions).map(|_| Vec::new()).collect();
        for (from, exits) in world.exits.lines.iter().enumerate() {
            for (at, exit) in exits.iter().enumerate().filter(|(_, exit)| usize::from(exit.region) != from) {
                let batches = [Mutex::default(), Mutex::default()];
                let mailbox = Mailbox { region: from, exit: at, channel: exit.channel, batches };
                inlets[usize::from(exit.region)].push(mailbox);
            }
        }
        let mut outlets: Vec<Vec<(usize, usize)>> = vec![Vec::new(); regions];
        for (to, mailboxes) in inlets.iter().enumerate() {
            for (at, mailbox) in mailboxes.iter().enumerate() {
                outlets[mailbox.region].push((to, at));
            }
        }
        Self { inlets, outlets }
    }

    /// Give a region what the others sent it in the window before `number`.
    pub fn receive<C: Channels<Packet>>(&self, region: &mut Region<C>, number: u64) {
        for mailbox in &self.inlets[usize::from(region.index)] {
            let mut batch = lock(&mailbox.batches[1 - parity(number)]);
            if !batch.is_empty() {
                region.accept(mailbox.channel, &mut batch);
            }
        }
    }

    /// Take what a region sends to others in window `number`.
    pub fn send<C: Channels<Packet>>(&self, region: &mut Region<C>, number: u64) {
        for &(to, at) in &self.outlets[usize::from(region.index)] {
            let mailbox = &self.inlets[to][at];
            let batch = &mut region.outlets.outbox[mailbox.exit];
            if !batch.is_empty() {
                std::mem::swap(&mut *lock(&mailbox.batches[parity(number)]), batch);
            }
        }
    }

    /// Give all regions what is left after the last window; it is still under way.
    pub fn empty<C: Channels<Packet>>(&self, regions: &mut [Region<C>]) {
        for (region, mailboxes) in regions.iter_mut().zip(&self.inlets) {
            for mailbox in mailboxes {
                for batch in &mailbox.batches {
                    region.accept(mailbox.channel, &mut lock(batch));
                }
            }
        }
    }
}

/// The one of two alternating places that belongs to window `number`.
pub fn parity(number: u64) -> usize {
    usize::from(number % 2 == 1)
}
