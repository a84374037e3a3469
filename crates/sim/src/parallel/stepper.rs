//! Advance on one thread, with stops at any time.

use congestion::Time;

use super::exchange::Exchange;
use super::{Windows, step};
use crate::kernel::channels::Channels;
use crate::net::packet::Packet;
use crate::region::Region;
use crate::world::World;

/// Progress of a simulation that stops where its caller wants.
pub struct Stepper {
    exchange: Exchange,
    windows: Windows,
    /// Number of the next window.
    number: u64,
}

impl Stepper {
    /// Progress at the beginning of a run.
    pub fn new(world: &World, regions: usize) -> Self {
        Self { exchange: Exchange::new(world, regions), windows: Windows::new(world), number: 0 }
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
        while let Some((end, sampled)) = self.windows.next_until(until) {
            for region in regions.iter_mut() {
                step(region, end, sampled, &self.exchange, self.number);
            }
            self.number += 1;
            if regions.iter().any(|region| region.course.reached < end) {
                return;
            }
        }
    }

    /// Hand over what is under way between regions, after the last window.
    pub fn finish<C: Channels<Packet>>(&self, regions: &mut [Region<C>]) {
        self.exchange.empty(regions);
    }
}
