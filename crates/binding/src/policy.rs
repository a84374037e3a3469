//! Policies, as Python sees them: settings, and a function that decides.

use std::sync::Arc;

use numpy::PyArray1;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::failures::{Failure, Failures, Reason};

create_exception!(
    _core,
    PolicyProblem,
    PyValueError,
    "Settings of a policy are not valid; args[0] lists (place, message)."
);

/// A policy: its settings as JSON, and a function from an observation to a number, for runs that decide inside.
#[pyclass(frozen, module = "mesonet._core")]
pub(crate) struct Policy {
    pub(crate) policy: Arc<sim::policy::Policy>,
    decide: Option<Py<PyAny>>,
}

#[pymethods]
impl Policy {
    /// Raises `PolicyProblem` with all faults of the settings.
    #[new]
    #[pyo3(signature = (settings, decide = None))]
    fn new(settings: &str, decide: Option<Py<PyAny>>) -> PyResult<Self> {
        let policy = sim::policy::Settings::parse(settings).map_err(|faults| {
            let rows: Vec<(&str, String)> = faults;
            PolicyProblem::new_err((rows,))
        })?;
        Ok(Self { policy: Arc::new(policy), decide })
    }

    /// Numbers of an observation.
    #[getter]
    fn width(&self) -> usize {
        self.policy.width()
    }

    /// Least and largest number that an agent may answer with.
    #[getter]
    fn range(&self) -> (f64, f64) {
        self.policy.action.range()
    }
}

impl Policy {
    /// The algorithm that a scenario calls `name`; what fails is left in `failures`.
    pub(crate) fn plugin(&self, py: Python<'_>, name: &str, failures: &Arc<Failures>) -> sim::Plugin {
        let decide = self.decide.as_ref().map(|decide| {
            let (name, failures, decide) = (Arc::<str>::from(name), failures.clone(), decide.clone_ref(py));
            let policy = self.policy.clone();
            let decide: sim::policy::Decide = Arc::new(move |seed, at, observation| {
                let reason = match ask(&decide, observation) {
                    Ok(number) if policy.action.allows(number) => return Some(number),
                    Ok(number) => {
                        let (low, high) = policy.action.range();
                        Reason::Broken(format!("expected an action from {low} to {high}, got {number}"))
                    }
                    Err(error) => Reason::Broken(format!("the policy raised {error}")),
                };
                let (name, at) = (name.clone(), Some(at));
                failures.add(Failure { name, seed, at, place: "a decision", reason });
                None
            });
            decide
        });
        sim::policy::plugin(&self.policy, decide)
    }
}

fn ask(decide: &Py<PyAny>, observation: &[f32]) -> PyResult<f64> {
    Python::attach(|py| decide.call1(py, (PyArray1::from_slice(py, observation),))?.extract(py))
}

/// Features that an observation may contain.
#[pyfunction]
pub(crate) fn features(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for feature in sim::policy::features::FEATURES {
        let row = PyDict::new(py);
        row.set_item("name", feature.name)?;
        row.set_item("unit", feature.unit)?;
        row.set_item("low", feature.low)?;
        row.set_item("high", feature.high)?;
        row.set_item("doc", feature.doc)?;
        row.set_item("source", feature.source)?;
        list.append(row)?;
    }
    Ok(list)
}

/// Quantities of a record of the time between two decisions, in the order of the columns of `Environments.step`.
#[pyfunction]
pub(crate) fn quantities(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for quantity in &sim::policy::record::QUANTITIES {
        let row = PyDict::new(py);
        row.set_item("name", quantity.name)?;
        row.set_item("unit", quantity.unit)?;
        row.set_item("doc", quantity.doc)?;
        list.append(row)?;
    }
    Ok(list)
}
