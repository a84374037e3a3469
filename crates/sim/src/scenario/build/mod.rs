//! A checked scenario becomes regions.

mod region;
mod sources;
mod world;

use std::sync::Arc;

use congestion::Factory;

pub(crate) use self::region::capacity;
use super::checked::CheckedSpec;
use crate::kernel::channels::Channels;
use crate::net::packet::Packet;
use crate::region::Region;
use crate::world::{Watch, World};

/// Tables that all regions share, and the regions.
pub type Built<C> = (Arc<World>, Vec<Region<C>>);

/// Build the regions of a run with `seed`, given the constructors of controllers in the order of the scenario.
pub fn build<C: Channels<Packet>>(
    checked: &CheckedSpec,
    seed: u64,
    factories: Vec<Factory>,
    watch: Arc<dyn Watch>,
) -> Built<C> {
    let world = Arc::new(world::world(checked, seed, factories, watch));
    let regions = (0..checked.tables().regions).map(|index| region::region(checked, &world, index));
    let built = regions.collect();
    (world, built)
}
