//! Exchange of packets between regions at the ends of windows.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::clusters::Clusters;
use super::pool::{lock, parity};
use crate::kernel::channels::Channels;
use crate::net::headers::Batch;
use crate::net::packet::Packet;
use crate::region::Region;
use crate::world::World;

/// Mailboxes looked at together.
const CHUNK: usize = u64::BITS as usize;

/// Mailboxes between all regions.
pub struct Exchange {
    /// By region of destination.
    inlets: Vec<Inlets>,
    /// By region of origin.
    outlets: Vec<Vec<Outlet>>,
    /// Exits within clusters, by region of origin.
    inner: Vec<Vec<usize>>,
}

/// Way to a mailbox.
struct Outlet {
    /// Region of destination.
    to: usize,
    /// Number among its mailboxes.
    inlet: usize,
    /// Number among the exits of the region of origin.
    exit: usize,
}

/// Mailboxes of one region.
#[derive(Default)]
struct Inlets {
    mailboxes: Vec<Mailbox>,
    /// Places that a batch waits in, by window and mailbox. Most are empty in most windows of a small network, and a look
    /// here costs less than a lock.
    filled: [Vec<AtomicBool>; 2],
}

/// Packets handed from one region to another at the end of a window. Two windows alternate, so a region
/// may already fill one batch while its neighbour still empties the other.
struct Mailbox {
    channel: u16,
    batches: [Mutex<Batch>; 2],
}

impl Exchange {
    /// Empty mailboxes, one for every delay line between two clusters.
    pub fn new(world: &World, clusters: &Clusters) -> Self {
        let regions = world.exits.lines.len();
        let mut inlets: Vec<Inlets> = (0..regions).map(|_| Inlets::default()).collect();
        let mut outlets: Vec<Vec<Outlet>> = (0..regions).map(|_| Vec::new()).collect();
        let mut inner: Vec<Vec<usize>> = vec![Vec::new(); regions];
        for (from, exits) in world.exits.lines.iter().enumerate() {
            for (at, exit) in exits.iter().enumerate().filter(|(_, exit)| usize::from(exit.region) != from) {
                if clusters.together(from, usize::from(exit.region)) {
                    inner[from].push(at);
                    continue;
                }
                let batches = [Mutex::default(), Mutex::default()];
                let mailbox = Mailbox { channel: exit.channel, batches };
                let to = usize::from(exit.region);
                let inlets = &mut inlets[to];
                outlets[from].push(Outlet { to, inlet: inlets.mailboxes.len(), exit: at });
                inlets.mailboxes.push(mailbox);
                inlets.filled.iter_mut().for_each(|filled| filled.push(AtomicBool::default()));
            }
        }
        Self { inlets, outlets, inner }
    }

    /// Hand over what the regions of a cluster have for each other.
    pub fn hand_over<C: Channels<Packet>>(&self, together: &mut [&mut Region<C>]) {
        for from in 0..together.len() {
            for &at in &self.inner[usize::from(together[from].index)] {
                let outlets = &mut together[from].outlets;
                if outlets.outbox[at].is_empty() {
                    continue;
                }
                let (exit, mut batch) = (outlets.exits[at], std::mem::take(&mut outlets.outbox[at]));
                if let Some(to) = together.iter_mut().find(|region| region.index == exit.region) {
                    to.accept(exit.channel, &mut batch);
                }
                // Its memory is used again.
                together[from].outlets.outbox[at] = batch;
            }
        }
    }

    /// Give a region what the others sent it in the window before `number`.
    pub fn receive<C: Channels<Packet>>(&self, region: &mut Region<C>, number: u64) {
        let place = 1 - parity(number);
        let Inlets { mailboxes, filled } = &self.inlets[usize::from(region.index)];
        for (filled, mailboxes) in filled[place].chunks(CHUNK).zip(mailboxes.chunks(CHUNK)) {
            // The barrier between two windows orders this after the stores of the last one.
            for at in places(filled, |filled| filled.load(Ordering::Relaxed)) {
                filled[at].store(false, Ordering::Relaxed);
                let Mailbox { channel, batches } = &mailboxes[at];
                region.accept(*channel, &mut lock(&batches[place]));
            }
        }
    }

    /// Take what a region sends to others in window `number`.
    pub fn send<C: Channels<Packet>>(&self, region: &mut Region<C>, number: u64) {
        let place = parity(number);
        let outbox = &mut region.outlets.outbox;
        for outlets in self.outlets[usize::from(region.index)].chunks(CHUNK) {
            for at in places(outlets, |outlet| !outbox[outlet.exit].is_empty()) {
                let &Outlet { to, inlet, exit } = &outlets[at];
                let Inlets { mailboxes, filled } = &self.inlets[to];
                std::mem::swap(&mut *lock(&mailboxes[inlet].batches[place]), &mut outbox[exit]);
                filled[place][inlet].store(true, Ordering::Relaxed);
            }
        }
    }

    /// Give all regions what is left after the last window; it is still under way.
    pub fn empty<C: Channels<Packet>>(&self, regions: &mut [Region<C>]) {
        for (region, Inlets { mailboxes, .. }) in regions.iter_mut().zip(&self.inlets) {
            for mailbox in mailboxes {
                for batch in &mailbox.batches {
                    region.accept(mailbox.channel, &mut lock(batch));
                }
            }
        }
    }
}

/// Places of the entries for which `is_set`, `CHUNK` of them at most. Which are set can hardly be predicted, so there is no
/// branch for each.
fn places<T>(entries: &[T], is_set: impl Fn(&T) -> bool) -> Places {
    let bits = entries.iter().zip(0..).map(|(entry, at)| u64::from(is_set(entry)) << at);
    Places { left: bits.fold(0, |all, bit| all | bit) }
}

/// Places by bits, least first.
struct Places {
    left: u64,
}

impl Iterator for Places {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let at = self.left.trailing_zeros() as usize;
        self.left &= self.left.wrapping_sub(1);
        (at < CHUNK).then_some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_that_are_set_have_their_turn(flags in prop::collection::vec(any::<bool>(), 0..=CHUNK)) {
            let expected: Vec<usize> = (0..flags.len()).filter(|&at| flags[at]).collect();
            prop_assert_eq!(places(&flags, |&flag| flag).collect::<Vec<_>>(), expected);
        }
    }
}
