//! PI2 against RFC 9332, appendix A.

use congestion::Duration;

use super::*;
use crate::net::disciplines::testing::Desk;

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn at(millis: u64) -> Time {
    Time::ZERO + ms(millis)
}

/// Figure 6: p' = p' + alpha (curq - target) + beta (curq - prevq), within [0, 1]; curq is the time that the first packet
/// has waited by then.
#[test]
fn base_probability_follows_the_delay() {
    let mut pi = Pi { next: at(100), t_update: ms(100), ..Pi2Parameters::default().control() };
    let mut after = |now, waits| {
        pi.advance(at(now), Some(Time(at(now).0 - ms(waits).0)));
        pi.p
    };
    assert!((after(100, 25) - (0.15 * 0.01 + 3.0 * 0.025)).abs() < 1e-12);
    assert!((after(200, 25) - (0.15 * 0.02 + 3.0 * 0.025)).abs() < 1e-12);
    assert!((after(1000, 900) - 1.0).abs() < 1e-15);
    pi.advance(at(1100), None);
    assert!(pi.p == 0.0);
}

/// An idle day at once and in steps gives the same state.
#[test]
fn idle_queues_cost_nothing() {
    let start = Pi { p: 0.9, previous: 0.04, ..Pi2Parameters::default().control() };
    let (mut stepwise, mut jumped) = (start, start);
    (0..=86_400).for_each(|second| stepwise.advance(at(1000 * second), None));
    jumped.advance(at(86_400_000), None);
    assert_eq!((jumped.p.to_bits(), jumped.next), (0f64.to_bits(), stepwise.next));
    assert_eq!((stepwise.p.to_bits(), jumped.previous.to_bits()), (0f64.to_bits(), 0f64.to_bits()));
}

/// Figure 4: the counter signals one packet in 1 / p.
#[test]
fn recurrence_signals_at_the_likelihood() {
    for (likelihood, hits) in [(0.25, 2499), (0.1, 999), (0.0, 0), (1.0, 9999)] {
        let mut count = 0.0;
        let signalled = (0..10_000).filter(|_| recur(&mut count, likelihood)).count();
        assert!(signalled.abs_diff(hits) <= 1, "{likelihood}: {signalled}");
    }
}

/// Packets dropped and marked of 100,000 at a base probability.
fn signals(parameters: Pi2Parameters, p: f64, codepoint: Codepoint) -> (f64, f64) {
    let mut queue = Pi2 {
        queue: Fifo::new(None),
        pi: Pi { p, ..parameters.control() },
        k: parameters.k,
        ecn: parameters.ecn,
        random: parameters.random,
        counts: [0.0; 2],
        departures: 0,
        draws: Draws::new(&Desk::server(1).streams, 0),
    };
    let (mut headers, mut dropped, mut counts) = Default::default();
    let mut port =
        Port { now: Time::ZERO, headers: &mut headers, dropped: &mut dropped, counts: &mut counts };
    for _ in 0..100_000 {
        queue.sends(&mut Desk::data(0, codepoint), &mut port);
        queue.departures += 1;
    }
    let share = |counts: u64| u32::try_from(counts).map(f64::from).expect("few packets") / 1e5;
    (share(counts.drops()), share(counts.marks()))
}

/// RFC 9332 section 2.1: Classic traffic is signalled with the square of the base probability, scalable traffic with k
/// times it; with and without chance.
#[test]
fn classic_traffic_is_signalled_with_the_square() {
    for (random, error) in [(false, 2e-5), (true, 6e-3)] {
        let drop = Pi2Parameters { random, ..Pi2Parameters::default() };
        let ecn = Pi2Parameters { ecn: true, ..drop };
        for p in [0.01, 0.1, 0.3, 0.49] {
            let cases = [
                (drop, Codepoint::NotEct, p * p, 0.0),
                (drop, Codepoint::Ect0, p * p, 0.0),
                (drop, Codepoint::Ect1, p * p, 0.0),
                (ecn, Codepoint::NotEct, p * p, 0.0),
                (ecn, Codepoint::Ect0, 0.0, p * p),
                (ecn, Codepoint::Ect1, 0.0, 2.0 * p),
            ];
            for (parameters, codepoint, drops, marks) in cases {
                let shares = signals(parameters, p, codepoint);
                let near = (shares.0 - drops).abs() < error && (shares.1 - marks).abs() < error;
                assert!(near, "{codepoint:?} at {p}: {shares:?}, expected {drops}, {marks}");
            }
        }
    }
}

/// RFC 9332 section 4.2: above 1/k^2 Classic packets are dropped, ECN-capable or not; scalable ones are dropped like them,
/// and marked otherwise.
#[test]
fn overload_drops_ecn_capable_packets_too() {
    let ecn = Pi2Parameters { ecn: true, ..Pi2Parameters::default() };
    let classic = signals(ecn, 0.6, Codepoint::Ect0);
    assert!((classic.0 - 0.36).abs() < 2e-5 && classic.1 == 0.0, "{classic:?}");
    let scalable = signals(ecn, 0.6, Codepoint::Ect1);
    assert!((scalable.0 - 0.36).abs() < 2e-5 && (scalable.1 - 0.64).abs() < 2e-5, "{scalable:?}");
}

/// A drop at the head brings the next packet; the queue is in order.
#[test]
fn a_dropped_packet_is_followed_by_the_next() {
    let mut desk =
        Desk::new(Pi2Parameters { alpha: 100.0, ..Pi2Parameters::default() }.mechanics(&Desk::server(500)));
    (0..503).for_each(|seq| desk.enqueue(Desk::data(seq, Codepoint::NotEct), Time::ZERO));
    assert_eq!(desk.drops(Cause::Overlimit), 3);
    let served: Vec<u32> =
        (0..500).filter_map(|tick| desk.dequeue(at(tick))).map(|next| next.packet.seq).collect();
    assert!(served.is_sorted() && desk.drops(Cause::Early) > 0);
    assert_eq!(served.len() as u64 + desk.drops(Cause::Early), 500);
}
