//! A controller of a library at work on one flow.

use std::ffi::c_void;
use std::fmt;
use std::mem::MaybeUninit;

use congestion::{
    AckSample, CongestionControl, CongestionEvent, Decision, Delivery, Duration, Feedback, Flow, Initial,
    Needs, Phase, Prior, SentSegment, Time,
};

use super::{Failure, Problem, Report, text, too_large, too_small};
use crate::abi::{
    self, Answer, Calls, DONE, RawAck, RawAnswer, RawCreated, RawDelivery, RawFeedback, RawFlow, RawInitial,
    RawSegment, Text,
};

/// The adapter. What the transport may ask at any time is kept from the last call.
struct Foreign {
    name: &'static str,
    calls: &'static Calls,
    state: *mut c_void,
    /// It has not failed.
    live: bool,
    needs: Needs,
    smss: f64,
    answer: Answer,
    /// Flow at the last call.
    flow: RawFlow,
    /// Why it could not be created: only the first call says what time it is.
    unreported: Option<Problem>,
    seed: u64,
    report: Report,
}

#[expect(unsafe_code, reason = "holds a pointer, which is not Send by itself")]
// SAFETY: behind the pointer is a `CongestionControl`, which is Send, and text.
unsafe impl Send for Foreign {}

/// A controller for one flow.
#[expect(unsafe_code, reason = "calls into a library")]
pub(super) fn create(
    name: &'static str,
    index: u32,
    calls: &'static Calls,
    values: &[f64],
    initial: &Initial,
    report: Report,
) -> Box<dyn CongestionControl> {
    let mut created = MaybeUninit::<RawCreated>::uninit();
    let raw = RawInitial::from(initial);
    // SAFETY: pointer and length are those of a slice, the initial values can be read, the place written.
    let status =
        unsafe { (calls.create)(index, values.as_ptr(), values.len(), &raw const raw, created.as_mut_ptr()) };
    // SAFETY: `create` always writes.
    let RawCreated { state, answer, needs } = unsafe { created.assume_init() };
    let cwnd = initial.window.max(1.0) * f64::from(initial.smss);
    let mut foreign = Foreign {
        name,
        calls,
        state,
        live: true,
        needs: abi::needs(needs),
        smss: f64::from(initial.smss),
        answer: Answer {
            decision: Decision { cwnd, pacing_rate: None },
            phase: Phase::Standard,
            wakeup: None,
            departure: None,
            ssthresh: None,
        },
        flow: RawFlow::from(&Flow::default()),
        unreported: None,
        seed: initial.seed,
        report,
    };
    if let Err(problem) = foreign.accept(status, &answer) {
        foreign.live = false;
        foreign.unreported = Some(problem);
    }
    Box::new(foreign)
}

impl Foreign {
    /// Calls the library, unless the controller has failed, and takes what it wants then.
    fn notify(
        &mut self,
        place: &'static str,
        flow: &Flow,
        call: impl FnOnce(&Calls, *mut c_void, *const RawFlow, *mut RawAnswer) -> u32,
    ) {
        if !self.live {
            self.report_creation(Some(flow.now));
            return;
        }
        let mut answer = RawAnswer::default();
        self.flow = RawFlow::from(flow);
        let status = call(self.calls, self.state, &raw const self.flow, &raw mut answer);
        if let Err(problem) = self.accept(status, &answer) {
            self.fail(Some(flow.now), place, problem);
        }
    }

    fn accept(&mut self, status: u32, answer: &RawAnswer) -> Result<(), Problem> {
        if status != DONE {
            return Err(Problem::Panicked(self.message()));
        }
        let Some(answer) = answer.read() else {
            return Err(Problem::Broken("expected a phase, got an unknown number".into()));
        };
        let (smss, decision) = (self.smss, answer.decision);
        if let Some(wrong) = too_small(decision.cwnd, smss, self.needs) {
            return Err(Problem::Broken(format!("expected cwnd to be {wrong}, got {}", decision.cwnd)));
        }
        if let Some(wrong) = too_large(decision.cwnd, smss) {
            return Err(Problem::Broken(format!("expected cwnd to be {wrong}")));
        }
        match decision.pacing_rate {
            Some(rate) if !(rate.0 > 0.0 && rate.0.is_finite()) => Err(Problem::Broken(format!(
                "expected pacing_rate to be more than 0 bytes/s, finite, or None, got {}",
                rate.0
            ))),
            _ => {
                self.answer = answer;
                Ok(())
            }
        }
    }

    #[expect(unsafe_code, reason = "calls into a library")]
    fn message(&self) -> String {
        // SAFETY: the state is from `create`, and the text lives until the next call.
        unsafe { (self.calls.message)(self.state).read() }.unwrap_or("something without a text").to_owned()
    }

    fn report_creation(&mut self, at: Option<Time>) {
        if let Some(problem) = self.unreported.take() {
            self.fail(at, "build", problem);
        }
    }

    fn fail(&mut self, at: Option<Time>, place: &'static str, problem: Problem) {
        (self.live, self.answer.wakeup, self.answer.departure) = (false, None, None);
        (self.report)(Failure { seed: self.seed, at, place, problem });
    }
}

impl CongestionControl for Foreign {
    #[expect(unsafe_code, reason = "calls into a library")]
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let ack = RawAck::from(ack);
        self.notify("on_ack", flow, |calls, state, flow, answer| {
            // SAFETY: the state is from `create`, and all else lives for the call.
            unsafe { (calls.on_ack)(state, &raw const ack, flow, answer) }
        });
    }

    #[expect(unsafe_code, reason = "calls into a library")]
    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        self.notify("on_congestion", flow, |calls, state, flow, answer| {
            // SAFETY: the state is from `create`, and all else lives for the call.
            unsafe { (calls.on_congestion)(state, abi::event_number(event), flow, answer) }
        });
    }

    fn decision(&self) -> Decision {
        self.answer.decision
    }

    fn phase(&self) -> Phase {
        self.answer.phase
    }

    fn ssthresh(&self) -> Option<f64> {
        self.answer.ssthresh
    }

    fn departure(&self) -> Option<Time> {
        self.answer.departure
    }

    #[expect(unsafe_code, reason = "calls into a library")]
    fn on_segment_sent(&mut self, segment: &SentSegment, flow: &Flow) {
        let segment = RawSegment::from(segment);
        self.notify("on_segment_sent", flow, |calls, state, flow, answer| {
            // SAFETY: the state is from `create`, and all else lives for the call.
            unsafe { (calls.on_segment_sent)(state, &raw const segment, flow, answer) }
        });
    }

    #[expect(unsafe_code, reason = "calls into a library")]
    fn on_delivery(&mut self, delivery: &Delivery, flow: &Flow) {
        let delivery = RawDelivery::from(delivery);
        self.notify("on_delivery", flow, |calls, state, flow, answer| {
            // SAFETY: the state is from `create`, and all else lives for the call.
            unsafe { (calls.on_delivery)(state, &raw const delivery, flow, answer) }
        });
    }

    #[expect(unsafe_code, reason = "calls into a library")]
    fn on_segment_lost(&mut self, segment: &SentSegment, starts_run: bool, flow: &Flow) {
        let segment = RawSegment::from(segment);
        self.notify("on_segment_lost", flow, |calls, state, flow, answer| {
            // SAFETY: the state is from `create`, and all else lives for the call.
            unsafe { (calls.on_segment_lost)(state, &raw const segment, starts_run.into(), flow, answer) }
        });
    }

    #[expect(unsafe_code, reason = "calls into a library")]
    fn on_undo(&mut self, prior: &Prior, flow: &Flow) {
        let Prior { cwnd, ssthresh } = *prior;
        self.notify("on_undo", flow, |calls, state, flow, answer| {
            // SAFETY: the state is from `create`, and all else lives for the call.
            unsafe { (calls.on_undo)(state, cwnd, ssthresh.unwrap_or(f64::NAN), flow, answer) }
        });
    }

    #[expect(unsafe_code, reason = "calls into a library")]
    fn on_restart(&mut self, idle: Duration, flow: &Flow) {
        self.notify("on_restart", flow, |calls, state, flow, answer| {
            // SAFETY: the state is from `create`, and all else lives for the call.
            unsafe { (calls.on_restart)(state, idle.0, flow, answer) }
        });
    }

    #[expect(unsafe_code, reason = "calls into a library")]
    fn override_window(&mut self, cwnd: f64, ssthresh: f64) {
        let flow = self.flow.read();
        self.notify("override_window", &flow, |calls, state, flow, answer| {
            // SAFETY: the state is from `create`, and all else lives for the call.
            unsafe { (calls.override_window)(state, cwnd, ssthresh, flow, answer) }
        });
    }

    #[expect(unsafe_code, reason = "calls into a library")]
    fn on_send(&mut self, feedback: &mut Feedback, flow: &Flow) {
        let mut stamped = RawFeedback::from(*feedback);
        self.notify("on_send", flow, |calls, state, flow, answer| {
            // SAFETY: the state is from `create`, and all else lives for the call.
            unsafe { (calls.on_send)(state, &raw mut stamped, flow, answer) }
        });
        if !self.live {
            return;
        }
        if let Some(stamped) = stamped.read() {
            *feedback = stamped;
        } else {
            let problem = Problem::Broken("expected feedback, got an unknown kind of it".into());
            self.fail(Some(flow.now), "on_send", problem);
        }
    }

    fn wakeup(&self) -> Option<Time> {
        self.answer.wakeup
    }

    #[expect(unsafe_code, reason = "calls into a library")]
    fn on_wakeup(&mut self, flow: &Flow) {
        self.notify("on_wakeup", flow, |calls, state, flow, answer| {
            // SAFETY: the state is from `create`, and all else lives for the call.
            unsafe { (calls.on_wakeup)(state, flow, answer) }
        });
    }

    fn needs(&self) -> Needs {
        self.needs
    }

    #[expect(unsafe_code, reason = "calls into a library")]
    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        if !self.live {
            return;
        }
        let mut quantities: Vec<(Text, f64)> = Vec::new();
        // SAFETY: the state is from `create`, and `note` is given the list that it expects.
        let status = unsafe { (self.calls.state)(self.state, (&raw mut quantities).cast(), note) };
        if status != DONE {
            let (at, problem) = (None, Problem::Panicked(self.message()));
            (self.report)(Failure { seed: self.seed, at, place: "state", problem });
            return;
        }
        for (name, value) in quantities {
            if let Some(name) = text(name) {
                record(name, value);
            }
        }
    }
}

/// Only notes: `record` of the caller might panic, which must not cross the library.
#[expect(unsafe_code, reason = "called by a library")]
unsafe extern "C" fn note(quantities: *mut c_void, name: Text, value: f64) {
    // SAFETY: `state` above passes such a list, which nobody else uses meanwhile.
    unsafe { &mut *quantities.cast::<Vec<(Text, f64)>>() }.push((name, value));
}

impl Drop for Foreign {
    #[expect(unsafe_code, reason = "calls into a library")]
    fn drop(&mut self) {
        self.report_creation(None);
        // SAFETY: the state is from `create`, and this is its last use.
        unsafe { (self.calls.destroy)(self.state) };
    }
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Foreign")
            .field("name", &self.name)
            .field("decision", &self.answer.decision)
            .finish_non_exhaustive()
    }
}
