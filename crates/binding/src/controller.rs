//! A Python object at work as a congestion controller, and what becomes of it when it fails.
//!
//! Python cannot be stopped in the middle of a window of simulated time, so a controller that fails keeps
//! its last decision, is not called again, and leaves a [`Failure`]; the run stops at the end of the window, or at
//! once if it was Ctrl-C.

use std::sync::Arc;

use congestion::{
    AckSample, CongestionControl, CongestionEvent, Decision, Ecn, Flow, Initial, Needs, Phase, Prior, Rate,
    Time,
};
use mesonet_plugin::host::{too_large, too_small};
use pyo3::prelude::*;
use pyo3::{IntoPyObjectExt, intern};

use crate::failures::{Failure, Failures, Reason};
use crate::views::{AckView, EventView, FlowView, InitialView, RoundView};

/// The algorithm whose controllers `create` makes when it is called with an `Initial`.
/// `aside` if they are called on threads of the engine.
pub(crate) fn plugin(name: &str, create: Py<PyAny>, failures: &Arc<Failures>, aside: bool) -> sim::Plugin {
    let (name, failures, create) = (Arc::<str>::from(name), failures.clone(), Arc::new(create));
    // What may be set is the class's to know, and Python has asked it.
    let construct: sim::Constructor = Arc::new(move |_| {
        let (name, failures, create) = (name.clone(), failures.clone(), create.clone());
        Ok(Box::new(move |initial| {
            let mut controller = PythonController {
                name: name.clone(),
                seed: initial.seed,
                smss: f64::from(initial.smss),
                live: None,
                needs: Needs::default(),
                wanted: Wanted::at(initial),
                unreported: None,
                failures: failures.clone(),
                notes_thread: aside,
            };
            let started = Python::attach(|py| {
                if aside {
                    controller.failures.note_thread(py);
                }
                controller.start(create.bind(py), initial)
            });
            if let Err(reason) = started {
                controller.unreported = Some(reason);
            }
            Box::new(controller)
        }))
    });
    sim::Plugin { construct, needs: None }
}

/// The adapter.
struct PythonController {
    name: Arc<str>,
    seed: u64,
    smss: f64,
    /// None once it has failed.
    live: Option<Live>,
    needs: Needs,
    wanted: Wanted,
    /// The constructor's failure: only the first call says what time it is.
    unreported: Option<Reason>,
    failures: Arc<Failures>,
    /// It may be called on threads that no signal reaches.
    notes_thread: bool,
}

/// The object and its methods, looked up once.
struct Live {
    object: Py<PyAny>,
    /// `on_ack` or `on_round`.
    on_sample: Py<PyAny>,
    on_congestion: Py<PyAny>,
    /// Only where the object has it.
    on_undo: Option<Py<PyAny>>,
    cadence: Cadence,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cadence {
    Ack,
    Round,
}

/// Values of the object's attributes after the last call.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    decision: Decision,
    ssthresh: Option<f64>,
    phase: Phase,
}

impl Wanted {
    /// Values that hold if the constructor fails.
    fn at(initial: &Initial) -> Self {
        let cwnd = initial.window.max(1.0) * f64::from(initial.smss);
        Self { decision: Decision { cwnd, pacing_rate: None }, ssthresh: None, phase: Phase::Standard }
    }

    fn read(object: &Bound<'_, PyAny>, smss: f64, needs: Needs) -> Result<Self, Reason> {
        let py = object.py();
        let value = object.getattr(intern!(py, "cwnd"))?;
        let cwnd = value.extract::<f64>().unwrap_or(f64::NAN);
        if let Some(wrong) = too_small(cwnd, smss, needs) {
            return Err(broken("cwnd", &wrong, &value));
        }
        if let Some(wrong) = too_large(cwnd, smss) {
            return Err(Reason::Broken(format!("expected cwnd to be {wrong}")));
        }
        let pacing_rate = optional(object, intern!(py, "pacing_rate"))?;
        let pacing_rate = match pacing_rate {
            None => None,
            Some(rate) => match rate.extract::<f64>() {
                Ok(number) if number.is_finite() && number > 0.0 => Some(Rate(number)),
                _ => return Err(broken("pacing_rate", "more than 0 bytes/s, finite, or None", &rate)),
            },
        };
        let ssthresh = match optional(object, intern!(py, "ssthresh"))? {
            None => None,
            Some(ssthresh) => match ssthresh.extract::<f64>() {
                Ok(bytes) if bytes > 0.0 => Some(bytes),
                _ => return Err(broken("ssthresh", "more than 0 bytes, or None", &ssthresh)),
            },
        };
        let phase = match optional(object, intern!(py, "phase"))? {
            None if ssthresh.is_some_and(|ssthresh| cwnd < ssthresh) => Phase::SlowStart,
            None => Phase::Standard,
            Some(phase) => match phase.extract::<&str>() {
                Ok("slow_start") => Phase::SlowStart,
                Ok("standard") => Phase::Standard,
                Ok("alternate") => Phase::Alternate,
                _ => {
                    let expected = "\"slow_start\", \"standard\", \"alternate\" or None";
                    return Err(broken("phase", expected, &phase));
                }
            },
        };
        Ok(Self { decision: Decision { cwnd, pacing_rate }, ssthresh, phase })
    }
}

/// An attribute that need not be there and may be None.
fn optional<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, pyo3::types::PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(object.getattr_opt(name)?.filter(|value| !value.is_none()))
}

/// ECN that a controller asks for.
fn ecn(object: &Bound<'_, PyAny>) -> Result<Ecn, Reason> {
    let Some(wanted) = optional(object, intern!(object.py(), "ecn"))? else { return Ok(Ecn::default()) };
    let name = wanted.extract::<String>().unwrap_or_default();
    let known = Ecn::ALL.into_iter().find(|ecn| ecn.name() == name);
    known.ok_or_else(|| broken("ecn", "\"none\", \"classic\", \"dctcp\" or \"l4s\"", &wanted))
}

/// Characters of a value that an error shows.
const LONGEST_REPR: usize = 60;

fn broken(attribute: &str, expected: &str, value: &Bound<'_, PyAny>) -> Reason {
    let value = value.repr().map_or_else(|_| "something without a repr".into(), |repr| repr.to_string());
    let value = if value.chars().count() > LONGEST_REPR {
        value.chars().take(LONGEST_REPR).chain("...".chars()).collect()
    } else {
        value
    };
    Reason::Broken(format!("expected {attribute} to be {expected}, got {value}"))
}

impl PythonController {
    fn start(&mut self, create: &Bound<'_, PyAny>, initial: &Initial) -> Result<(), Reason> {
        let py = create.py();
        let object = create.call1((InitialView(*initial),))?;
        let cadence = match optional(&object, intern!(py, "cadence"))? {
            None => Cadence::Ack,
            Some(cadence) => match cadence.extract::<&str>() {
                Ok("ack") => Cadence::Ack,
                Ok("round") => Cadence::Round,
                _ => return Err(broken("cadence", "\"ack\" or \"round\"", &cadence)),
            },
        };
        let sample = if cadence == Cadence::Ack { intern!(py, "on_ack") } else { intern!(py, "on_round") };
        let on_sample = object.getattr(sample)?.unbind();
        let on_congestion = object.getattr(intern!(py, "on_congestion"))?.unbind();
        let on_undo = optional(&object, intern!(py, "on_undo"))?.map(Bound::unbind);
        let wants = |name| optional(&object, name)?.map_or(Ok(false), |wanted| wanted.is_truthy());
        self.needs.rate_samples = wants(intern!(py, "wants_rate_samples"))?;
        self.needs.ecn = ecn(&object)?;
        self.needs.ecn_fallback = wants(intern!(py, "ecn_fallback"))?;
        self.wanted = Wanted::read(&object, self.smss, self.needs)?;
        self.live = Some(Live { object: object.unbind(), on_sample, on_congestion, on_undo, cadence });
        Ok(())
    }

    /// Call a method and read what the controller wants then.
    fn notify(
        &mut self,
        place: &'static str,
        now: Time,
        call: impl FnOnce(Python<'_>, &Live) -> PyResult<Py<PyAny>>,
    ) {
        let Some(live) = &self.live else { return };
        let answer = Python::attach(|py| {
            if self.notes_thread {
                self.failures.note_thread(py);
            }
            let returned = call(py, live)?;
            if !returned.is_none(py) {
                return Err(broken("what it returns", "None (the window is self.cwnd)", returned.bind(py)));
            }
            Wanted::read(live.object.bind(py), self.smss, self.needs)
        });
        match answer {
            Ok(wanted) => self.wanted = wanted,
            Err(reason) => {
                self.live = None;
                self.fail(Some(now), place, reason);
            }
        }
    }

    fn report(&mut self, now: Option<Time>) {
        if let Some(reason) = self.unreported.take() {
            self.fail(now, "__init__", reason);
        }
    }

    fn fail(&self, at: Option<Time>, place: &'static str, reason: Reason) {
        let (name, seed) = (self.name.clone(), self.seed);
        self.failures.add(Failure { name, seed, at, place, reason });
    }
}

impl CongestionControl for PythonController {
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        self.report(Some(flow.now));
        match self.live.as_ref().map(|live| (live.cadence, ack.round)) {
            Some((Cadence::Ack, _)) => self.notify("on_ack", flow.now, |py, live| {
                live.on_sample.call1(py, (AckView(*ack), FlowView(*flow)))
            }),
            Some((Cadence::Round, Some(round))) => self.notify("on_round", flow.now, |py, live| {
                live.on_sample.call1(py, (RoundView(round), FlowView(*flow)))
            }),
            _ => {}
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        self.report(Some(flow.now));
        self.notify("on_congestion", flow.now, |py, live| {
            live.on_congestion.call1(py, (EventView(event), FlowView(*flow)))
        });
    }

    fn on_undo(&mut self, prior: &Prior, flow: &Flow) {
        if self.live.as_ref().is_some_and(|live| live.on_undo.is_some()) {
            self.notify("on_undo", flow.now, |py, live| match &live.on_undo {
                Some(on_undo) => on_undo.call1(py, (prior.cwnd, prior.ssthresh, FlowView(*flow))),
                None => Ok(py.None()),
            });
        }
    }

    fn ssthresh(&self) -> Option<f64> {
        self.wanted.ssthresh
    }

    fn decision(&self) -> Decision {
        self.wanted.decision
    }

    fn phase(&self) -> Phase {
        self.wanted.phase
    }

    fn needs(&self) -> Needs {
        self.needs
    }

    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        if let Some(ssthresh) = self.wanted.ssthresh {
            record("ssthresh", ssthresh);
        }
    }
}

impl Drop for PythonController {
    fn drop(&mut self) {
        self.report(None);
    }
}

impl std::fmt::Debug for PythonController {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PythonController")
            .field("name", &self.name)
            .field("wanted", &self.wanted)
            .finish_non_exhaustive()
    }
}

/// One demand of the conformance suite: its name, the demand, what was found instead (none if nothing is
/// wrong), the method at fault, and the exception that it raised.
pub(crate) type Row = (&'static str, &'static str, Option<String>, Option<&'static str>, Option<Py<PyAny>>);

/// Where controllers of classes and of libraries fail before their first call.
const CONSTRUCTORS: [&str; 2] = ["__init__", "build"];

/// Play the conformance suite to the controllers that `create` makes; the first demand only if it makes none.
pub(crate) fn conformance(
    py: Python<'_>,
    create: &dyn Fn(&Initial) -> Box<dyn CongestionControl>,
    failures: &Failures,
    seed: u64,
    steps: u32,
) -> PyResult<Vec<Row>> {
    let mut rows = Vec::new();
    for check in congestion::conformance::checks() {
        py.check_signals()?;
        let played = std::panic::AssertUnwindSafe(|| check.run(create, seed, steps));
        let mut problem = match std::panic::catch_unwind(played) {
            Ok(verdict) => verdict.err(),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
                Some(format!("panicked: {}", text.unwrap_or("without a message")))
            }
        };
        let (mut place, mut error) = (None, None);
        if let Some(failure) = failures.take() {
            let interrupt = failure.is_interrupt();
            place = Some(failure.place);
            match failure.reason {
                Reason::Raised(raised) if interrupt => return Err(raised),
                Reason::Raised(raised) => {
                    problem = Some("an exception".into());
                    error = Some(raised.into_py_any(py)?);
                }
                Reason::Panicked(text) => problem = Some(format!("panicked: {text}")),
                Reason::Broken(message) => problem = Some(message),
            }
        }
        rows.push((check.name, check.demand, problem, place, error));
        if place.is_some_and(|place| CONSTRUCTORS.contains(&place)) {
            break;
        }
    }
    Ok(rows)
}
