//! A checked scenario becomes regions.

mod region;
mod sources;
mod world;

use std::sync::Arc;

use super::Problem;
use super::layout::{self, narrow};
use crate::kernel::channels::Channels;
use crate::net::packet::Packet;
use crate::plugin::Plugins;
use crate::region::Region;
use crate::spec::Spec;
use crate::world::World;

/// Tables that all regions share, and the regions.
pub type Built<C> = (Arc<World>, Vec<Region<C>>);

/// Build the regions of a run of a valid scenario.
///
/// # Errors
/// An algorithm cannot be made.
pub fn build<C: Channels<Packet>>(
    spec: &Spec,
    seed: u64,
    plugins: &Plugins,
) -> Result<Built<C>, Vec<Problem>> {
    let paths = layout::paths(spec);
    let layout = layout::lay_out(spec, &paths);
    let world = Arc::new(world::world(spec, seed, plugins, paths, &layout)?);
    let regions = 0..narrow(spec.regions as usize);
    let built = regions.map(|index| region::region(spec, &world, &layout, index)).collect();
    Ok((world, built))
}
