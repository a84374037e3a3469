//! TCP Vegas (Brakmo and Peterson, IEEE JSAC 13(8), 1995): once per round trip the window moves by a segment
//! to keep a few own segments in queues.
//!
//! Page: `docs/models/vegas.md`, with what Linux does differently.

use crate::algorithm::Algorithm;
use crate::algorithms::bbr_linux::micros;
use crate::base_rtt::BaseRtt;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow, Initial, RoundSample};
use crate::units::Duration;
use crate::window::{BETA_RENO, Window, to_float};
use crate::window_controller::WindowController;

pub(crate) const VEGAS: Algorithm = Algorithm {
    name: "vegas",
    display: "Vegas",
    edition: 1,
    summary: "TCP Vegas: a segment more or less per round trip, 1 to 3 own segments in queues",
    source: "L. Brakmo, L. Peterson, IEEE JSAC 13(8), 1995",
    params: &Params::DEFAULT.list(),
    build: |values, initial| build(values, initial, false),
};

pub(crate) const LINUX: Algorithm = Algorithm {
    name: "vegas:linux",
    display: "Vegas (Linux)",
    // 2: whole segments in queues and whole microseconds. 3: a base RTT of its own after a pause.
    edition: 1,
    summary: "TCP Vegas as in Linux: 2 to 4 whole own segments in queues, slow start every round trip",
    source: "Linux, net/ipv4/tcp_vegas.c",
    params: &Params { alpha: 2.0, beta: 4.0, ..Params::DEFAULT }.list(),
    build: |values, initial| build(values, initial, true),
};

params! {
    /// Parameters of TCP Vegas.
    struct Params {
        alpha: f64 = 1.0, [0.0, 1e9], "segments", "Fewer own segments in queues open the window";
        beta: f64 = 3.0, [0.0, 1e9], "segments", "More own segments in queues close the window";
        gamma: f64 = 1.0, [0.0, 1e9], "segments", "More own segments in queues end slow start";
    }
}

fn build(values: &[f64], initial: &Initial, linux: bool) -> Box<dyn CongestionControl> {
    let params = Params::from_values(values);
    Box::new(Vegas { params, linux, window: Window::new(initial), base: BaseRtt::UNKNOWN, grows: true })
}

/// Linux wants more RTT samples than this in a round before it judges it.
const FEW_SAMPLES: u32 = 2;

/// Whole microseconds of a round trip, and one (`vrtt`).
fn ticks(rtt: Duration) -> f64 {
    to_float(micros(rtt) + 1)
}

/// TCP Vegas of one flow.
#[derive(Debug)]
struct Vegas {
    params: Params,
    linux: bool,
    window: Window,
    base: BaseRtt,
    /// The paper's slow start opens the window in every other round trip only.
    grows: bool,
}

impl Vegas {
    /// Own segments in queues: (expected - actual rate) x base RTT, where actual x RTT is the window. Linux takes
    /// the window for actual x base RTT, and has whole numbers: `diff` of 4.9 is 4.
    fn queued(&self, round: &RoundSample) -> Option<f64> {
        let (rtt, base) = (round.min_rtt?, self.base.get());
        let known = base > Duration::ZERO && rtt > Duration::ZERO;
        let window = self.window.segments();
        known.then(|| {
            if self.linux {
                let (rtt, base) = (ticks(rtt), ticks(base));
                libm::floor(libm::floor(window) * (rtt - base).max(0.0) / base)
            } else {
                window * (rtt.seconds() - base.seconds()).max(0.0) / rtt.seconds()
            }
        })
    }

    /// Moves the window after a round trip without repair.
    fn end_round(&mut self, round: &RoundSample, flow: &Flow) {
        let Some(queued) = self.queued(round) else { return };
        let smss = self.window.smss();
        if self.window.in_slow_start() {
            self.grows = !self.grows || self.linux;
            if queued > self.params.gamma {
                self.leave_slow_start(round);
            }
        } else if queued > self.params.beta {
            self.window.steer(self.window.cwnd() - smss);
        } else if queued < self.params.alpha && !flow.app_limited {
            self.window.steer(self.window.cwnd() + smss);
        }
    }

    /// The paper switches; Linux also takes the window back to what the base RTT would have carried, and one more.
    fn leave_slow_start(&mut self, round: &RoundSample) {
        if let Some(rtt) = round.min_rtt.filter(|_| self.linux) {
            let carried =
                libm::floor(libm::floor(self.window.segments()) * ticks(self.base.get()) / ticks(rtt));
            self.window.steer(self.window.cwnd().min((carried + 1.0) * self.window.smss()));
        }
        self.window.leave_slow_start();
    }
}

impl WindowController for Vegas {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        self.base.observe(ack);
        let mut as_reno = self.window.is_repairing(flow);
        if let Some(round) = ack.round.as_ref().filter(|_| !as_reno) {
            if self.base.round_spans_restart() || self.linux && round.rtt_count <= FEW_SAMPLES {
                as_reno = true;
            } else {
                self.end_round(round, flow);
            }
        }
        let credit = self.window.credit(ack, flow);
        let credit = if self.grows || as_reno || !self.window.in_slow_start() { credit } else { 0.0 };
        let rest = self.window.slow_start(credit);
        if as_reno {
            self.window.avoid(rest, self.window.cwnd());
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        self.window.back_off(event, BETA_RENO, flow);
    }

    /// Linux, `tcp_vegas_cwnd_event`: the base is of "fresh RTT samples" then.
    fn on_restart(&mut self, _idle: Duration, _flow: &Flow) {
        if self.linux {
            self.base.restart();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Phase;
    use crate::testing::{
        ack, assert_near, avoiding, create, flow_at, initial, round_end, rtt_sample, segments,
    };

    /// Controller that knows the base RTT of data; the handshake took 90 ms.
    fn on_path(algorithm: &Algorithm, base_ms: u64, initial: &Initial) -> Box<dyn CongestionControl> {
        let mut controller = create(algorithm, initial);
        controller.on_ack(&rtt_sample(base_ms), &flow_at(base_ms, base_ms));
        controller
    }

    fn pass(controller: &mut dyn CongestionControl, rtt_ms: u64, segments: u64) {
        controller.on_ack(&round_end(rtt_ms), &flow_at(rtt_ms, 90));
        for _ in 0..segments {
            controller.on_ack(&ack(1), &flow_at(rtt_ms, 90));
        }
    }

    /// JSAC 1995: fewer than alpha = 1 segments in queues, +1; more than beta = 3, -1; else as it was.
    #[test]
    fn keeps_one_to_three_segments_queued() {
        // queued = 40 (1 - 100 / RTT)
        for (rtt_ms, expected) in [(102, 41.0), (105, 40.0), (108, 40.0), (109, 39.0)] {
            let mut controller = on_path(&VEGAS, 100, &avoiding(40.0));
            pass(&mut *controller, rtt_ms, 40);
            assert_near(segments(&*controller), expected);
            assert_eq!(controller.phase(), Phase::Alternate);
        }
    }

    /// Linux `tcp_vegas.c`: 2 and 4, and diff = w (RTT - base) / base in whole numbers (`u32 diff`), so 4.4 and 4.9 are not
    /// above 4.
    #[test]
    fn linux_keeps_two_to_four() {
        for (rtt_ms, expected) in [(104, 41.0), (106, 40.0), (111, 40.0), (112, 40.0), (113, 39.0)] {
            let mut controller = on_path(&LINUX, 100, &avoiding(40.0));
            pass(&mut *controller, rtt_ms, 40);
            assert_near(segments(&*controller), expected);
        }
    }

    /// Linux, `tcp_vegas_cwnd_event`: what is sent with nothing in flight has a base RTT of its own, and no verdict on the
    /// round trip that it ends. Over a path that has become 50 ms longer the old base counts w (150 - 100) / 100 = 20
    /// segments in queues, the new one none.
    #[test]
    fn linux_measures_its_base_anew_after_a_pause() {
        for (algorithm, expected) in [(&VEGAS, [39.0, 38.0]), (&LINUX, [40.0, 41.0])] {
            let mut controller = on_path(algorithm, 100, &avoiding(40.0));
            controller.on_restart(Duration::from_millis(2000), &flow_at(150, 90));
            for window in expected {
                pass(&mut *controller, 150, 0);
                assert_near(segments(&*controller), window);
            }
        }
    }

    /// JSAC 1995: slow start doubles in every other round trip only, and ends when more than gamma = 1
    /// segments wait.
    #[test]
    fn slow_start_pauses_every_other_round() {
        let mut controller = on_path(&VEGAS, 100, &initial(4.0));
        for (acks, expected) in [(4, 4.0), (4, 8.0), (8, 8.0), (8, 16.0)] {
            pass(&mut *controller, 100, acks);
            assert_near(segments(&*controller), expected);
        }
        pass(&mut *controller, 110, 16);
        assert_near(segments(&*controller), 16.0);
        assert_eq!(controller.phase(), Phase::Alternate);
    }

    /// Linux `tcp_vegas.c`: slow start in every round trip; on leaving it the window that the rate fills, and 1. It ends above one
    /// whole segment in queues: 1.9 are one.
    #[test]
    fn linux_leaves_slow_start_at_the_rate() {
        let mut controller = on_path(&LINUX, 100, &initial(4.0));
        pass(&mut *controller, 100, 4);
        pass(&mut *controller, 100, 8);
        assert_near(segments(&*controller), 16.0);
        pass(&mut *controller, 112, 0);
        assert_eq!(controller.phase(), Phase::SlowStart);
        pass(&mut *controller, 125, 0);
        assert_near(segments(&*controller), 12.0 + 1.0);
        assert_eq!(controller.phase(), Phase::Alternate);
    }

    /// A smaller window must not lead back into slow start; at least 2 segments stay.
    #[test]
    fn yielding_is_not_slow_start() {
        let mut controller = on_path(&VEGAS, 100, &avoiding(6.0));
        for expected in [5.0, 4.0, 3.0, 3.0] {
            pass(&mut *controller, 1000, 0);
            assert!(segments(&*controller) <= expected);
            assert_eq!(controller.phase(), Phase::Alternate);
        }
        for _ in 0..9 {
            controller.on_ack(&round_end(100_000), &flow_at(100_000, 10));
        }
        assert!((2.0..=3.1).contains(&segments(&*controller)));
    }

    /// Until the repair after a timeout is over Reno's rules hold.
    #[test]
    fn repair_is_reno() {
        let mut controller = on_path(&VEGAS, 100, &avoiding(8.0));
        controller.on_congestion(CongestionEvent::Rto, &flow_at(100, 90));
        let repairing = Flow { in_recovery: true, ..flow_at(500, 90) };
        controller.on_ack(&round_end(500), &repairing);
        for _ in 0..2 {
            controller.on_ack(&ack(1), &repairing);
        }
        assert_near(segments(&*controller), 4.0);
        controller.on_ack(&ack(1), &repairing);
        assert_near(segments(&*controller), 4.25);
    }

    /// JSAC 1995: the window moves if the difference is below alpha or above beta; at either it stays. A round of 2 s,
    /// half of which is queueing, keeps half of the window in queues.
    #[test]
    fn alpha_and_beta_themselves_move_nothing() {
        for window in [2.0, 6.0] {
            let mut controller = on_path(&VEGAS, 1000, &avoiding(window));
            controller.on_ack(&round_end(2000), &flow_at(2000, 1000));
            assert_near(segments(&*controller), window);
        }
    }

    /// A round trip that an ACK which only SACKs ends moves the window, one in which the application limits does not.
    #[test]
    fn the_application_alone_keeps_the_window() {
        for (app_limited, cwnd_limited, moved) in [(true, true, 0.0), (false, false, 1.0)] {
            let mut controller = on_path(&VEGAS, 100, &avoiding(40.0));
            controller.on_ack(&round_end(100), &Flow { cwnd_limited, app_limited, ..flow_at(100, 100) });
            assert_near(segments(&*controller), 40.0 + moved);
        }
    }

    /// JSAC 1995: slow start ends when the actual rate falls below the expected one by more than gamma, here of two segments
    /// one in queues; and without a base RTT there is no expected rate.
    #[test]
    fn gamma_itself_and_an_unknown_path_change_nothing() {
        let mut controller = on_path(&VEGAS, 1000, &initial(2.0));
        controller.on_ack(&round_end(2000), &flow_at(2000, 1000));
        assert_eq!(controller.phase(), Phase::SlowStart);
        let mut controller = create(&VEGAS, &avoiding(40.0));
        let round = RoundSample { min_rtt: None, rtt_count: 0, delivered: 0, lost: 0, ce_marked: 0 };
        controller.on_ack(&AckSample { round: Some(round), ..AckSample::default() }, &flow_at(100, 90));
        assert_near(segments(&*controller), 40.0);
    }

    /// RFC 5681 section 3.1: slow start after a timeout, also in a round in which the paper's would pause.
    #[test]
    fn repair_pauses_no_slow_start() {
        let mut controller = on_path(&VEGAS, 100, &initial(16.0));
        pass(&mut *controller, 100, 16);
        assert_near(segments(&*controller), 16.0);
        controller.on_congestion(CongestionEvent::Rto, &flow_at(100, 90));
        let repairing = Flow { in_recovery: true, ..flow_at(100, 90) };
        for expected in [3.0, 4.0, 5.0] {
            controller.on_ack(&ack(1), &repairing);
            assert_near(segments(&*controller), expected);
        }
    }
}
