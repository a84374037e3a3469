//! Prague against the sentences of its draft, and against Linux.

use super::*;
use crate::control::{Phase, RoundSample};
use crate::random::Random;
use crate::testing::{SMSS, ack, assert_near, avoiding, create, create_with, initial, read, segments};

/// Facts at a time, on a path of `rtt_ms` without a queue; marks are counted.
fn at(ms: u64, rtt_ms: u64) -> Flow {
    let rtt = Duration::from_millis(rtt_ms);
    let now = Time(Duration::from_millis(ms).0);
    Flow { now, srtt: rtt, min_rtt: rtt, ecn: Ecn::L4s, cwnd_limited: true, smss: SMSS, ..Flow::default() }
}

/// ACK of `segments` segments, of which `marked` met a queue.
fn marked(segments: u64, marked: u64) -> AckSample {
    AckSample { ce_marked: marked * u64::from(SMSS), ..ack(segments) }
}

/// First ACK of a round trip, of `segments` segments, so many `of_them` marked.
fn ends_round(segments: u64, of_them: u64) -> AckSample {
    let round = RoundSample { min_rtt: None, rtt_count: 1, delivered: 0, lost: 0, ce_marked: 0 };
    AckSample { round: Some(round), ..marked(segments, of_them) }
}

/// Controller in congestion avoidance whose virtual RTT counts at once.
fn independent(algorithm: &Algorithm, window: f64) -> Box<dyn CongestionControl> {
    create_with(algorithm, &avoiding(window), &[("rtt_transition", 0.0)])
}

/// RFC 9331 section 4.1: "a sender ... MUST set the ECN field in the IP header ... to the codepoint ECT(1)".
#[test]
fn asks_for_l4s_and_falls_back_only_if_told() {
    for algorithm in [&PRAGUE, &LINUX] {
        assert_eq!(algorithm.needs().ecn, Ecn::L4s);
        assert!(!algorithm.needs().ecn_fallback);
        let told = create_with(algorithm, &avoiding(9.0), &[("ecn_fallback", 1.0)]).needs();
        assert_eq!((told.ecn, told.ecn_fallback), (Ecn::L4s, true));
    }
}

/// Section 2.3.2: "alpha += g * (frac - alpha)", g 1/16, once per round trip; Linux starts at 1 and leaves it there until
/// the first mark.
#[test]
fn alpha_averages_the_marked_part_from_the_first_mark_on() {
    let mut controller = create(&PRAGUE, &avoiding(100.0));
    for round in 0..9 {
        controller.on_ack(&ends_round(10, 0), &at(100 * round, 100));
    }
    assert_near(read(&*controller, "alpha"), 1.0);
    // The first half of a round without marks, then marks on half of the other half.
    controller.on_ack(&ack(10), &at(1000, 100));
    controller.on_ack(&ends_round(10, 5), &at(1100, 100));
    assert_near(read(&*controller, "alpha"), 1.0 + (0.25 - 1.0) / 16.0);
    let before = read(&*controller, "alpha");
    controller.on_ack(&ends_round(10, 0), &at(1200, 100));
    assert_near(read(&*controller, "alpha"), before * 15.0 / 16.0);
    // A period in which nothing was delivered says nothing.
    controller.on_ack(&ends_round(0, 0), &at(1300, 100));
    assert_near(read(&*controller, "alpha"), before * 15.0 / 16.0);
    let mut udp = create_with(&PRAGUE, &avoiding(100.0), &[("alpha", 0.0)]);
    udp.on_ack(&ends_round(10, 10), &at(0, 100));
    assert_near(read(&*udp, "alpha"), 1.0 / 16.0);
}

/// Section 2.4.2: "ssthresh = (1 - alpha/2) * cwnd".
#[test]
fn mark_cuts_by_half_of_alpha() {
    let mut controller = create_with(&PRAGUE, &avoiding(100.0), &[("alpha", 0.2)]);
    controller.on_congestion(CongestionEvent::EcnEcho, &at(0, 100));
    assert_near(segments(&*controller), 90.0);
    assert_near(read(&*controller, "ssthresh"), 90_000.0);
    assert_eq!(controller.phase(), Phase::Alternate);
}

/// Section 2.4.5: "Slow start is exited once a single mark is detected"; alpha is 1 then, so by half.
#[test]
fn first_mark_ends_slow_start() {
    let mut controller = create(&PRAGUE, &initial(10.0));
    controller.on_ack(&ack(10), &at(0, 100));
    assert_near(segments(&*controller), 20.0);
    assert_eq!(controller.phase(), Phase::SlowStart);
    controller.on_congestion(CongestionEvent::EcnEcho, &at(0, 100));
    assert_near(segments(&*controller), 10.0);
    assert_eq!(controller.phase(), Phase::Alternate);
}

/// Section 2.4.3: cwnd += (`acked_sacked` - `ece_delta`) * `ai_per_rtt` / cwnd, also right after a decrease; in slow start
/// marked bytes do not count either.
#[test]
fn unmarked_bytes_open_the_window_whatever_was_cut() {
    let mut controller = create_with(&PRAGUE, &avoiding(100.0), &[("alpha", 0.0)]);
    controller.on_congestion(CongestionEvent::EcnEcho, &at(0, 100));
    controller.on_ack(&marked(4, 3), &at(0, 100));
    assert_near(segments(&*controller), 100.0 + 1.0 / 100.0);
    controller.on_ack(&marked(2, 2), &at(0, 100));
    assert_near(segments(&*controller), 100.0 + 1.0 / 100.0);
    let mut starting = create(&PRAGUE, &initial(10.0));
    starting.on_ack(&marked(8, 6), &at(0, 100));
    assert_near(segments(&*starting), 12.0);
}

/// Section 2.4.4: the increase per packet is "(1/M^2) * (1/cwnd)", where M is 25 ms over the RTT, 1 at least.
#[test]
fn growth_is_that_of_a_round_trip_of_25_ms() {
    // Before there is an RTT it is that of Reno.
    for (rtt_ms, expected) in [(0, 1.0), (5, 0.04), (10, 0.16), (20, 0.64), (25, 1.0), (100, 1.0)] {
        let mut controller = independent(&PRAGUE, 50.0);
        for _ in 0..50 {
            controller.on_ack(&ack(1), &at(0, rtt_ms));
        }
        // The window grows a little meanwhile.
        let growth = segments(&*controller) - 50.0;
        assert!((growth / expected - 1.0).abs() < 0.02, "{growth} instead of {expected}");
    }
}

/// Section 2.4.4: the reference RTT is for "the window update period; the EWMA update period; and the duration of CWR
/// state after a decrease".
#[test]
fn virtual_round_trip_holds_back_cuts_and_averages() {
    let mut controller = independent(&PRAGUE, 100.0);
    controller.on_congestion(CongestionEvent::EcnEcho, &at(0, 10));
    assert_near(segments(&*controller), 50.0);
    controller.on_ack(&ends_round(1, 1), &at(0, 10));
    let alpha = read(&*controller, "alpha");
    for ms in [10, 20] {
        controller.on_congestion(CongestionEvent::EcnEcho, &at(ms, 10));
        controller.on_ack(&ends_round(1, 0), &at(ms, 10));
        assert!(segments(&*controller) >= 50.0);
        assert_near(read(&*controller, "alpha"), alpha);
    }
    // The mark of 10 ms is answered by the first one after 25 ms, not by an ACK without any.
    controller.on_ack(&ack(1), &at(25, 10));
    assert!(segments(&*controller) > 50.0);
    controller.on_ack(&marked(1, 1), &at(26, 10));
    let kept = segments(&*controller) / 50.0;
    assert!((kept - (1.0 - 0.5 * 15.0 / 16.0)).abs() < 1e-3, "{kept}");
    assert!(read(&*controller, "alpha") < alpha);
}

/// Section 2.4.4: "the Reduced RTT-Dependence algorithm only comes into effect after D rounds", 500.
#[test]
fn virtual_round_trip_counts_after_500_rounds() {
    let mut controller = create(&PRAGUE, &avoiding(50.0));
    let growth = |controller: &mut dyn CongestionControl, ms| {
        let before = segments(controller);
        controller.on_ack(&ack(1), &at(ms, 5));
        (segments(controller) - before) * before
    };
    for round in 0..500_u32 {
        assert_near(read(&*controller, "rounds"), f64::from(round));
        assert_near(growth(&mut *controller, u64::from(round) * 5), 1.0);
        controller.on_ack(&ends_round(0, 0), &at(u64::from(round) * 5, 5));
    }
    assert_near(growth(&mut *controller, 9999), 0.04);
}

/// Section 2.4.1: "A Prague CC has to fall back to Reno-friendly behaviour on detection of a loss": half, once, and no
/// growth until it is repaired.
#[test]
fn loss_halves_whatever_alpha_is() {
    for alpha in [0.0, 1.0] {
        let mut controller = create_with(&PRAGUE, &avoiding(40.0), &[("alpha", alpha)]);
        controller.on_congestion(CongestionEvent::EnterRecovery, &at(0, 100));
        controller.on_ack(&ack(9), &Flow { in_recovery: true, ..at(50, 100) });
        controller.on_congestion(CongestionEvent::ExitRecovery, &at(100, 100));
        assert_near(segments(&*controller), 20.0);
        assert_eq!(controller.phase(), Phase::Alternate);
    }
}

/// RFC 9331 section 4.3: a scalable congestion control stays responsive below one segment.
#[test]
fn window_falls_below_one_segment_and_comes_back() {
    let mut controller = create(&PRAGUE, &avoiding(2.0));
    for (round, expected) in [1.0, 0.5, 0.25].into_iter().enumerate() {
        controller.on_congestion(CongestionEvent::EcnEcho, &at(100 * round as u64, 100));
        assert_near(segments(&*controller), expected);
    }
    controller.on_congestion(CongestionEvent::EnterRecovery, &at(400, 100));
    controller.on_congestion(CongestionEvent::ExitRecovery, &at(500, 100));
    assert_near(segments(&*controller), 0.125);
    // One segment in 8 round trips, by its pace; then no faster than slow start.
    assert_near(controller.decision().pacing_rate.map_or(0.0, |rate| rate.0), 1250.0);
    controller.on_ack(&ack(1), &at(900, 100));
    assert_near(segments(&*controller), 1.125);
    for round in 0..99 {
        controller.on_congestion(CongestionEvent::EcnEcho, &at(1000 + 100 * round, 100));
    }
    assert_near(segments(&*controller), 1.0 / 16.0);
}

/// Section 2.5.1: the window is spread over the RTT, in slow start over half of it, "if (cwnd < ssthresh / 2)".
#[test]
fn pace_is_a_window_per_round_trip_and_twice_that_in_slow_start() {
    for (ssthresh, gain) in [(10.0, 1.0), (20.0, 1.0), (21.0, 2.0), (f64::INFINITY, 2.0)] {
        let mut controller = create(&PRAGUE, &Initial { ssthresh, ..initial(10.0) });
        assert_eq!(controller.decision().pacing_rate, None, "no RTT is known");
        controller.on_ack(&ack(0), &at(0, 100));
        assert_near(controller.decision().pacing_rate.map_or(0.0, |rate| rate.0), gain * 100_000.0);
    }
}

/// Section 2.3.1.1: without accurate feedback "the sender MUST fall back to a Reno-friendly CC behaviour", which answers a
/// mark as a loss, whatever alpha is.
#[test]
fn without_counted_marks_a_mark_halves() {
    let mut controller = create_with(&PRAGUE, &avoiding(100.0), &[("alpha", 0.2)]);
    controller.on_congestion(CongestionEvent::EcnEcho, &Flow { ecn: Ecn::Classic, ..at(0, 100) });
    assert_near(segments(&*controller), 50.0);
}

/// Section 2.3.1.1: without accurate feedback "the sender MUST fall back to a Reno-friendly CC behaviour".
#[test]
fn without_counted_marks_it_is_reno() {
    for ecn in [Ecn::None, Ecn::Classic] {
        let mut pair =
            [create(&PRAGUE, &initial(4.0)), create(&crate::algorithms::reno::RENO, &initial(4.0))];
        for step in 0..400 {
            for controller in &mut pair {
                let flow = Flow { ecn, ..at(10 * step, 10) };
                match step % 60 {
                    40 if ecn == Ecn::Classic => controller.on_congestion(CongestionEvent::EcnEcho, &flow),
                    50 => controller.on_congestion(CongestionEvent::EnterRecovery, &flow),
                    51 => controller.on_congestion(CongestionEvent::ExitRecovery, &flow),
                    _ => controller.on_ack(&ack(1), &flow),
                }
            }
            assert_eq!(pair[0].decision(), pair[1].decision());
            assert_eq!(pair[0].phase(), pair[1].phase());
        }
    }
}

/// Linux, `tcp_prague.c`: 2 segments at least, and the window in force goes by a segment per ACK to the next whole number.
#[test]
fn linux_moves_by_whole_segments() {
    let mut controller = create_with(&LINUX, &avoiding(10.0), &[("alpha", 0.5)]);
    controller.on_congestion(CongestionEvent::EcnEcho, &at(0, 100));
    assert_near(segments(&*controller), 10.0);
    for expected in [9.0, 8.0, 8.0] {
        controller.on_ack(&marked(1, 1), &at(1, 100));
        assert_near(segments(&*controller), expected);
    }
    controller.on_ack(&ack(3), &at(2, 100));
    assert_near(segments(&*controller), 8.0);
    controller.on_ack(&ack(1), &at(2, 100));
    assert_near(segments(&*controller), 9.0);
    for round in 1..99 {
        controller.on_congestion(CongestionEvent::EcnEcho, &at(100 * round, 100));
        controller.on_ack(&marked(1, 1), &at(100 * round, 100));
    }
    assert_near(segments(&*controller), 2.0);
}

/// Controller after `periods` of 100 marked segments each, whose RTTs swing by `swing` seconds either way above a path of
/// 20 ms with a queue of `queue`.
fn detecting(swing: f64, queue: f64, periods: u64) -> Box<dyn CongestionControl> {
    detecting_by(1, swing, queue, periods)
}

/// Controller of [`detecting`] with so many marks per segment.
fn detecting_by(marks: u64, swing: f64, queue: f64, periods: u64) -> Box<dyn CongestionControl> {
    let changes = [("ecn_fallback", 1.0), ("alpha", 0.0), ("g", 1e-6)];
    let mut controller = create_with(&PRAGUE, &avoiding(8.0), &changes);
    // With alpha 0 this does nothing but look at the window, which sets how fast RTTs are averaged.
    controller.on_congestion(CongestionEvent::EcnEcho, &at(0, 20));
    for period in 0..periods {
        let flow = at(30 * period, 20);
        for sample in 0..100_u32 {
            let rtt = 0.02 + queue + swing * if sample % 2 == 0 { 1.0 } else { -1.0 };
            controller
                .on_ack(&AckSample { rtt: Some(Duration::from_seconds(rtt)), ..marked(1, marks) }, &flow);
        }
        controller.on_ack(&ends_round(1, marks), &flow);
    }
    controller
}

/// Linux, `prague_classic_ecn_detection`: it starts as L4S for certain; a mean deviation above 750 µs, or a queue of more
/// than 2 ms, speaks for a classic bottleneck.
#[test]
fn classic_bottleneck_is_detected_by_swings_and_queue() {
    let score = |swing, queue, periods| read(&*detecting(swing, queue, periods), "classic_ecn");
    assert_near(score(0.003, 0.0, 0), -8.0);
    assert_near(score(0.000_05, 0.0, 99), -8.0);
    assert_near(score(0.003, 0.0, 99), 9.0);
    assert_near(score(0.0007, 0.001, 99), -8.0);
    assert_near(score(0.0007, 0.01, 99), 9.0);
    // 3 ms are two octaves above V0, of which each period adds half: one.
    let step = score(0.003, 0.0, 9) - score(0.003, 0.0, 8);
    assert!((step - 1.0).abs() < 0.02, "{step}");
}

/// Linux, `prague_update_alpha`: until the first mark (`saw_ce`) nothing speaks for either kind of bottleneck.
#[test]
fn nothing_is_detected_before_the_first_mark() {
    assert_near(read(&*detecting_by(0, 0.003, 0.01, 99), "classic_ecn"), -8.0);
}

/// Linux, `prague_classic_ecn_fallback`: where the bottleneck is classic, alpha counts as 5/8 at least.
#[test]
fn classic_bottleneck_is_answered_by_a_larger_cut() {
    for (swing, kept) in [(0.000_05, 1.0), (0.003, 1.0 - 0.625 / 2.0)] {
        let mut controller = detecting(swing, 0.0, 99);
        let before = segments(&*controller);
        controller.on_congestion(CongestionEvent::EcnEcho, &at(9999, 20));
        let share = segments(&*controller) / before;
        assert!((share - kept).abs() < 1e-3, "{share} instead of {kept}");
    }
}

/// Mean window times (1 - p) / p under marks that fall on one segment in 1 / p at random, on a path of 100 ms.
fn marks_per_round(p: f64) -> f64 {
    let mut controller = create(&PRAGUE, &avoiding(2.0 / p));
    let mut random = Random::new(7);
    let (mut sent_at_cut, mut round_end, mut rounds, mut sum) = (0.0, 0.0, 0_u32, 0.0);
    let mut acked = 0.0;
    while rounds < 6000 {
        let flow = at(u64::from(rounds) * 100, 100);
        let sent = acked + libm::floor(segments(&*controller));
        acked += 1.0;
        let is_marked = random.unit() < p;
        if is_marked && acked > sent_at_cut {
            sent_at_cut = sent;
            controller.on_congestion(CongestionEvent::EcnEcho, &flow);
        }
        let ends = acked > round_end;
        let of_them = u64::from(is_marked);
        controller.on_ack(&if ends { ends_round(1, of_them) } else { marked(1, of_them) }, &flow);
        if ends {
            (round_end, rounds) = (sent, rounds + 1);
            sum += if rounds > 1000 { segments(&*controller) } else { 0.0 };
        }
    }
    sum / 5000.0 * p / (1.0 - p)
}

/// A cut of p w / 2 is what the unmarked segments bring, 1 - p per round trip, in the round trip in which no other cut may
/// follow and the 1 / (p w) of one until the next mark: x / 2 = 1 + 1 / x marks per round trip, so x = 1 + sqrt(3).
/// Section 2.4.3: the window "becomes proportional to (1-p)/p, rather than 1/p".
#[test]
fn window_is_inverse_to_the_marks() {
    let expected = 1.0 + 3.0_f64.sqrt();
    for p in [0.2, 0.05, 0.01] {
        let marks = marks_per_round(p);
        assert!((marks / expected - 1.0).abs() < 0.03, "{marks} instead of {expected} at {p}");
    }
}
