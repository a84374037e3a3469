//! The Python module `mesonet._core`: converts, releases the GIL, maps errors; contains no behaviour.

mod columns;
mod controller;
mod elementary;
mod library;
mod views;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use controller::{Failure, Failures, Reason, Row};
use library::LibraryController;

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

/// How often progress is reported [wall time].
const REPORT_EVERY: Duration = Duration::from_millis(200);

/// One problem of a scenario: where, what kind, what was expected and found.
type ProblemRow = (String, String, String);

fn rows(problems: &[sim::Problem]) -> Vec<ProblemRow> {
    problems.iter().map(|p| (p.loc.clone(), p.kind.to_string(), p.message.clone())).collect()
}

fn raise(error: &sim::Error) -> PyErr {
    match error {
        sim::Error::Scenario(problems) => ScenarioProblem::new_err((rows(problems),)),
        other => PyRuntimeError::new_err(other.to_string()),
    }
}

/// What makes controllers, by the name that a scenario uses: a `LibraryController`, or something that can
/// be called with an `Initial`.
type Constructors = HashMap<String, Py<PyAny>>;

fn plugins(py: Python<'_>, constructors: Option<Constructors>, failures: &Arc<Failures>) -> sim::Plugins {
    let constructors = constructors.unwrap_or_default().into_iter();
    constructors
        .map(|(name, create)| {
            let plugin = plugin(&name, create.bind(py), failures);
            (name, plugin)
        })
        .collect()
}

fn plugin(name: &str, create: &Bound<'_, PyAny>, failures: &Arc<Failures>) -> sim::Plugin {
    match create.cast::<LibraryController>() {
        Ok(controller) => library::plugin(name, controller.get(), failures),
        Err(_) => controller::plugin(name, create.clone().unbind(), failures),
    }
}

/// The exception for a failure in a run of `spec` with `seed`.
fn fail(py: Python<'_>, spec: &sim::spec::Spec, seed: u64, failure: Failure) -> PyErr {
    let interrupt = failure.is_interrupt();
    let (cause, found) = match failure.reason {
        Reason::Raised(error) if interrupt => return error,
        Reason::Raised(error) => (Some(error), None),
        Reason::Panicked(text) => (None, Some(format!("panicked: {text}"))),
        Reason::Broken(found) => (None, Some(found)),
    };
    let source = sim::owner(spec, seed, failure.seed).map(|(source, _)| source);
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

/// Problems of a resolved scenario as (loc, kind, message); empty if it can be run. `plugins` are as in
/// `run`.
#[pyfunction]
#[pyo3(signature = (spec_json, plugins = None))]
fn check(py: Python<'_>, spec_json: &str, plugins: Option<Constructors>) -> Vec<ProblemRow> {
    match sim::parse_with(spec_json, &self::plugins(py, plugins, &Arc::default())) {
        Err(sim::Error::Scenario(problems)) => rows(&problems),
        _ => Vec::new(),
    }
}

/// Run a resolved scenario and return its measurements. `plugins` has, by the name that the scenario uses,
/// controllers of libraries, and constructors that are called with an `Initial`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 extracts owned arguments")]
#[pyo3(signature = (spec_json, seed, threads = 1, progress = None, plugins = None))]
fn run<'py>(
    py: Python<'py>,
    spec_json: &str,
    seed: u64,
    threads: usize,
    progress: Option<Py<PyAny>>,
    plugins: Option<Constructors>,
) -> PyResult<Bound<'py, PyDict>> {
    let failures = Arc::<Failures>::default();
    let plugins = self::plugins(py, plugins, &failures);
    let spec = sim::parse_with(spec_json, &plugins).map_err(|error| raise(&error))?;
    let mut raised: Option<PyErr> = None;
    let mut reported = Instant::now();
    let output = py.detach(|| {
        sim::run_with(&spec, seed, threads, &plugins, &mut |seconds| {
            if failures.any() {
                return false;
            }
            if reported.elapsed() < REPORT_EVERY {
                return true;
            }
            reported = Instant::now();
            let answer = Python::attach(|py| {
                py.check_signals()?;
                progress.as_ref().map_or(Ok(()), |call| call.call1(py, (seconds,)).map(|_| ()))
            });
            match answer {
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
        return Err(fail(py, &spec, seed, failure));
    }
    columns::output(py, &spec, &output.map_err(|error| raise(&error))?)
}

/// Bytes of memory that a valid resolved scenario takes whatever happens in it, by part.
#[pyfunction]
fn need(spec_json: &str) -> PyResult<BTreeMap<&'static str, u64>> {
    let spec = serde_json::from_str(spec_json).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(sim::need(&spec).into_iter().collect())
}

/// The congestion-control algorithms that can be named, with their parameters.
#[pyfunction]
fn algorithms(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for algorithm in congestion::algorithms() {
        let row = PyDict::new(py);
        row.set_item("name", algorithm.name)?;
        row.set_item("summary", algorithm.summary)?;
        row.set_item("source", algorithm.source)?;
        row.set_item("edition", congestion::edition(algorithm.name))?;
        row.set_item("params", params(py, algorithm.params)?)?;
        row.set_item("needs", algorithm.needs().feedback.map(congestion::Protocol::discipline))?;
        list.append(row)?;
    }
    Ok(list)
}

fn params<'py>(py: Python<'py>, params: &[congestion::Param]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for param in params {
        let row = PyDict::new(py);
        row.set_item("name", param.name)?;
        row.set_item("default", param.default)?;
        row.set_item("min", param.min)?;
        row.set_item("max", param.max)?;
        row.set_item("unit", param.unit)?;
        row.set_item("doc", param.doc)?;
        list.append(row)?;
    }
    Ok(list)
}

/// Play the conformance suite to a controller: a built-in algorithm by name, or something that `run` takes
/// as a plugin, with values of its parameters. Returns (name, demand, what was found instead, the method at
/// fault, its exception), where the last three may be None. One that cannot be made is tried only once.
#[pyfunction]
#[pyo3(signature = (controller, seed, steps, params))]
#[expect(clippy::needless_pass_by_value, reason = "made from what Python gives")]
fn conformance(
    py: Python<'_>,
    controller: &Bound<'_, PyAny>,
    seed: u64,
    steps: u32,
    params: BTreeMap<String, f64>,
) -> PyResult<Vec<Row>> {
    let failures = Arc::<Failures>::default();
    if let Ok(name) = controller.extract::<&str>() {
        let create =
            congestion::factory(name, &params).map_err(|error| PyValueError::new_err(error.to_string()))?;
        return controller::conformance(py, &*create, &failures, seed, steps);
    }
    let create = (plugin("", controller, &failures).construct)(&params)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    controller::conformance(py, &*create, &failures, seed, steps)
}

/// The simulator core of mesonet; private, use the package.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::{ControllerFailure, ScenarioProblem, algorithms, check, conformance, need, run};

    #[pymodule_export]
    use super::elementary::{cbrt, exp, exp2, log, log1p, power};

    #[pymodule_export]
    use super::library::{LibraryController, LibraryProblem, open_library};

    #[pymodule_export]
    use super::views::{AckView, EventView, FlowView, InitialView, RateView, RoundView};

    #[pymodule_export]
    const RESULT_VERSION: &str = sim::RESULT_VERSION;
}
