//! Copa (Arun and Balakrishnan, [NSDI 2018]): the rate moves to 1 / (delta x queueing delay), with a velocity
//! that grows while the direction lasts; against flows that fill the queue, delta becomes smaller.
//!
//! Page: `docs/models/copa.md`.
//!
//! [NSDI 2018]: https://www.usenix.org/conference/nsdi18/presentation/arun

use std::collections::VecDeque;

use super::ledbat::History;
use super::reno;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Decision, Flow, Initial, Phase};
use crate::registry::{Algorithm, Param};
use crate::units::{Duration, PS_PER_S, Rate, Time};
use crate::window::{Window, to_float};

pub(crate) const COPA: Algorithm = Algorithm {
    name: "copa",
    summary: "Copa: paced, the rate moves to 1 / (delta x queueing delay), delta adapts to queue fillers",
    source: "Arun and Balakrishnan, NSDI 2018",
    params: &params(1.0),
    build,
};

pub(crate) const DEFAULT_MODE: Algorithm = Algorithm {
    name: "copa:default-mode",
    summary: "Copa without its mode for competition with flows that fill the queue",
    source: "Arun and Balakrishnan, NSDI 2018",
    params: &params(0.0),
    build,
};

/// Rounds in which the direction must last before the velocity doubles.
const LASTING: u32 = 3;

/// The queue counts as nearly empty below this part of the delay oscillations.
const NEARLY_EMPTY: f64 = 0.1;

const fn params(competitive: f64) -> [Param; 4] {
    [
        Param::new("delta", 0.5, 1e-4, 10.0, "1", "Weight of delay against throughput, in the default mode"),
        Param::new(
            "competitive",
            competitive,
            0.0,
            1.0,
            "1",
            "1 lowers delta against flows that fill the queue, 0 never does",
        ),
        Param::new("min_rtt_window", 10.0, 0.1, 1e4, "s", "Time after which the smallest RTT is forgotten"),
        Param::new("memory", 5.0, 1.0, 1e3, "round trips", "Time without an empty queue that shows a filler"),
    ]
}

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let &[delta, competitive, min_rtt_window, memory] = values else {
        unreachable!("one value per parameter")
    };
    Box::new(Copa {
        delta,
        competitive: competitive >= 0.5,
        memory,
        window: Window::new(initial),
        rtts: Rtts::new(min_rtt_window),
        velocity: Velocity::default(),
        mode: Mode::Default,
        since_empty: 0.0,
    })
}

/// Copa of one flow.
#[derive(Debug)]
struct Copa {
    /// Of the default mode.
    delta: f64,
    competitive: bool,
    /// [rounds]
    memory: f64,
    window: Window,
    rtts: Rtts,
    velocity: Velocity,
    mode: Mode,
    /// Rounds since the queue was nearly empty.
    since_empty: f64,
}

/// How delta is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    /// The parameter.
    Default,
    /// 1 / delta grows and is cut like the window of Reno.
    Competitive { inverse: f64, lossless: bool },
}

impl Copa {
    fn delta(&self) -> f64 {
        match self.mode {
            Mode::Default => self.delta,
            Mode::Competitive { inverse, .. } => 1.0 / inverse,
        }
    }

    /// [segments]
    fn segments(&self) -> f64 {
        self.window.cwnd() / self.window.smss()
    }

    /// Whether the rate is below its target, 1 / (delta x queueing delay); `None` before the first RTT.
    fn below_target(&self) -> Option<bool> {
        let (standing, least) = (self.rtts.standing()?, self.rtts.least()?);
        let queueing = (standing - least).seconds();
        // w / standing <= 1 / (delta queueing), without dividing by an empty queue.
        Some(self.segments() * self.delta() * queueing <= standing.seconds())
    }

    /// Once per round trip: velocity and mode.
    fn end_round(&mut self) {
        self.velocity.end_round(self.window.cwnd());
        self.since_empty += 1.0;
        let fills = self.competitive && self.since_empty > self.memory;
        self.mode = match self.mode {
            Mode::Default if fills => Mode::Competitive { inverse: 1.0 / self.delta, lossless: true },
            Mode::Competitive { inverse, lossless } if fills => {
                // + 1 per round trip without loss.
                Mode::Competitive { inverse: inverse + f64::from(u8::from(lossless)), lossless: true }
            }
            _ => Mode::Default,
        };
    }

    /// v / (delta w) segments per segment acknowledged, up or down.
    fn steer(&mut self, up: bool, delivered: f64) {
        self.velocity.turn(up);
        let slope = self.velocity.bounded(self.delta(), self.segments()) / (self.delta() * self.segments());
        if up {
            self.window.scale(delivered, slope);
        } else {
            self.window.steer(self.window.cwnd() - slope * delivered);
        }
    }

    /// Loss, mark or timeout: the velocity starts anew, and 1 / delta is cut.
    fn back_off(&mut self) {
        self.velocity = Velocity::default();
        if let Mode::Competitive { inverse, lossless } = &mut self.mode {
            // By half, as Reno cuts its window, but never below the default mode's.
            *inverse = (reno::KEEP * *inverse).max(1.0 / self.delta);
            *lossless = false;
        }
    }
}

impl CongestionControl for Copa {
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        if let Some(rtt) = ack.rtt {
            self.rtts.add(rtt, flow);
            if self.rtts.is_nearly_empty() {
                self.since_empty = 0.0;
            }
        }
        if ack.round.is_some() {
            self.rtts.end_round();
            self.end_round();
        }
        let Some(up) = self.below_target() else {
            let credit = self.window.credit(ack, flow);
            let _ = self.window.slow_start(credit);
            return;
        };
        if !up {
            self.window.leave_slow_start();
        }
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        if !self.window.in_slow_start() {
            self.steer(up, if up { rest } else { to_float(ack.delivered) });
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        let cwnd = self.window.cwnd();
        match event {
            // Loss is no signal in itself: it ends slow start and cuts 1 / delta.
            CongestionEvent::EnterRecovery | CongestionEvent::EcnEcho => {
                self.window.respond(event, cwnd);
                self.back_off();
            }
            CongestionEvent::Rto => {
                self.window.respond(event, reno::KEEP * self.window.reference(cwnd, flow));
                self.back_off();
            }
            CongestionEvent::ExitRecovery => self.window.respond(event, cwnd),
        }
    }

    fn decision(&self) -> Decision {
        // Packets go out at 2 cwnd / RTTstanding, so that bursts do not look like queues.
        let pacing_rate = self
            .rtts
            .standing()
            .filter(|&standing| standing > Duration::ZERO)
            .map(|standing| Rate(2.0 * self.window.cwnd() / standing.seconds()));
        Decision { cwnd: self.window.cwnd(), pacing_rate }
    }

    fn phase(&self) -> Phase {
        self.window.phase(false)
    }

    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("delta", self.delta());
        record("velocity", self.velocity.value);
        record("rtt_standing", self.rtts.standing().map_or(f64::NAN, Duration::seconds));
        record("min_rtt", self.rtts.least().map_or(f64::NAN, Duration::seconds));
    }
}

/// How fast the window moves, and where to.
#[derive(Debug)]
struct Velocity {
    value: f64,
    /// Direction of the last round trip.
    up: Option<bool>,
    /// Rounds it has lasted.
    lasting: u32,
    /// The window when the round began [bytes].
    start: f64,
}

impl Default for Velocity {
    fn default() -> Self {
        Self { value: 1.0, up: None, lasting: 0, start: 0.0 }
    }
}

impl Velocity {
    /// Doubles once the direction has been the same for three round trips.
    fn end_round(&mut self, cwnd: f64) {
        let up = Some(cwnd > self.start);
        self.start = cwnd;
        if up == self.up {
            self.lasting += 1;
            if self.lasting >= LASTING {
                self.value *= 2.0;
            }
        } else {
            self.up = up;
            self.lasting = 0;
            self.value = 1.0;
        }
    }

    /// A high velocity that the window gained in the other direction is given up at once; at high rates the
    /// window would swing between nothing and twice the pipe otherwise.
    fn turn(&mut self, up: bool) {
        if self.value > 1.0 && self.up != Some(up) {
            *self = Self { up: Some(up), start: self.start, ..Self::default() };
        }
    }

    /// The velocity, at which the window at most doubles per round trip. The bound also takes effect on the
    /// velocity itself, which could double for ever otherwise.
    fn bounded(&mut self, delta: f64, segments: f64) -> f64 {
        self.value = self.value.min(delta * segments).max(1.0);
        self.value.min(delta * segments)
    }
}

/// RTT samples over several spans of time.
#[derive(Debug)]
struct Rtts {
    /// Samples of the last half smoothed RTT that could still become its smallest, in rising order.
    recent: VecDeque<(Time, Duration)>,
    long: History,
    /// Largest samples of the running round trip and of the four before.
    largest: [Duration; 5],
}

impl Rtts {
    /// Slots of the long-term minimum.
    const SLOTS: u64 = 10;

    /// The long-term minimum covers so many seconds.
    fn new(min_rtt_window: f64) -> Self {
        let slot = Duration(Duration::from_seconds(min_rtt_window).0 / Self::SLOTS);
        let long = History::new(slot.max(Duration(PS_PER_S / 1000)), 10);
        Self { recent: VecDeque::new(), long, largest: [Duration::ZERO; 5] }
    }

    fn add(&mut self, rtt: Duration, flow: &Flow) {
        self.long.add(rtt, flow.now);
        self.largest[0] = self.largest[0].max(rtt);
        while self.recent.back().is_some_and(|&(_, last)| last >= rtt) {
            self.recent.pop_back();
        }
        self.recent.push_back((flow.now, rtt));
        let span = Duration(flow.srtt.0 / 2);
        while self.recent.len() > 1 && flow.now.since(self.recent[0].0) > span {
            self.recent.pop_front();
        }
    }

    fn end_round(&mut self) {
        self.largest.rotate_right(1);
        self.largest[0] = Duration::ZERO;
    }

    /// The smallest RTT of the last half smoothed RTT.
    fn standing(&self) -> Option<Duration> {
        self.recent.front().map(|&(_, rtt)| rtt)
    }

    /// The smallest RTT in the long term.
    fn least(&self) -> Option<Duration> {
        self.long.min()
    }

    /// Whether the queueing delay is below a tenth of the oscillations of four round trips.
    fn is_nearly_empty(&self) -> bool {
        let (Some(standing), Some(least)) = (self.standing(), self.least()) else { return true };
        let largest = self.largest.iter().max().copied().unwrap_or_default();
        let queueing = (standing - least).seconds();
        queueing == 0.0 || queueing < NEARLY_EMPTY * (largest - least).seconds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, assert_near, avoiding, create, flow_at, initial, read, round_end, segments};

    fn flow_on(now_ms: u64) -> Flow {
        Flow { now: Time(Duration::from_millis(now_ms).0), ..flow_at(100, 100) }
    }

    /// An ACK of some segments with this RTT.
    fn with_rtt(segments: u64, rtt_ms: u64) -> AckSample {
        AckSample { rtt: Some(Duration::from_millis(rtt_ms)), ..ack(segments) }
    }

    /// A controller in congestion avoidance whose smallest RTT is 100 ms and whose standing RTT is `rtt_ms`.
    fn standing(window: f64, rtt_ms: u64) -> Box<dyn CongestionControl> {
        let mut controller = create(&COPA, &avoiding(window));
        controller.on_ack(&with_rtt(0, 100), &flow_on(0));
        controller.on_ack(&with_rtt(0, rtt_ms), &flow_on(100));
        controller
    }

    /// NSDI 2018: target rate 1 / (delta x queueing delay), 0.5 segments^-1 by default. With 120 ms
    /// standing and 20 ms in the queue that is 100 segments/s, a window of 12.
    #[test]
    fn window_moves_to_the_target() {
        for (window, moved) in [(10.0, 1.0 / (0.5 * 10.0)), (14.0, -1.0 / (0.5 * 14.0))] {
            let mut controller = standing(window, 120);
            controller.on_ack(&with_rtt(1, 120), &flow_on(101));
            assert_near(segments(&*controller), window + moved);
        }
    }

    /// Twice the window per standing RTT.
    #[test]
    fn pacing_is_twice_the_window_per_rtt() {
        let mut controller = create(&COPA, &avoiding(10.0));
        assert_eq!(controller.decision().pacing_rate, None);
        controller.on_ack(&with_rtt(0, 100), &flow_on(0));
        let rate = controller.decision().pacing_rate.expect("an RTT is known");
        assert_near(rate.0, 2.0 * 10_000.0 / 0.1);
    }

    /// Slow start doubles until the rate passes the target.
    #[test]
    fn slow_start_ends_above_the_target() {
        let mut controller = create(&COPA, &initial(10.0));
        controller.on_ack(&with_rtt(10, 100), &flow_on(0));
        assert_near(segments(&*controller), 20.0);
        assert_eq!(controller.phase(), Phase::SlowStart);
        controller.on_ack(&with_rtt(1, 120), &flow_on(100));
        assert_eq!(controller.phase(), Phase::Alternate);
        assert_near(segments(&*controller), 20.0 - 0.1);
    }

    /// The velocity doubles after three round trips in one direction and is reset by a turn.
    #[test]
    fn velocity_follows_the_direction() {
        let mut velocity = Velocity::default();
        let mut seen = Vec::new();
        for cwnd in [10.0, 11.0, 12.0, 13.0, 14.0, 16.0, 15.0, 14.0] {
            velocity.end_round(cwnd);
            seen.push(velocity.value);
        }
        assert_eq!(seen, [1.0, 1.0, 1.0, 2.0, 4.0, 8.0, 1.0, 1.0]);
        velocity.value = 8.0;
        velocity.turn(false);
        assert_near(velocity.value, 8.0);
        velocity.turn(true);
        assert_near(velocity.value, 1.0);
        assert_near(velocity.bounded(0.5, 1.5), 0.75);
        velocity.value = 64.0;
        assert_near(velocity.bounded(0.5, 10.0), 5.0);
        assert_near(velocity.value, 5.0);
    }

    /// Without a nearly empty queue for five round trips, 1 / delta grows by 1 per round trip
    /// and is halved by loss; an empty queue brings the default back.
    #[test]
    fn delta_adapts_to_queue_fillers() {
        let mut controller = standing(40.0, 180);
        let round = |controller: &mut dyn CongestionControl, index: u64, rtt_ms| {
            controller.on_ack(&round_end(rtt_ms), &flow_on(100 * index));
            1.0 / read(controller, "delta")
        };
        let seen: Vec<f64> = (2..10).map(|index| round(&mut *controller, index, 180)).collect();
        assert_eq!(seen, [2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 3.0, 4.0]);
        for index in 10..16 {
            round(&mut *controller, index, 180);
        }
        assert_near(1.0 / read(&*controller, "delta"), 10.0);
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow_on(1600));
        assert_near(1.0 / read(&*controller, "delta"), 5.0);
        assert_near(round(&mut *controller, 16, 180), 5.0);
        assert_near(round(&mut *controller, 17, 180), 6.0);
        assert_near(round(&mut *controller, 18, 100), 2.0);
    }

    /// In the default mode a loss says nothing; a timeout starts anew.
    #[test]
    fn loss_leaves_the_window() {
        let mut controller = standing(40.0, 120);
        let before = segments(&*controller);
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow_on(200));
        assert_near(segments(&*controller), before);
        assert_near(read(&*controller, "delta"), 0.5);
        controller.on_congestion(CongestionEvent::Rto, &flow_on(300));
        assert_near(segments(&*controller), 2.0);
    }
}
