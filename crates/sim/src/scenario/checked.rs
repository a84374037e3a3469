//! A scenario that can be run: the type that carries the proof.

use super::check::problems;
use super::problem::{Error, Problem};
use crate::plugin::Plugins;
use crate::spec::Spec;

/// A scenario without faults, the only one that can be run. One serves any number of runs: nothing looks for
/// faults again.
#[derive(Clone, Debug)]
pub struct CheckedSpec(Spec);

impl CheckedSpec {
    /// The scenario itself.
    #[must_use]
    pub fn spec(&self) -> &Spec {
        &self.0
    }

    /// The scenario without its proof, to be changed.
    #[must_use]
    pub fn into_spec(self) -> Spec {
        self.0
    }
}

impl Spec {
    /// Checks everything at once.
    ///
    /// # Errors
    /// [`Error::Scenario`] with every fault and its place.
    pub fn checked(self) -> Result<CheckedSpec, Error> {
        self.checked_with(&Plugins::new())
    }

    /// Checks a scenario that may name algorithms of the caller.
    ///
    /// # Errors
    /// As [`Spec::checked`].
    pub fn checked_with(self, plugins: &Plugins) -> Result<CheckedSpec, Error> {
        let problems = problems(&self, plugins);
        if problems.is_empty() { Ok(CheckedSpec(self)) } else { Err(Error::Scenario(problems)) }
    }
}

/// Parses and checks a scenario; faults of the format are located by serde.
///
/// # Errors
/// [`Error::Scenario`] with everything that is wrong.
pub fn parse(json: &str) -> Result<CheckedSpec, Error> {
    parse_with(json, &Plugins::new())
}

/// Parses and checks a scenario that may name algorithms of the caller.
///
/// # Errors
/// As [`parse`].
pub fn parse_with(json: &str, plugins: &Plugins) -> Result<CheckedSpec, Error> {
    let spec: Spec = serde_json::from_str(json).map_err(|error| {
        Error::Scenario(vec![Problem { loc: "scenario".into(), kind: "format", message: error.to_string() }])
    })?;
    spec.checked_with(plugins)
}
