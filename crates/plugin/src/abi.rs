//! What crosses the border: C types, and the way to and from those of `congestion`.
//!
//! A change here is a change of [`crate::ABI`]. Only the beginning of [`Header`], its [`Prelude`], stays as
//! it is in all versions: from it a version is told.

use std::ffi::c_void;

use congestion::{
    AckSample, CongestionControl, CongestionEvent, Decision, Duration, Feedback, Flow, Halve, Initial, Load,
    Needs, Phase, Protocol, Rate, RateSample, RoundSample, Time,
};

/// The symbol under which a library exports its [`Header`].
pub const SYMBOL: &str = "MESONET_PLUGIN";

/// What every header begins with.
pub const MAGIC: [u8; 16] = *b"mesonet plugin\r\n";

/// Bit of [`RawCreated::needs`]: [`Needs::ecn`].
pub const NEEDS_ECN: u32 = 1;
/// Bit of [`RawCreated::needs`]: [`Needs::rate_samples`].
pub const NEEDS_RATE_SAMPLES: u32 = 2;
/// Bit of [`RawCreated::needs`]: [`Needs::feedback`] is XCP.
pub const NEEDS_XCP: u32 = 4;
/// Bit of [`RawCreated::needs`]: [`Needs::feedback`] is VCP.
pub const NEEDS_VCP: u32 = 8;

/// A call did what it was asked.
pub const DONE: u32 = 0;
/// The controller panicked, or an argument made no sense. It must not be called again; [`Calls::message`] says
/// why it panicked.
pub const FAILED: u32 = 1;

/// UTF-8 text that lives as long as its owner says.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Text {
    start: *const u8,
    length: usize,
}

impl Text {
    /// Borrows `text`.
    #[must_use]
    pub const fn of(text: &str) -> Self {
        Self { start: text.as_ptr(), length: text.len() }
    }

    /// The text, or none if it is not UTF-8.
    ///
    /// # Safety
    /// The text that this borrows from must live for `'a`.
    #[expect(unsafe_code, reason = "text of the other side comes as a pointer")]
    #[must_use]
    pub unsafe fn read<'a>(self) -> Option<&'a str> {
        if self.start.is_null() || isize::try_from(self.length).is_err() {
            return None;
        }
        // SAFETY: not null, not too long, and alive by this function's contract.
        let bytes = unsafe { std::slice::from_raw_parts(self.start, self.length) };
        std::str::from_utf8(bytes).ok()
    }
}

/// The part of [`Header`] that is the same in all versions of the ABI.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Prelude {
    /// [`MAGIC`].
    pub magic: [u8; 16],
    /// Version of the ABI.
    pub abi: u32,
    /// Zero.
    pub reserved: u32,
    /// Version of this crate that the library was built with.
    pub plugin_version: Text,
    /// Name of the library's crate.
    pub name: Text,
    /// Version of the library's crate.
    pub version: Text,
}

/// What a library exports as [`SYMBOL`]. Made by [`crate::export::header`] and by nothing else.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Header {
    pub(crate) prelude: Prelude,
    /// Number of controllers.
    pub(crate) controllers: u32,
    pub(crate) calls: Calls,
}

#[expect(unsafe_code, reason = "a header holds pointers, which are not Sync by themselves")]
// SAFETY: a header is never written to, and neither is the text that it points to.
unsafe impl Sync for Header {}

#[expect(unsafe_code, reason = "a header holds pointers, which are not Send by themselves")]
// SAFETY: as for Sync; nothing in it belongs to a thread.
unsafe impl Send for Header {}

/// Writes down one quantity of a controller: context, name (of the library's lifetime), value.
pub type Record = unsafe extern "C" fn(*mut c_void, Text, f64);

/// The functions of a library.
///
/// A `state` comes from `create` and is used by one thread at a time; all other pointers live for the call.
/// Functions that return a number return [`DONE`] or [`FAILED`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Calls {
    /// Describe a controller by its number.
    pub describe: unsafe extern "C" fn(u32, *mut RawAlgorithm) -> u32,
    /// Describe a parameter by the numbers of its controller and its own.
    pub parameter: unsafe extern "C" fn(u32, u32, *mut RawParam) -> u32,
    /// Create controller number so-and-so for one flow from the values of its parameters.
    pub create: unsafe extern "C" fn(u32, *const f64, usize, *const RawInitial, *mut RawCreated) -> u32,
    /// [`CongestionControl::on_ack`].
    pub on_ack: unsafe extern "C" fn(*mut c_void, *const RawAck, *const RawFlow, *mut RawAnswer) -> u32,
    /// [`CongestionControl::on_congestion`].
    pub on_congestion: unsafe extern "C" fn(*mut c_void, u32, *const RawFlow, *mut RawAnswer) -> u32,
    /// [`CongestionControl::on_send`].
    pub on_send: unsafe extern "C" fn(*mut c_void, *mut RawFeedback, *const RawFlow, *mut RawAnswer) -> u32,
    /// [`CongestionControl::on_wakeup`].
    pub on_wakeup: unsafe extern "C" fn(*mut c_void, *const RawFlow, *mut RawAnswer) -> u32,
    /// [`CongestionControl::state`].
    pub state: unsafe extern "C" fn(*mut c_void, *mut c_void, Record) -> u32,
    /// Why the last call failed; the text lives until the next call.
    pub message: unsafe extern "C" fn(*mut c_void) -> Text,
    /// Destroy what `create` made.
    pub destroy: unsafe extern "C" fn(*mut c_void),
}

/// A [`congestion::Algorithm`] without its parameters.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawAlgorithm {
    /// What a scenario calls it.
    pub name: Text,
    /// One sentence for lists.
    pub summary: Text,
    /// Where its rules are published.
    pub source: Text,
    /// Number of parameters.
    pub params: u32,
}

/// A [`congestion::Param`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawParam {
    /// What a scenario calls it.
    pub name: Text,
    /// Its unit.
    pub unit: Text,
    /// What it does.
    pub doc: Text,
    /// Its value unless the scenario sets it.
    pub default: f64,
    /// Smallest value allowed.
    pub min: f64,
    /// Largest value allowed.
    pub max: f64,
}

/// An [`Initial`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawInitial {
    window: f64,
    ssthresh: f64,
    restart_window: f64,
    seed: u64,
    smss: u32,
    halve: u32,
}

impl From<&Initial> for RawInitial {
    fn from(initial: &Initial) -> Self {
        let Initial { smss, window, ssthresh, restart_window, halve, seed } = *initial;
        let halve = match halve {
            Halve::Flight => 0,
            Halve::Window => 1,
        };
        Self { window, ssthresh, restart_window, seed, smss, halve }
    }
}

impl RawInitial {
    /// The other way; none if it makes no sense.
    #[must_use]
    pub fn read(&self) -> Option<Initial> {
        let Self { window, ssthresh, restart_window, seed, smss, halve } = *self;
        let halve = match halve {
            0 => Halve::Flight,
            1 => Halve::Window,
            _ => return None,
        };
        Some(Initial { smss, window, ssthresh, restart_window, halve, seed })
    }
}

/// What `create` made.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawCreated {
    /// Never null once `create` has returned, even if it failed.
    pub state: *mut c_void,
    /// What the controller wants at first.
    pub answer: RawAnswer,
    /// Bits [`NEEDS_ECN`], [`NEEDS_RATE_SAMPLES`], [`NEEDS_XCP`], [`NEEDS_VCP`].
    pub needs: u32,
}

/// What a controller wants after a call: its decision, its phase, and when to be woken.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct RawAnswer {
    cwnd: f64,
    pacing_rate: f64,
    wakeup: u64,
    phase: u32,
    present: u32,
}

impl RawAnswer {
    const PACING: u32 = 1;
    const WAKEUP: u32 = 2;

    /// Asks a controller.
    #[must_use]
    pub fn of(controller: &dyn CongestionControl) -> Self {
        let Decision { cwnd, pacing_rate } = controller.decision();
        let wakeup = controller.wakeup();
        let phase = match controller.phase() {
            Phase::SlowStart => 0,
            Phase::Standard => 1,
            Phase::Alternate => 2,
        };
        Self {
            cwnd,
            pacing_rate: pacing_rate.map_or(0.0, |rate| rate.0),
            wakeup: wakeup.map_or(0, |at| at.0),
            phase,
            present: bit(Self::PACING, pacing_rate.is_some()) | bit(Self::WAKEUP, wakeup.is_some()),
        }
    }

    /// What was answered; none if the phase is none.
    #[must_use]
    pub fn read(&self) -> Option<(Decision, Phase, Option<Time>)> {
        let phase = match self.phase {
            0 => Phase::SlowStart,
            1 => Phase::Standard,
            2 => Phase::Alternate,
            _ => return None,
        };
        let pacing_rate = (self.present & Self::PACING != 0).then_some(Rate(self.pacing_rate));
        let wakeup = (self.present & Self::WAKEUP != 0).then_some(Time(self.wakeup));
        Some((Decision { cwnd: self.cwnd, pacing_rate }, phase, wakeup))
    }
}

/// The number of an event.
#[must_use]
pub fn event_number(event: CongestionEvent) -> u32 {
    match event {
        CongestionEvent::EnterRecovery => 0,
        CongestionEvent::ExitRecovery => 1,
        CongestionEvent::EcnEcho => 2,
        CongestionEvent::Rto => 3,
    }
}

/// The event of a number.
#[must_use]
pub fn event(number: u32) -> Option<CongestionEvent> {
    Some(match number {
        0 => CongestionEvent::EnterRecovery,
        1 => CongestionEvent::ExitRecovery,
        2 => CongestionEvent::EcnEcho,
        3 => CongestionEvent::Rto,
        _ => return None,
    })
}

/// An [`AckSample`]; `present` says which of its parts are there.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawAck {
    delivered: u64,
    lost: u64,
    ce_marked: u64,
    rtt: u64,
    forward_delay: u64,
    rate_delivered: u64,
    rate_interval: u64,
    round_min_rtt: u64,
    round_delivered: u64,
    round_lost: u64,
    round_ce_marked: u64,
    round_rtt_count: u32,
    present: u32,
    feedback: RawFeedback,
}

impl RawAck {
    const RTT: u32 = 1;
    const FORWARD_DELAY: u32 = 2;
    const RATE: u32 = 4;
    const APP_LIMITED: u32 = 8;
    const ROUND: u32 = 16;
    const ROUND_MIN_RTT: u32 = 32;

    /// The other way; none if it makes no sense.
    #[must_use]
    pub fn read(&self) -> Option<AckSample> {
        let has = |bit| self.present & bit != 0;
        let rate = has(Self::RATE).then_some(RateSample {
            delivered: self.rate_delivered,
            interval: Duration(self.rate_interval),
            app_limited: has(Self::APP_LIMITED),
        });
        let round = has(Self::ROUND).then_some(RoundSample {
            min_rtt: has(Self::ROUND_MIN_RTT).then_some(Duration(self.round_min_rtt)),
            rtt_count: self.round_rtt_count,
            delivered: self.round_delivered,
            lost: self.round_lost,
            ce_marked: self.round_ce_marked,
        });
        Some(AckSample {
            delivered: self.delivered,
            lost: self.lost,
            ce_marked: self.ce_marked,
            rtt: has(Self::RTT).then_some(Duration(self.rtt)),
            forward_delay: has(Self::FORWARD_DELAY).then_some(Duration(self.forward_delay)),
            rate,
            round,
            feedback: self.feedback.read()?,
        })
    }
}

impl From<&AckSample> for RawAck {
    fn from(ack: &AckSample) -> Self {
        let AckSample { delivered, lost, ce_marked, rtt, forward_delay, rate, round, feedback } = *ack;
        let mut present = bit(Self::RTT, rtt.is_some()) | bit(Self::FORWARD_DELAY, forward_delay.is_some());
        let (mut rate_delivered, mut rate_interval) = (0, 0);
        if let Some(RateSample { delivered, interval, app_limited }) = rate {
            present |= Self::RATE | bit(Self::APP_LIMITED, app_limited);
            (rate_delivered, rate_interval) = (delivered, interval.0);
        }
        let mut raw = Self {
            delivered,
            lost,
            ce_marked,
            rtt: rtt.map_or(0, |span| span.0),
            forward_delay: forward_delay.map_or(0, |span| span.0),
            rate_delivered,
            rate_interval,
            round_min_rtt: 0,
            round_delivered: 0,
            round_lost: 0,
            round_ce_marked: 0,
            round_rtt_count: 0,
            present,
            feedback: RawFeedback::from(feedback),
        };
        if let Some(RoundSample { min_rtt, rtt_count, delivered, lost, ce_marked }) = round {
            raw.present |= Self::ROUND | bit(Self::ROUND_MIN_RTT, min_rtt.is_some());
            raw.round_min_rtt = min_rtt.map_or(0, |span| span.0);
            raw.round_rtt_count = rtt_count;
            raw.round_delivered = delivered;
            raw.round_lost = lost;
            raw.round_ce_marked = ce_marked;
        }
        raw
    }
}

/// A [`Feedback`]; `kind` is 0 for none, 1 for XCP, 2 for VCP.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct RawFeedback {
    cwnd: f64,
    rtt: f64,
    feedback: f64,
    kind: u32,
    region: u32,
}

impl From<Feedback> for RawFeedback {
    fn from(feedback: Feedback) -> Self {
        match feedback {
            Feedback::None => Self::default(),
            Feedback::Xcp { cwnd, rtt, feedback } => Self { cwnd, rtt, feedback, kind: 1, region: 0 },
            Feedback::Vcp(load) => Self { kind: 2, region: load as u32, ..Self::default() },
        }
    }
}

/// The bits of [`RawCreated::needs`].
#[must_use]
pub fn needs_bits(needs: Needs) -> u32 {
    let Needs { feedback, ecn, rate_samples } = needs;
    let protocol = match feedback {
        None => 0,
        Some(Protocol::Xcp) => NEEDS_XCP,
        Some(Protocol::Vcp) => NEEDS_VCP,
    };
    bit(NEEDS_ECN, ecn) | bit(NEEDS_RATE_SAMPLES, rate_samples) | protocol
}

/// [`Needs`] from the bits of [`RawCreated::needs`].
#[must_use]
pub fn needs(bits: u32) -> Needs {
    let feedback = match bits & (NEEDS_XCP | NEEDS_VCP) {
        NEEDS_XCP => Some(Protocol::Xcp),
        NEEDS_VCP => Some(Protocol::Vcp),
        _ => None,
    };
    Needs { feedback, ecn: bits & NEEDS_ECN != 0, rate_samples: bits & NEEDS_RATE_SAMPLES != 0 }
}

impl RawFeedback {
    /// The other way; none if it makes no sense.
    #[must_use]
    pub fn read(&self) -> Option<Feedback> {
        Some(match self.kind {
            0 => Feedback::None,
            1 => Feedback::Xcp { cwnd: self.cwnd, rtt: self.rtt, feedback: self.feedback },
            2 => Feedback::Vcp(*[Load::Low, Load::High, Load::Over].get(self.region as usize)?),
            _ => return None,
        })
    }
}

/// A [`Flow`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawFlow {
    now: u64,
    in_flight: u64,
    flight_size: u64,
    srtt: u64,
    min_rtt: u64,
    smss: u32,
    flags: u32,
}

impl RawFlow {
    const IN_RECOVERY: u32 = 1;
    const CWND_LIMITED: u32 = 2;

    /// The other way.
    #[must_use]
    pub fn read(&self) -> Flow {
        Flow {
            now: Time(self.now),
            smss: self.smss,
            in_flight: self.in_flight,
            flight_size: self.flight_size,
            srtt: Duration(self.srtt),
            min_rtt: Duration(self.min_rtt),
            in_recovery: self.flags & Self::IN_RECOVERY != 0,
            cwnd_limited: self.flags & Self::CWND_LIMITED != 0,
        }
    }
}

impl From<&Flow> for RawFlow {
    fn from(flow: &Flow) -> Self {
        let Flow { now, smss, in_flight, flight_size, srtt, min_rtt, in_recovery, cwnd_limited } = *flow;
        let flags = bit(Self::IN_RECOVERY, in_recovery) | bit(Self::CWND_LIMITED, cwnd_limited);
        Self { now: now.0, in_flight, flight_size, srtt: srtt.0, min_rtt: min_rtt.0, smss, flags }
    }
}

fn bit(bit: u32, set: bool) -> u32 {
    if set { bit } else { 0 }
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::*;

    /// Whoever has to change this test has changed the ABI, and counts `crate::ABI` up.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn layout_is_that_of_abi_1() {
        assert_eq!(crate::ABI, 1);
        let sizes = [
            size_of::<Text>(),
            size_of::<Prelude>(),
            size_of::<Header>(),
            size_of::<Calls>(),
            size_of::<RawAlgorithm>(),
            size_of::<RawParam>(),
            size_of::<RawInitial>(),
            size_of::<RawCreated>(),
            size_of::<RawAnswer>(),
            size_of::<RawAck>(),
            size_of::<RawFeedback>(),
            size_of::<RawFlow>(),
        ];
        assert_eq!(sizes, [16, 72, 160, 80, 56, 72, 40, 48, 32, 128, 32, 48]);
        assert_eq!(offset_of!(Prelude, abi), 16);
        assert_eq!(offset_of!(Prelude, plugin_version), 24);
        assert_eq!(offset_of!(Header, controllers), 72);
        assert_eq!(offset_of!(Calls, destroy), 72);
        assert_eq!(offset_of!(RawAck, feedback), 96);
        assert_eq!(offset_of!(RawAnswer, phase), 24);
        assert_eq!(offset_of!(RawFlow, smss), 40);
    }

    #[test]
    fn numbers_that_mean_nothing_are_not_read() {
        assert_eq!(event(4), None);
        assert!(RawAnswer { phase: 3, ..RawAnswer::default() }.read().is_none());
        assert_eq!(RawFeedback { kind: 3, ..RawFeedback::default() }.read(), None);
        assert_eq!(RawFeedback { kind: 2, region: 3, ..RawFeedback::default() }.read(), None);
        let initial = RawInitial::from(&Initial {
            smss: 1,
            window: 2.0,
            ssthresh: 3.0,
            restart_window: 4.0,
            halve: Halve::Window,
            seed: 5,
        });
        assert_eq!(RawInitial { halve: 2, ..initial }.read(), None);
    }
}
