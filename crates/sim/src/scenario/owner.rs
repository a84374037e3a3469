//! The flow that a controller belongs to, found by the controller's seed.

use super::checked::CheckedSpec;
use crate::kernel::rng::{Purpose, Streams};

/// Blocks of random numbers that [`owner`] looks at before it gives up; a few seconds.
const LOOKED_AT: u64 = 1 << 24;

/// Source of the controller whose [`Initial::seed`](congestion::Initial::seed) was `controller` in a run with
/// `seed`. Seeds are addressed by source and transfer, so trying all addresses finds it.
pub fn owner(spec: &CheckedSpec, seed: u64, controller: u64) -> Option<u32> {
    let (spec, streams) = (spec.spec(), Streams::new(seed));
    let sources =
        spec.sites.iter().map(|site| u64::from(site.sources)).sum::<u64>() + spec.flows.len() as u64;
    let sources = u32::try_from(sources).ok().filter(|&sources| sources > 0)?;
    let transfers = u32::try_from(LOOKED_AT / u64::from(sources)).unwrap_or(u32::MAX).max(1);
    (0..transfers)
        .flat_map(|transfer| (0..sources).map(move |source| (source, transfer)))
        .find(|&(source, transfer)| streams.block(Purpose::Controller, source, transfer)[0] == controller)
        .map(|(source, _)| source)
}
