//! `YeAH` TCP (Baiocchi, Castellani, Vacirca, `PFLDnet` 2007): Scalable TCP while queues are short; Reno that
//! empties the queue while they are not.
//!
//! Page: `docs/models/yeah.md`.

use crate::algorithm::Algorithm;
use crate::base_rtt::BaseRtt;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow, Initial, RoundSample};
use crate::units::Duration;
use crate::window::Window;
use crate::window_controller::WindowController;

pub(crate) const YEAH: Algorithm = Algorithm {
    name: "yeah",
    display: "YeAH",
    // 2: a base RTT of its own after a pause.
    edition: 1,
    summary: "YeAH-TCP: Scalable TCP with short queues, Reno that empties the queue otherwise",
    source: "A. Baiocchi, A. Castellani, F. Vacirca, PFLDnet 2007; Linux, net/ipv4/tcp_yeah.c",
    params: &Params::DEFAULT.list(),
    build,
};

params! {
    /// Parameters of `YeAH` TCP.
    struct Params {
        alpha: f64 = 80.0, [0.0, 1e9], "segments",
            "Own segments in queues from which on the flow is slow";
        phi: f64 = 8.0, [1.0, 1e6], "1", "The flow is slow if the queueing delay exceeds base RTT / phi";
        gamma: f64 = 1.0, [1.0, 1e6], "1", "1 / gamma of the own queue is given up per round trip";
        epsilon: f64 = 0.5, [0.0, 0.9], "1", "Largest part of the window given up to empty the queue";
        delta: f64 = 0.125, [0.06, 0.5], "1", "Smallest part of the window given up on loss";
        rho: f64 = 16.0, [0.0, 1e6], "round trips", "Slow round trips that mean competition with Reno";
        zeta: f64 = 50.0, [0.0, 1e6], "round trips", "Fast round trips after which no Reno is assumed";
    }
}

/// Growth of Scalable TCP without its correction for delayed ACKs: a segment per this many acknowledged.
const SCALABLE: f64 = 100.0;

/// The window that Reno flows are assumed to have at least [segments].
const LEAST: f64 = 2.0;

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let params = Params::from_values(values);
    Box::new(Yeah {
        params,
        window: Window::new(initial),
        base: BaseRtt::UNKNOWN,
        queued: 0.0,
        slow_rounds: 0.0,
        fast_rounds: 0.0,
        reno_count: LEAST,
    })
}

/// `YeAH` TCP of one flow.
#[derive(Debug)]
struct Yeah {
    params: Params,
    window: Window,
    base: BaseRtt,
    /// Own segments in queues in the last round trip.
    queued: f64,
    /// Slow round trips in a row.
    slow_rounds: f64,
    /// Fast round trips since the last loss or reset of `reno_count`.
    fast_rounds: f64,
    /// The window that a Reno flow would have on this path [segments].
    reno_count: f64,
}

impl Yeah {
    fn is_slow(&self) -> bool {
        self.slow_rounds > 0.0
    }

    fn end_round(&mut self, round: &RoundSample) {
        let Some(rtt) = round.min_rtt.filter(|rtt| rtt.0 > 0) else { return };
        let waiting = (rtt - self.base.get()).seconds();
        self.queued = self.window.segments() * waiting / rtt.seconds();
        let Params { alpha, phi, zeta, .. } = self.params;
        if self.queued > alpha || waiting > self.base.seconds() / phi {
            if self.queued > alpha && self.window.segments() > self.reno_count {
                self.decongest();
            }
            self.reno_count = if self.reno_count <= LEAST {
                (self.window.segments() / 2.0).max(LEAST)
            } else {
                self.reno_count + 1.0
            };
            self.slow_rounds += 1.0;
        } else {
            self.fast_rounds += 1.0;
            if self.fast_rounds > zeta {
                self.reno_count = LEAST;
                self.fast_rounds = 0.0;
            }
            self.slow_rounds = 0.0;
        }
    }

    /// Precautionary decongestion: gives up the own queue.
    fn decongest(&mut self) {
        let Params { gamma, epsilon, .. } = self.params;
        let given_up = (self.queued / gamma).min(epsilon * self.window.segments());
        let left = (self.window.segments() - given_up).max(self.reno_count);
        self.window.steer((left * self.window.smss()).min(self.window.cwnd()));
    }

    /// Window given up on a loss [segments].
    fn given_up(&self) -> f64 {
        let half = (self.window.segments() / 2.0).max(LEAST);
        if self.slow_rounds < self.params.rho {
            // Nobody greedy is there: what waits is enough.
            self.queued.min(half).max(self.params.delta * self.window.segments())
        } else {
            half
        }
    }
}

impl WindowController for Yeah {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        self.base.observe(ack);
        if let Some(round) = ack.round.as_ref().filter(|_| !self.window.is_repairing(flow))
            && !self.base.round_spans_restart()
        {
            self.end_round(round);
        }
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        if self.is_slow() {
            self.window.avoid(rest, self.window.cwnd());
        } else {
            self.window.scale(rest, 1.0 / self.window.segments().min(SCALABLE));
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        let kept = 1.0 - self.given_up() / self.window.segments();
        let is_repeated = self.window.is_repeated(event);
        self.window.back_off(event, kept, flow);
        if event != CongestionEvent::ExitRecovery && !is_repeated {
            self.fast_rounds = 0.0;
            self.reno_count = (self.reno_count / 2.0).max(LEAST);
        }
    }

    /// `YeAH` has the hook of Vegas in Linux (`tcp_yeah.cwnd_event`).
    fn on_restart(&mut self, _idle: Duration, _flow: &Flow) {
        self.base.restart();
    }

    fn is_standard(&self) -> bool {
        self.is_slow()
    }

    fn record(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let smss = self.window.smss();
        record("queued", self.queued * smss);
        record("reno_count", self.reno_count * smss);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Phase;
    use crate::testing::{
        ack, assert_near, avoiding, create, create_with, flow_at, read, round_end, rtt_sample, segments,
    };

    /// Controller that knows the base RTT of data; the handshake took 90 ms.
    fn on_path(base_ms: u64, initial: &Initial) -> Box<dyn CongestionControl> {
        let mut controller = create(&YEAH, initial);
        controller.on_ack(&rtt_sample(base_ms), &flow_at(base_ms, base_ms));
        controller
    }

    fn round(controller: &mut dyn CongestionControl, rtt_ms: u64) {
        controller.on_ack(&round_end(rtt_ms), &flow_at(rtt_ms, 90));
    }

    fn lose(controller: &mut dyn CongestionControl) {
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow_at(100, 90));
        controller.on_congestion(CongestionEvent::ExitRecovery, &flow_at(100, 90));
    }

    /// Fast mode is Scalable TCP: a segment per min(w, 100) acknowledged.
    #[test]
    fn short_queues_are_scalable() {
        for (window, growth) in [(1000.0, 0.01), (50.0, 0.02)] {
            let mut controller = on_path(100, &avoiding(window));
            round(&mut *controller, 100);
            assert_eq!(controller.phase(), Phase::Alternate);
            controller.on_ack(&ack(1), &flow_at(100, 90));
            assert_near(segments(&*controller), window + growth);
        }
    }

    /// Linux asks for the threshold once per episode, and halves `reno_count` with it.
    #[test]
    fn a_repeated_timeout_halves_the_count_once() {
        let mut controller = on_path(100, &avoiding(1000.0));
        round(&mut *controller, 200);
        let count = read(&*controller, "reno_count");
        for _ in 0..2 {
            controller.on_congestion(CongestionEvent::Rto, &flow_at(200, 100));
            assert_near(read(&*controller, "reno_count"), count / 2.0);
        }
    }

    /// Linux, `tcp_yeah.cwnd_event` is `tcp_vegas_cwnd_event`: over a path that has become 50 ms longer in a pause, nothing
    /// waits. With the old base it is 50 ms, more than an eighth of 100 ms: slow mode.
    #[test]
    fn a_pause_begins_with_a_new_base() {
        for (pauses, phase) in [(true, Phase::Alternate), (false, Phase::Standard)] {
            let mut controller = on_path(100, &avoiding(50.0));
            if pauses {
                controller.on_restart(Duration::from_seconds(2.0), &flow_at(150, 90));
            }
            for _ in 0..2 {
                round(&mut *controller, 150);
                assert_eq!(controller.phase(), phase);
            }
        }
    }

    /// A long delay is slow mode, Reno; more than 80 own segments in queues are given up at once.
    #[test]
    fn long_queues_are_reno_that_empties_them() {
        let mut controller = on_path(100, &avoiding(400.0));
        round(&mut *controller, 113);
        // 400 x 13 / 113 = 46 segments: too long a delay, but not decongestion.
        assert_eq!(controller.phase(), Phase::Standard);
        assert_near(read(&*controller, "queued"), 400e3 * 13.0 / 113.0);
        assert_near(segments(&*controller), 400.0);
        assert_near(read(&*controller, "reno_count"), 200_000.0);
        controller.on_ack(&ack(1), &flow_at(113, 90));
        assert_near(segments(&*controller), 400.0 + 1.0 / 400.0);
        let window = segments(&*controller);
        round(&mut *controller, 150);
        assert_near(segments(&*controller), window * 100.0 / 150.0);
        assert_eq!(controller.phase(), Phase::Standard);
        assert_near(read(&*controller, "reno_count"), 201_000.0);
        round(&mut *controller, 100);
        assert_eq!(controller.phase(), Phase::Alternate);
    }

    /// Linux, `tcp_yeah_cong_avoid`: `reduction = min(queue / TCP_YEAH_GAMMA, tcp_snd_cwnd(tp) >> TCP_YEAH_EPSILON)`: a part of
    /// the queue, and half of the window at most.
    #[test]
    fn a_part_of_the_queue_is_given_up() {
        for (gamma, rtt_ms, left) in
            [(1.0, 150, 400.0 - 400.0 / 3.0), (2.0, 150, 400.0 - 200.0 / 3.0), (1.0, 1000, 200.0)]
        {
            let mut controller = create_with(&YEAH, &avoiding(400.0), &[("gamma", gamma)]);
            controller.on_ack(&rtt_sample(100), &flow_at(100, 90));
            round(&mut *controller, rtt_ms);
            assert_near(segments(&*controller), left);
        }
    }

    /// Decongestion stops at the window that Reno would have.
    #[test]
    fn decongestion_leaves_the_reno_window() {
        let mut controller = on_path(100, &avoiding(400.0));
        round(&mut *controller, 113);
        round(&mut *controller, 1000);
        assert_near(segments(&*controller), 200.0);
    }

    /// Linux, `tcp_yeah_cong_avoid`: `tcp_snd_cwnd(tp) > yeah->reno_count` is to be given up; at Reno's window slow start goes
    /// on.
    #[test]
    fn the_reno_window_itself_gives_nothing_up() {
        let mut controller = on_path(100, &Initial { ssthresh: f64::INFINITY, ..avoiding(400.0) });
        round(&mut *controller, 113);
        controller.override_window(200e3, f64::INFINITY);
        round(&mut *controller, 1000);
        assert_near(segments(&*controller), 200.0);
        assert_eq!(controller.phase(), Phase::SlowStart);
    }

    /// A loss takes an eighth, or what waits, at most half; half if the queue stood for 16 round trips.
    #[test]
    fn loss_takes_the_queue() {
        for (rtt_ms, left) in [(100, 0.875), (113, 0.875), (120, 100.0 / 120.0)] {
            let mut controller = on_path(100, &avoiding(100.0));
            round(&mut *controller, rtt_ms);
            lose(&mut *controller);
            assert_near(segments(&*controller), 100.0 * left);
        }
        let mut controller = on_path(100, &avoiding(100.0));
        for _ in 0..16 {
            round(&mut *controller, 120);
        }
        lose(&mut *controller);
        assert_near(segments(&*controller), 50.0);
    }

    /// Linux: after more than 50 fast round trips there is no Reno flow to keep up with.
    #[test]
    fn reno_is_forgotten() {
        let mut controller = on_path(100, &avoiding(400.0));
        round(&mut *controller, 113);
        for _ in 0..50 {
            round(&mut *controller, 100);
            assert_near(read(&*controller, "reno_count"), 200_000.0);
        }
        round(&mut *controller, 100);
        assert_near(read(&*controller, "reno_count"), 2000.0);
    }

    /// Linux `tcp_yeah.c`: `queue > TCP_YEAH_ALPHA` is slow, however short the delay, and gives the queue up: beyond 80
    /// segments, not at them.
    #[test]
    fn more_than_eighty_own_segments_are_given_up() {
        // A sixteenth of the window waits for less than an eighth of the base RTT, a ninth for just that long, then half of
        // it for as long as the base RTT.
        for (rtts, window, phase, left) in [
            ((8000, 7500), 1280.0, Phase::Alternate, 1280.0),
            ((8000, 7500), 1296.0, Phase::Standard, 1296.0 - 81.0),
            ((9000, 8000), 40.0, Phase::Alternate, 40.0),
            ((2000, 1000), 160.0, Phase::Standard, 160.0),
            ((2000, 1000), 162.0, Phase::Standard, 162.0 - 81.0),
        ] {
            let mut controller = on_path(rtts.1, &avoiding(window));
            controller.on_ack(&round_end(rtts.0), &flow_at(rtts.0, rtts.1));
            assert_eq!(controller.phase(), phase, "{window}");
            assert_near(segments(&*controller), left);
        }
    }

    /// Linux, `tcp_yeah_ssthresh`: `yeah->reno_count = max(yeah->reno_count>>1, 2U)`, as a Reno flow would answer the
    /// loss.
    #[test]
    fn loss_halves_the_reno_window() {
        let mut controller = on_path(100, &avoiding(400.0));
        round(&mut *controller, 113);
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow_at(100, 90));
        assert_near(read(&*controller, "reno_count"), 100_000.0);
        controller.on_congestion(CongestionEvent::ExitRecovery, &flow_at(100, 90));
        assert_near(read(&*controller, "reno_count"), 100_000.0);
    }
}
