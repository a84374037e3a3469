//! VCP, the sender's half: two bits say how loaded the path is, and so whether the window is multiplied, added
//! to or cut (Xia, Subramanian, Stoica, Kalyanaraman, Sigcomm 2005).
//!
//! The routers' half is the queue discipline `vcp` of the simulator. Page: `docs/models/vcp.md`.

use crate::algorithm::Algorithm;
use crate::control::{
    AckSample, CongestionControl, CongestionEvent, Ecn, Feedback, Flow, Initial, Load, Needs, Phase, Protocol,
};
use crate::units::{Duration, Time};
use crate::window::{BETA_RENO, Window};
use crate::window_controller::WindowController;

pub(crate) const VCP: Algorithm = Algorithm {
    name: "vcp",
    display: "VCP",
    edition: 1,
    summary: "Two bits of load choose multiplicative increase, additive increase or decrease; \
              needs the discipline vcp",
    source: "Xia, Subramanian, Stoica, Kalyanaraman, Sigcomm 2005",
    params: &Params::DEFAULT.list(),
    build,
};

params! {
    /// Parameters of VCP.
    struct Params {
        xi: f64 = 0.0625, [1e-6, 1.0], "1", "Part by which the window grows per interval at low load";
        alpha: f64 = 1.0, [1e-6, 1e4], "segments", "Growth per reference round trip at high load";
        beta: f64 = 0.875, [0.0, 0.999_999], "1", "Part of the window kept at overload";
        interval: f64 = 0.2, [1e-3, 100.0], "s", "Interval in which routers measure load";
        reference_rtt: f64 = 0.1, [1e-3, 100.0], "s", "Round trip at which the growth is alpha";
    }
}

/// Round trips between which additive increase grows with their square [s]; linearly outside.
const SQUARE_FROM: f64 = 0.02;
const SQUARE_TO: f64 = 0.5;

/// Most intervals that one round trip counts for.
const MAX_INTERVALS: f64 = 2.5;

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let params = Params::from_values(values);
    let interval = Duration::from_seconds(params.interval);
    Box::new(Vcp { params, interval, window: Window::new(initial), cut: None })
}

/// VCP of one flow.
#[derive(Debug)]
struct Vcp {
    params: Params,
    interval: Duration,
    window: Window,
    /// While the last cut still works.
    cut: Option<Cut>,
}

/// State after a cut.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// Until then the window is frozen.
    thaw: Time,
    /// From there until then it grows additively, whatever the load.
    over: Time,
}

impl Vcp {
    /// A segment's worth of the growth by the factor (1 + xi)^(RTT / interval) per round trip.
    fn multiply(&self, rtt: f64) -> f64 {
        let intervals = (rtt / self.interval.seconds()).min(MAX_INTERVALS);
        libm::pow(1.0 + self.params.xi, intervals) - 1.0
    }

    /// Segments added per round trip: alpha (RTT / reference)^2, so that flows get equal rates.
    fn add(&self, rtt: f64) -> f64 {
        let [rtt, from, to] = [rtt, SQUARE_FROM, SQUARE_TO].map(|time| time / self.params.reference_rtt);
        let square = if rtt <= from {
            rtt * from
        } else if rtt <= to {
            rtt * rtt
        } else {
            rtt - to + to * to
        };
        self.params.alpha * square
    }

    fn grow(&mut self, load: Load, credit: f64, rtt: f64) {
        match load {
            Load::Low => self.window.scale(credit, self.multiply(rtt)),
            Load::High | Load::Over => {
                self.window.scale(credit, self.add(rtt) * self.window.smss() / self.window.cwnd());
            }
        }
    }
}

impl WindowController for Vcp {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let credit = self.window.credit(ack, flow);
        let Feedback::Vcp(load) = ack.feedback else { return };
        let rtt = flow.srtt.seconds();
        if let Some(cut) = self.cut {
            if flow.now < cut.thaw {
                return;
            }
            if flow.now < cut.over {
                self.grow(Load::High, credit, rtt);
                return;
            }
            self.cut = None;
        }
        if load == Load::Over {
            let cwnd = self.window.cwnd();
            self.window.shift((self.params.beta - 1.0) * cwnd);
            let thaw = flow.now + self.interval;
            self.cut = Some(Cut { thaw, over: thaw + flow.srtt });
        } else {
            self.grow(load, credit, rtt);
        }
    }

    /// Losses are answered as TCP answers them.
    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        self.window.back_off(event, BETA_RENO, flow);
    }

    /// There is no slow start: multiplicative increase takes its place.
    fn phase(&self) -> Phase {
        Phase::Alternate
    }

    fn needs(&self) -> Needs {
        Needs { feedback: Some(Protocol::Vcp), ecn: Ecn::None, ..Needs::default() }
    }

    fn on_send(&mut self, feedback: &mut Feedback, _flow: &Flow) {
        *feedback = Feedback::Vcp(Load::Low);
    }

    /// There is no threshold to record.
    fn state(&self, _record: &mut dyn FnMut(&'static str, f64)) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, assert_near, create, flow, flow_at, initial, segments};

    fn load(load: Load) -> AckSample {
        AckSample { feedback: Feedback::Vcp(load), ..ack(1) }
    }

    /// A round trip of 100 ms that ends at `now_ms`, all of it acknowledged at the same load.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a window is small and positive"
    )]
    fn round(controller: &mut dyn CongestionControl, now_ms: u64, code: Load) {
        let flow = Flow { now: Time::ZERO + Duration::from_millis(now_ms), ..flow_at(100, 100) };
        let ack = AckSample { delivered: controller.decision().cwnd.round() as u64, ..load(code) };
        controller.on_ack(&ack, &flow);
    }

    /// 1 + 1/16 per 200 ms, so its square root per 100 ms, and 1 segment per 100 ms.
    #[test]
    fn growth_by_load() {
        let mut controller = create(&VCP, &initial(16.0));
        round(&mut *controller, 100, Load::Low);
        round(&mut *controller, 200, Load::Low);
        assert!((segments(&*controller) - 17.0).abs() < 1e-3);
        let before = segments(&*controller);
        round(&mut *controller, 300, Load::High);
        assert!((segments(&*controller) - before - 1.0).abs() < 1e-3);
    }

    /// The increase grows with the square of the round trip, so that rates grow alike; 2.5 intervals at most.
    #[test]
    fn growth_by_round_trip() {
        let vcp = |rtt_ms: u64, code| {
            let mut controller = create(&VCP, &initial(1000.0));
            controller.on_ack(&AckSample { delivered: 1_000_000, ..load(code) }, &flow_at(rtt_ms, rtt_ms));
            segments(&*controller) - 1000.0
        };
        assert_near(vcp(200, Load::High), 4.0);
        assert_near(vcp(10, Load::High), 0.1 * 0.2);
        assert_near(vcp(1000, Load::High), 5.0 + 25.0);
        assert_near(vcp(200, Load::Low), 62.5);
        assert_near(vcp(500, Load::Low), vcp(5000, Load::Low));
    }

    /// One cut, one interval of 200 ms frozen, one round trip of additive increase, then by load again.
    #[test]
    fn overload_cuts_once_and_freezes() {
        let mut controller = create(&VCP, &initial(1000.0));
        round(&mut *controller, 1000, Load::Over);
        assert_near(segments(&*controller), 875.0);
        for now in [1000, 1100, 1199] {
            round(&mut *controller, now, Load::Over);
            round(&mut *controller, now, Load::Low);
            assert_near(segments(&*controller), 875.0);
        }
        round(&mut *controller, 1299, Load::Over);
        assert_near(segments(&*controller), 876.0);
        round(&mut *controller, 1300, Load::Over);
        assert_near(segments(&*controller), 876.0 * 0.875);
    }

    #[test]
    fn loss_halves_and_headers_start_low() {
        let mut controller = create(&VCP, &initial(20.0));
        let mut header = Feedback::None;
        controller.on_send(&mut header, &flow());
        assert_eq!(header, Feedback::Vcp(Load::Low));
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow());
        assert_near(segments(&*controller), 10.0);
        // Without a header nothing moves.
        controller.on_congestion(CongestionEvent::ExitRecovery, &flow());
        controller.on_ack(&ack(10), &flow());
        assert_near(segments(&*controller), 10.0);
    }

    /// Several segments in one ACK: XCP's changes add up, of VCP's loads the heavier counts.
    #[test]
    fn headers_merge() {
        let xcp = |feedback| Feedback::Xcp { cwnd: 1.0, rtt: 2.0, feedback };
        assert_eq!(xcp(3.0).merge(xcp(-5.0)), xcp(-2.0));
        assert_eq!(Feedback::Vcp(Load::Over).merge(Feedback::Vcp(Load::Low)), Feedback::Vcp(Load::Over));
        assert_eq!(Feedback::None.merge(xcp(1.0)), xcp(1.0));
        assert_eq!(xcp(1.0).merge(Feedback::None), xcp(1.0));
    }
}
