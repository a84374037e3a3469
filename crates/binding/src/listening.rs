//! Calls into the engine that answer Ctrl-C, whatever the engine does.
//!
//! Python handles signals on its main thread alone. An engine that works there looks after them between events. One
//! that has several threads, or code of a library in it that may never come back, works on threads of its own, while
//! the one that called listens, and leaves it behind if need be.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::failures::Failures;

/// Interval between reports of progress, and between looks at signals from within the engine.
const REPORT_EVERY: Duration = Duration::from_millis(200);
/// Interval between looks at signals by a thread that does nothing else.
const LISTEN_EVERY: Duration = Duration::from_millis(50);
/// Time that the engine gets to end the window in progress, so that all its regions end together.
const GRACE: Duration = Duration::from_millis(300);
/// Time after which code in Python on other threads gets the exception, too.
const FORCE_AFTER: Duration = Duration::from_millis(450);
/// Time after which the engine is left behind.
const LEAVE_AFTER: Duration = Duration::from_millis(700);

/// One call into the engine, as seen by Python.
pub(crate) struct Listener {
    progress: Option<Py<PyAny>>,
    failures: Arc<Failures>,
    /// The engine has threads of its own.
    aside: bool,
    /// Simulated time at the end of the last window [s], its bits.
    seconds: AtomicU64,
    /// An exception is to end the call.
    stops: AtomicBool,
    state: Mutex<State>,
}

/// End of work on another thread.
enum Awaited<T> {
    Returned(T),
    Panicked,
    /// It did not end soon after an exception.
    Lost,
}

struct State {
    reported: Instant,
    /// Exception that ends the call, and its time.
    raised: Option<(PyErr, Instant)>,
}

impl Listener {
    pub(crate) fn new(progress: Option<Py<PyAny>>, failures: Arc<Failures>, aside: bool) -> Self {
        let state = Mutex::new(State { reported: Instant::now(), raised: None });
        let (seconds, stops) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { progress, failures, aside, seconds, stops, state }
    }

    /// A window has ended at a simulated time [s]; false if the run is to end there.
    pub(crate) fn at_window(&self, seconds: f64) -> bool {
        self.seconds.store(seconds.to_bits(), Ordering::Relaxed);
        if !self.aside {
            self.listen();
        }
        !self.stops.load(Ordering::Relaxed) && !self.failures.any()
    }

    /// The exception that ended the call, if one did.
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.state().raised.take().map(|(error, _)| error)
    }

    /// Lets Python handle signals, and tells it how far the run is, if it is time for that.
    fn listen(&self) {
        let reports = {
            let mut state = self.state();
            let due = state.reported.elapsed() >= REPORT_EVERY;
            if state.raised.is_some() || !(due || self.aside) {
                return;
            }
            if due {
                state.reported = Instant::now();
            }
            due
        };
        let outcome = Python::attach(|py| {
            py.check_signals()?;
            match &self.progress {
                Some(call) if reports => {
                    let seconds = f64::from_bits(self.seconds.load(Ordering::Relaxed));
                    call.call1(py, (seconds,)).map(|_| ())
                }
                _ => Ok(()),
            }
        });
        if let Err(error) = outcome {
            self.state().raised = Some((error, Instant::now()));
            self.stops.store(true, Ordering::Relaxed);
        }
    }

    /// Time since the exception.
    fn overdue(&self) -> Duration {
        self.state().raised.as_ref().map_or(Duration::ZERO, |(_, at)| at.elapsed())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for what the engine returns on another thread, but not for long after an exception.
    fn wait<T>(&self, outcome: &Receiver<T>) -> Awaited<T> {
        let mut forced = false;
        loop {
            match outcome.recv_timeout(LISTEN_EVERY) {
                Ok(value) => return Awaited::Returned(value),
                Err(RecvTimeoutError::Disconnected) => return Awaited::Panicked,
                Err(RecvTimeoutError::Timeout) => self.listen(),
            }
            let overdue = self.overdue();
            if overdue >= LEAVE_AFTER {
                return Awaited::Lost;
            }
            if overdue >= FORCE_AFTER && !forced {
                forced = true;
                self.failures.interrupt_python();
            }
        }
    }
}

impl sim::Watch for Listener {
    fn halts(&self) -> bool {
        if self.failures.interrupted() {
            return true;
        }
        if !self.aside {
            self.listen();
        }
        self.stops.load(Ordering::Relaxed) && self.overdue() >= GRACE
    }
}

/// Returns true if this is the thread that signals reach, and Ctrl-C means something to it.
pub(crate) fn is_interruptible(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    if !threading.call_method0("main_thread")?.is(&threading.call_method0("current_thread")?) {
        return Ok(false);
    }
    let signal = py.import("signal")?;
    let handler = signal.call_method1("getsignal", (signal.getattr("SIGINT")?,))?;
    Ok(!handler.eq(signal.getattr("SIG_IGN")?)?)
}

/// Does some work of the engine on another thread, while this one listens.
///
/// # Errors
/// The exception of `listener`, if the work does not end soon after it; it is left behind then.
pub(crate) fn aside<T: Send + 'static>(
    py: Python<'_>,
    listener: &Arc<Listener>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (give, take) = sync_channel(1);
    let thread = std::thread::Builder::new().name("mesonet".into()).stack_size(STACK).spawn(move || {
        // Nobody may wait for it any more.
        let _ = give.send(work());
    })?;
    match py.detach(move || listener.wait(&take)) {
        Awaited::Returned(outcome) => return Ok(outcome),
        Awaited::Panicked => {
            if let Err(panic) = py.detach(|| thread.join()) {
                std::panic::resume_unwind(panic);
            }
        }
        Awaited::Lost => {}
    }
    let error = listener.take().unwrap_or_else(|| PyKeyboardInterrupt::new_err(()));
    if error.is_instance_of::<PyKeyboardInterrupt>(py) {
        return Err(PyKeyboardInterrupt::new_err(LEFT_BEHIND));
    }
    Err(error)
}

/// Stack of a thread [bytes]: that of a main thread on Linux, for controllers that count on it.
const STACK: usize = 8 << 20;

const LEFT_BEHIND: &str = "the engine did not come back within a second, most likely because a controller loops; \
                           its thread goes on until this process ends";
