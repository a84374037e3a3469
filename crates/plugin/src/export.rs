//! The library's side: what `export_controllers!` expands to. Authors need the macro only.
//!
//! No panic leaves a library. It is caught, its text and place are kept, and the call returns
//! [`abi::FAILED`]; the controller is not called again.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use congestion::{Algorithm, CongestionControl, Duration, Flow, Prior};

use crate::abi::{
    self, Calls, DONE, FAILED, Header, Prelude, RawAck, RawAlgorithm, RawAnswer, RawCreated, RawDelivery,
    RawFeedback, RawFlow, RawInitial, RawParam, RawSegment, Record, Text,
};

/// The algorithms of a library.
pub trait Controllers {
    /// All of them; their order is of no importance.
    const LIST: &'static [Algorithm];
}

/// The header of a library, whose crate has this name and version.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "nobody lists four billion algorithms")]
pub const fn header<C: Controllers>(name: &'static str, version: &'static str) -> Header {
    Header {
        prelude: Prelude {
            magic: abi::MAGIC,
            abi: crate::ABI,
            reserved: 0,
            plugin_version: Text::of(crate::VERSION),
            name: Text::of(name),
            version: Text::of(version),
        },
        controllers: C::LIST.len() as u32,
        calls: Calls {
            describe: describe::<C>,
            parameter: parameter::<C>,
            create: create::<C>,
            on_ack,
            on_congestion,
            on_send,
            on_wakeup,
            on_segment_sent,
            on_delivery,
            on_segment_lost,
            on_undo,
            on_restart,
            override_window,
            state,
            message,
            destroy,
        },
    }
}

/// Target of a `state` of the ABI.
struct Instance {
    /// None if creating it failed.
    controller: Option<Box<dyn CongestionControl>>,
    failure: String,
}

#[expect(unsafe_code, reason = "called through the ABI")]
unsafe extern "C" fn describe<C: Controllers>(index: u32, out: *mut RawAlgorithm) -> u32 {
    let Some(algorithm) = C::LIST.get(index as usize) else { return FAILED };
    let described = RawAlgorithm {
        name: Text::of(algorithm.name),
        display: Text::of(algorithm.display),
        summary: Text::of(algorithm.summary),
        source: Text::of(algorithm.source),
        params: u32::try_from(algorithm.params.len()).unwrap_or(0),
    };
    // SAFETY: the caller passes a place to write to (contract of `Calls`).
    unsafe { out.write(described) };
    DONE
}

#[expect(unsafe_code, reason = "called through the ABI")]
unsafe extern "C" fn parameter<C: Controllers>(index: u32, param: u32, out: *mut RawParam) -> u32 {
    let params = C::LIST.get(index as usize).map(|algorithm| algorithm.params);
    let Some(param) = params.and_then(|params| params.get(param as usize)) else { return FAILED };
    let described = RawParam {
        name: Text::of(param.name),
        unit: Text::of(param.unit),
        doc: Text::of(param.doc),
        default: param.default,
        min: param.min,
        max: param.max,
    };
    // SAFETY: the caller passes a place to write to (contract of `Calls`).
    unsafe { out.write(described) };
    DONE
}

#[expect(unsafe_code, reason = "called through the ABI")]
unsafe extern "C" fn create<C: Controllers>(
    index: u32,
    values: *const f64,
    count: usize,
    initial: *const RawInitial,
    out: *mut RawCreated,
) -> u32 {
    static HOOK: Once = Once::new();
    HOOK.call_once(keep_panics);
    // SAFETY: the caller passes that many values, or none (contract of `Calls`).
    let values = if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(values, count) } };
    // SAFETY: the caller passes something to read (contract of `Calls`).
    let initial = unsafe { &*initial }.read();
    let built = guarded(|| {
        let algorithm = C::LIST.get(index as usize).expect("a controller of this number");
        let controller = (algorithm.build)(values, &initial.expect("initial values that make sense"));
        let answer = RawAnswer::of(&*controller);
        let needs = abi::needs_bits(controller.needs());
        (controller, answer, needs)
    });
    let (instance, answer, needs, status) = match built {
        Ok((controller, answer, needs)) => {
            (Instance { controller: Some(controller), failure: String::new() }, answer, needs, DONE)
        }
        Err(failure) => (Instance { controller: None, failure }, RawAnswer::default(), 0, FAILED),
    };
    let state = Box::into_raw(Box::new(instance)).cast();
    // SAFETY: the caller passes a place to write to (contract of `Calls`).
    unsafe { out.write(RawCreated { state, answer, needs }) };
    status
}

/// Calls a controller and asks what it wants then.
///
/// # Safety
/// `state` comes from `create` and nobody else uses it meanwhile; `flow` can be read, `answer` written.
#[expect(unsafe_code, reason = "takes the pointers of the ABI")]
unsafe fn call(
    state: *mut c_void,
    flow: *const RawFlow,
    answer: *mut RawAnswer,
    body: impl FnOnce(&mut dyn CongestionControl, &Flow),
) -> u32 {
    // SAFETY: by this function's contract.
    let (instance, flow) = unsafe { (&mut *state.cast::<Instance>(), (*flow).read()) };
    let Some(controller) = &mut instance.controller else { return FAILED };
    let called = guarded(|| {
        body(&mut **controller, &flow);
        // SAFETY: by this function's contract.
        unsafe { answer.write(RawAnswer::of(&**controller)) };
    });
    finish(called, &mut instance.failure)
}

#[expect(unsafe_code, reason = "called through the ABI")]
unsafe extern "C" fn on_ack(
    state: *mut c_void,
    ack: *const RawAck,
    flow: *const RawFlow,
    answer: *mut RawAnswer,
) -> u32 {
    // SAFETY: the caller passes something to read (contract of `Calls`).
    let Some(ack) = unsafe { &*ack }.read() else { return FAILED };
    // SAFETY: the contract of `Calls` is that of `call`.
    unsafe { call(state, flow, answer, |controller, flow| controller.on_ack(&ack, flow)) }
}

#[expect(unsafe_code, reason = "called through the ABI")]
unsafe extern "C" fn on_congestion(
    state: *mut c_void,
    event: u32,
    flow: *const RawFlow,
    answer: *mut RawAnswer,
) -> u32 {
    let Some(event) = abi::event(event) else { return FAILED };
    // SAFETY: the contract of `Calls` is that of `call`.
    unsafe { call(state, flow, answer, |controller, flow| controller.on_congestion(event, flow)) }
}

#[expect(unsafe_code, reason = "called through the ABI")]
unsafe extern "C" fn on_send(
    state: *mut c_void,
    feedback: *mut RawFeedback,
    flow: *const RawFlow,
    answer: *mut RawAnswer,
) -> u32 {
    // SAFETY: the caller passes something to read and write (contract of `Calls`).
    let raw = unsafe { &mut *feedback };
    let Some(mut stamped) = raw.read() else { return FAILED };
    // SAFETY: the contract of `Calls` is that of `call`.
    let status =
        unsafe { call(state, flow, answer, |controller, flow| controller.on_send(&mut stamped, flow)) };
    *raw = RawFeedback::from(stamped);
    status
}

#[expect(unsafe_code, reason = "called through the ABI")]
unsafe extern "C" fn on_wakeup(state: *mut c_void, flow: *const RawFlow, answer: *mut RawAnswer) -> u32 {
    // SAFETY: the contract of `Calls` is that of `call`.
    unsafe { call(state, flow, answer, |controller, flow| controller.on_wakeup(flow)) }
}

#[expect(unsafe_code, reason = "called through the ABI")]
unsafe extern "C" fn on_segment_sent(
    state: *mut c_void,
    segment: *const RawSegment,
    flow: *const RawFlow,
    answer: *mut RawAnswer,
) -> u32 {
    // SAFETY: the caller passes something to read (contract of `Calls`).
    let segment = unsafe { &*segment }.read();
    // SAFETY: the contract of `Calls` is that of `call`.
    unsafe { call(state, flow, answer, |controller, flow| controller.on_segment_sent(&segment, flow)) }
}

#[expect(unsafe_code, reason = "called through the ABI")]
unsafe extern "C" fn on_delivery(
    state: *mut c_void,
    delivery: *const RawDelivery,
    flow: *const RawFlow,
    answer: *mut RawAnswer,
) -> u32 {
    // SAFETY: the caller passes something to read (contract of `Calls`).
    let delivery = unsafe { &*delivery }.read();
    // SAFETY: the contract of `Calls` is that of `call`.
    unsafe { call(state, flow, answer, |controller, flow| controller.on_delivery(&delivery, flow)) }
}

#[expect(unsafe_code, reason = "called through the ABI")]
unsafe extern "C" fn on_segment_lost(
    state: *mut c_void,
    segment: *const RawSegment,
    starts_run: u32,
    flow: *const RawFlow,
    answer: *mut RawAnswer,
) -> u32 {
    // SAFETY: the caller passes something to read (contract of `Calls`).
    let segment = unsafe { &*segment }.read();
    let body = |controller: &mut dyn CongestionControl, flow: &Flow| {
        controller.on_segment_lost(&segment, starts_run != 0, flow);
    };
    // SAFETY: the contract of `Calls` is that of `call`.
    unsafe { call(state, flow, answer, body) }
}

#[expect(unsafe_code, reason = "called through the ABI")]
unsafe extern "C" fn on_undo(
    state: *mut c_void,
    cwnd: f64,
    ssthresh: f64,
    flow: *const RawFlow,
    answer: *mut RawAnswer,
) -> u32 {
    let prior = Prior { cwnd, ssthresh: Some(ssthresh).filter(|ssthresh| !ssthresh.is_nan()) };
    // SAFETY: the contract of `Calls` is that of `call`.
    unsafe { call(state, flow, answer, |controller, flow| controller.on_undo(&prior, flow)) }
}

#[expect(unsafe_code, reason = "called through the ABI")]
unsafe extern "C" fn on_restart(
    state: *mut c_void,
    idle: u64,
    flow: *const RawFlow,
    answer: *mut RawAnswer,
) -> u32 {
    // SAFETY: the contract of `Calls` is that of `call`.
    unsafe { call(state, flow, answer, |controller, flow| controller.on_restart(Duration(idle), flow)) }
}

#[expect(unsafe_code, reason = "called through the ABI")]
unsafe extern "C" fn override_window(
    state: *mut c_void,
    cwnd: f64,
    ssthresh: f64,
    flow: *const RawFlow,
    answer: *mut RawAnswer,
) -> u32 {
    // SAFETY: the contract of `Calls` is that of `call`.
    unsafe { call(state, flow, answer, |controller, _| controller.override_window(cwnd, ssthresh)) }
}

#[expect(unsafe_code, reason = "called through the ABI")]
unsafe extern "C" fn state(state: *mut c_void, context: *mut c_void, record: Record) -> u32 {
    // SAFETY: `state` comes from `create` and is not in use (contract of `Calls`).
    let instance = unsafe { &mut *state.cast::<Instance>() };
    let Some(controller) = &instance.controller else { return FAILED };
    let called = guarded(|| {
        controller.state(&mut |name, value| {
            // SAFETY: `context` is what `record` is to be given (contract of `Calls`).
            unsafe { record(context, Text::of(name), value) };
        });
    });
    finish(called, &mut instance.failure)
}

#[expect(unsafe_code, reason = "called through the ABI")]
unsafe extern "C" fn message(state: *mut c_void) -> Text {
    // SAFETY: `state` comes from `create` and is not in use (contract of `Calls`).
    Text::of(unsafe { &(*state.cast::<Instance>()).failure })
}

#[expect(unsafe_code, reason = "called through the ABI")]
unsafe extern "C" fn destroy(state: *mut c_void) {
    // SAFETY: `state` comes from `create`, and this is its last use (contract of `Calls`).
    let instance = unsafe { Box::from_raw(state.cast::<Instance>()) };
    // There is no call left that could report a panic.
    let _ = guarded(|| drop(instance));
}

fn finish(called: Result<(), String>, failure: &mut String) -> u32 {
    match called {
        Ok(()) => DONE,
        Err(why) => {
            *failure = why;
            FAILED
        }
    }
}

thread_local! {
    /// True while a controller is being called.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// The last panic of a controller.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs code of the author; a panic becomes its text and place.
fn guarded<T>(body: impl FnOnce() -> T) -> Result<T, String> {
    INSIDE.set(true);
    let result = catch_unwind(AssertUnwindSafe(body));
    INSIDE.set(false);
    result.map_err(|payload| {
        // What is thrown may itself panic when it is dropped.
        std::mem::forget(payload);
        PANIC.take()
    })
}

/// Keeps panics of controllers for the report instead of printing them. The hook is this library's alone:
/// it has a standard library of its own.
fn keep_panics() {
    let previous = take_hook();
    set_hook(Box::new(move |panic| {
        if INSIDE.get() {
            PANIC.set(describe_panic(panic));
        } else {
            previous(panic);
        }
    }));
}

fn describe_panic(panic: &PanicHookInfo<'_>) -> String {
    let text = text_of(panic.payload()).unwrap_or("something without a text");
    match panic.location() {
        Some(place) => format!("{text} ({}:{}:{})", place.file(), place.line(), place.column()),
        None => text.to_owned(),
    }
}

fn text_of(payload: &dyn Any) -> Option<&str> {
    payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str))
}
