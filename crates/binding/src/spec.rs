//! A checked scenario as a handle: parsed and checked once, run with many seeds.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::controller::{self, Failure, Failures, Reason};
use crate::library::{self, LibraryController};

create_exception!(
    _core,
    ScenarioProblem,
    PyValueError,
    "The scenario is not valid; args[0] lists (loc, kind, message)."
);

create_exception!(
    _core,
    ControllerFailure,
    PyRuntimeError,
    "A controller of the caller failed and stopped the run; args are its name, its source (or None), the \
     name of its flow (or None), the simulated time [s] (or None), and what it did; __cause__ is what it \
     raised, if it did."
);

/// Interval between reports of progress [wall time].
const REPORT_EVERY: Duration = Duration::from_millis(200);

/// Makers of controllers, by the name that a scenario uses: a `LibraryController`, or something that can
/// be called with an `Initial`.
type Constructors = HashMap<String, Py<PyAny>>;

/// A resolved scenario that was parsed and checked, with the makers of its controllers that are not built in.
/// One serves any number of runs, also at the same time.
#[pyclass(frozen, module = "mesonet._core")]
pub(crate) struct Spec {
    checked: sim::CheckedSpec,
    constructors: Constructors,
}

#[pymethods]
impl Spec {
    /// Parses and checks a resolved scenario. `plugins` has, by the name that the scenario uses, controllers of
    /// libraries, and constructors that are called with an `Initial`. Raises `ScenarioProblem`.
    #[new]
    #[pyo3(signature = (spec_json, plugins = None))]
    fn new(py: Python<'_>, spec_json: &str, plugins: Option<Constructors>) -> PyResult<Self> {
        let constructors = plugins.unwrap_or_default();
        let plugins = self::plugins(py, &constructors, &Arc::default());
        let checked = sim::parse_with(spec_json, &plugins).map_err(|error| raise(&error))?;
        Ok(Self { checked, constructors })
    }

    /// Bytes of memory that a run takes whatever happens in it, by part.
    fn need(&self) -> BTreeMap<&'static str, u64> {
        sim::need(&self.checked).into_iter().collect()
    }

    /// Runs the scenario and returns its measurements. `progress` is called now and then with the simulated
    /// time [s]. Raises `ControllerFailure`, and whatever `progress` raises.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 extracts owned arguments")]
    #[pyo3(signature = (seed, threads = 1, progress = None))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        seed: u64,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let failures = Arc::<Failures>::default();
        let plugins = plugins(py, &self.constructors, &failures);
        let mut raised: Option<PyErr> = None;
        let mut reported = Instant::now();
        let output = py.detach(|| {
            sim::run_with(&self.checked, seed, threads, &plugins, &mut |seconds| {
                if failures.any() {
                    return false;
                }
                if reported.elapsed() < REPORT_EVERY {
                    return true;
                }
                reported = Instant::now();
                match report(progress.as_ref(), seconds) {
                    Ok(()) => true,
                    Err(error) => {
                        raised = Some(error);
                        false
                    }
                }
            })
        });
        if let Some(error) = raised {
            return Err(error);
        }
        if let Some(failure) = failures.take() {
            return Err(self.fail(py, seed, failure));
        }
        crate::columns::output(py, self.checked.spec(), &output.map_err(|error| raise(&error))?)
    }
}

impl Spec {
    /// The exception for a failure in a run with `seed`.
    fn fail(&self, py: Python<'_>, seed: u64, failure: Failure) -> PyErr {
        let interrupt = failure.is_interrupt();
        let (cause, found) = match failure.reason {
            Reason::Raised(error) if interrupt => return error,
            Reason::Raised(error) => (Some(error), None),
            Reason::Panicked(text) => (None, Some(format!("panicked: {text}"))),
            Reason::Broken(found) => (None, Some(found)),
        };
        let source = sim::owner(&self.checked, seed, failure.seed).map(|(source, _)| source);
        let spec = self.checked.spec();
        let population: u32 = spec.sites.iter().map(|site| site.sources).sum();
        let flow = source
            .and_then(|source| spec.flows.get(source.checked_sub(population)? as usize))
            .map(|flow| flow.name.clone());
        let at = failure.at.map(congestion::Time::seconds);
        let error =
            ControllerFailure::new_err((failure.name.to_string(), source, flow, at, failure.place, found));
        error.set_cause(py, cause);
        error
    }
}

/// Tells Python how far a run is, and lets it handle signals.
fn report(progress: Option<&Py<PyAny>>, seconds: f64) -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        progress.map_or(Ok(()), |call| call.call1(py, (seconds,)).map(|_| ()))
    })
}

pub(crate) fn raise(error: &sim::Error) -> PyErr {
    match error {
        sim::Error::Scenario(problems) => {
            let rows: Vec<(String, String, String)> =
                problems.iter().map(|p| (p.loc.clone(), p.kind.to_string(), p.message.clone())).collect();
            ScenarioProblem::new_err((rows,))
        }
        other => PyRuntimeError::new_err(other.to_string()),
    }
}

/// The algorithms of the caller; what fails in them is left in `failures`.
fn plugins(py: Python<'_>, constructors: &Constructors, failures: &Arc<Failures>) -> sim::Plugins {
    constructors
        .iter()
        .map(|(name, create)| (name.clone(), plugin(name, create.bind(py), failures)))
        .collect()
}

/// The algorithm that `create` makes: a controller of a library, or one in Python.
pub(crate) fn plugin(name: &str, create: &Bound<'_, PyAny>, failures: &Arc<Failures>) -> sim::Plugin {
    match create.cast::<LibraryController>() {
        Ok(controller) => library::plugin(name, controller.get(), failures),
        Err(_) => controller::plugin(name, create.clone().unbind(), failures),
    }
}
