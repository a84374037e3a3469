//! FAST TCP as the public ns-2 module has it (Cui and Andrew, University of Melbourne, version 1.1.3, 2007): a window
//! that opens with every ACK while there is next to no queue, and else follows the law in every other round trip.
//!
//! The rules are facts of that module, the words are ours. Page: `docs/models/fast-ns2.md`.

use super::fast_law::GAMMA;
use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow, Initial};
use crate::units::{Duration, Time};
use crate::window::{BETA_RENO, Window, to_float};
use crate::window_controller::WindowController;

/// Base RTT from which steps upwards are spread over ACKs [s].
const PACED_FROM: f64 = 0.004;
/// Least window of the law [segments].
const LEAST: f64 = 2.0;

pub(crate) const FAST_NS2: Algorithm = Algorithm {
    name: "fast:ns2",
    display: "FAST TCP (ns-2)",
    edition: 1,
    summary: "FAST TCP by the rules of the public ns-2 module",
    source: "T. Cui, L. Andrew, ns-2 FAST TCP module 1.1.3 (2007)",
    params: &Params::DEFAULT.list(),
    build,
};

params! {
    /// Parameters of the ns-2 module.
    struct Params {
        alpha: f64 = 200.0, [0.0, 1e9], "segments", "Own segments in queues at equilibrium";
        gamma: f64 from GAMMA;
        mi_threshold: f64 = 0.000_75, [0.0, 10.0], "s", "Queueing delay below which every ACK opens the window";
        interval: f64 = 0.0, [0.0, 10.0], "s", "Least time between updates; 0 updates with every ACK";
    }
}

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let mut window = Window::new(initial);
    // There is no slow start: ACKs open the window while the queue is short.
    window.leave_slow_start();
    Box::new(Ns2 {
        params: Params::from_values(values),
        window,
        rtt: None,
        resting: false,
        updated: Time::ZERO,
        flights: Flights::default(),
        steps: Steps::default(),
    })
}

/// One flow.
#[derive(Debug)]
struct Ns2 {
    params: Params,
    window: Window,
    /// Averaged RTT [s].
    rtt: Option<f64>,
    /// The law rests in this round trip: it acts in every other one.
    resting: bool,
    /// Time of the last update.
    updated: Time,
    flights: Flights,
    steps: Steps,
}

/// Flights in the course of the round trip before, which the segments acknowledged now were sent into.
#[derive(Clone, Copy, Debug, Default)]
struct Flights {
    /// At the begin of the round trip before [segments].
    before: f64,
    /// At the begin of this one [segments].
    begin: f64,
    /// Segments acknowledged in this one.
    acked: f64,
}

impl Flights {
    fn next_round(&mut self, flight: f64) {
        *self = Self { before: self.begin, begin: flight, acked: 0.0 };
    }

    /// Flight when the segment acknowledged now was sent, as if it had changed evenly in that round trip.
    fn one_rtt_ago(&self) -> f64 {
        let part = if self.begin > 0.0 { (self.acked / self.begin).min(1.0) } else { 1.0 };
        self.before + part * (self.begin - self.before)
    }
}

/// Steps upwards of one segment that are spread over ACKs.
#[derive(Clone, Copy, Debug, Default)]
struct Steps {
    /// Steps to come.
    left: f64,
    /// ACKs between two.
    spacing: f64,
    /// ACKs since the last one.
    acks: f64,
}

impl Steps {
    /// Change of a window of so many segments with this ACK.
    fn take(&mut self, window: f64) -> f64 {
        if self.left < 1.0 {
            return 0.0;
        }
        let now = if window <= 4.0 {
            // All at once, but at most doubling.
            self.left.min(window.floor())
        } else if self.acks >= self.spacing {
            1.0
        } else {
            return 0.0;
        };
        self.left -= now;
        self.acks = 0.0;
        now
    }
}

impl Ns2 {
    fn sample(&mut self, rtt: f64, flight: f64) {
        let scale = (flight / 3.0).max(256.0);
        self.rtt = Some(self.rtt.map_or(rtt, |mean| mean + (rtt - mean) / scale));
    }

    /// Follows an ACK of new data outside fast recovery.
    fn follow(&mut self, ack: &AckSample, flow: &Flow) {
        let base = flow.min_rtt.seconds();
        let rtt = self.rtt.unwrap_or(base);
        if rtt - base < self.params.mi_threshold {
            self.open(1.0, flow);
            self.updated = flow.now;
            return;
        }
        if !self.resting && flow.now.since(self.updated).seconds() >= self.params.interval {
            let ratio = if rtt > 0.0 { base / rtt } else { 1.0 };
            self.update(ratio, base, ack, flow);
            self.updated = flow.now;
        } else {
            self.steps.acks += 1.0;
        }
        if base >= PACED_FROM {
            let step = self.steps.take(self.window.segments());
            self.open(step, flow);
        }
    }

    /// The law, with the flight of one RTT ago: downwards at once, upwards in steps.
    fn update(&mut self, ratio: f64, base: f64, ack: &AckSample, flow: &Flow) {
        let Params { alpha, gamma, interval, .. } = self.params;
        let window = self.window.segments();
        let moved = (1.0 - gamma) * window + gamma * (ratio * self.flights.one_rtt_ago() + alpha);
        let target = moved.max(LEAST);
        if target < window || base < PACED_FROM {
            self.steps = Steps::default();
            if target < window || flow.cwnd_limited {
                self.window.steer(target * self.window.smss());
            }
            return;
        }
        let rtt = ack.rtt.map_or(base, Duration::seconds);
        let left = (target - window).floor();
        let per_interval = self.flights.begin * interval / rtt;
        self.steps = Steps { left, spacing: (per_interval / left.max(1.0)).floor(), acks: 1.0 };
    }

    fn open(&mut self, segments: f64, flow: &Flow) {
        if flow.cwnd_limited && segments > 0.0 {
            self.window.shift(segments * self.window.smss());
        }
    }
}

impl WindowController for Ns2 {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let smss = self.window.smss();
        // After a timeout the rule goes on; only fast recovery suspends it.
        let suspended = flow.in_recovery && !self.window.repairs_timeout();
        let _ = self.window.credit(ack, flow);
        if ack.round.is_some() {
            self.flights.next_round(to_float(flow.in_flight) / smss);
            self.resting = !self.resting;
        }
        self.flights.acked += to_float(ack.delivered) / smss;
        if let Some(rtt) = ack.rtt.filter(|_| !suspended) {
            self.sample(rtt.seconds(), to_float(flow.in_flight) / smss);
        }
        if suspended {
            self.updated = flow.now;
        } else if ack.delivered > 0 {
            self.follow(ack, flow);
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        self.window.back_off(event, BETA_RENO, flow);
        self.window.leave_slow_start();
        if event != CongestionEvent::ExitRecovery {
            self.steps = Steps::default();
        }
    }

    fn record(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("alpha", self.params.alpha * self.window.smss());
        record("rtt", self.rtt.unwrap_or(f64::NAN));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Phase;
    use crate::testing::{ack, assert_near, avoiding, create, create_with, flow_at, round_end, segments};

    fn ack_at(rtt_ms: u64) -> AckSample {
        AckSample { rtt: Some(Duration::from_millis(rtt_ms)), ..ack(1) }
    }

    fn flow_with(rtt_ms: u64, segments: u64) -> Flow {
        Flow { in_flight: segments * 1000, ..flow_at(rtt_ms, 100) }
    }

    /// No slow start, but a segment per ACK while the queueing delay is below 0.75 ms.
    #[test]
    fn every_ack_opens_the_window_without_a_queue() {
        let mut controller = create(&FAST_NS2, &Initial { ssthresh: f64::INFINITY, ..avoiding(2.0) });
        assert_eq!(controller.phase(), Phase::Alternate);
        for expected in [3.0, 4.0, 5.0] {
            controller.on_ack(&ack_at(100), &flow_with(100, 2));
            assert_near(segments(&*controller), expected);
        }
    }

    /// One sample moves the average by a part of 256, or of a third of the flight where that is more.
    #[test]
    fn averages_are_long() {
        for (flight, weight) in [(30, 1.0 / 256.0), (1536, 1.0 / 512.0)] {
            let mut controller = create(&FAST_NS2, &avoiding(30.0));
            controller.on_ack(&ack_at(100), &flow_with(100, flight));
            controller.on_ack(&ack_at(200), &flow_with(200, flight));
            assert_near(crate::testing::read(&*controller, "rtt"), 0.1 + 0.1 * weight);
        }
    }

    /// A flow with a flight of 1000 segments, a base RTT of 100 ms and an average of 200 ms, where the law acts next.
    fn queueing() -> Box<dyn CongestionControl> {
        let mut controller = create_with(&FAST_NS2, &avoiding(1000.0), &[("mi_threshold", 0.0)]);
        for _ in 0..3 {
            let end = AckSample { delivered: 0, ..round_end(200) };
            controller.on_ack(&end, &flow_with(200, 1000));
        }
        controller
    }

    /// Downwards at once, to the middle between the window and half of the flight of one RTT ago plus alpha; not at all
    /// in the round trip after.
    #[test]
    fn shrinks_at_once_in_every_other_round() {
        let mut controller = queueing();
        controller.on_ack(&AckSample { delivered: 0, ..round_end(200) }, &flow_with(200, 1000));
        controller.on_ack(&ack_at(200), &flow_with(200, 1000));
        assert_near(segments(&*controller), 0.5 * 1000.0 + 0.5 * (0.5 * 1000.0 + 200.0));
        let before = segments(&*controller);
        controller.on_ack(&round_end(200), &flow_with(200, 1000));
        controller.on_ack(&ack_at(200), &flow_with(200, 1000));
        assert_near(segments(&*controller), before);
    }

    /// Upwards by a segment per ACK at most.
    #[test]
    fn grows_by_steps() {
        let mut controller =
            create_with(&FAST_NS2, &avoiding(100.0), &[("mi_threshold", 0.0), ("alpha", 400.0)]);
        for _ in 0..4 {
            controller.on_ack(&AckSample { delivered: 0, ..round_end(110) }, &flow_with(110, 100));
        }
        for expected in [101.0, 102.0, 103.0] {
            controller.on_ack(&ack_at(110), &flow_with(110, 100));
            assert_near(segments(&*controller), expected);
        }
    }

    /// A loss halves and fast recovery rests; after a timeout the rule goes on from the restart window.
    #[test]
    fn rests_in_recovery_but_not_after_a_timeout() {
        let mut controller = create(&FAST_NS2, &avoiding(100.0));
        controller.on_ack(&AckSample { delivered: 0, ..round_end(100) }, &flow_with(100, 100));
        let repairing = Flow { in_recovery: true, ..flow_with(100, 50) };
        controller.on_congestion(CongestionEvent::EnterRecovery, &repairing);
        controller.on_ack(&ack_at(100), &repairing);
        assert_near(segments(&*controller), 50.0);
        controller.on_congestion(CongestionEvent::Rto, &repairing);
        assert_eq!(controller.phase(), Phase::Alternate);
        controller.on_ack(&ack_at(100), &repairing);
        assert_near(segments(&*controller), 3.0);
    }

    /// ns-2 module: the steps of an update are spread over the ACKs of the interval, here ten over the 50 segments that
    /// are acknowledged in half a round trip.
    #[test]
    fn steps_are_spread_over_the_interval() {
        let changes = [("mi_threshold", 0.0), ("alpha", 30.0), ("interval", 0.056)];
        let mut controller = create_with(&FAST_NS2, &avoiding(100.0), &changes);
        let flow = Flow { now: Time::ZERO + Duration::from_millis(1000), ..flow_with(110, 100) };
        for _ in 0..4 {
            controller.on_ack(&AckSample { delivered: 0, ..round_end(110) }, &flow);
        }
        for expected in [100.0, 100.0, 100.0, 100.0, 101.0, 101.0, 101.0, 101.0, 101.0, 102.0] {
            controller.on_ack(&ack_at(110), &flow);
            assert_near(segments(&*controller), expected);
        }
    }

    /// ns-2 module: the flight of one RTT ago goes evenly from that at the begin of the round trip before to that of
    /// this one.
    #[test]
    fn the_flight_of_one_rtt_ago_changes_evenly() {
        let mut flights = Flights::default();
        flights.next_round(100.0);
        flights.next_round(200.0);
        for (acked, flight) in [(0.0, 100.0), (50.0, 125.0), (200.0, 200.0), (300.0, 200.0)] {
            flights.acked = acked;
            assert_near(flights.one_rtt_ago(), flight);
        }
    }

    /// The law before an RTT is known: the queue counts as empty, so alpha alone moves the window, 0.5 x 10 + 0.5 x
    /// 200.
    #[test]
    fn without_an_rtt_the_queue_is_empty() {
        let mut controller = create_with(&FAST_NS2, &avoiding(10.0), &[("mi_threshold", 0.0)]);
        controller.on_ack(&ack(1), &Flow { min_rtt: Duration::ZERO, ..flow_with(0, 10) });
        assert_near(segments(&*controller), 105.0);
    }

    /// ns-2 module: a window that is not in use shrinks all the same, by the law.
    #[test]
    fn an_unused_window_shrinks() {
        let mut controller = queueing();
        controller.on_ack(&AckSample { delivered: 0, ..round_end(200) }, &flow_with(200, 1000));
        controller.on_ack(&ack_at(200), &Flow { cwnd_limited: false, ..flow_with(200, 1000) });
        assert_near(segments(&*controller), 0.5 * 1000.0 + 0.5 * (0.5 * 1000.0 + 200.0));
        assert_near(crate::testing::read(&*controller, "alpha"), 200e3);
    }

    /// ns-2 module: a timeout drops the steps of the last update, and none follows in a round trip in which the law rests.
    #[test]
    fn a_timeout_drops_the_steps_to_come() {
        let mut controller =
            create_with(&FAST_NS2, &avoiding(100.0), &[("mi_threshold", 0.0), ("alpha", 400.0)]);
        let end = AckSample { delivered: 0, ..round_end(110) };
        (0..4).for_each(|_| controller.on_ack(&end, &flow_with(110, 100)));
        controller.on_ack(&ack_at(110), &flow_with(110, 100));
        assert_near(segments(&*controller), 101.0);
        controller.on_ack(&end, &flow_with(110, 100));
        let repairing = Flow { in_recovery: true, ..flow_with(110, 100) };
        controller.on_congestion(CongestionEvent::Rto, &repairing);
        controller.on_ack(&ack_at(110), &repairing);
        assert_near(segments(&*controller), 2.0);
    }
}
