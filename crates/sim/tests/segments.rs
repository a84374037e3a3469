//! Controllers that are told of segments one by one: their books agree with the transport, whatever the channel does.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use congestion::{
    AckSample, CongestionControl, CongestionEvent, Decision, Delivery, Duration, Flow, Needs, Phase,
    SentSegment, Time,
};
use proptest::prelude::*;
use sim::Error;
use sim::spec::{PrrRule, ReoWndRule, Transport, UndoRule};

use crate::quic::quic;
use crate::support::{NEWRENO, QUIC, RACK, SACK, algorithm, dumbbell, flow};
use crate::wire::{Fates, Wire, control, transport};

const SMSS: u64 = 1000;

/// What a controller was told.
#[derive(Debug, Default)]
struct Books {
    /// Transmissions in flight of each segment, in order.
    out: BTreeMap<u32, Vec<SentSegment>>,
    latest: Delivery,
    in_flight: u64,
    delivered: u64,
    lost: u64,
    last_lost: Option<u32>,
    events: Vec<&'static str>,
}

/// Controller that keeps books of its own and checks them.
#[derive(Debug)]
struct Keeper {
    inner: Box<dyn CongestionControl>,
    books: Arc<Mutex<Books>>,
    /// Departures come in bursts of so many segments per millisecond, if any.
    burst: u32,
    sent: u32,
    departure: Time,
}

impl Keeper {
    fn new(inner: Box<dyn CongestionControl>) -> (Box<Self>, Arc<Mutex<Books>>) {
        let books = Arc::<Mutex<Books>>::default();
        let keeper = Self { inner, books: books.clone(), burst: 0, sent: 0, departure: Time::ZERO };
        (Box::new(keeper), books)
    }
}

impl CongestionControl for Keeper {
    fn on_segment_sent(&mut self, segment: &SentSegment, flow: &Flow) {
        let mut books = self.books.lock().expect("no panic with it");
        books.events.push("sent");
        if !segment.replaces {
            books.in_flight += SMSS;
        }
        if !segment.restored {
            assert_eq!(segment.sent, flow.now);
            assert_eq!((segment.in_flight, books.in_flight), (flow.in_flight, flow.in_flight));
            assert_eq!((segment.delivered, segment.lost), (books.delivered, books.lost));
        }
        let is_new = !books.out.contains_key(&segment.number);
        assert!(segment.retransmission || segment.restored || is_new);
        let copies = books.out.entry(segment.number).or_default();
        if segment.replaces {
            copies.pop();
        }
        copies.push(*segment);
        self.sent += 1;
        if self.burst > 0 && self.sent.is_multiple_of(self.burst) {
            self.departure = flow.now + Duration::from_millis(1);
        }
    }

    fn on_delivery(&mut self, delivery: &Delivery, flow: &Flow) {
        let mut books = self.books.lock().expect("no panic with it");
        books.events.push("delivery");
        assert_eq!(delivery.prior_in_flight, books.in_flight);
        books.in_flight -= delivery.from_flight;
        books.delivered += delivery.delivered;
        let newest = delivery.newest;
        assert!(delivery.rtt.is_none_or(|rtt| newest.sent + rtt == flow.now));
        let copies = books.out.get(&newest.number).expect("it was sent, and not acknowledged before");
        assert!(copies.is_empty() || copies.iter().any(|copy| copy.sent == newest.sent));
        books.latest = *delivery;
        books.out.retain(|&number, _| number >= delivery.first_unacknowledged);
    }

    fn on_segment_lost(&mut self, segment: &SentSegment, starts_run: bool, _: &Flow) {
        let mut books = self.books.lock().expect("no panic with it");
        books.events.push("lost");
        assert_eq!(starts_run, books.last_lost.is_none_or(|last| last + 1 != segment.number));
        books.in_flight -= SMSS;
        books.lost += SMSS;
        books.last_lost = Some(segment.number);
        // RFC 9002 section 6.1: thresholds apply to all that left before an acknowledged packet. So of two packets with a
        // segment the earlier one is lost first.
        let copies = books.out.get_mut(&segment.number).expect("it was sent, and not acknowledged before");
        assert_eq!(copies.remove(0).sent, segment.sent);
    }

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let mut books = self.books.lock().expect("no panic with it");
        books.events.push("ack");
        assert_eq!(books.in_flight, flow.in_flight);
        drop(books);
        self.inner.on_ack(ack, flow);
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        let name = if event == CongestionEvent::ExitRecovery { "exit" } else { "episode" };
        self.books.lock().expect("no panic with it").events.push(name);
        self.inner.on_congestion(event, flow);
    }

    fn decision(&self) -> Decision {
        self.inner.decision()
    }

    fn phase(&self) -> Phase {
        self.inner.phase()
    }

    fn needs(&self) -> Needs {
        Needs { segments: true, ..self.inner.needs() }
    }

    fn departure(&self) -> Option<Time> {
        (self.burst > 0).then_some(self.departure)
    }
}

fn fates() -> impl Strategy<Value = Fates> {
    let fate = prop_oneof![20 => Just(Some(20u64)), 2 => Just(None), 3 => (1u64..200).prop_map(Some)];
    prop::collection::vec(fate, 0..300).prop_map(|list| Fates::new(list, 20))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    /// RFC 9002 appendix B.2, `bytes_in_flight`: "The sum of the size in bytes of all sent packets that ... have not been
    /// acknowledged or declared lost." That sum is the pipe, with losses of data and of ACKs, reordering, probes, timeouts
    /// and losses that are taken back.
    #[test]
    fn books_of_single_segments_agree_with_the_pipe(
        limit in 1u32..300,
        (recovery, undo, adaptive, ack_every) in (prop::sample::select(vec![SACK, RACK, QUIC]), any::<bool>(), any::<bool>(), 1u32..4),
        data in fates(),
        acks in fates(),
    ) {
        let by_time = recovery == RACK;
        let transport = Transport {
            undo: if undo && by_time { UndoRule::Linux } else { UndoRule::None },
            frto: undo && by_time,
            reo_wnd: if adaptive && by_time { ReoWndRule::Adaptive } else { ReoWndRule::Fixed },
            ack_every,
            ..if recovery == QUIC { quic(10.0) } else { transport(recovery, 10.0) }
        };
        let (keeper, books) = Keeper::new(control("reno", &transport));
        let mut wire = Wire::controlled(keeper, limit, &transport, data, acks);
        prop_assert!(wire.run(200_000), "not done: {:?}", wire.sender);
        let books = books.lock().expect("no panic with it");
        prop_assert_eq!(books.delivered, u64::from(limit) * SMSS);
        prop_assert_eq!(books.in_flight, 0);
    }
}

/// RFC 9002 appendix A.7 takes times from the packet that is acknowledged: here the first one, after probes with the same data.
#[test]
fn a_late_packet_is_not_taken_for_its_probe() {
    let transport = quic(10.0);
    let (keeper, books) = Keeper::new(control("reno", &transport));
    let late = [vec![Some(400)], vec![None; 20]].concat();
    let mut wire = Wire::controlled(keeper, 1, &transport, Fates::new(late, 20), Fates::new(vec![], 20));
    assert!(wire.run(1000));
    assert!(wire.sent.len() > 2, "it was probed for");
    let latest = books.lock().expect("no panic with it").latest;
    assert_eq!((latest.newest.sent, latest.from_flight), (Time::ZERO, SMSS * wire.sent.len() as u64));
    assert!(latest.rtt.is_some_and(|rtt| rtt >= Duration::from_millis(420)));
}

/// The order of calls is that of Linux (`tcp_ack`) and of QUIC (RFC 9002 appendix A.7): what is delivered, what is lost, the
/// episode, the ACK as a whole.
#[test]
fn deliveries_come_before_losses_and_losses_before_the_ack() {
    let transport = transport(SACK, 10.0);
    let (keeper, books) = Keeper::new(control("reno", &transport));
    let lost = Fates::new(vec![Some(20), Some(20), None, None, Some(20)], 20);
    let mut wire = Wire::controlled(keeper, 10, &transport, lost, Fates::new(vec![], 20));
    assert!(wire.run(100_000));
    let events = &books.lock().expect("no panic with it").events;
    let at = events.iter().position(|&event| event == "lost").expect("two are lost");
    assert_eq!(events[at - 1..at + 4], ["delivery", "lost", "lost", "episode", "ack"]);
}

/// Departure times let segments leave in bursts, which the window alone would let go at once.
#[test]
fn segments_wait_for_their_departure() {
    let transport = transport(SACK, 10.0);
    let mut sent = Vec::new();
    for burst in [0, 4] {
        let (mut keeper, _) = Keeper::new(control("reno", &transport));
        keeper.burst = burst;
        let mechanism = transport.parts(1000).mechanism;
        let mut sender = sim::tcp::sender::Sender::new(keeper, 100, Duration::from_millis(20), &mechanism);
        let mut left = 0;
        while sender.pacer.next_send_time() <= Time::ZERO
            && sender.next_segment(&mechanism, Time::ZERO).is_some()
        {
            left += 1;
        }
        sent.push((left, sender.pacer.next_send_time()));
    }
    assert_eq!(sent, [(10, Time::ZERO), (4, Time::ZERO + Duration::from_millis(1))]);
}

/// Reno that owns its window in a recovery, or does not.
#[derive(Debug)]
struct Owner(Box<dyn CongestionControl>, bool);

impl CongestionControl for Owner {
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        self.0.on_ack(ack, flow);
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        self.0.on_congestion(event, flow);
    }

    fn decision(&self) -> Decision {
        self.0.decision()
    }

    fn phase(&self) -> Phase {
        self.0.phase()
    }

    fn needs(&self) -> Needs {
        Needs { owns_recovery: self.1, ..Needs::default() }
    }
}

/// RFC 9937 leads the window from 20 to 10 segments over the recovery; who owns the window has 10 at once.
#[test]
fn who_owns_the_window_in_recovery_is_not_led() {
    let transport = Transport { prr: PrrRule::Rfc9937, ..transport(RACK, 20.0) };
    let windows = [false, true].map(|owns| {
        let owner = Box::new(Owner(control("reno", &transport), owns));
        let lost = Fates::new(vec![None], 20);
        let mut wire = Wire::controlled(owner, 40, &transport, lost, Fates::new(vec![], 20));
        while !wire.sender.has_seen_congestion() {
            assert!(!wire.run(1));
        }
        wire.sender.control.cwnd
    });
    assert!(windows[0] > windows[1], "{windows:?}");
}

/// Duplicate ACKs do not say what is delivered.
#[test]
fn segments_need_sacks() {
    let mut spec = dumbbell(10.0, 0.02, Some(50), vec![flow("keeper", 0.0)], 0.1);
    spec.algorithms = vec![algorithm("keeper")];
    spec.transport.recovery = NEWRENO;
    let needs = Needs { segments: true, ..Needs::default() };
    let construct = |_: &BTreeMap<String, f64>| congestion::factory("reno", &BTreeMap::new());
    let plugin = sim::Plugin { construct: Arc::new(construct), needs: Some(needs) };
    let Err(Error::Scenario(problems)) = spec.checked_with(&[("keeper".to_owned(), plugin)].into()) else {
        panic!("it is refused");
    };
    let places: Vec<_> = problems.iter().map(|problem| (&*problem.loc, problem.kind)).collect();
    assert_eq!(places, [("algorithms[0]", "segments")]);
}
