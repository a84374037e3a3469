//! A scenario that can be run: the type that carries the proof.

use super::check::check;
use super::problem::{Error, Problem};
use super::tables::Tables;
use crate::net::disciplines::Fault;
use crate::plugin::Plugins;
use crate::spec::{Buffer, Discipline, Spec};

/// A scenario without faults, the only one that can be run. One serves any number of runs: nothing looks for
/// faults again.
#[derive(Debug)]
pub struct CheckedSpec {
    spec: Spec,
    tables: Tables,
}

impl CheckedSpec {
    /// The scenario itself.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Tables that follow from the scenario, in numbers that fit.
    pub(crate) fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The scenario without its proof, to be changed.
    pub fn into_spec(self) -> Spec {
        self.spec
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
        let tables = check(&self, plugins).map_err(Error::Scenario)?;
        Ok(CheckedSpec { spec: self, tables })
    }
}

/// Faults of a queue discipline, written as in a resolved scenario, at a station with this buffer.
///
/// # Errors
/// [`Error::Scenario`] where serde finds no discipline.
pub fn discipline_faults(json: &str, buffer: Option<Buffer>) -> Result<Vec<Fault>, Error> {
    let discipline: Discipline = serde_json::from_str(json).map_err(|error| {
        Error::Scenario(vec![Problem {
            loc: "discipline".into(),
            kind: "format",
            message: error.to_string(),
        }])
    })?;
    Ok(discipline.faults(buffer))
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
