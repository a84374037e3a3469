//! Algorithms that are not built in: the caller brings a constructor for each name.

use std::collections::BTreeMap;
use std::sync::Arc;

use congestion::{Factory, Protocol, RegistryError};

use crate::kernel::rng::{Purpose, Streams};
use crate::scenario::checked::CheckedSpec;
use crate::spec::Algorithm;

/// The constructor of an algorithm's controllers, given the parameters that the scenario sets, or what is
/// wrong with them.
pub type Constructor = Arc<dyn Fn(&BTreeMap<String, f64>) -> Result<Factory, RegistryError> + Send + Sync>;

/// An algorithm of the caller.
#[derive(Clone)]
pub struct Plugin {
    /// Makes its controllers.
    pub construct: Constructor,
    /// The protocol that routers on its way have to speak, if any.
    pub needs: Option<Protocol>,
}

/// Algorithms by the name that a scenario uses. They come before built-in ones.
pub type Plugins = BTreeMap<String, Plugin>;

/// The constructor of the controllers of `algorithm`.
pub(crate) fn factory(algorithm: &Algorithm, plugins: &Plugins) -> Result<Factory, RegistryError> {
    match plugins.get(&algorithm.name) {
        Some(plugin) => (plugin.construct)(&algorithm.params),
        None => congestion::factory(&algorithm.name, &algorithm.params),
    }
}

/// The protocol that routers on the way of `algorithm` have to speak, if any.
pub(crate) fn needs(algorithm: &Algorithm, plugins: &Plugins) -> Option<Protocol> {
    match plugins.get(&algorithm.name) {
        Some(plugin) => plugin.needs,
        None => congestion::algorithms().iter().find(|known| known.name == algorithm.name)?.needs().feedback,
    }
}

/// Blocks of random numbers that [`owner`] looks at before it gives up; a few seconds.
const LOOKED_AT: u64 = 1 << 24;

/// Source and transfer (from 0) of the controller whose [`Initial::seed`] was `controller` in a run with
/// `seed`. Seeds are addressed by source and transfer, so trying all addresses finds it.
#[must_use]
pub fn owner(spec: &CheckedSpec, seed: u64, controller: u64) -> Option<(u32, u32)> {
    let (spec, streams) = (spec.spec(), Streams::new(seed));
    let sources =
        spec.sites.iter().map(|site| u64::from(site.sources)).sum::<u64>() + spec.flows.len() as u64;
    let sources = u32::try_from(sources).ok().filter(|&sources| sources > 0)?;
    let transfers = u32::try_from(LOOKED_AT / u64::from(sources)).unwrap_or(u32::MAX).max(1);
    (0..transfers)
        .flat_map(|transfer| (0..sources).map(move |source| (source, transfer)))
        .find(|&(source, transfer)| streams.block(Purpose::Controller, source, transfer)[0] == controller)
}
