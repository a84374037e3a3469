//! The Python module `mesonet._core`: converts, releases the GIL, maps errors; contains no behaviour.

mod columns;
mod controller;
mod elementary;
mod environments;
mod failures;
mod library;
mod listening;
mod policy;
mod spec;
mod views;

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use sim::net::disciplines::{Kind, Parameter, ParameterList, Value};
use sim::spec::Buffer;

use controller::Row;
use failures::Failures;

/// The congestion-control algorithms that can be named, with their parameters.
#[pyfunction]
fn algorithms(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for algorithm in congestion::algorithms() {
        let row = PyDict::new(py);
        row.set_item("name", algorithm.name)?;
        row.set_item("display", algorithm.display)?;
        row.set_item("summary", algorithm.summary)?;
        row.set_item("source", algorithm.source)?;
        row.set_item("edition", algorithm.edition)?;
        row.set_item("params", params(py, algorithm.params)?)?;
        let needs = algorithm.needs();
        row.set_item("needs", needs.feedback.map(congestion::Protocol::discipline))?;
        row.set_item("ecn", needs.ecn.name())?;
        list.append(row)?;
    }
    Ok(list)
}

/// Queue disciplines that a scenario may use, with their parameters.
#[pyfunction]
fn disciplines(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for entry in sim::spec::Discipline::catalogue() {
        let row = PyDict::new(py);
        row.set_item("name", entry.name)?;
        row.set_item("summary", entry.summary)?;
        row.set_item("source", entry.source)?;
        row.set_item("control", entry.control)?;
        let parameters = entry.parameters.iter().map(|listed| parameter(py, listed));
        row.set_item("params", PyList::new(py, parameters.collect::<PyResult<Vec<_>>>()?)?)?;
        list.append(row)?;
    }
    Ok(list)
}

/// Causes of drops and marks at queues, in the order of their numbers in results.
#[pyfunction]
fn causes() -> Vec<&'static str> {
    sim::measure::queue::Cause::ALL.iter().map(|cause| cause.name()).collect()
}

/// Faults of a queue discipline, as JSON of a resolved scenario, with the buffer of its station [packets or bytes]
/// where that is known. Returns (parameter, what was expected and found). Raises `ScenarioProblem` if it is none.
#[pyfunction]
#[pyo3(signature = (discipline, packets = None, bytes = None))]
fn discipline_faults(
    discipline: &str,
    packets: Option<u64>,
    bytes: Option<u64>,
) -> PyResult<Vec<(&'static str, String)>> {
    let buffer = packets.map(Buffer::Packets).or(bytes.map(Buffer::Bytes));
    let faults = sim::discipline_faults(discipline, buffer).map_err(|error| spec::raise(&error))?;
    Ok(faults.into_iter().map(|fault| (fault.parameter, fault.message)).collect())
}

fn parameter<'py>(py: Python<'py>, parameter: &Parameter) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("name", parameter.name)?;
    match parameter.default {
        Value::Number(value) => row.set_item("default", value)?,
        Value::Whole(value) => row.set_item("default", value)?,
        Value::Switch(value) => row.set_item("default", value)?,
        Value::Word(value) => row.set_item("default", value)?,
        Value::None => row.set_item("default", py.None())?,
    }
    let kind = match parameter.kind {
        Kind::Number => "number",
        Kind::Whole => "whole",
        Kind::Switch => "switch",
        Kind::Word(words) => {
            row.set_item("words", words)?;
            "word"
        }
    };
    row.set_item("kind", kind)?;
    row.set_item("optional", parameter.optional)?;
    row.set_item("min", parameter.min)?;
    row.set_item("max", parameter.max)?;
    row.set_item("unit", parameter.unit)?;
    row.set_item("doc", parameter.doc)?;
    Ok(row)
}

/// Options of the transport. Their default is what is off; None where a scenario has to say more.
#[pyfunction]
fn transport_options(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    sim::spec::Transport::list().iter().map(|option| parameter(py, option)).collect()
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

/// Play the conformance suite to a controller: a built-in algorithm by name, or something that `Spec`
/// takes as a plugin, with values of its parameters. Returns (name, demand, what was found instead, the method at
/// fault, its exception), where the last three may be None. One that cannot be made is tried only once, and one that
/// needs segments not at all: the script has none.
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
    let plugin = spec::plugin("", controller, &failures, false);
    if plugin.needs.is_some_and(|needs| needs.segments) {
        return Ok(Vec::new());
    }
    let create = (plugin.construct)(&params).map_err(|error| PyValueError::new_err(error.to_string()))?;
    controller::conformance(py, &*create, &failures, seed, steps)
}

/// The simulator core of mesonet; private, use the package.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::{algorithms, causes, conformance, discipline_faults, disciplines, transport_options};

    #[pymodule_export]
    use super::columns::Rows;

    #[pymodule_export]
    use super::elementary::{cbrt, exp, exp2, log, log1p, power};

    #[pymodule_export]
    use super::environments::Environments;

    #[pymodule_export]
    use super::library::{LibraryController, LibraryProblem, open_library};

    #[pymodule_export]
    use super::policy::{Policy, PolicyProblem, features, quantities};

    #[pymodule_export]
    use super::spec::{ControllerFailure, ScenarioProblem, Spec};

    #[pymodule_export]
    use super::views::{AckView, EventView, FlowView, InitialView, RateView, RoundView};

    #[pymodule_export]
    const RESULT_VERSION: &str = sim::RESULT_VERSION;

    /// Imports numpy now. Its bindings panic where the import is interrupted, as by Ctrl-C in the first run.
    #[pymodule_init]
    fn import_numpy(module: &super::Bound<'_, super::PyModule>) -> super::PyResult<()> {
        module.py().import("numpy")?;
        numpy::dtype::<f64>(module.py());
        Ok(())
    }
}
