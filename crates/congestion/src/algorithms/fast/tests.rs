//! The rules of FAST TCP and FAST-AT.

use super::*;
use crate::control::{CongestionEvent, Phase};
use crate::testing::{ack, assert_near, avoiding, create, create_with, flow_at, read, round_end, segments};
use crate::units::Duration;

/// Two round trips at an RTT, with a base RTT of 100 ms: one update.
fn update(controller: &mut dyn CongestionControl, rtt_ms: u64) {
    for _ in 0..2 {
        controller.on_ack(&round_end(rtt_ms), &flow_at(rtt_ms, 100));
    }
}

/// `ToN` 2006: half of the way, every other round trip.
#[test]
fn update_goes_half_of_the_way() {
    let mut controller = create(&FAST, &avoiding(1000.0));
    controller.on_ack(&round_end(125), &flow_at(125, 100));
    assert_near(segments(&*controller), 1000.0);
    controller.on_ack(&round_end(125), &flow_at(125, 100));
    // 0.5 x 1000 + 0.5 x (0.8 x 1000 + 200): the queue already holds 200 segments.
    assert_near(segments(&*controller), 1000.0);
    let mut controller = create_with(&FAST, &avoiding(1000.0), &[("alpha", 100.0)]);
    update(&mut *controller, 125);
    assert_near(segments(&*controller), 950.0);
}

/// `ToN` 2006: at most twice the window.
#[test]
fn update_at_most_doubles() {
    let mut controller = create(&FAST, &avoiding(10.0));
    update(&mut *controller, 100);
    assert_near(segments(&*controller), 20.0);
}

/// A single flow settles where alpha of its segments wait.
#[test]
fn alpha_segments_wait_at_equilibrium() {
    let mut controller = create_with(&FAST, &avoiding(50.0), &[("alpha", 80.0)]);
    for _ in 0..200 {
        let window = segments(&*controller);
        // The pipe holds 500 segments.
        let rtt = Duration::from_seconds(0.1 * (window / 500.0).max(1.0));
        let flow = Flow { min_rtt: Duration::from_millis(100), ..flow_at(100, 100) };
        for _ in 0..40 {
            controller.on_ack(&AckSample { rtt: Some(rtt), ..ack(0) }, &flow);
        }
        controller.on_ack(&AckSample { rtt: Some(rtt), ..round_end(100) }, &flow);
    }
    assert!((segments(&*controller) - 580.0).abs() < 0.5, "{}", segments(&*controller));
}

/// A smaller window is not slow start, and loss halves.
#[test]
fn yielding_is_not_slow_start() {
    let mut controller = create_with(&FAST, &avoiding(1000.0), &[("alpha", 8.0)]);
    update(&mut *controller, 200);
    assert!(segments(&*controller) < 800.0);
    assert_eq!(controller.phase(), Phase::Alternate);
    let before = segments(&*controller);
    controller.on_congestion(CongestionEvent::EnterRecovery, &flow_at(200, 100));
    assert_near(segments(&*controller), before / 2.0);
}

/// RFC 7661: an unused window may shrink but not grow.
#[test]
fn unused_window_does_not_grow() {
    let mut controller = create(&FAST, &avoiding(1000.0));
    for _ in 0..2 {
        controller.on_ack(&round_end(100), &Flow { app_limited: true, ..flow_at(100, 100) });
    }
    assert_near(segments(&*controller), 1000.0);
}

/// FAST-AT: 8, 20 and 200 segments, with different thresholds up and down.
#[test]
fn alpha_follows_the_throughput() {
    let mut steps = Steps::new(&Tuned::DEFAULT);
    let throughputs = [1400.0, 1600.0, 1300.0, 20_000.0, 13_000.0, 12_000.0, 1200.0];
    let expected = [8.0, 20.0, 20.0, 200.0, 200.0, 20.0, 8.0];
    for (throughput, alpha) in throughputs.into_iter().zip(expected) {
        assert_near(steps.follow(throughput), alpha);
    }
    let mut controller = create(&FAST_AT, &avoiding(1000.0));
    assert_near(read(&*controller, "alpha"), 8000.0);
    update(&mut *controller, 200);
    assert_near(read(&*controller, "alpha"), 20_000.0);
    // 17,000 segments/s, which is above both.
    let mut controller = create(&FAST_AT, &avoiding(1700.0));
    (0..3).for_each(|_| update(&mut *controller, 100));
    assert_near(read(&*controller, "alpha"), 200_000.0);
}

/// Methodology paper: "the red flow adjusts alpha downward as decreasing throughput crosses a threshold", and a
/// throughput that stays below all of them changes nothing.
#[test]
fn alpha_begins_high_and_moves_where_thresholds_are_crossed() {
    let mut steps = Steps::new(&Tuned { first: 2.0, crossing: true, ..Tuned::DEFAULT });
    let throughputs = [100.0, 200.0, 20_000.0, 13_000.0, 12_000.0, 1000.0, 500.0, 1600.0, 16_000.0, 100.0];
    let expected = [200.0, 200.0, 200.0, 200.0, 20.0, 8.0, 8.0, 20.0, 200.0, 8.0];
    for (throughput, alpha) in throughputs.into_iter().zip(expected) {
        assert_near(steps.follow(throughput), alpha);
    }
    let mut controller = create(&FAST_AT_NIST, &avoiding(10.0));
    for _ in 0..3 {
        update(&mut *controller, 100);
        assert_near(read(&*controller, "alpha"), 200_000.0);
    }
}

/// A window that holds 500 segments and a queue of 200 ms; then a loss, and repairs that last.
fn lose(algorithm: &Algorithm) -> Box<dyn CongestionControl> {
    let mut controller = create_with(algorithm, &avoiding(1000.0), &[("alpha", 200.0)]);
    controller.on_ack(&ack_at(200), &flow_at(200, 100));
    controller.on_congestion(CongestionEvent::EnterRecovery, &repairing(200));
    assert_near(segments(&*controller), 500.0);
    controller
}

fn ack_at(rtt_ms: u64) -> AckSample {
    AckSample { rtt: Some(Duration::from_millis(rtt_ms)), ..ack(0) }
}

fn repairing(rtt_ms: u64) -> Flow {
    Flow { in_recovery: true, ..flow_at(rtt_ms, 100) }
}

/// Methodology paper: "FAST uses its own procedures at all times during congestion avoidance". During repairs the
/// window goes by the rule, 0.5 x 500 + 0.5 x (0.5 x 500 + 200), where `fast` rests.
#[test]
fn own_rule_goes_on_during_repairs() {
    for (algorithm, expected) in [(&FAST_NIST, 475.0), (&FAST, 500.0)] {
        let mut controller = lose(algorithm);
        for _ in 0..2 {
            controller.on_ack(&round_end(200), &repairing(200));
        }
        assert_near(segments(&*controller), expected);
    }
}

/// After a timeout the rule begins at the restart window and at most doubles every other round; `fast` has slow
/// start to half of the window, then Reno's segment per round.
#[test]
fn own_rule_follows_a_timeout() {
    let mut own = lose(&FAST_NIST);
    let mut paper = lose(&FAST);
    for controller in [&mut own, &mut paper] {
        controller.on_congestion(CongestionEvent::Rto, &repairing(200));
        assert_near(segments(&**controller), 2.0);
    }
    assert_eq!((own.phase(), paper.phase()), (Phase::Alternate, Phase::SlowStart));
    // Two windows of data for each step.
    for (before, expected) in [(2, 4.0), (4, 8.0), (8, 16.0), (16, 32.0), (32, 64.0)] {
        for _ in 0..2 * before {
            assert_near(segments(&*own), expected / 2.0);
            own.on_ack(&AckSample { delivered: 1000, ..ack_at(100) }, &repairing(100));
        }
        assert_near(segments(&*own), expected);
    }
    // The end of repairs leaves the window alone.
    own.on_congestion(CongestionEvent::ExitRecovery, &flow_at(100, 100));
    assert_near(segments(&*own), 64.0);
    update(&mut *own, 100);
    assert!(segments(&*own) > 100.0, "{}", segments(&*own));
}

/// FAST-AT's counterpart has the same rule at all times.
#[test]
fn tuned_alpha_has_the_own_rule_too() {
    let mut controller = create(&FAST_AT_NIST, &avoiding(1000.0));
    controller.on_ack(&ack_at(200), &flow_at(200, 100));
    controller.on_congestion(CongestionEvent::Rto, &repairing(200));
    for _ in 0..4 {
        controller.on_ack(&AckSample { delivered: 1000, ..ack_at(200) }, &repairing(200));
    }
    assert_near(segments(&*controller), 4.0);
    assert_eq!(controller.phase(), Phase::Alternate);
}

/// Thresholds move alpha where the throughput is above or below them, or crosses them, not where it is at them.
#[test]
fn thresholds_themselves_move_nothing() {
    let throughputs = [1500.0, 1501.0, 15_000.0, 15_001.0, 12_500.0, 12_499.0, 1250.0, 1249.0];
    let expected = [8.0, 20.0, 20.0, 200.0, 200.0, 20.0, 20.0, 8.0];
    for crossing in [false, true] {
        let mut steps = Steps::new(&Tuned { crossing, ..Tuned::DEFAULT });
        // What is crossed has to be known on both sides.
        assert_near(steps.follow(1400.0), 8.0);
        for (throughput, alpha) in throughputs.into_iter().zip(expected) {
            assert_near(steps.follow(throughput), alpha);
        }
    }
}

/// `ToN` 2006: w = min(2w, (1 - gamma) w + gamma (baseRTT / RTT w + alpha)): without an RTT the paper's flow rests, and
/// one that never does takes the queue for empty; without a base RTT there is no ratio.
#[test]
fn nothing_is_measured_without_an_rtt() {
    for (algorithm, expected) in [(&FAST, 100.0), (&FAST_NIST, 0.5 * 100.0 + 0.5 * (100.0 + 200.0))] {
        let mut controller = create(algorithm, &avoiding(100.0));
        for _ in 0..2 {
            controller.on_ack(&AckSample { rtt: None, ..round_end(100) }, &flow_at(100, 100));
        }
        assert_near(segments(&*controller), expected);
    }
    let mut controller = create(&FAST, &avoiding(100.0));
    (0..2).for_each(|_| controller.on_ack(&round_end(100), &flow_at(100, 0)));
    assert_near(segments(&*controller), 100.0);
}
