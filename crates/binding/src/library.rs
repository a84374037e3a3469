//! Controllers of shared libraries, as Python sees them.

use std::path::PathBuf;
use std::sync::Arc;

use mesonet_plugin::host::{Controller, Library, Problem, Report};
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::failures::{Failure, Failures, Reason};
use crate::params;

create_exception!(_core, LibraryProblem, PyValueError, "A file is no library of controllers; says why.");

/// A controller of a library.
#[pyclass(frozen, module = "mesonet._core")]
pub(crate) struct LibraryController(Controller);

#[pymethods]
impl LibraryController {
    /// Its name in the library.
    #[getter]
    fn name(&self) -> &str {
        self.0.name
    }

    /// Its name for people.
    #[getter]
    fn display(&self) -> &str {
        self.0.display
    }

    /// One sentence for lists.
    #[getter]
    fn summary(&self) -> &str {
        self.0.summary
    }

    /// Where its rules and its defaults are published.
    #[getter]
    fn source(&self) -> &str {
        self.0.source
    }

    /// The queue discipline that routers on its way must have, if it works with no other.
    #[getter]
    fn needs(&self) -> Option<&'static str> {
        self.0.needs().feedback.map(congestion::Protocol::discipline)
    }

    /// ECN that it asks for: `"none"`, `"classic"`, `"dctcp"` or `"l4s"`.
    #[getter]
    fn ecn(&self) -> &'static str {
        self.0.needs().ecn.name()
    }

    /// Its parameters, as `algorithms` describes them.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        params(py, self.0.params)
    }
}

/// Opens the library at `path`, which runs its code, and returns its controllers by name.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 extracts owned arguments")]
pub(crate) fn open_library(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let library = Library::open(&path).map_err(|error| LibraryProblem::new_err(error.to_string()))?;
    let controllers = PyDict::new(py);
    for controller in library.controllers {
        controllers.set_item(controller.name, LibraryController(controller))?;
    }
    Ok(controllers)
}

/// A controller of a library as an algorithm of a scenario, where it is called `name`.
pub(crate) fn plugin(name: &str, controller: &LibraryController, failures: &Arc<Failures>) -> sim::Plugin {
    let (name, failures, controller) = (Arc::<str>::from(name), failures.clone(), controller.0);
    let report: Report = Arc::new(move |failure| {
        let reason = match failure.problem {
            Problem::Panicked(text) => Reason::Panicked(text),
            Problem::Broken(text) => Reason::Broken(text),
        };
        let (seed, at, place) = (failure.seed, failure.at, failure.place);
        failures.add(Failure { name: name.clone(), seed, at, place, reason });
    });
    let needs = Some(controller.needs());
    sim::Plugin { construct: Arc::new(move |params| controller.factory(params, report.clone())), needs }
}
