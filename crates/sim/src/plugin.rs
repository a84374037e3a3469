//! Algorithms that are not built in: the caller brings a constructor for each name.

use std::collections::BTreeMap;
use std::sync::Arc;

use congestion::{Factory, Initial, Needs, RegistryError};

use crate::spec::Algorithm;

/// The constructor of an algorithm's controllers, given the parameters that the scenario sets, or what is
/// wrong with them.
pub type Constructor = Arc<dyn Fn(&BTreeMap<String, f64>) -> Result<Factory, RegistryError> + Send + Sync>;

/// An algorithm of the caller.
#[derive(Clone)]
pub struct Plugin {
    /// Makes its controllers.
    pub construct: Constructor,
    /// Needs of its controllers, where they are known before a run.
    pub needs: Option<Needs>,
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

/// Needs of the controllers of `algorithm`, where they are known.
pub(crate) fn needs(algorithm: &Algorithm, plugins: &Plugins) -> Option<Needs> {
    if let Some(plugin) = plugins.get(&algorithm.name) {
        return plugin.needs;
    }
    let create = congestion::factory(&algorithm.name, &algorithm.params).ok()?;
    Some(create(&Initial::ANY).needs())
}
