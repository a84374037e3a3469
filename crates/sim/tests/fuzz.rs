//! Inputs that nobody would write: a share of `make fuzz`, which plays more of them (`PROPTEST_CASES`).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use congestion::{
    AckSample, CongestionControl, CongestionEvent, Decision, Duration, Feedback, Flow, Phase, Rate, Time,
};
use proptest::prelude::*;
use sim::measure::counters::Counters;
use sim::net::packet::{self, Kind, Packet, Report};
use sim::spec::{PrrRule, Transport};
use sim::tcp::ranges::Pool;
use sim::tcp::sender::Sender;
use sim::{Error, Plugin, Plugins, Watch};

use crate::scenarios::{places, replacement, value};
use crate::support::{NEWRENO, QUIC, RACK, SACK, TAHOE, TAHOE_1988, algorithm, dumbbell, flow, recovering};
use crate::wire::{MS, control, transport};

/// Most memory of a run that is tried [bytes].
const MOST: u64 = 1 << 24;

/// Watch that halts the run when it was asked so often.
struct After(AtomicU32);

impl Watch for After {
    fn halts(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

fn few() -> ProptestConfig {
    let usual = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { usual.cases } else { 300 };
    ProptestConfig { cases, failure_persistence: None, ..usual }
}

/// What happens next at a sender.
#[derive(Clone, Debug)]
enum Step {
    /// An ACK of so large a part of what was sent, with a block from and to such parts, of a duplicate or not, with
    /// an echo or not, and with the stamp of another time.
    Ack { to: f64, block: Option<(f64, f64)>, duplicate: bool, echo: bool, stamp: u32 },
    /// Milliseconds pass.
    Wait(u64),
    /// The timer expires if it is set.
    Timer,
}

fn step() -> impl Strategy<Value = Step> {
    let part = || prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64];
    let ack = (part(), prop::option::of((part(), part())), any::<bool>(), any::<bool>(), any::<u32>())
        .prop_map(|(to, block, duplicate, echo, stamp)| Step::Ack { to, block, duplicate, echo, stamp });
    prop_oneof![6 => ack, 2 => (0u64..5000).prop_map(Step::Wait), 1 => Just(Step::Timer)]
}

fn transports() -> impl Strategy<Value = Transport> {
    let recovery = prop::sample::select(vec![SACK, RACK, NEWRENO, TAHOE, TAHOE_1988, QUIC]);
    let rules = prop::sample::select(vec![PrrRule::None, PrrRule::Rfc9937, PrrRule::Linux]);
    (recovery, rules, any::<bool>(), 1u32..60).prop_map(|(recovery, prr, ecn, window)| {
        let sacks = recovery.has_sack();
        let prr = if sacks { prr } else { PrrRule::None };
        let transport = recovering(recovery, &transport(recovery, 10.0));
        Transport { prr, ecn, receive_window: Some(window), ..transport }
    })
}

/// A controller that answers as it was told, whatever happens.
#[derive(Debug)]
struct Hostile {
    answers: Vec<(f64, Option<f64>, Option<u64>)>,
    calls: usize,
    now: Time,
}

impl Hostile {
    fn answer(&self) -> (f64, Option<f64>, Option<u64>) {
        self.answers[self.calls % self.answers.len()]
    }
}

impl CongestionControl for Hostile {
    fn on_ack(&mut self, _: &AckSample, flow: &Flow) {
        self.calls += 1;
        self.now = flow.now;
    }

    fn on_congestion(&mut self, _: CongestionEvent, flow: &Flow) {
        self.calls += 1;
        self.now = flow.now;
    }

    fn decision(&self) -> Decision {
        let (cwnd, rate, _) = self.answer();
        Decision { cwnd, pacing_rate: rate.map(Rate) }
    }

    fn phase(&self) -> Phase {
        Phase::Standard
    }

    fn wakeup(&self) -> Option<Time> {
        self.answer().2.map(|after| self.now + Duration(after))
    }
}

/// Answers within what a controller may give: a segment to 2^24, and any rate above zero. Others are errors where
/// they come in: in the binding and in the loader of libraries.
fn answers() -> impl Strategy<Value = Vec<(f64, Option<f64>, Option<u64>)>> {
    let cwnd = prop_oneof![Just(1460.0), Just(1460.0 * 16_777_216.0), 1460.0..1e7f64];
    let rate = prop_oneof![Just(f64::INFINITY), Just(5e-324), Just(1e300), 1.0..1e9f64];
    let wakeup = prop_oneof![Just(0), Just(1), Just(u64::MAX), any::<u64>()];
    prop::collection::vec((cwnd, prop::option::of(rate), prop::option::of(wakeup)), 1..5)
}

proptest! {
    #![proptest_config(few())]

    /// Scenarios with some values replaced by others are refused with words, or begin.
    #[test]
    fn specs(changes in prop::collection::vec((any::<prop::sample::Index>(), replacement()), 0..4)) {
        let mut value = value();
        for (index, other) in changes {
            let mut all = Vec::new();
            places(&value, "", &mut all);
            if let Some(place) = value.pointer_mut(index.get(&all[..]).as_str()) {
                *place = other;
            }
        }
        match sim::parse(&value.to_string()) {
            Err(error) => prop_assert!(!error.to_string().is_empty()),
            Ok(spec) if sim::need(&spec).iter().map(|(_, bytes)| bytes).sum::<u64>() < MOST => {
                let watch = Arc::new(After(AtomicU32::new(2)));
                let run = sim::run_with(&spec, 1, 1, &Plugins::new(), &mut |_| true, watch);
                prop_assert!(run.is_ok(), "{:?}", run.err());
            }
            Ok(_) => {}
        }
    }

    /// A sender stands every ACK of what it has sent, in any order and however late.
    #[test]
    fn acks(transport in transports(), limit in 1u32..300, steps in prop::collection::vec(step(), 1..120)) {
        let mechanism = transport.parts(1000).mechanism;
        let rtt = Duration(20 * MS);
        let mut sender = Sender::new(control("cubic", &transport), limit, rtt, &mechanism);
        let (mut counters, mut pool, mut now) = (Counters::default(), Pool::new(), Time::ZERO);
        for step in steps {
            let mut sent = 0;
            while let Some(it) = sender.next_segment(&mechanism, now) {
                prop_assert!(it.segment < limit);
                sent += 1;
                prop_assert!(sent <= 2 * limit, "sends without end");
            }
            if sender.is_done() {
                break;
            }
            let end = sender.seq.snd_nxt;
            let at = |part: f64| (part * f64::from(end)) as u32;
            match step {
                Step::Wait(ms) => now += Duration(ms * MS),
                Step::Timer => {
                    if sender.deadline() < Time::NEVER {
                        now = now.max(sender.deadline());
                        sender.on_timer(now, &mechanism, &mut counters);
                    }
                }
                Step::Ack { to, block, duplicate, echo, stamp } => {
                    let next = at(to);
                    let report = match block.map(|(a, b)| (at(a.min(b)), at(a.max(b)))) {
                        Some((first, last)) if first >= next && first < last => Report::block(first, last),
                        _ => Report::arrival(0),
                    };
                    let kind = if duplicate { Kind::AckOfDuplicate } else { Kind::Ack };
                    let stamp = packet::stamp(now).wrapping_sub(stamp % 1_000_000);
                    let ack = Packet { seq: next, stamp, kind, ..Packet::default() }.reporting(report, echo);
                    sender.on_ack(&ack, &Feedback::None, now, &mechanism, &mut pool, &mut counters);
                    prop_assert!(sender.seq.snd_una >= next);
                }
            }
            prop_assert!(sender.seq.snd_una <= end && sender.counts.delivered <= end);
        }
    }

    /// Windows, rates and times of waking at the bounds of what is allowed end no run but by its time.
    #[test]
    fn answers_of_controllers(answers in answers(), seed in 0u64..1000) {
        let mut spec = dumbbell(10.0, 0.02, Some(50), vec![flow("hostile", 0.0)], 0.1);
        spec.algorithms = vec![algorithm("hostile")];
        let construct = move |_: &BTreeMap<String, f64>| {
            let answers = answers.clone();
            let factory: congestion::Factory = Box::new(move |_| {
                Box::new(Hostile { answers: answers.clone(), calls: 0, now: Time::ZERO })
            });
            Ok(factory)
        };
        let plugins: Plugins = [("hostile".to_owned(), Plugin { construct: Arc::new(construct), needs: None })].into();
        let spec = spec.checked_with(&plugins).expect("a valid world");
        let watch = Arc::new(After(AtomicU32::new(20)));
        let run = sim::run_with(&spec, seed, 1, &plugins, &mut |_| true, watch);
        // A time of waking that is always due is an error.
        prop_assert!(matches!(run, Ok(_) | Err(Error::Sleepless { .. })), "{:?}", run.err());
    }
}
