//! PIE against RFC 8033 and the directions of ns-3's `pie-queue-disc-test-suite`.

use super::*;
use crate::kernel::rng::Streams;
use crate::measure::queue::QueueCounts;
use crate::net::disciplines::testing::Desk;
use crate::net::headers::Headers;
use crate::net::packet::Codepoint;
use crate::net::service::Service;
use crate::net::station::{Hands, Station, StationSetup};

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn at(millis: u64) -> Time {
    Time::ZERO + ms(millis)
}

fn controller() -> Controller {
    PieParameters::default().control(1500)
}

/// A state past its burst allowance, with this drop probability and latency [ms].
fn state(drop_prob: f64, latency: u64) -> State {
    State { drop_prob, current_qdelay: ms(latency), qdelay_old: ms(latency), ..State::default() }
}

/// Drop probability after one update.
fn updated(state: State, c: &Controller) -> f64 {
    let mut state = state;
    state.calculate_drop_prob(c);
    state.drop_prob
}

/// RFC 8033 section 4.2: p = alpha (delay - target) + beta (delay - old delay), scaled by the drop probability.
#[test]
fn gains_follow_the_drop_probability() {
    let table =
        [(5e-7, 2048.0), (5e-6, 512.0), (5e-5, 128.0), (5e-4, 32.0), (5e-3, 8.0), (0.05, 2.0), (0.5, 1.0)];
    for (drop_prob, divisor) in table {
        let mut state = state(drop_prob, 25);
        state.qdelay_old = ms(23);
        let expected = (0.125 * 0.010 + 1.25 * 0.002) / divisor;
        let step = updated(state, &controller()) - drop_prob;
        assert!((step - expected).abs() < 1e-15, "at {drop_prob}: {step}, expected {expected}");
    }
}

/// RFC 8033 section 4.2: latency that swings around the target leaves the drop probability as it is, unless the gains
/// change on the way. Falling latency meets the higher probability, thus the higher gains, and so it counts for more.
#[test]
fn gains_that_change_lower_the_drop_probability_at_the_target() {
    let change = |drop_prob: f64| {
        let c = controller();
        let mut state = state(drop_prob, 15);
        // Quarter by quarter: up by 5 ms, down by 10, up by 5.
        let swing =
            (1..=15).chain((-15..15).rev()).chain(-14..=0).map(|step| 0.015 + 0.005 * f64::from(step) / 15.0);
        // The first swing ends with another history than it begins with; the second does not.
        let [first, second] = [(); 2].map(|()| {
            for latency in swing.clone() {
                state.current_qdelay = Duration::from_seconds(latency);
                state.calculate_drop_prob(&c);
            }
            state.drop_prob
        });
        second - first
    };
    for within in [0.005, 0.03] {
        assert!(change(within).abs() < 1e-9, "{}", change(within));
    }
    assert!(change(0.01) < -1e-4, "{}", change(0.01));
}

/// RFC 8033 section 5.5: above 10 % the step is at most 2 %; without the cap, and below, it is not.
#[test]
fn steps_above_ten_percent_are_capped() {
    let mut rising = state(0.1, 200);
    rising.qdelay_old = ms(10);
    let free = PieParameters { cap_drop_adjustment: false, ..PieParameters::default() }.control(1500);
    assert!((updated(rising, &controller()) - 0.12).abs() < 1e-15);
    assert!(updated(rising, &free) > 0.3);
    rising.drop_prob = 0.099;
    assert!(updated(rising, &controller()) > 0.2);
}

/// RFC 8033 section 4.2: "decay the drop probability exponentially"; then nothing changes any more.
#[test]
fn idle_queues_forget_their_drop_probability_at_once() {
    let c = controller();
    let (mut stepwise, mut jumped) = (state(0.7, 0), state(0.7, 0));
    let first = (0.7 - 0.125 * 0.015) * 0.98;
    stepwise.advance(&c, at(0));
    assert!((stepwise.drop_prob - first).abs() < 1e-15);
    // A day, at once and in steps: the same state.
    let day = at(86_400_000);
    jumped.advance(&c, day);
    for step in 1..=86_400 {
        stepwise.advance(&c, at(step * 1000));
    }
    assert_eq!((jumped.drop_prob.to_bits(), jumped.update_at), (0f64.to_bits(), stepwise.update_at));
    assert_eq!(
        (stepwise.drop_prob.to_bits(), jumped.burst_allowance),
        (0f64.to_bits(), stepwise.burst_allowance)
    );
    assert!(jumped.update_at > day && jumped.update_at.since(day) <= ms(15));
}

/// RFC 8033 section 4.4: a burst is let through for `MAX_BURST` after quiet.
#[test]
fn bursts_are_let_through_for_their_allowance() {
    let c = PieParameters { alpha: 1e6, ..PieParameters::default() }.control(1500);
    let mut state = State::default();
    let drops = |state: &mut State, now| {
        state.advance(&c, now);
        state.drop_early(&c, 1_000_000, || 0.0)
    };
    assert!(!drops(&mut state, at(1)), "quiet");
    state.departs(ms(500), false);
    let first = (2..400).find(|&now| drops(&mut state, at(now)));
    assert_eq!(first, Some(150), "ten updates of 15 ms");
}

/// RFC 8033 section 4.1: no drop below two packets, nor at half the target with a drop probability below 0.2.
#[test]
fn work_is_conserved() {
    let c = controller();
    let drops = |mut state: State, backlog| state.drop_early(&c, backlog, || 0.0);
    assert!(drops(state(0.1, 20), 3001));
    assert!(!drops(state(0.1, 20), 3000), "a couple of packets");
    assert!(!drops(state(0.19, 7), 100_000), "below half the target");
    assert!(drops(state(0.2, 7), 100_000));
    assert!(drops(state(0.19, 8), 100_000));
}

/// RFC 8033 section 5.4: no drop below 0.85, always one from 8.5 on, and chance between.
#[test]
fn derandomized_drops_keep_their_distance() {
    let c = PieParameters { derandomize: true, ..PieParameters::default() }.control(1500);
    let gap = |drop_prob, random| {
        let mut state = state(drop_prob, 20);
        let packets = (1..1000).take_while(|_| !state.drop_early(&c, 100_000, || random)).count() + 1;
        assert!(state.accu_prob == 0.0);
        packets
    };
    assert_eq!(gap(0.0625, 0.0), 14, "0.85 / p, rounded up");
    assert_eq!(gap(0.0625, 1.0), 136, "8.5 / p");
}

/// A station with room for 300 packets that takes so many milliseconds for each.
fn station(parameters: PieParameters, room: u64, service: u64) -> Station {
    let server =
        Server { transmitter: Transmitter::steady(Service::Fixed(ms(service))), ..Desk::server(room) };
    let mechanics = parameters.mechanics(&server);
    Station::new(StationSetup {
        rule: mechanics.rule,
        ..StationSetup::drop_tail(0, server.service(), server.buffer)
    })
}

fn arrive(station: &mut Station, codepoint: Codepoint, now: Time) {
    let (mut headers, mut dropped) = (Headers::default(), Vec::new());
    let mut hands = Hands { now, headers: &mut headers, dropped: &mut dropped };
    station.admit(&mut Queued { bytes: 1000, ..Desk::data(0, codepoint) }, None, &mut hands);
}

/// Drops and marks of 400 packets that arrive every 10 ms, and the highest drop probability.
fn ns3(parameters: PieParameters, codepoint: Codepoint, service: u64) -> (QueueCounts, f64) {
    let mut station = station(parameters, 300, service);
    let mut highest = 0f64;
    for packet in 1..=400 {
        arrive(&mut station, codepoint, at(10 * packet));
        highest = highest.max(station.control());
    }
    (station.counts(), highest)
}

fn early(counts: &QueueCounts) -> (u64, u64) {
    (counts.dropped[Cause::Early as usize], counts.marked[Cause::Early as usize])
}

fn suite() -> PieParameters {
    PieParameters { target: 0.02, t_update: 0.03, max_burst: 0.1, ..PieParameters::default() }
}

#[test]
fn drops_follow_the_parameters_as_in_ns3s_suite() {
    let drops = |parameters, service| {
        let counts = ns3(parameters, Codepoint::NotEct, service).0;
        assert_eq!(counts.drops(), early(&counts).0, "none for want of room");
        counts.drops()
    };
    let base = drops(suite(), 12);
    let lazy = drops(PieParameters { target: 0.08, ..suite() }, 12);
    let slow = drops(suite(), 15);
    let rare = drops(PieParameters { t_update: 0.09, ..suite() }, 15);
    println!("early drops: {base}, target 80 ms {lazy}, slow service {slow}, rare updates {rare}");
    assert!(base > 0 && lazy < base && slow > base && rare < slow);
}

/// The suite's test of ECN: up to `mark_ecnth` ECN-capable packets are marked, above it they are dropped.
#[test]
fn ecn_capable_packets_are_marked_up_to_the_threshold() {
    let ecn = |mark_ecnth| PieParameters { ecn: true, mark_ecnth, ..suite() };
    let (counts, highest) = ns3(ecn(0.3), Codepoint::Ect0, 20);
    assert!(highest > 0.3, "{highest}");
    assert!(early(&counts).0 > 0 && early(&counts).1 > 0, "{counts:?}");
    let calm = PieParameters { alpha: 0.005, ..ecn(1.0) };
    let (counts, highest) = ns3(calm, Codepoint::Ect0, 11);
    assert!(highest < 1.0 && early(&counts).0 == 0 && early(&counts).1 > 0, "{highest}, {counts:?}");
    let (counts, _) = ns3(calm, Codepoint::NotEct, 11);
    assert!(early(&counts).0 > 0 && early(&counts).1 == 0, "{counts:?}");
    let (counts, _) = ns3(PieParameters { ecn: false, ..calm }, Codepoint::Ect0, 11);
    assert!(early(&counts).0 > 0 && early(&counts).1 == 0, "{counts:?}");
}

/// RFC 8033 appendix A, deque: `current_qdelay` is the sojourn time of the packet that left last, at every update.
#[test]
fn latency_is_that_of_the_packet_that_left_last() {
    let mut rule = Pie {
        controller: controller(),
        state: State::default(),
        waiting: VecDeque::new(),
        last_departure: Time::ZERO,
        transmitter: Transmitter::steady(Service::Fixed(ms(10))),
        buffer: None,
        arrivals: 0,
        draws: Draws::new(&Streams::new(1), 0),
    };
    // Arrivals at 1, 2, 3 ms leave the queue at 1, 11 and 21 ms; the queue is empty from then on.
    for now in [1, 2, 3] {
        rule.catch_up(at(now));
        rule.enters(1500, at(now));
    }
    for (now, latency) in [(10, 0), (11, 9), (20, 9), (21, 0), (40, 0)] {
        rule.catch_up(at(now));
        assert_eq!(rule.state.current_qdelay, ms(latency), "at {now} ms");
    }
    assert_eq!((rule.state.update_at, rule.waiting.len()), (at(45), 0));
}

#[test]
fn arrivals_beyond_the_room_are_dropped() {
    let mut station = station(PieParameters::default(), 500, 10);
    (0..503).for_each(|_| arrive(&mut station, Codepoint::Ect0, Time::ZERO));
    let counts = station.counts();
    assert_eq!((counts.drops(), counts.dropped[Cause::Overlimit as usize]), (2, 2), "one is in service");
}

#[test]
fn values_beyond_their_range_are_faults() {
    assert!(PieParameters::default().faults(None).is_empty());
    let wrong = PieParameters { target: 0.0, mark_ecnth: 2.0, ..PieParameters::default() };
    let names: Vec<_> = wrong.faults(None).iter().map(|fault| fault.parameter).collect();
    assert_eq!(names, ["target", "mark_ecnth"]);
}
