//! A checked scenario as a handle: parsed and checked once, run with many seeds.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sim::spec::FlowSpec;

use crate::controller;
use crate::failures::{Failure, Failures, Reason};
use crate::library::{self, LibraryController};
use crate::listening::{self, Listener};
use crate::policy::Policy;

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

/// Characters of a scenario from which checking it takes so long that Ctrl-C is listened to.
const LARGE: usize = 1 << 18;

/// Makers of controllers, by the name that a scenario uses: a `LibraryController`, or something that can
/// be called with an `Initial`.
type Constructors = HashMap<String, Py<PyAny>>;

/// A resolved scenario that was parsed and checked, with the makers of its controllers that are not built in.
/// One serves any number of runs, also at the same time.
#[pyclass(frozen, module = "mesonet._core")]
pub(crate) struct Spec {
    checked: Arc<sim::CheckedSpec>,
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
        let failures = Arc::<Failures>::default();
        let plugins = self::plugins(py, &constructors, &failures, false);
        let checked = if spec_json.len() >= LARGE && listening::is_interruptible(py)? {
            let (text, listener) = (spec_json.to_owned(), Arc::new(Listener::new(None, failures, true)));
            listening::aside(py, &listener, move || sim::parse_with(&text, &plugins))?
        } else {
            sim::parse_with(spec_json, &plugins)
        };
        Ok(Self { checked: Arc::new(checked.map_err(|error| raise(&error))?), constructors })
    }

    /// Bytes of memory that a run takes whatever happens in it, by part.
    fn need(&self) -> BTreeMap<&'static str, u64> {
        sim::need(&self.checked).into_iter().collect()
    }

    /// Segments that a busy station serves by some times [s] of a run, up to `end` [s]: `(time, segments)`, between
    /// which the rate stays.
    fn carried(&self, seed: u64, station: u32, end: f64) -> Vec<(f64, f64)> {
        sim::carried(&self.checked, seed, station, end)
    }

    /// Runs the scenario and returns its measurements; after Ctrl-C those that it has until then, with the simulated
    /// time [s] as `stopped`, which else is None. `progress` is called now and then with the simulated time [s].
    /// Raises `ControllerFailure`, and whatever `progress` raises, unless it is `KeyboardInterrupt`.
    #[pyo3(signature = (seed, threads = 1, progress = None))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        seed: u64,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let failures = Arc::<Failures>::default();
        let aside = listening::is_interruptible(py)? && (threads > 1 || self.has_library(py));
        let plugins = plugins(py, &self.constructors, &failures, aside || threads > 1);
        let listener = Arc::new(Listener::new(progress, failures.clone(), aside));
        let (checked, watch) = (self.checked.clone(), listener.clone());
        let work = move || {
            sim::run_with(&checked, seed, threads, &plugins, &mut |at| watch.at_window(at), watch.clone())
        };
        let output = if aside { listening::aside(py, &listener, work)? } else { py.detach(work) };
        let raised = listener.take();
        if let Some(error) = raised.filter(|error| !error.is_instance_of::<PyKeyboardInterrupt>(py)) {
            return Err(error);
        }
        if let Some(failure) = failures.take().filter(|failure| !failure.is_interrupt()) {
            return Err(self.fail(py, seed, failure));
        }
        match output {
            Ok(output) => crate::columns::output(py, self.checked.spec(), output),
            Err(sim::Error::Sleepless { source_index, at }) => Err(self.sleepless(source_index, at)),
            Err(error) => Err(raise(&error)),
        }
    }
}

impl Spec {
    /// The scenario, shared.
    pub(crate) fn checked(&self) -> &Arc<sim::CheckedSpec> {
        &self.checked
    }

    /// The algorithms of the caller, called on threads of the engine; what fails in them is left in `failures`.
    pub(crate) fn plugins(&self, py: Python<'_>, failures: &Arc<Failures>) -> sim::Plugins {
        plugins(py, &self.constructors, failures, true)
    }

    /// The exception for a failure in a run with `seed`.
    pub(crate) fn fail(&self, py: Python<'_>, seed: u64, failure: Failure) -> PyErr {
        let (cause, problem) = match failure.reason {
            Reason::Raised(error) => (Some(error), None),
            Reason::Panicked(text) => (None, Some(format!("panicked: {text}"))),
            Reason::Broken(problem) => (None, Some(problem)),
        };
        let source = sim::owner(&self.checked, seed, failure.seed);
        let flow = source.and_then(|source| self.named_flow(source)).map(|flow| flow.name.clone());
        let at = failure.at.map(congestion::Time::seconds);
        let error =
            ControllerFailure::new_err((failure.name.to_string(), source, flow, at, failure.place, problem));
        error.set_cause(py, cause);
        error
    }

    /// The exception for a controller that wants to be woken at the same instant for ever.
    pub(crate) fn sleepless(&self, source: u32, at: f64) -> PyErr {
        let flow = self.named_flow(source);
        let (flow, algorithm) = (flow.map(|flow| flow.name.clone()), flow.map(|flow| flow.algorithm));
        let algorithms = &self.checked.spec().algorithms;
        // Of the population it is the one that is not built in.
        let algorithm = algorithm.and_then(|at| algorithms.get(at as usize));
        let mut names = algorithm.into_iter().chain(algorithms).map(|algorithm| &algorithm.name);
        let name = names.find(|name| self.constructors.contains_key(*name)).cloned().unwrap_or_default();
        let problem = format!(
            "expected a wake-up in the future, got one that was due at once {} times in a row",
            sim::region::MOST_OVERDUE
        );
        ControllerFailure::new_err((name, source, flow, at, "on_wakeup", problem))
    }

    /// The named flow that a source is, if it is one.
    fn named_flow(&self, source: u32) -> Option<&FlowSpec> {
        let spec = self.checked.spec();
        let population: u32 = spec.sites.iter().map(|site| site.sources).sum();
        spec.flows.get(source.checked_sub(population)? as usize)
    }

    /// Returns true if a controller is code of a library, which cannot be interrupted.
    fn has_library(&self, py: Python<'_>) -> bool {
        self.constructors.values().any(|create| create.bind(py).cast::<LibraryController>().is_ok())
    }
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
fn plugins(
    py: Python<'_>,
    constructors: &Constructors,
    failures: &Arc<Failures>,
    aside: bool,
) -> sim::Plugins {
    constructors
        .iter()
        .map(|(name, create)| (name.clone(), plugin(name, create.bind(py), failures, aside)))
        .collect()
}

/// The algorithm that `create` makes: a controller of a library, a policy, or a controller in Python.
pub(crate) fn plugin(
    name: &str,
    create: &Bound<'_, PyAny>,
    failures: &Arc<Failures>,
    aside: bool,
) -> sim::Plugin {
    if let Ok(controller) = create.cast::<LibraryController>() {
        return library::plugin(name, controller.get(), failures);
    }
    match create.cast::<Policy>() {
        Ok(policy) => policy.get().plugin(create.py(), name, failures),
        Err(_) => controller::plugin(name, create.clone().unbind(), failures, aside),
    }
}
