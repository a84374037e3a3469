//! Hooks of window validation: a segment leaves, the window is full, nothing is left to send, an ACK arrives.

use congestion::{Duration, Phase, Time};

use super::Sender;
use crate::tcp::control::Control;
use crate::tcp::mechanism::Mechanism;
use crate::tcp::sequence::SequenceSpace;
use crate::tcp::validation::{IdleRestart, Use, Validation, ValidationRule, remembered};

impl Sender {
    #[inline]
    fn validation_mut(&mut self) -> Option<&mut Validation> {
        self.options.as_mut()?.validation.as_mut()
    }

    /// Take note of a new segment that has left, with which `pipe` are in the network.
    #[inline]
    pub(super) fn validate_sent(&mut self, pipe: u32, now: Time) {
        let Self { options, seq, control, .. } = self;
        if let Some(validation) = options.as_mut().and_then(|options| options.validation.as_mut()) {
            observe(validation, seq, control, pipe >= control.cwnd, now);
        }
    }

    /// Window validation has yet to hear of a full window; mostly it did when the latest segment filled it.
    #[inline]
    pub(super) fn has_to_note_full_window(&self, now: Time) -> bool {
        let validation = self.options.as_ref().and_then(|options| options.validation.as_ref());
        validation.is_some_and(|validation| !validation.knows_full(self.seq.snd_nxt, now))
    }

    /// Take note of data that a full window holds back.
    #[inline(never)]
    pub(super) fn validate_full(&mut self, mechanism: &Mechanism, now: Time) {
        let Self { options, seq, control, .. } = self;
        if seq.has_unsent(mechanism.rwnd)
            && let Some(validation) = options.as_mut().and_then(|options| options.validation.as_mut())
        {
            observe(validation, seq, control, true, now);
        }
    }

    /// Lower a window that was idle for long, if that is the rule.
    pub(super) fn validate_restart(&mut self, idle: Duration, now: Time, mechanism: &Mechanism) {
        let (cwnd, rto) = (self.control.cwnd, self.rtt.rto());
        let lowered = self.validation_mut().and_then(|validation| validation.restart(cwnd, idle, rto, now));
        if let Some(window) = lowered.filter(|_| !self.is_reducing()) {
            let remembers = mechanism.validation.idle_restart == IdleRestart::Linux;
            self.lower_window(window, remembers, mechanism);
        }
    }

    /// Note that the application has nothing more to send: a window that it has not filled for long goes down.
    #[cold]
    pub(super) fn validate_app_limited(&mut self, now: Time, mechanism: &Mechanism) {
        let (cwnd, rto, phase) = (self.control.cwnd, self.rtt.rto(), self.control.algorithm.phase());
        if self.last_sent != now || !self.recovery.is_open() || self.is_reducing() {
            return;
        }
        let lowered = self.validation_mut().and_then(|validation| validation.decay(cwnd, phase, rto, now));
        if let Some(window) = lowered {
            self.lower_window(window, true, mechanism);
        }
    }

    /// Put a window of so many segments in force, and with `remembers` a threshold that leads back to the present one.
    fn lower_window(&mut self, window: u32, remembers: bool, mechanism: &Mechanism) {
        let smss = f64::from(mechanism.smss);
        let Some(ssthresh) = self.control.algorithm.ssthresh() else { return };
        let floor = if remembers { f64::from(remembered(self.control.cwnd)) * smss } else { 0.0 };
        self.control.algorithm.override_window(f64::from(window) * smss, ssthresh.max(floor));
        self.apply_decision(mechanism);
    }

    /// Limitation by the window, from what is known of its use; `prior_flight` were outstanding before the ACK at hand.
    /// `None` without a rule that remembers.
    #[inline]
    pub(super) fn is_limited_by_use(&mut self, prior_flight: u32) -> Option<bool> {
        let Self { options, control, .. } = self;
        let validation = options.as_mut()?.validation.as_mut()?;
        let (cwnd, phase) = (control.cwnd, || phase(control));
        match validation.rule() {
            ValidationRule::Flight => None,
            ValidationRule::Linux => Some(validation.is_cwnd_limited(cwnd, phase)),
            ValidationRule::RateLimited => {
                validation.measure(prior_flight);
                Some(cwnd < validation.limit(phase()) || prior_flight >= cwnd)
            }
        }
    }

    /// Cap the window at what the flights so far justify, if that is the rule. The draft, section 3: "The sender MUST cap
    /// cwnd to be no larger than limit(maxFS)", where its flight is below it.
    #[inline]
    pub(super) fn cap_window(&mut self, mechanism: &Mechanism) {
        if mechanism.validation.rule == ValidationRule::RateLimited && mechanism.cwnd_validation {
            self.cap_by_flights(mechanism);
        }
    }

    #[cold]
    fn cap_by_flights(&mut self, mechanism: &Mechanism) {
        let (cwnd, flight_size) = (self.control.cwnd, self.seq.flight_size());
        let phase = self.control.algorithm.phase();
        if flight_size >= cwnd || !self.recovery.is_open() || self.is_reducing() {
            return;
        }
        let Some(limit) = self.validation_mut().map(|validation| validation.limit(phase)) else { return };
        if cwnd > limit {
            self.lower_window(limit, false, mechanism);
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
