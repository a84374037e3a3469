//! Demands on every controller, and random sequences of events, also impossible ones, against every algorithm.

use std::collections::BTreeMap;

use congestion::conformance::checks;
use congestion::testing::{Path, Transport, Verdict};
use congestion::{
    AckSample, CongestionEvent, Duration, Feedback, Flow, Halve, Initial, Load, Param, RateSample,
    RoundSample, algorithms, factory,
};
use proptest::prelude::*;

const SMSS: u32 = 1448;

/// Behaviour of nearly every algorithm, beyond the demands.
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

/// Rules of windows, none of which BBR keeps, and why.
const EVERY: [Rule; 6] = [Loss, Mark, Idle, Repair, Pace, Restart];
const BY_MODEL: &str = "the window follows the model of the path, up and down";

/// Demands that an algorithm does not meet because its own rules say otherwise; its model page says so too.
const UNMET: &[(&str, &[&str])] = &[
    ("copa", &["loss", "ecn"]),
    ("copa:default-mode", &["loss", "ecn"]),
    ("bbr1", &["loss", "ecn", "application-limited"]),
    ("bbr1:linux", &["loss", "ecn", "application-limited"]),
    ("bbr3", &["loss", "ecn", "application-limited"]),
    ("bbr3:linux", &["loss", "ecn", "application-limited"]),
];

/// Exceptions to the rules: an algorithm, or a named set of parameters, whose own rules say otherwise, and why;
/// its model page says so too.
const EXCEPTIONS: &[(&str, &[Rule], &str)] = &[
    ("aiad", &[Loss, Mark], "gives up a fixed step, whatever the window"),
    ("aiad:lab", &[Loss, Mark], "may be at the restart window already, and goes no lower"),
    ("aimd:lab", &[Loss, Mark], "may be at the restart window already, and goes no lower"),
    ("aimd:lab-half", &[Loss, Mark], "may be at the restart window already, and goes no lower"),
    ("westwood", &[Loss, Mark], "gives up what the measured rate does not fill, which may be nothing"),
    ("hybla", &[Pace], "opens the window faster than slow start on long paths, which is its purpose"),
    ("dctcp", &[Mark], "cuts in proportion to the marks"),
    ("prague", &[Mark], "cuts in proportion to the marks"),
    ("prague:linux", &[Loss, Mark], "cuts in proportion to the marks, a segment per ACK"),
    ("ledbat++", &[Restart], "a slowdown may lie in these round trips"),
    ("copa", &[Loss, Mark, Repair, Idle], "delay is its signal, also while losses are repaired"),
    ("copa:default-mode", &[Loss, Mark, Repair, Idle], "delay is its signal, also while losses are repaired"),
    (
        "fast:nist",
        &[Repair, Pace],
        "its rule goes on during repairs, and may double the window of a timeout with an ACK",
    ),
    ("fast-at:nist", &[Repair, Pace], "its rule goes on during repairs, as that of fast:nist"),
    ("fast:ns2", &[Pace], "takes all steps at once in a window of four segments or less, as its source does"),
    ("xcp", &[Pace], "routers grant whatever there is"),
    (
        "vcp",
        &[Pace, Restart],
        "grows by time: a sixteenth per 200 ms, or segments by the square of the round trip, whatever the window",
    ),
    ("bbr1", &EVERY, BY_MODEL),
    ("bbr1:linux", &EVERY, BY_MODEL),
    ("bbr3", &EVERY, BY_MODEL),
    ("bbr3:linux", &EVERY, BY_MODEL),
];

/// True if `rule` holds for the algorithm of this name.
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
        grant: Grant,
    },
    Congestion(CongestionEvent),
    /// Nothing is sent and nothing arrives [ms].
    Idle(u64),
}

/// Answer of the routers in the header, if the flow has one: window [segments] or load.
#[derive(Clone, Copy, Debug)]
struct Grant(f64);

impl Grant {
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

/// An ACK of a window that is in use, on a path with room for more.
fn ack(segments: u64, round: bool) -> Step {
    let (rtt_us, grant) = (Some(20_000), Grant(1.0));
    Step::Ack { segments, rtt_us, round, lost: 0, ce_marked: 0, cwnd_limited: true, grant }
}

fn step() -> impl Strategy<Value = Step> {
    let ack = (
        0_u64..100,
        proptest::option::of(1_u64..10_000_000),
        any::<bool>(),
        0_u64..5,
        0_u64..5,
        any::<bool>(),
        prop_oneof![4 => -3.0..3.0, 1 => -1e6..1e6, 1 => Just(f64::INFINITY)].prop_map(Grant),
    );
    prop_oneof![
        20 => ack.prop_map(|(segments, rtt_us, round, lost, ce_marked, cwnd_limited, grant)| {
            Step::Ack { segments, rtt_us, round, lost, ce_marked, cwnd_limited, grant }
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
    (1_u8..200, ssthresh, any::<bool>(), halve, any::<bool>(), any::<u64>()).prop_map(
        |(window, ssthresh, restart, halve, counts_whole_acks, seed)| {
            let window = f64::from(window);
            Initial {
                smss: SMSS,
                window,
                ssthresh,
                restart_window: if restart { window } else { 1.0 },
                halve,
                counts_whole_acks,
                seed,
            }
        },
    )
}

/// One algorithm on a transport that reports anything.
struct Driver {
    name: &'static str,
    transport: Transport,
    restart: f64,
    /// The parameters are such that the algorithm is expected to behave well.
    is_usual: bool,
}

impl Driver {
    fn new(name: &'static str, initial: &Initial) -> Self {
        Self::with(name, &BTreeMap::new(), initial)
    }

    fn with(name: &'static str, params: &BTreeMap<String, f64>, initial: &Initial) -> Self {
        let create = factory(name, params).expect(name);
        let transport = Transport::new(create(initial), SMSS, Path::default());
        let restart = initial.restart_window * f64::from(SMSS);
        Self { name, transport, restart, is_usual: true }
    }

    fn cwnd(&self) -> f64 {
        self.transport.cwnd().expect(self.name)
    }

    fn apply(&mut self, step: Step) {
        self.try_apply(step).expect(self.name);
        self.transport.controller.state(&mut |name, _| assert!(!name.is_empty()));
        let _ = self.transport.controller.phase();
    }

    fn try_apply(&mut self, step: Step) -> Verdict {
        let before = self.transport.cwnd()?;
        let Flow { cwnd_limited, app_limited, .. } = self.transport.flow;
        self.transport.fill()?;
        self.transport.flow = Flow { cwnd_limited, app_limited, ..self.transport.flow };
        self.transport.pass(Duration::from_millis(1))?;
        match step {
            Step::Ack { .. } => self.ack(step, before),
            Step::Congestion(event) => self.congestion(event, before),
            Step::Idle(span) => self.transport.pass(Duration::from_millis(span)),
        }
    }

    fn ack(&mut self, step: Step, before: f64) -> Verdict {
        let Step::Ack { segments, rtt_us, round, lost, ce_marked, cwnd_limited, grant } = step else {
            return Ok(());
        };
        let Transport { controller, flow, .. } = &mut self.transport;
        let mut feedback = Feedback::None;
        controller.on_send(&mut feedback, flow);
        flow.cwnd_limited = cwnd_limited;
        flow.app_limited = !cwnd_limited;
        let [delivered, lost, ce_marked] = [segments, lost, ce_marked].map(|count| count * u64::from(SMSS));
        let rtt = rtt_us.map(|us| Duration(us * 1_000_000));
        if let Some(rtt) = rtt {
            self.transport.sample_rtt(rtt);
        }
        self.transport.report_ack(&AckSample {
            delivered,
            lost,
            ce_marked,
            rtt,
            rate: rtt.map(|interval| RateSample { delivered, interval, app_limited: !cwnd_limited, rtt }),
            forward_delay: rtt.map(|rtt| rtt / 2),
            round: round.then_some(RoundSample { min_rtt: rtt, rtt_count: 1, delivered, lost, ce_marked }),
            feedback: grant.write(feedback),
        })?;
        let after = self.cwnd();
        if !cwnd_limited && keeps(self.name, Idle) {
            assert!(after <= before, "{} grew a window that was not in use", self.name);
        }
        if self.is_usual && !round && keeps(self.name, Pace) {
            let bound = (before + bytes(delivered)) * (1.0 + 1e-9);
            assert!(after <= bound, "{} grew faster than slow start", self.name);
        }
        Ok(())
    }

    /// Reports an event; the transport itself checks that congestion does not open the window.
    fn congestion(&mut self, event: CongestionEvent, before: f64) -> Verdict {
        self.transport.report(event)?;
        let after = self.cwnd();
        if event == CongestionEvent::ExitRecovery && keeps(self.name, Idle) {
            assert!(after <= before, "{} opened its window at {event:?}", self.name);
        }
        let answer = if event == CongestionEvent::EcnEcho { Mark } else { Loss };
        match event {
            CongestionEvent::EnterRecovery | CongestionEvent::EcnEcho
                if self.is_usual && before > 4.0 * f64::from(SMSS) && keeps(self.name, answer) =>
            {
                assert!(after < 0.95 * before, "{} did not back off at {event:?}", self.name);
            }
            CongestionEvent::Rto => assert!(after <= self.restart, "{} did not restart", self.name),
            _ => {}
        }
        Ok(())
    }
}

/// Positive number without its fraction.
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
            driver.cwnd();
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
                prop_assert!(driver.cwnd() <= driver.restart, "{}", algorithm.name);
            }
        }
    }

    /// Fast recovery does not open the window, whether the transport reports the ACK or the event first.
    #[test]
    fn recovery_does_not_grow(initial in initial(), segments in 1_u64..500, slow in 1_u64..200) {
        for algorithm in algorithms().iter().filter(|algorithm| keeps(algorithm.name, Repair)) {
            let mut driver = Driver::new(algorithm.name, &initial);
            driver.apply(ack(slow, true));
            driver.apply(Step::Congestion(CongestionEvent::EnterRecovery));
            let reduced = driver.cwnd();
            driver.apply(ack(segments, true));
            driver.apply(Step::Congestion(CongestionEvent::ExitRecovery));
            prop_assert!(driver.cwnd() <= reduced, "{}", algorithm.name);
        }
    }

    /// The same events give the same bits: controllers keep no state outside themselves.
    #[test]
    fn controllers_are_independent(initial in initial(), steps in proptest::collection::vec(step(), 1..300)) {
        for algorithm in algorithms() {
            let mut pair = [Driver::new(algorithm.name, &initial), Driver::new(algorithm.name, &initial)];
            for &step in &steps {
                let [first, second] = pair.each_mut().map(|driver| {
                    driver.apply(step);
                    driver.cwnd().to_bits()
                });
                prop_assert_eq!(first, second, "{}", algorithm.name);
            }
        }
    }

    /// After a timeout the flow must be able to get going again before everything is repaired.
    #[test]
    fn timeout_recovers(initial in initial()) {
        for algorithm in algorithms().iter().filter(|algorithm| keeps(algorithm.name, Restart)) {
            let mut driver = Driver::new(algorithm.name, &initial);
            driver.apply(Step::Congestion(CongestionEvent::Rto));
            let restarted = driver.cwnd();
            for _ in 0..12 {
                let window = whole(driver.cwnd() / f64::from(SMSS));
                // Of a window that has got going, an ACK covers more than one segment: 64 ACKs a round at most.
                let segments = window.div_ceil(64);
                for index in 0..window / segments {
                    driver.apply(ack(segments, index == 0));
                }
            }
            prop_assert!(driver.cwnd() > restarted + f64::from(SMSS), "{}", algorithm.name);
        }
    }
}

/// Both tables name algorithms that there are, each once.
#[test]
fn exceptions_exist() {
    let unmet = UNMET.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    let excepted = EXCEPTIONS.iter().map(|(name, _, _)| *name).collect::<Vec<_>>();
    for names in [unmet, excepted] {
        for (index, name) in names.iter().enumerate() {
            assert!(algorithms().iter().any(|algorithm| algorithm.name == *name), "{name}");
            assert!(!names[..index].contains(name), "{name} twice");
        }
    }
}

/// Every algorithm meets every demand, except those that it is known not to meet.
#[test]
fn demands_on_every_controller() {
    for algorithm in algorithms() {
        let create = factory(algorithm.name, &BTreeMap::new()).expect(algorithm.name);
        let unmet =
            UNMET.iter().find(|(name, _)| *name == algorithm.name).map_or(&[][..], |(_, unmet)| unmet);
        for check in checks() {
            let verdict = check.run(&*create, 1, 4000);
            let expected = !unmet.contains(&check.name);
            assert_eq!(verdict.is_ok(), expected, "{}: {}: {verdict:?}", algorithm.name, check.name);
        }
    }
}
