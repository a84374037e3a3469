//! The Python module `mesonet._core`: converts, releases the GIL, maps errors; contains no behaviour.

mod columns;

use std::time::{Duration, Instant};

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

create_exception!(
    _core,
    ScenarioProblem,
    PyValueError,
    "The scenario is not valid; args[0] lists (loc, kind, message)."
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

/// Problems of a resolved scenario as (loc, kind, message); empty if it can be run.
#[pyfunction]
fn check(spec_json: &str) -> Vec<ProblemRow> {
    match sim::parse(spec_json) {
        Err(sim::Error::Scenario(problems)) => rows(&problems),
        _ => Vec::new(),
    }
}

/// Run a resolved scenario and return its measurements.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 extracts owned arguments")]
#[pyo3(signature = (spec_json, seed, threads = 1, progress = None))]
fn run<'py>(
    py: Python<'py>,
    spec_json: &str,
    seed: u64,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let spec = sim::parse(spec_json).map_err(|error| raise(&error))?;
    let mut raised: Option<PyErr> = None;
    let mut reported = Instant::now();
    let output = py.detach(|| {
        sim::run(&spec, seed, threads, &mut |seconds| {
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
    columns::output(py, &spec, &output.map_err(|error| raise(&error))?)
}

/// The congestion-control algorithms that can be named, with their parameters.
#[pyfunction]
fn algorithms(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for algorithm in congestion::algorithms() {
        let params = PyList::empty(py);
        for param in algorithm.params {
            let row = PyDict::new(py);
            row.set_item("name", param.name)?;
            row.set_item("default", param.default)?;
            row.set_item("min", param.min)?;
            row.set_item("max", param.max)?;
            row.set_item("unit", param.unit)?;
            row.set_item("doc", param.doc)?;
            params.append(row)?;
        }
        let row = PyDict::new(py);
        row.set_item("name", algorithm.name)?;
        row.set_item("summary", algorithm.summary)?;
        row.set_item("source", algorithm.source)?;
        row.set_item("params", params)?;
        list.append(row)?;
    }
    Ok(list)
}

/// The simulator core of mesonet; private, use the package.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::{ScenarioProblem, algorithms, check, run};

    #[pymodule_export]
    const RESULT_VERSION: &str = sim::RESULT_VERSION;
}
