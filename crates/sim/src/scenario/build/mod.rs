//! A checked scenario becomes regions.

mod region;
mod world;

use std::sync::Arc;

use super::layout;
use super::problem::Problem;
use crate::kernel::channels::Channels;
use crate::plugin::Plugins;
use crate::region::Region;
use crate::spec::Spec;
use crate::world::World;

/// What all regions share, and the regions.
pub type Built<C> = (Arc<World>, Vec<Region<C>>);

/// Build the regions of a run of a valid scenario.
///
/// # Errors
/// An algorithm cannot be made.
pub fn build<C: Channels>(spec: &Spec, seed: u64, plugins: &Plugins) -> Result<Built<C>, Vec<Problem>> {
    let paths = layout::paths(spec);
    let (layout, ack_exits, release_exits) = layout::lay_out(spec, &paths);
    let world = Arc::new(world::world(spec, seed, plugins, paths, &layout, ack_exits, release_exits)?);
    let built =
        (0..spec.regions as usize).map(|index| region::region(spec, &world, &layout, index)).collect();
    Ok((world, built))
}
