//! Random sequences of events, also impossible ones, against every algorithm.

use std::collections::BTreeMap;

use congestion::{
    AckSample, CongestionControl, CongestionEvent, Decision, Duration, Feedback, Flow, Halve, Initial, Load,
    Param, RateSample, RoundSample, Time, algorithms, factory,
};
use proptest::prelude::*;

const SMSS: u32 = 1448;

/// What nearly every algorithm does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// A loss takes 5 % of the window or more.
    Loss,
    /// So does a mark.
    Mark,
    /// A window that is not in use does not grow.
    Idle,
    /// Nor does one while losses are repaired.
    Repair,
    /// The window grows no faster than in slow start.
    Pace,
    /// The window grows again within 12 round trips after a timeout.
    Restart,
}

use Rule::{Idle, Loss, Mark, Pace, Repair, Restart};

/// What an algorithm, or a named set of parameters, does not do because its own rules say otherwise, and why;
/// its model page says so too.
const EXCEPTIONS: &[(&str, &[Rule], &str)] = &[
    ("aiad", &[Loss, Mark], "gives up a fixed step, whatever the window"),
    ("aiad:lab", &[Loss, Mark], "may be at the restart window already, and goes no lower"),
    ("aimd:lab", &[Loss, Mark], "may be at the restart window already, and goes no lower"),
    ("aimd:lab-half", &[Loss, Mark], "may be at the restart window already, and goes no lower"),
    ("westwood", &[Loss, Mark], "gives up what the measured rate does not fill, which may be nothing"),
    ("hybla", &[Pace], "opens the window faster than slow start on long paths, which is its purpose"),
    ("dctcp", &[Mark], "cuts in proportion to the marks"),
    ("ledbat++", &[Restart], "a slowdown may lie in these round trips"),
    ("copa", &[Loss, Mark, Repair, Idle], "delay is its signal, also while losses are repaired"),
    ("copa:default-mode", &[Loss, Mark, Repair, Idle], "delay is its signal, also while losses are repaired"),
    ("xcp", &[Pace], "routers grant whatever there is"),
    (
        "vcp",
        &[Pace, Restart],
        "grows by time: a sixteenth per 200 ms, or segments by the square of the round trip, whatever the window",
    ),
    (
        "bbr1",
        &[Loss, Mark, Idle, Repair, Pace, Restart],
        "the window follows the model of the path, up and down",
    ),
    (
        "bbr3",
        &[Loss, Mark, Idle, Repair, Pace, Restart],
        "the window follows the model of the path, up and down",
    ),
];

/// Whether `rule` holds for the algorithm of this name.
fn keeps(name: &str, rule: Rule) -> bool {
    !EXCEPTIONS.iter().any(|(exception, rules, _)| *exception == name && rules.contains(&rule))
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Ack {
        segments: u64,
        rtt_us: Option<u64>,
        round: bool,
        lost: u64,
        ce_marked: u64,
        cwnd_limited: bool,
        verdict: Verdict,
    },
    Congestion(CongestionEvent),
    /// Nothing is sent and nothing arrives [ms].
    Idle(u64),
}

/// What the routers wrote into the header, if the flow has one: window [segments] or load.
#[derive(Clone, Copy, Debug)]
struct Verdict(f64);

impl Verdict {
    /// Room for more.
    const SPARE: Self = Self(1.0);

    /// The header that `sent` comes back as.
    fn write(self, sent: Feedback) -> Feedback {
        match sent {
            Feedback::None => Feedback::None,
            Feedback::Xcp { cwnd, rtt, .. } => {
                Feedback::Xcp { cwnd, rtt, feedback: self.0 * f64::from(SMSS) }
            }
            Feedback::Vcp(_) if self.0 > 0.0 => Feedback::Vcp(Load::Low),
            Feedback::Vcp(_) if self.0 > -1.0 => Feedback::Vcp(Load::High),
            Feedback::Vcp(_) => Feedback::Vcp(Load::Over),
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    let ack = (
        0_u64..100,
        proptest::option::of(1_u64..10_000_000),
        any::<bool>(),
        0_u64..5,
        0_u64..5,
        any::<bool>(),
        prop_oneof![4 => -3.0..3.0, 1 => -1e6..1e6, 1 => Just(f64::INFINITY)].prop_map(Verdict),
    );
    prop_oneof![
        20 => ack.prop_map(|(segments, rtt_us, round, lost, ce_marked, cwnd_limited, verdict)| {
            Step::Ack { segments, rtt_us, round, lost, ce_marked, cwnd_limited, verdict }
        }),
        1 => Just(Step::Congestion(CongestionEvent::EnterRecovery)),
        2 => Just(Step::Congestion(CongestionEvent::ExitRecovery)),
        1 => Just(Step::Congestion(CongestionEvent::EcnEcho)),
        1 => Just(Step::Congestion(CongestionEvent::Rto)),
        1 => (1_u64..100_000).prop_map(Step::Idle),
    ]
}

fn initial() -> impl Strategy<Value = Initial> {
    let ssthresh = prop_oneof![Just(f64::INFINITY), 1.0..2000.0];
    let halve = prop_oneof![Just(Halve::Flight), Just(Halve::Window)];
    (1_u8..200, ssthresh, any::<bool>(), halve, any::<u64>()).prop_map(
        |(window, ssthresh, restart, halve, seed)| {
            let window = f64::from(window);
            Initial {
                smss: SMSS,
                window,
                ssthresh,
                restart_window: if restart { window } else { 1.0 },
                halve,
                seed,
            }
        },
    )
}

/// A controller with the facts that a transport would report to it.
struct Driver {
    name: &'static str,
    controller: Box<dyn CongestionControl>,
    restart: f64,
    flow: Flow,
    /// The parameters are such that the algorithm is expected to behave well.
    is_usual: bool,
}

impl Driver {
    fn new(name: &'static str, initial: &Initial) -> Self {
        Self::with(name, &BTreeMap::new(), initial)
    }

    fn with(name: &'static str, params: &BTreeMap<String, f64>, initial: &Initial) -> Self {
        let create = factory(name, params).expect(name);
        let flow = Flow { smss: SMSS, ..Flow::default() };
        let restart = initial.restart_window * f64::from(SMSS);
        Self { name, controller: create(initial), restart, flow, is_usual: true }
    }

    fn apply(&mut self, step: Step) {
        let before = self.decision();
        self.flow.flight_size = whole(before.cwnd);
        self.flow.in_flight = self.flow.flight_size;
        self.flow.now += Duration::from_millis(1);
        match step {
            Step::Ack { segments, rtt_us, round, lost, ce_marked, cwnd_limited, verdict } => {
                let mut feedback = Feedback::None;
                self.controller.on_send(&mut feedback, &self.flow);
                let told = (lost, ce_marked, verdict.write(feedback));
                self.ack(segments * u64::from(SMSS), rtt_us, round, told, cwnd_limited, before);
            }
            Step::Congestion(event) => self.congestion(event, before),
            Step::Idle(span) => self.flow.now += Duration::from_millis(span),
        }
        self.wake();
        self.controller.state(&mut |name, _| assert!(!name.is_empty()));
        let _ = self.controller.phase();
    }

    fn ack(
        &mut self,
        delivered: u64,
        rtt_us: Option<u64>,
        round: bool,
        (lost, ce_marked, feedback): (u64, u64, Feedback),
        cwnd_limited: bool,
        before: Decision,
    ) {
        let rtt = rtt_us.map(|us| Duration(us * 1_000_000));
        if let Some(rtt) = rtt {
            let flow = &mut self.flow;
            flow.srtt =
                if flow.srtt == Duration::ZERO { rtt } else { Duration((7 * flow.srtt.0 + rtt.0) / 8) };
            flow.min_rtt = if flow.min_rtt == Duration::ZERO { rtt } else { flow.min_rtt.min(rtt) };
        }
        self.flow.cwnd_limited = cwnd_limited;
        let ack = AckSample {
            delivered,
            lost: lost * u64::from(SMSS),
            ce_marked: ce_marked * u64::from(SMSS),
            rtt,
            rate: rtt.map(|interval| RateSample { delivered, interval, app_limited: !cwnd_limited }),
            forward_delay: rtt.map(|rtt| Duration(rtt.0 / 2)),
            round: round.then_some(RoundSample { min_rtt: rtt, rtt_count: 1, delivered, lost, ce_marked }),
            feedback,
        };
        self.controller.on_ack(&ack, &self.flow);
        let after = self.decision();
        if !cwnd_limited && keeps(self.name, Idle) {
            assert!(after.cwnd <= before.cwnd, "{} grew a window that was not in use", self.name);
        }
        if self.is_usual && !round && keeps(self.name, Pace) {
            let bound = (before.cwnd + bytes(delivered)) * (1.0 + 1e-9);
            assert!(after.cwnd <= bound, "{} grew faster than slow start", self.name);
        }
    }

    fn congestion(&mut self, event: CongestionEvent, before: Decision) {
        match event {
            CongestionEvent::EnterRecovery | CongestionEvent::Rto => self.flow.in_recovery = true,
            CongestionEvent::ExitRecovery => self.flow.in_recovery = false,
            CongestionEvent::EcnEcho => {}
        }
        self.controller.on_congestion(event, &self.flow);
        let after = self.decision();
        if event != CongestionEvent::ExitRecovery || keeps(self.name, Idle) {
            assert!(after.cwnd <= before.cwnd, "{} opened its window at {event:?}", self.name);
        }
        let answer = if event == CongestionEvent::EcnEcho { Mark } else { Loss };
        match event {
            CongestionEvent::EnterRecovery | CongestionEvent::EcnEcho
                if self.is_usual && before.cwnd > 4.0 * f64::from(SMSS) && keeps(self.name, answer) =>
            {
                assert!(after.cwnd < 0.95 * before.cwnd, "{} did not back off at {event:?}", self.name);
            }
            CongestionEvent::Rto => assert!(after.cwnd <= self.restart, "{} did not restart", self.name),
            _ => {}
        }
    }

    fn wake(&mut self) {
        if self.controller.wakeup().is_some_and(|at| at <= self.flow.now) {
            self.controller.on_wakeup(&self.flow);
            let next = self.controller.wakeup();
            assert!(next.is_none_or(|at| at > self.flow.now), "{} would never sleep", self.name);
        }
    }

    /// The decision, which must always make sense.
    fn decision(&self) -> Decision {
        let decision = self.controller.decision();
        assert!(decision.cwnd.is_finite(), "{}: cwnd is {}", self.name, decision.cwnd);
        assert!(
            decision.cwnd >= f64::from(SMSS),
            "{}: cwnd is below a segment: {}",
            self.name,
            decision.cwnd
        );
        if let Some(rate) = decision.pacing_rate {
            assert!(rate.0 > 0.0 && rate.0.is_finite(), "{}: pacing rate is {}", self.name, rate.0);
        }
        decision
    }
}

/// A positive number without its fraction.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "windows are positive and small")]
fn whole(number: f64) -> u64 {
    number as u64
}

#[expect(clippy::cast_precision_loss, reason = "an ACK covers far less than 2^53 bytes")]
fn bytes(count: u64) -> f64 {
    count as f64
}

proptest! {
    /// `cwnd` is finite and at least a segment, pacing is positive, every congestion event backs off,
    /// and nothing grows faster than slow start or without being used: whatever happens, in any order.
    #[test]
    fn any_sequence_of_events(initial in initial(), steps in proptest::collection::vec(step(), 1..300)) {
        for algorithm in algorithms() {
            let mut driver = Driver::new(algorithm.name, &initial);
            for &step in &steps {
                driver.apply(step);
            }
        }
    }

    /// The window makes sense with every parameter at its bounds too.
    #[test]
    fn extreme_parameters(initial in initial(), steps in proptest::collection::vec(step(), 1..100)) {
        let bounds: [fn(&Param) -> f64; 2] = [|param| param.min, |param| param.max];
        for (algorithm, bound) in algorithms().iter().flat_map(|algorithm| bounds.map(|bound| (algorithm, bound))) {
            let params = algorithm.params.iter().map(|param| (param.name.to_owned(), bound(param))).collect();
            let mut driver = Driver::with(algorithm.name, &params, &initial);
            driver.is_usual = false;
            for &step in &steps {
                driver.apply(step);
            }
            driver.decision();
        }
    }

    /// When nothing is acknowledged any more, whatever was before, every further timeout leaves the window where
    /// the first has put it.
    #[test]
    fn total_silence(initial in initial(), steps in proptest::collection::vec(step(), 1..50)) {
        for algorithm in algorithms() {
            let mut driver = Driver::new(algorithm.name, &initial);
            for &step in &steps {
                driver.apply(step);
            }
            for wait in 0..10 {
                driver.apply(Step::Idle(1000 << wait));
                driver.apply(Step::Congestion(CongestionEvent::Rto));
                prop_assert!(driver.decision().cwnd <= driver.restart, "{}", algorithm.name);
            }
        }
    }

    /// Fast recovery does not open the window, whether the transport reports the ACK or the event first.
    #[test]
    fn recovery_does_not_grow(initial in initial(), segments in 1_u64..500, slow in 1_u64..200) {
        for algorithm in algorithms().iter().filter(|algorithm| keeps(algorithm.name, Repair)) {
            let mut driver = Driver::new(algorithm.name, &initial);
            let ack = |segments, round| Step::Ack {
                segments, rtt_us: Some(20_000), round, lost: 0, ce_marked: 0, cwnd_limited: true,
                verdict: Verdict::SPARE,
            };
            driver.apply(ack(slow, true));
            driver.apply(Step::Congestion(CongestionEvent::EnterRecovery));
            let reduced = driver.decision().cwnd;
            driver.apply(ack(segments, true));
            driver.apply(Step::Congestion(CongestionEvent::ExitRecovery));
            prop_assert!(driver.decision().cwnd <= reduced, "{}", algorithm.name);
        }
    }

    /// After a timeout the flow must be able to get going again before everything is repaired.
    #[test]
    fn timeout_recovers(initial in initial()) {
        for algorithm in algorithms().iter().filter(|algorithm| keeps(algorithm.name, Restart)) {
            let mut driver = Driver::new(algorithm.name, &initial);
            driver.apply(Step::Congestion(CongestionEvent::Rto));
            let restarted = driver.decision().cwnd;
            for _ in 0..12 {
                for index in 0..whole(driver.decision().cwnd / f64::from(SMSS)) {
                    driver.apply(Step::Ack {
                        segments: 1, rtt_us: Some(20_000), round: index == 0, lost: 0, ce_marked: 0, cwnd_limited: true,
                        verdict: Verdict::SPARE,
                    });
                }
            }
            prop_assert!(driver.decision().cwnd > restarted + f64::from(SMSS), "{}", algorithm.name);
        }
    }
}

/// The table names algorithms that there are, each once.
#[test]
fn exceptions_exist() {
    for (index, (name, _, _)) in EXCEPTIONS.iter().enumerate() {
        assert!(algorithms().iter().any(|algorithm| algorithm.name == *name), "{name}");
        assert!(EXCEPTIONS[..index].iter().all(|(before, _, _)| before != name), "{name} twice");
    }
}

/// The same events give the same bits: controllers keep no state outside themselves.
#[test]
fn controllers_are_independent() {
    let initial = Initial {
        smss: SMSS,
        window: 2.0,
        ssthresh: 100.0,
        restart_window: 2.0,
        halve: Halve::Window,
        seed: 7,
    };
    for algorithm in algorithms() {
        let mut pair = [Driver::new(algorithm.name, &initial), Driver::new(algorithm.name, &initial)];
        for turn in 0..2_000_u64 {
            let step = if turn % 400 == 399 {
                Step::Congestion(CongestionEvent::EcnEcho)
            } else {
                let rtt_us = Some(40_000 + 10 * (turn % 50));
                let (lost, ce_marked, cwnd_limited) = (0, 0, true);
                Step::Ack {
                    segments: 1 + turn % 3,
                    rtt_us,
                    round: turn % 20 == 0,
                    lost,
                    ce_marked,
                    cwnd_limited,
                    verdict: Verdict::SPARE,
                }
            };
            for driver in &mut pair {
                driver.apply(step);
            }
            let [a, b] = pair.each_ref().map(|driver| driver.decision().cwnd.to_bits());
            assert_eq!(a, b, "{}", algorithm.name);
        }
        assert!(pair[0].flow.now > Time::ZERO);
    }
}
