//! What the loader sees of a real library, `examples/probe.rs`, which cargo builds before tests.

mod refused;
mod segments;
mod shipped;

use std::collections::BTreeMap;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use mesonet_plugin::abi::MAGIC;
use mesonet_plugin::congestion::{
    AckSample, CongestionControl, CongestionEvent, Delivery, Duration, Ecn, Feedback, Flow, Halve, Initial,
    Load, Needs, Phase, Prior, Protocol, Rate, RateSample, RoundSample, SentSegment, Time, factory,
};
use mesonet_plugin::host::{Controller, Failure, Library, OpenError, Problem, Report};

const INITIAL: Initial = Initial {
    smss: 1000,
    window: 4.0,
    ssthresh: 64.0,
    restart_window: 2.0,
    halve: Halve::Flight,
    counts_whole_acks: false,
    seed: 7,
};

fn probe() -> PathBuf {
    let tests = std::env::current_exe().expect("a test has a file");
    let built = tests.ancestors().nth(2).expect("target/PROFILE").join("examples");
    let path = built.join(format!("{DLL_PREFIX}probe{DLL_SUFFIX}"));
    assert!(path.is_file(), "{} is built by `cargo test` without --test", path.display());
    path
}

fn named(name: &str) -> Controller {
    let library = Library::open(&probe()).expect("probe opens");
    *library.controllers.iter().find(|controller| controller.name == name).expect(name)
}

fn silent() -> Report {
    Arc::new(|failure| panic!("{failure:?}"))
}

fn params(pairs: &[(&str, f64)]) -> BTreeMap<String, f64> {
    pairs.iter().map(|&(name, value)| (name.to_owned(), value)).collect()
}

fn created(name: &str, pairs: &[(&str, f64)]) -> Box<dyn CongestionControl> {
    named(name).factory(&params(pairs), silent()).expect(name)(&INITIAL)
}

/// What the controller says it was told last.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the values are letters")]
fn told(controller: &dyn CongestionControl) -> String {
    let mut letters = Vec::new();
    controller.state(&mut |name, value| {
        if name == "letter" {
            letters.push(value as u8);
        }
    });
    String::from_utf8(letters).expect("text")
}

/// Every field has a value of its own.
fn flow() -> Flow {
    Flow {
        now: Time(u64::MAX - 1),
        smss: 1000,
        in_flight: 3,
        flight_size: 4,
        srtt: Duration(5),
        min_rtt: Duration(6),
        ecn: Ecn::L4s,
        in_recovery: true,
        cwnd_limited: false,
        app_limited: true,
        next_send_time: Time(7),
    }
}

fn copy(path: &Path, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> PathBuf {
    let mut bytes = std::fs::read(path).expect("probe is read");
    change(&mut bytes);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let copied = folder.join(format!("{name}-{}{DLL_SUFFIX}", std::process::id()));
    std::fs::write(&copied, bytes).expect("a copy is written");
    copied
}

#[test]
fn a_library_says_what_it_has() {
    let library = Library::open(&probe()).expect("probe opens");
    assert_eq!((library.name, library.version), ("mesonet-plugin", mesonet_plugin::VERSION));
    let names: Vec<_> = library.controllers.iter().map(|controller| controller.name).collect();
    assert_eq!(names, ["echo", "faulty", "reno"]);
    let echo = &library.controllers[0];
    assert_eq!((echo.display, echo.summary, echo.source), ("Echo", "Tells what it was told", "none"));
    let [first, second] = echo.params else { panic!("two parameters") };
    assert_eq!((first.name, first.unit, first.doc), ("first", "s", "Comes first"));
    assert_eq!((second.default, second.min, second.max), (2.5, 2.0, 3.0));
}

#[test]
fn parameters_and_initial_values_arrive() {
    assert_eq!(told(&*created("echo", &[("second", 2.25)])), format!("{:?} {INITIAL:?}", [1.0, 2.25]));
    let window = Initial { halve: Halve::Window, ssthresh: f64::INFINITY, ..INITIAL };
    let controller = named("echo").factory(&params(&[]), silent()).expect("echo")(&window);
    assert_eq!(told(&*controller), format!("{:?} {window:?}", [1.0, 2.5]));
}

#[test]
fn parameters_are_checked_as_those_of_built_in_algorithms() {
    let problem = |pairs| named("echo").factory(&params(pairs), silent()).err().expect("a problem");
    let expected = "algorithm \"echo\" has no parameter \"sekond\"; did you mean \"second\"?";
    assert_eq!(problem(&[("sekond", 1.0)]).to_string(), expected);
    let expected = "parameter \"second\": expected a number from 2 to 3, got 4";
    assert_eq!(problem(&[("second", 4.0)]).to_string(), expected);
}

#[test]
fn everything_an_ack_says_arrives() {
    let mut controller = created("echo", &[]);
    let full = AckSample {
        delivered: u64::MAX,
        lost: 1,
        ce_marked: 2,
        rtt: Some(Duration(3)),
        forward_delay: Some(Duration(4)),
        rate: Some(RateSample {
            delivered: 5,
            interval: Duration(6),
            app_limited: true,
            rtt: Some(Duration(12)),
        }),
        round: Some(RoundSample {
            min_rtt: Some(Duration(7)),
            rtt_count: 8,
            delivered: 9,
            lost: 10,
            ce_marked: 11,
        }),
        feedback: Feedback::Xcp { cwnd: 1.5, rtt: 0.1, feedback: -3.0 },
    };
    let round = full.round.map(|round| RoundSample { min_rtt: None, ..round });
    let rate = full.rate.map(|rate| RateSample { app_limited: false, rtt: None, ..rate });
    let flows = [flow(), Flow { in_recovery: false, cwnd_limited: true, ..flow() }, Flow::default()];
    for ack in [
        full,
        AckSample { rtt: None, ..full },
        AckSample { forward_delay: None, ..full },
        AckSample { rate: None, ..full },
        AckSample { rate, ..full },
        AckSample { round: None, ..full },
        AckSample { round, ..full },
        AckSample { feedback: Feedback::Vcp(Load::High), ..full },
        AckSample::default(),
    ] {
        for flow in flows {
            controller.on_ack(&ack, &flow);
            assert_eq!(told(&*controller), format!("{ack:?} {flow:?}"));
        }
    }
}

#[test]
fn events_and_wakeups_arrive() {
    let mut controller = created("echo", &[]);
    for event in [
        CongestionEvent::EnterRecovery,
        CongestionEvent::ExitRecovery,
        CongestionEvent::EcnEcho,
        CongestionEvent::Rto,
    ] {
        controller.on_congestion(event, &flow());
        assert_eq!(told(&*controller), format!("{event:?} {:?}", flow()));
    }
    controller.on_wakeup(&flow());
    assert_eq!(told(&*controller), format!("wakeup {:?}", flow()));
}

#[test]
fn headers_are_stamped() {
    let mut controller = created("echo", &[]);
    let mut feedback = Feedback::None;
    let stamps = [
        Feedback::Vcp(Load::Over),
        Feedback::Xcp { cwnd: 2.0, rtt: 0.25, feedback: f64::NEG_INFINITY },
        Feedback::None,
    ];
    for stamp in stamps {
        let before = feedback;
        controller.on_send(&mut feedback, &flow());
        assert_eq!(feedback, stamp);
        assert_eq!(told(&*controller), format!("{before:?} {:?}", flow()));
    }
}

#[test]
fn what_a_controller_wants_is_what_it_wanted_last() {
    let mut controller = created("echo", &[]);
    let echo = Needs { feedback: Some(Protocol::Vcp), rate_samples: true, ..Needs::default() };
    let faulty = Needs { feedback: None, ecn: Ecn::Dctcp, ecn_fallback: true, ..Needs::default() };
    assert_eq!((controller.needs(), created("faulty", &[]).needs()), (echo, faulty));
    assert_eq!((named("echo").needs(), named("faulty").needs()), (echo, faulty));
    let phases = [Phase::SlowStart, Phase::Standard, Phase::Alternate];
    for calls in 0_u32..7 {
        let cwnd = 10_000.0 + f64::from(calls);
        let odd = calls % 2 == 1;
        let decision = controller.decision();
        assert_eq!((decision.cwnd, decision.pacing_rate), (cwnd, odd.then_some(Rate(cwnd / 4.0))));
        assert_eq!(controller.phase(), phases[calls as usize % 3]);
        assert_eq!(controller.wakeup(), (!odd).then_some(Time(u64::from(calls))));
        assert_eq!(controller.departure(), odd.then_some(Time(u64::from(calls))));
        assert_eq!(controller.ssthresh(), (!odd).then_some(cwnd / 2.0));
        controller.on_wakeup(&flow());
    }
}

/// The same code inside and outside does the same.
#[test]
fn reno_is_reno() {
    let mut inside = factory("reno", &BTreeMap::new()).expect("reno")(&INITIAL);
    let mut outside = created("reno", &[]);
    let flow = Flow { cwnd_limited: true, flight_size: 50_000, ..flow() };
    for step in 0_u64..2000 {
        for controller in [&mut inside, &mut outside] {
            let now = Flow { in_recovery: step % 97 < 5, ..flow };
            match step % 97 {
                0 => controller.on_congestion(CongestionEvent::EnterRecovery, &now),
                5 => controller.on_congestion(CongestionEvent::ExitRecovery, &now),
                50 if step % 3 == 0 => controller.on_congestion(CongestionEvent::Rto, &now),
                _ => controller.on_ack(&AckSample { delivered: 700, ..AckSample::default() }, &now),
            }
        }
        assert_eq!(inside.decision(), outside.decision());
        assert_eq!(inside.phase(), outside.phase());
        assert_eq!(inside.ssthresh(), outside.ssthresh());
    }
    let read = |controller: &dyn CongestionControl| {
        let mut all = Vec::new();
        controller.state(&mut |name, value| all.push((name, value.to_bits())));
        all
    };
    assert_eq!(read(&*inside), read(&*outside));
}

/// What becomes of a controller with this fault when it is used.
fn failures(fault: f64, at: u64) -> Vec<Failure> {
    let reported = Arc::new(Mutex::new(Vec::new()));
    let note = reported.clone();
    let report: Report = Arc::new(move |failure| note.lock().expect("no panic here").push(failure));
    let create = named("faulty").factory(&params(&[("fault", fault)]), report).expect("faulty");
    let mut controller = create(&INITIAL);
    let before = controller.decision();
    let flow = Flow { now: Time(at), ..flow() };
    for _ in 0..3 {
        controller.on_ack(&AckSample { delivered: 77, ..AckSample::default() }, &flow);
        controller.on_congestion(CongestionEvent::Rto, &flow);
        assert_eq!(controller.decision(), before, "a controller that failed keeps its decision");
    }
    controller.state(&mut |_, _| {});
    drop(controller);
    let all = reported.lock().expect("no panic here");
    all.clone()
}

#[test]
fn panics_are_told_and_end_the_controller() {
    for (fault, place, at, text) in [
        (1.0, "build", Some(Time(9)), "no such start (crates/plugin/examples/probe.rs:"),
        (2.0, "on_ack", Some(Time(9)), "delivered 77 (crates/plugin/examples/probe.rs:"),
        (6.0, "on_congestion", Some(Time(9)), "something without a text (crates/plugin/examples/probe.rs:"),
        (7.0, "state", None, "nothing to tell (crates/plugin/examples/probe.rs:"),
    ] {
        let [failure] = &failures(fault, 9)[..] else { panic!("one failure for {fault}") };
        assert_eq!((failure.place, failure.at, failure.seed), (place, at, INITIAL.seed));
        assert!(
            matches!(&failure.problem, Problem::Panicked(message) if message.starts_with(text)),
            "{failure:?}"
        );
    }
    // Nothing is left that could be told, and nothing happens either.
    assert!(failures(8.0, 9).is_empty());
    assert!(failures(0.0, 9).is_empty());
}

#[test]
fn a_controller_that_was_never_called_still_tells_why_it_could_not_be_created() {
    let reported = Arc::new(Mutex::new(None));
    let note = reported.clone();
    let report: Report = Arc::new(move |failure| *note.lock().expect("no panic here") = Some(failure));
    drop(named("faulty").factory(&params(&[("fault", 1.0)]), report).expect("faulty")(&INITIAL));
    let failure: Failure = reported.lock().expect("no panic here").clone().expect("a failure");
    assert_eq!((failure.place, failure.at), ("build", None));
}

#[test]
fn answers_that_make_no_sense_are_told() {
    let cwnd = "expected cwnd to be at least one segment (1000 bytes), and finite, got";
    let pacing = "expected pacing_rate to be more than 0 bytes/s, finite, or None, got 0";
    let large = "expected cwnd to be at most 16777216 segments (2^24) of 1000 bytes, got 1.5e300; are the units \
                 bytes?";
    for (fault, text) in
        [(3.0, format!("{cwnd} NaN")), (4.0, format!("{cwnd} 0")), (5.0, pacing.into()), (9.0, large.into())]
    {
        let [failure] = &failures(fault, 1)[..] else { panic!("one failure for {fault}") };
        assert_eq!((failure.place, &failure.problem), ("on_ack", &Problem::Broken(text)));
    }
}

mod linked {
    use mesonet_plugin::congestion::{Algorithm, Param};
    use mesonet_plugin::export::{Controllers, header};
    use mesonet_plugin::host::Library;

    const fn called(name: &'static str, params: &'static [Param]) -> Algorithm {
        let build: fn(&[f64], &super::Initial) -> Box<dyn super::CongestionControl> = |_, _| unreachable!();
        Algorithm { name, display: "", edition: 1, summary: "", source: "", params, build }
    }

    const fn param(name: &'static str, default: f64) -> Param {
        Param { name, default, min: 0.0, max: 1.0, unit: "", doc: "" }
    }

    struct Good;
    struct Twice;
    struct Nameless;
    struct Params;
    struct Default;

    impl Controllers for Good {
        const LIST: &'static [Algorithm] = &[called("b", &[param("x", 0.5)]), called("a", &[])];
    }
    impl Controllers for Twice {
        const LIST: &'static [Algorithm] = &[called("a", &[]), called("a", &[])];
    }
    impl Controllers for Nameless {
        const LIST: &'static [Algorithm] = &[called("a:b", &[])];
    }
    impl Controllers for Params {
        const LIST: &'static [Algorithm] = &[called("a", &[param("x", 0.5), param("x", 0.5)])];
    }
    impl Controllers for Default {
        const LIST: &'static [Algorithm] = &[called("a", &[param("x", 2.0)])];
    }

    fn error<C: Controllers>() -> String {
        Library::linked(Box::leak(Box::new(header::<C>("it", "1")))).expect_err("a problem").to_string()
    }

    #[test]
    fn names_collide_with_no_other_and_defaults_are_in_range() {
        let good = Library::linked(Box::leak(Box::new(header::<Good>("good", "1.2.3")))).expect("good");
        assert_eq!((good.name, good.version, good.controllers[1].params[0].name), ("good", "1.2.3", "x"));
        let begin = "(linked): controller library `it` is broken: ";
        assert_eq!(error::<Twice>(), format!("{begin}it has two controllers called \"a\""));
        let letters = "names consist of letters, digits, \"-\", \"_\" and \".\"";
        assert_eq!(error::<Nameless>(), format!("{begin}a controller is called \"a:b\"; {letters}"));
        assert_eq!(error::<Params>(), format!("{begin}\"a\" has two parameters called \"x\""));
        assert!(error::<Default>().ends_with("expected the default of \"x\" of \"a\" from 0 to 1, got 2"));
    }
}
