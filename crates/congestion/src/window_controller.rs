//! Answers that nearly every window-based controller gives in the same way.

use std::fmt;

use crate::control::{
    AckSample, CongestionControl, CongestionEvent, Decision, Feedback, Flow, Needs, Phase, Prior,
};
use crate::units::Duration;
use crate::window::Window;

/// A controller that holds a [`Window`], which answers the transport's questions for it.
///
/// Three functions make it a [`CongestionControl`]. One that is woken by a timer implements that trait itself.
pub trait WindowController: fmt::Debug + Send {
    /// Window of the flow.
    fn window(&self) -> &Window;

    /// Window of the flow, for what the transport puts in force ([`CongestionControl::override_window`]) or takes back
    /// ([`CongestionControl::on_undo`]); none where the transport has to leave it alone.
    fn window_mut(&mut self) -> Option<&mut Window> {
        None
    }

    /// Follows one ACK, as [`CongestionControl::on_ack`].
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow);

    /// Follows the begin or end of an episode, as [`CongestionControl::on_congestion`].
    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow);

    /// Congestion avoidance follows the rules of standard TCP at present.
    fn is_standard(&self) -> bool {
        false
    }

    /// Records quantities for traces besides `ssthresh`.
    fn record(&self, _record: &mut dyn FnMut(&'static str, f64)) {}

    /// Decision at present: `cwnd` of the window, not paced.
    fn decision(&self) -> Decision {
        self.window().decision()
    }

    /// Regime at present: slow start while the window is in it, then as [`is_standard`](Self::is_standard) says.
    fn phase(&self) -> Phase {
        self.window().phase(self.is_standard())
    }

    /// Needs of the controller, as [`CongestionControl::needs`].
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Stamps a header, as [`CongestionControl::on_send`].
    fn on_send(&mut self, _feedback: &mut Feedback, _flow: &Flow) {}

    /// Takes back what the latest reduction has changed beside the window ([`CongestionControl::on_undo`]).
    fn restore(&mut self) {}

    /// Follows the window that the transport has put in force, or back in force.
    fn follow_window(&mut self) {}

    /// Follows the end of an idle time, as [`CongestionControl::on_restart`].
    fn on_restart(&mut self, _idle: Duration, _flow: &Flow) {}

    /// Records all quantities for traces: `ssthresh`, then those of [`record`](Self::record).
    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("ssthresh", self.window().ssthresh());
        self.record(record);
    }
}

impl<T: WindowController> CongestionControl for T {
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        WindowController::on_ack(self, ack, flow);
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        WindowController::on_congestion(self, event, flow);
    }

    fn on_undo(&mut self, prior: &Prior, _flow: &Flow) {
        if let Some(window) = self.window_mut() {
            window.undo(prior);
            self.restore();
            self.follow_window();
        }
    }

    fn decision(&self) -> Decision {
        WindowController::decision(self)
    }

    fn phase(&self) -> Phase {
        WindowController::phase(self)
    }

    fn needs(&self) -> Needs {
        WindowController::needs(self)
    }

    fn on_send(&mut self, feedback: &mut Feedback, flow: &Flow) {
        WindowController::on_send(self, feedback, flow);
    }

    fn ssthresh(&self) -> Option<f64> {
        Some(self.window().ssthresh())
    }

    fn override_window(&mut self, cwnd: f64, ssthresh: f64) {
        if let Some(window) = self.window_mut() {
            window.put(cwnd, ssthresh);
            self.follow_window();
        }
    }

    fn on_restart(&mut self, idle: Duration, flow: &Flow) {
        WindowController::on_restart(self, idle, flow);
    }

    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        WindowController::state(self, record);
    }
}

/// Window of a controller that holds it in its field `window`, and leaves it to the transport, too.
macro_rules! answers_of_window {
    () => {
        fn window(&self) -> &$crate::window::Window {
            &self.window
        }

        fn window_mut(&mut self) -> Option<&mut $crate::window::Window> {
            Some(&mut self.window)
        }
    };
}
