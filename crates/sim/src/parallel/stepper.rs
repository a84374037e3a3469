//! Advance on one thread, with stops at any time.

use congestion::Time;

use super::clusters::Clusters;
use super::exchange::Exchange;
use super::pool::together;
use super::{Windows, step};
use crate::kernel::channels::Channels;
use crate::net::packet::Packet;
use crate::region::Region;
use crate::world::World;

/// Progress of a simulation that stops where its caller wants.
pub struct Stepper {
    clusters: Clusters,
    exchange: Exchange,
    windows: Windows,
    /// Number of the next window.
    number: u64,
}

impl Stepper {
    /// Progress at the beginning of a run.
    pub fn new<C: Channels<Packet>>(world: &World, regions: &[Region<C>]) -> Self {
        let clusters = Clusters::new(world, regions);
        let (exchange, windows) = (Exchange::new(world, &clusters), Windows::new(world, &clusters));
        Self { clusters, exchange, windows, number: 0 }
    }

    /// Time that all regions have reached.
    pub fn now(&self) -> Time {
        self.windows.now
    }

    /// Process every event before `until`, which may lie beyond the end.
    ///
    /// It ends earlier where a controller never sleeps. A stop makes two windows of one. Nothing that is simulated depends
    /// on it: windows only have to be short enough.
    pub fn advance<C: Channels<Packet>>(&mut self, regions: &mut [Region<C>], until: Time) {
        let mut together = together(regions, &self.clusters.list);
        while let Some((end, sampled)) = self.windows.next_until(until) {
            for (lookahead, regions) in &mut together {
                step(regions, *lookahead, end, sampled, &self.exchange, self.number);
            }
            self.number += 1;
            if together.iter().flat_map(|(_, regions)| regions).any(|region| region.course.reached < end) {
                return;
            }
        }
    }

    /// Hand over what is under way between regions, after the last window.
    pub fn finish<C: Channels<Packet>>(&self, regions: &mut [Region<C>]) {
        self.exchange.empty(regions);
    }
}
