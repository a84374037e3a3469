//! Use of the window: a segment leaves, the window is full, nothing is left to send, an ACK arrives.

use congestion::{Duration, Phase, Time};

use super::Sender;
use super::on_ack::Prior;
use crate::tcp::control::Control;
use crate::tcp::linux::window_use::Use;
use crate::tcp::mechanism::Mechanism;
use crate::tcp::sequence::SequenceSpace;
use crate::tcp::validation::{Flight, Lowered, Validation};

impl Sender {
    #[inline]
    fn validation_mut(&mut self) -> Option<&mut Validation> {
        self.options.as_mut()?.validation.as_mut()
    }

    /// Take note of a new segment that has left, with which `pipe` are in the network.
    #[inline]
    pub(super) fn note_window_use(&mut self, pipe: u32, now: Time) {
        let Self { options, seq, control, .. } = self;
        if let Some(validation) = options.as_mut().and_then(|options| options.validation.as_mut()) {
            observe(validation, seq, control, pipe >= control.cwnd, now);
        }
    }

    /// Returns true if window validation has yet to hear of a full window; mostly it did when the latest segment filled it.
    #[inline]
    pub(super) fn needs_cwnd_full_mark(&self, now: Time) -> bool {
        let validation = self.options.as_ref().and_then(|options| options.validation.as_ref());
        validation.is_some_and(|validation| !validation.knows_full(self.seq.snd_nxt, now))
    }

    /// Take note of data that a full window holds back.
    #[inline(never)]
    pub(super) fn note_full_window(&mut self, mechanism: &Mechanism, now: Time) {
        let Self { options, seq, control, .. } = self;
        if seq.has_unsent(mechanism.rwnd)
            && let Some(validation) = options.as_mut().and_then(|options| options.validation.as_mut())
        {
            observe(validation, seq, control, true, now);
        }
    }

    /// Lower a window that was idle for long, if that is the rule. RFC 5681 section 4.1, "RW = min(IW,cwnd)": the whole
    /// segment that validation counts at least would raise a window below it.
    pub(super) fn lower_idle_window(&mut self, idle: Duration, now: Time, mechanism: &Mechanism) {
        let (cwnd, rto) = (self.control.cwnd, self.rtt.rto());
        let lowered = self
            .validation_mut()
            .and_then(|validation| validation.restart(&mechanism.validation, cwnd, idle, rto, now));
        if let Some(lowered) = lowered.filter(|_| !self.is_reducing() && !self.control.is_fractional) {
            self.lower_window(lowered, mechanism);
        }
    }

    /// Lower a window that the application has not filled for long, now that it has nothing more to send.
    #[cold]
    pub(super) fn lower_unused_window(&mut self, now: Time, mechanism: &Mechanism) {
        if self.last_sent != now || !self.recovery.is_open() || self.is_reducing() {
            return;
        }
        let Self { options, control, rtt, .. } = self;
        let validation = options.as_mut().and_then(|options| options.validation.as_mut());
        let (phase, options) = (control.algorithm.phase(), &mechanism.validation);
        let lowered = validation.and_then(|v| v.decay(options, control.cwnd, phase, rtt.rto(), now));
        if let Some(lowered) = lowered {
            self.lower_window(lowered, mechanism);
        }
    }

    fn lower_window(&mut self, lowered: Lowered, mechanism: &Mechanism) {
        let smss = f64::from(mechanism.smss);
        let Some(ssthresh) = self.control.algorithm.ssthresh() else { return };
        let ssthresh = ssthresh.max(f64::from(lowered.ssthresh) * smss);
        self.control.algorithm.override_window(f64::from(lowered.cwnd) * smss, ssthresh);
        self.apply_decision(mechanism);
    }

    /// Limitation by the window before the ACK at hand, from what is known of its use. `None` where the flight before it says
    /// all.
    #[inline]
    pub(super) fn is_limited_by_use(
        &mut self,
        prior: &Prior,
        now: Time,
        mechanism: &Mechanism,
    ) -> Option<bool> {
        let Self { options, control, pacer, seq, .. } = self;
        let validation = options.as_mut()?.validation.as_mut()?;
        let flight = Flight {
            size: prior.flight_size,
            pipe: prior.pipe,
            is_held_by_pacer: || pacer.next_send_time() > now && seq.has_unsent(mechanism.rwnd),
        };
        validation.limits(&mechanism.validation, control.cwnd, &flight, || phase(control))
    }

    /// Cap the window at what the flights so far justify, if that is the rule.
    #[inline]
    pub(super) fn cap_window(&mut self, mechanism: &Mechanism) {
        let Self { options, control, seq, .. } = self;
        let validation = options.as_ref().and_then(|options| options.validation.as_ref());
        let (rules, flight_size) = (&mechanism.validation, seq.flight_size());
        let lowered = validation.and_then(|v| v.cap(rules, control.cwnd, flight_size, || phase(control)));
        if let Some(lowered) = lowered
            && self.recovery.is_open()
            && !self.is_reducing()
        {
            self.lower_window(lowered, mechanism);
        }
    }

    /// Forget flights of before a reduction of the window.
    #[inline]
    pub(super) fn forget_flights(&mut self) {
        if let Some(validation) = self.validation_mut() {
            validation.on_reduction();
        }
    }
}

/// Tell window validation of the window's use.
#[inline]
fn observe(validation: &mut Validation, seq: &SequenceSpace, control: &Control, is_full: bool, now: Time) {
    let (snd_una, snd_nxt, cwnd) = (seq.snd_una, seq.snd_nxt, control.cwnd);
    let state = Use { flight_size: seq.flight_size(), snd_una, snd_nxt, is_full, cwnd, now };
    validation.observe(&state, || phase(control));
}

/// Phase of the controller; windows are full most of the time, so that it is seldom asked for.
#[cold]
fn phase(control: &Control) -> Phase {
    control.algorithm.phase()
}
