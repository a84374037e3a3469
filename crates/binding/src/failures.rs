//! What becomes of a controller in Python that fails: why, when, and which failure of a run counts.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use congestion::Time;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// Why a controller cannot go on.
pub(crate) struct Failure {
    /// Name of the controller.
    pub(crate) name: Arc<str>,
    /// Seed of the controller; it tells whose it was.
    pub(crate) seed: u64,
    /// When; none if the run ended before the controller was called.
    pub(crate) at: Option<Time>,
    /// The method at fault.
    pub(crate) place: &'static str,
    pub(crate) reason: Reason,
}

pub(crate) enum Reason {
    /// It raised.
    Raised(PyErr),
    /// It panicked, with this text and place.
    Panicked(String),
    /// It asked for something that makes no sense.
    Broken(String),
}

impl From<PyErr> for Reason {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

/// The earliest failure of a run; on any number of threads it is the same.
#[derive(Default)]
pub(crate) struct Failures {
    first: Mutex<Option<Failure>>,
    /// One of them is Ctrl-C.
    interrupted: AtomicBool,
    /// Identifiers, as Python has them, of the engine's threads that have called Python.
    threads: Mutex<BTreeSet<u64>>,
}

impl Failures {
    pub(crate) fn add(&self, failure: Failure) {
        let rank = |failure: &Failure| {
            (!failure.is_interrupt(), failure.at.map_or(u64::MAX, |at| at.0), failure.seed)
        };
        if failure.is_interrupt() {
            self.interrupted.store(true, Ordering::Relaxed);
        }
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|known| rank(&failure) < rank(known)) {
            *first = Some(failure);
        }
    }

    /// Returns true if there is one.
    pub(crate) fn any(&self) -> bool {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Returns true if a controller got Ctrl-C, so that nothing that it decides is meant any more.
    pub(crate) fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Notes that this thread calls Python.
    pub(crate) fn note_thread(&self, py: Python<'_>) {
        thread_local!(static IDENTIFIER: OnceCell<u64> = const { OnceCell::new() });
        let identifier = IDENTIFIER.with(|known| {
            let asked = || py.import("threading")?.call_method0("get_ident")?.extract();
            known.get().copied().or_else(|| asked().ok().inspect(|&identifier| _ = known.set(identifier)))
        });
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.extend(identifier);
    }

    /// Raises `KeyboardInterrupt` in whatever Python code the engine's own threads are in. Signals do not reach them.
    pub(crate) fn interrupt_python(&self) {
        let threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Python::attach(|py| {
            for thread in threads {
                // If it cannot be done, the thread is left behind.
                let _ = raise_in(py, thread);
            }
        });
    }

    /// The earliest one, which is then forgotten.
    pub(crate) fn take(&self) -> Option<Failure> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Raises `KeyboardInterrupt` in another thread, at its next step in Python.
fn raise_in(py: Python<'_>, thread: u64) -> PyResult<()> {
    let ctypes = py.import("ctypes")?;
    let identifier = ctypes.getattr("c_ulong")?.call1((thread,))?;
    let kind = ctypes.getattr("py_object")?.call1((py.get_type::<PyKeyboardInterrupt>(),))?;
    ctypes.getattr("pythonapi")?.call_method1("PyThreadState_SetAsyncExc", (identifier, kind))?;
    Ok(())
}

impl Failure {
    /// Ctrl-C, which is nobody's fault.
    pub(crate) fn is_interrupt(&self) -> bool {
        match &self.reason {
            Reason::Raised(error) => Python::attach(|py| error.is_instance_of::<PyKeyboardInterrupt>(py)),
            Reason::Panicked(_) | Reason::Broken(_) => false,
        }
    }
}
