//! XCP, the sender's half: the window follows what the routers grant (Katabi, Handley, Rohrs, Sigcomm 2002).
//!
//! The routers' half is the queue discipline `xcp` of the simulator. Page: `docs/models/xcp.md`.

use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionEvent, Feedback, Flow, Needs, Phase, Protocol};
use crate::window::{BETA_RENO, Window};
use crate::window_controller::WindowController;

pub(crate) const XCP: Algorithm = Algorithm {
    name: "xcp",
    display: "XCP",
    edition: 1,
    summary: "Routers grant every packet a change of the window; needs the discipline xcp",
    source: "Katabi, Handley, Rohrs, Sigcomm 2002",
    params: &[],
    build: |_, initial| Box::new(Xcp { window: Window::new(initial) }),
};

/// XCP of one flow.
#[derive(Debug)]
struct Xcp {
    window: Window,
}

impl WindowController for Xcp {
    answers_of_window!();

    /// Sigcomm 2002, section 3.2: the window becomes max(cwnd + feedback, s), s the size of a packet.
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let may_open = self.window.credit(ack, flow) > 0.0;
        if let Feedback::Xcp { feedback, .. } = ack.feedback
            // Nobody has granted what the sender asked for: there was no such router.
            && feedback.is_finite()
            && (may_open || feedback < 0.0)
        {
            self.window.shift(feedback);
        }
    }

    /// Section 3.2: losses are rare and answered as TCP answers them.
    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        self.window.back_off(event, BETA_RENO, flow);
    }

    /// There is no slow start: the routers find the rate.
    fn phase(&self) -> Phase {
        Phase::Alternate
    }

    fn needs(&self) -> Needs {
        Needs { feedback: Some(Protocol::Xcp), ..Needs::default() }
    }

    /// Section 3.1: every packet carries the window, the round-trip time and the change that is desired, which
    /// for a sender with more data than it may send is without limit.
    fn on_send(&mut self, feedback: &mut Feedback, flow: &Flow) {
        *feedback =
            Feedback::Xcp { cwnd: self.window.cwnd(), rtt: flow.srtt.seconds(), feedback: f64::INFINITY };
    }

    /// There is no threshold to record.
    fn state(&self, _record: &mut dyn FnMut(&'static str, f64)) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, assert_near, create, flow, flow_at, initial, segments};

    fn granted(segments: f64) -> AckSample {
        let feedback = Feedback::Xcp { cwnd: 0.0, rtt: 0.0, feedback: segments * 1000.0 };
        AckSample { feedback, ..ack(1) }
    }

    #[test]
    fn window_follows_the_feedback_down_to_one_segment() {
        let mut controller = create(&XCP, &initial(10.0));
        controller.on_ack(&granted(7.5), &flow());
        assert_near(segments(&*controller), 17.5);
        controller.on_ack(&granted(-2.0), &flow());
        assert_near(segments(&*controller), 15.5);
        controller.on_ack(&granted(-99.0), &flow());
        assert_near(segments(&*controller), 1.0);
    }

    /// ACKs without a header, or with one that no router has answered, change nothing.
    #[test]
    fn no_router_no_change() {
        let mut controller = create(&XCP, &initial(10.0));
        controller.on_ack(&granted(f64::INFINITY), &flow());
        controller.on_ack(&ack(1), &flow());
        assert_near(segments(&*controller), 10.0);
    }

    #[test]
    fn header_tells_window_and_round_trip() {
        let mut controller = create(&XCP, &initial(10.0));
        let mut header = Feedback::None;
        controller.on_send(&mut header, &flow_at(80, 40));
        let expected = Feedback::Xcp { cwnd: 10_000.0, rtt: 0.08, feedback: f64::INFINITY };
        assert_eq!(header, expected);
        assert_eq!(controller.needs().feedback, Some(Protocol::Xcp));
    }

    /// A loss halves; until it is repaired only what closes the window counts.
    #[test]
    fn loss_halves_as_in_tcp() {
        let mut controller = create(&XCP, &initial(20.0));
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow());
        assert_near(segments(&*controller), 10.0);
        controller.on_ack(&granted(3.0), &flow());
        assert_near(segments(&*controller), 10.0);
        controller.on_ack(&granted(-3.0), &flow());
        assert_near(segments(&*controller), 7.0);
        controller.on_congestion(CongestionEvent::ExitRecovery, &flow());
        controller.on_ack(&granted(3.0), &flow());
        assert_near(segments(&*controller), 10.0);
        controller.on_congestion(CongestionEvent::Rto, &flow());
        assert_near(segments(&*controller), 2.0);
        controller.on_ack(&granted(3.0), &flow());
        assert_near(segments(&*controller), 5.0);
    }
}
