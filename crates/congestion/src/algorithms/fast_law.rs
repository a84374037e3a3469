//! The window law of FAST TCP, which FAST, FAST-AT and EEFAST follow on different signals.

use std::fmt;

use crate::algorithm::Param;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow};
use crate::window::{BETA_RENO, Window, to_float};
use crate::window_controller::WindowController;

pub(super) const GAMMA: Param = Param {
    name: "gamma",
    default: 0.5,
    min: 0.01,
    max: 1.0,
    unit: "1",
    doc: "Part of the way taken by one update",
};

pub(super) const EVERY: Param = Param {
    name: "every",
    default: 2.0,
    min: 1.0,
    max: 100.0,
    unit: "round trips",
    doc: "An update every so many round trips",
};

/// Measurement of the queue that a flow steers by.
pub(super) trait Signal: fmt::Debug + Send {
    /// Takes in what `ack` says while `window` holds; averages rest while losses are repaired.
    fn sample(&mut self, ack: &AckSample, window: &Window, repairing: bool);

    /// Target of an update at a window of so many segments; none before there is anything to go by.
    fn target(&mut self, window: f64, flow: &Flow) -> Option<Target>;

    /// Target of an update while no queue was ever measured, of a controller that never rests.
    fn target_unmeasured(&self) -> Option<Target> {
        None
    }

    /// Forgets the averages: the queue that they remember is the one that overflowed.
    fn forget(&mut self);

    /// Records quantities for traces; windows are counted in `smss` bytes.
    fn record(&self, smss: f64, record: &mut dyn FnMut(&'static str, f64));
}

/// Terms of the paper's update.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// baseRTT / RTT: the part of the window that is not in queues.
    pub(super) ratio: f64,
    /// Own segments in queues at equilibrium.
    pub(super) alpha: f64,
}

/// Switch between the law beside standard TCP and the law alone.
pub(super) const OWN_RULE: Param = Param {
    name: "own_rule",
    default: 0.0,
    min: 0.0,
    max: 1.0,
    unit: "0 or 1",
    doc: "Follow the own rule also during repairs and after timeouts, never standard TCP's",
};

/// A controller of one flow that moves its window by the law: between losses, or if `ALWAYS` from the end of the first
/// slow start on.
#[derive(Debug)]
pub(super) struct FastLaw<S, const ALWAYS: bool = false> {
    gamma: f64,
    every: f64,
    window: Window,
    signal: S,
    /// Round trips since the last update.
    rounds: f64,
}

impl<S: Signal + 'static> FastLaw<S> {
    /// A controller by these parameters, `own_rule` among them.
    pub(super) fn boxed(
        own_rule: bool,
        gamma: f64,
        every: f64,
        window: Window,
        signal: S,
    ) -> Box<dyn CongestionControl> {
        let rounds = 0.0;
        if own_rule {
            Box::new(FastLaw::<S, true> { gamma, every, window, signal, rounds })
        } else {
            Box::new(Self { gamma, every, window, signal, rounds })
        }
    }
}

impl<S: Signal> FastLaw<S> {
    /// A controller that takes the part `gamma` of the way every so many round trips.
    pub(super) fn new(gamma: f64, every: f64, window: Window, signal: S) -> Self {
        Self { gamma, every, window, signal, rounds: 0.0 }
    }
}

impl<S: Signal, const ALWAYS: bool> FastLaw<S, ALWAYS> {
    /// The window update of the paper: w = min(2w, (1-gamma) w + gamma (ratio w + alpha)), in segments.
    fn update(&mut self, flow: &Flow) {
        let window = self.window.segments();
        let measured = self.signal.target(window, flow);
        let target = measured.or_else(|| self.signal.target_unmeasured().filter(|_| ALWAYS));
        let Some(Target { ratio, alpha }) = target else { return };
        let moved = (1.0 - self.gamma) * window + self.gamma * (ratio * window + alpha);
        let target = moved.min(2.0 * window) * self.window.smss();
        self.window.steer(bounded(target, self.window.cwnd(), flow));
    }
}

/// The window to go to from `cwnd`: `target`, but nothing larger while the window is not in use (RFC 7661).
pub(super) fn bounded(target: f64, cwnd: f64, flow: &Flow) -> f64 {
    if flow.app_limited { target.min(cwnd) } else { target }
}

/// Weight of a new sample in the averages of the paper: min(3/w, 1/4), for a window of w segments.
pub(super) fn weight(window: &Window) -> f64 {
    (3.0 / window.segments()).min(0.25)
}

impl<S: Signal, const ALWAYS: bool> WindowController for FastLaw<S, ALWAYS> {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let repairing = !ALWAYS && self.window.is_repairing(flow);
        self.signal.sample(ack, &self.window, repairing);
        // Round trips of the transport may go by what was sent before a timeout: a window of data is one meanwhile.
        let by_data = ALWAYS && self.window.repairs_timeout();
        if by_data {
            let delivered = to_float(ack.delivered).min(self.window.smss());
            self.rounds += delivered / self.window.cwnd();
        } else if ack.round.is_some() {
            self.rounds += 1.0;
        }
        let now = if by_data { flow.cwnd_limited } else { ack.round.is_some() };
        if now && self.rounds >= self.every && !repairing && !self.window.in_slow_start() {
            self.rounds = 0.0;
            self.update(flow);
        }
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        if repairing {
            // After a timeout there is nothing to go by until all is repaired.
            self.window.avoid(rest, self.window.cwnd());
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        self.window.back_off(event, BETA_RENO, flow);
        if !ALWAYS {
            self.signal.forget();
            self.rounds = 0.0;
        } else if event != CongestionEvent::ExitRecovery {
            // No slow start to half of the window follows a timeout: the rule goes on from the restart window.
            self.window.leave_slow_start();
            self.rounds = 0.0;
        }
    }

    fn record(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.signal.record(self.window.smss(), record);
    }
}
