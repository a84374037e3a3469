//! Environments of reinforcement learning, as Python sees them: arrays in, arrays out.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sim::environment::{Batch, Turn};
use sim::policy::record::QUANTITIES;
use sim::policy::reward::Reward;

use crate::failures::Failures;
use crate::policy::Policy;
use crate::spec::{Spec, raise};

/// Environments of some controlled flows each, whose algorithms are called `external:0`, `external:1` and so on in
/// the scenarios.
#[pyclass(frozen, module = "mesonet._core")]
pub(crate) struct Environments {
    batch: Mutex<Batch>,
    policy: Arc<sim::policy::Policy>,
    agents: usize,
    /// By environment: the scenario and the seed of its episode, and what fails in it.
    episodes: Mutex<Vec<Option<Episode>>>,
    signals: Arc<Signals>,
}

/// Ctrl-C during a call into the engine, which handlers of Python turn into an exception.
#[derive(Default)]
struct Signals {
    stops: AtomicBool,
    raised: Mutex<Option<PyErr>>,
}

/// Watch over one episode.
struct Guard {
    signals: Arc<Signals>,
    failures: Arc<Failures>,
}

/// Interval between looks at signals.
const LOOK_EVERY: Duration = Duration::from_millis(200);

thread_local! {
    /// Time of the last look; none on threads that Python did not call, for signals do not reach them.
    static LOOKED: Cell<Option<Instant>> = const { Cell::new(None) };
}

struct Episode {
    spec: Py<Spec>,
    seed: u64,
    failures: Arc<Failures>,
}

#[pymethods]
impl Environments {
    /// `count` environments without episodes. `reward` is JSON; raises `ValueError` where it is none.
    #[new]
    fn new(policy: &Bound<'_, Policy>, reward: &str, agents: usize, count: usize) -> PyResult<Self> {
        let reward = Reward::parse(reward).map_err(PyValueError::new_err)?;
        let policy = policy.get().policy.clone();
        let signals = Arc::<Signals>::default();
        let batch = Mutex::new(Batch::new(&policy, reward, agents, count).watched(signals.clone()));
        let episodes = Mutex::new((0..count).map(|_| None).collect());
        Ok(Self { batch, policy, agents, episodes, signals })
    }

    /// Begins an episode in one environment, up to the first decision. Raises `ScenarioProblem`, and what Ctrl-C
    /// raises; the episode is over then.
    fn reset(&self, py: Python<'_>, index: usize, spec: Py<Spec>, seed: u64) -> PyResult<()> {
        let failures = Arc::<Failures>::default();
        let plugins = spec.get().plugins(py, &failures);
        let checked = spec.get().checked().clone();
        let guard = Guard { signals: self.signals.clone(), failures: failures.clone() };
        self.listening(py, |batch| match batch.environment(index) {
            Some(environment) => {
                environment.watch(Arc::new(guard));
                environment.reset(checked, seed, plugins).map_err(|error| raise(&error))
            }
            None => Err(PyRuntimeError::new_err("no such environment")),
        })?;
        if let Some(episode) = lock(&self.episodes).get_mut(index) {
            *episode = Some(Episode { spec, seed, failures });
        }
        self.check(py)
    }

    /// The outcome without a step, as `step` returns it.
    fn look<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let turn = py.detach(|| self.batch().look());
        self.turn(py, turn)
    }

    /// Steps the environments that are `active`, without Python. `actions` holds a number for every flow of every
    /// environment. Returns arrays: `observations` (environments, flows, width), `rewards` and `terminated`
    /// (environments, flows), `truncated` (environments), `records` (environments, flows, quantities). Raises
    /// `ValueError` with the index of an action that is out of range, `ControllerFailure`, and what Ctrl-C raises: within
    /// a second, wherever the engine is. Episodes that it halts are over.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 extracts owned arguments")]
    #[pyo3(signature = (actions, active, threads = 1))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        actions: PyReadonlyArray1<'py, f64>,
        active: PyReadonlyArray1<'py, bool>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (actions, active) = (actions.as_slice()?, active.as_slice()?);
        let bad = actions.iter().enumerate().position(|(at, &number)| {
            active.get(at / self.agents.max(1)).is_some_and(|&active| active)
                && !self.policy.action.allows(number)
        });
        if let Some(at) = bad {
            return Err(PyValueError::new_err(at));
        }
        let turn = self.listening(py, |batch| batch.step(actions, active, threads));
        self.check(py)?;
        self.turn(py, turn)
    }

    /// Goes on to the end of an episode, under the decisions that are in force, and returns its measurements like
    /// `Spec.run`. The episode is over. Raises `RuntimeError` where there is none.
    fn finish<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyDict>> {
        let output = self
            .listening(py, |batch| batch.environment(index).and_then(sim::environment::Environment::finish));
        self.check(py)?;
        let episode = lock(&self.episodes).get_mut(index).and_then(Option::take);
        let (Some(output), Some(episode)) = (output, episode) else {
            return Err(PyRuntimeError::new_err("there is no episode"));
        };
        let output = output.map_err(|error| match error {
            sim::Error::Sleepless { source_index, at } => episode.spec.get().sleepless(source_index, at),
            error => raise(&error),
        })?;
        crate::columns::output(py, episode.spec.get().checked().spec(), output)
    }
}

impl Environments {
    fn batch(&self) -> MutexGuard<'_, Batch> {
        lock(&self.batch)
    }

    /// Does work of the engine without Python, which Ctrl-C halts; `check` raises what that is in Python.
    fn listening<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Batch) -> T + Send) -> T {
        self.signals.stops.store(false, Ordering::Relaxed);
        py.detach(|| {
            LOOKED.set(Some(Instant::now()));
            let outcome = work(&mut self.batch());
            LOOKED.set(None);
            outcome
        })
    }

    /// Raises what Ctrl-C has raised, or what has failed in the controllers of other flows.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        if let Some(error) = lock(&self.signals.raised).take() {
            return Err(error);
        }
        py.check_signals()?;
        // Nothing waits for the batch with Python in hand: whoever holds it asks Python for signals.
        let sleepless: Vec<_> = py.detach(|| {
            let mut batch = self.batch();
            let all = 0..batch.len();
            all.map(|index| batch.environment(index).and_then(|environment| environment.sleepless()))
                .collect()
        });
        for (episode, sleepless) in lock(&self.episodes).iter().zip(sleepless) {
            let Some(episode) = episode else { continue };
            let spec = episode.spec.get();
            if let Some(failure) = episode.failures.take() {
                let interrupt = failure.is_interrupt();
                return Err(if interrupt {
                    PyKeyboardInterrupt::new_err(())
                } else {
                    spec.fail(py, episode.seed, failure)
                });
            }
            if let Some((source, at)) = sleepless {
                return Err(spec.sleepless(source, at));
            }
        }
        Ok(())
    }

    fn turn<'py>(&self, py: Python<'py>, turn: Turn) -> PyResult<Bound<'py, PyDict>> {
        let (count, agents) = (turn.truncated.len(), self.agents);
        let dict = PyDict::new(py);
        let observations = PyArray1::from_vec(py, turn.observations);
        dict.set_item("observations", observations.reshape([count, agents, self.policy.width()])?)?;
        dict.set_item("rewards", PyArray1::from_vec(py, turn.rewards).reshape([count, agents])?)?;
        dict.set_item("terminated", PyArray1::from_vec(py, turn.terminated).reshape([count, agents])?)?;
        dict.set_item("truncated", PyArray1::from_vec(py, turn.truncated))?;
        let records = PyArray1::from_vec(py, turn.records);
        dict.set_item("records", records.reshape([count, agents, QUANTITIES.len()])?)?;
        Ok(dict)
    }
}

impl sim::Watch for Signals {
    fn halts(&self) -> bool {
        let due = LOOKED.get().is_some_and(|at| at.elapsed() >= LOOK_EVERY);
        if due && !self.stops.load(Ordering::Relaxed) {
            LOOKED.set(Some(Instant::now()));
            let handled = Python::attach(|py| -> PyResult<()> { py.check_signals() });
            if let Err(error) = handled {
                *lock(&self.raised) = Some(error);
                self.stops.store(true, Ordering::Relaxed);
            }
        }
        self.stops.load(Ordering::Relaxed)
    }
}

impl sim::Watch for Guard {
    fn halts(&self) -> bool {
        self.failures.interrupted() || self.signals.halts()
    }
}

/// A panic elsewhere is reported there.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
