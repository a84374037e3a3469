//! The rules of Copa.

use super::*;
use crate::control::{Phase, Prior};
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
    assert_eq!(seen, [1.0, 1.0, 1.0, 1.0, 2.0, 4.0, 1.0, 1.0]);
    velocity.value = 8.0;
    assert!(velocity.is_against(true) && !velocity.is_against(false));
    velocity.turn(true, 14.0);
    assert_near(velocity.value, 1.0);
    assert!(!velocity.is_against(false), "nothing to give up");
    velocity.end_round(15.0);
    velocity.end_round(16.0);
    assert_near(velocity.value, 1.0);
    velocity.end_round(17.0);
    assert_near(velocity.value, 2.0);
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
    // The first of the five ended before.
    assert_eq!(seen, [2.0, 2.0, 2.0, 2.0, 2.0, 3.0, 4.0, 5.0]);
    for index in 10..16 {
        round(&mut *controller, index, 180);
    }
    assert_near(1.0 / read(&*controller, "delta"), 11.0);
    controller.on_congestion(CongestionEvent::EnterRecovery, &flow_on(1600));
    assert_near(1.0 / read(&*controller, "delta"), 5.5);
    assert_near(round(&mut *controller, 16, 180), 5.5);
    assert_near(round(&mut *controller, 17, 180), 6.5);
    assert_near(round(&mut *controller, 18, 100), 2.0);
}

/// NSDI 2018, section 2.2: "AIMD on 1/delta based on packet success or loss". The authors' program (genericCC,
/// `update_delta`) cuts once per RTT with a lost packet and knows no recoveries; one that repeats lost repairs does not end.
#[test]
fn delta_answers_losses_in_a_recovery_that_lasts() {
    let mut controller = standing(40.0, 180);
    (2..16).for_each(|index| controller.on_ack(&round_end(180), &flow_on(100 * index)));
    controller.on_congestion(CongestionEvent::EnterRecovery, &flow_on(1510));
    let mut lose = |now_ms| {
        let flow = Flow { in_recovery: true, ..flow_on(now_ms) };
        controller.on_ack(&AckSample { lost: 1000, ..with_rtt(1, 180) }, &flow);
        1.0 / read(&*controller, "delta")
    };
    let seen: Vec<f64> =
        [1510, 1560, 1600, 1609, 1610, 1660, 1710, 1900].into_iter().map(&mut lose).collect();
    let expected = [5.5, 5.5, 5.5, 5.5, 2.75, 2.75, 2.0, 2.0];
    assert!(seen.iter().zip(expected).all(|(seen, expected)| (seen - expected).abs() < 1e-9), "{seen:?}");
}

/// A round is a smoothed RTT, also while losses are repaired and no new segment is sent: the window comes down,
/// ever faster, as long as the queue says so. It also grows then, if the queue is empty.
#[test]
fn window_follows_its_target_while_repairing() {
    // In the first round nothing moves, which is no growth.
    for (rtt_ms, moves) in [(180, [-1.0, -1.0, -1.0, -2.0, -4.0]), (100, [1.0, 1.0, 1.0, 1.0, 2.0])] {
        let mut controller = standing(40.0, rtt_ms);
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow_on(100));
        for (index, unit) in (2..).zip(moves) {
            let flow = Flow { in_recovery: true, ..flow_on(100 * index) };
            let before = segments(&*controller);
            controller.on_ack(&with_rtt(1, rtt_ms), &flow);
            assert_near(segments(&*controller), before + unit / (0.5 * before));
        }
    }
}

/// In the default mode a loss says nothing; a timeout starts anew, in slow start.
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

/// The first RTTs after a timeout show the queue of before, which must not end slow start; `ssthresh` does.
#[test]
fn old_queue_does_not_end_the_restart() {
    let mut controller = standing(40.0, 180);
    controller.on_congestion(CongestionEvent::Rto, &flow_on(200));
    let repairing = |ms| Flow { in_recovery: true, ..flow_on(ms) };
    for index in 0..18 {
        assert_eq!(controller.phase(), Phase::SlowStart);
        controller.on_ack(&with_rtt(1, 180), &repairing(201 + index));
    }
    assert_near(segments(&*controller), 20.0);
    assert_eq!(controller.phase(), Phase::Alternate);
    controller.on_ack(&with_rtt(1, 180), &repairing(220));
    assert!(segments(&*controller) < 20.0);
}

/// A loss leaves the velocity: the window comes down as before.
#[test]
fn loss_leaves_the_velocity() {
    let mut controller = standing(400.0, 180);
    for index in 2..8 {
        controller.on_ack(&with_rtt(1, 180), &flow_on(100 * index));
    }
    let velocity = read(&*controller, "velocity");
    assert!(velocity >= 4.0);
    controller.on_congestion(CongestionEvent::EnterRecovery, &flow_on(701));
    assert_near(read(&*controller, "velocity"), velocity);
}

/// NSDI 2018: `RTTstanding` is the smallest RTT of the last half smoothed RTT, here 50 ms.
#[test]
fn standing_rtt_is_the_smallest_of_half_a_round_trip() {
    let mut controller = create(&COPA, &avoiding(10.0));
    for (now_ms, rtt_ms, standing) in
        [(0, 120, 0.12), (10, 130, 0.12), (20, 110, 0.11), (30, 140, 0.11), (71, 150, 0.14), (81, 160, 0.15)]
    {
        controller.on_ack(&with_rtt(0, rtt_ms), &flow_on(now_ms));
        assert_near(read(&*controller, "rtt_standing"), standing);
    }
}

/// Loss is no signal: what is delivered beyond a missing segment opens the window, before the recovery, too. One that the
/// application leaves unused stays.
#[test]
fn repairs_open_an_unused_window() {
    let step = 1.0 / (0.5 * 10.0);
    for (repairs, app_limited, moved) in [(true, true, step), (false, true, 0.0), (false, false, step)] {
        let mut controller = standing(10.0, 120);
        if repairs {
            controller.on_congestion(CongestionEvent::EnterRecovery, &flow_on(100));
        }
        let sacked = Flow { cwnd_limited: false, app_limited, in_recovery: repairs, ..flow_on(101) };
        controller.on_ack(&with_rtt(1, 120), &sacked);
        assert_near(segments(&*controller), 10.0 + moved);
    }
}

/// NSDI 2018: a loss halves 1 / delta, but delta is never above that of the default mode.
#[test]
fn loss_leaves_at_least_the_default_of_delta() {
    let mut controller = standing(40.0, 180);
    (2..8).for_each(|index| controller.on_ack(&round_end(180), &flow_on(100 * index)));
    assert_near(1.0 / read(&*controller, "delta"), 3.0);
    controller.on_congestion(CongestionEvent::EnterRecovery, &flow_on(800));
    assert_near(1.0 / read(&*controller, "delta"), 2.0);
}

/// A timeout in the initial slow start that is taken back: delay ends the slow start as it would have before.
#[test]
fn delay_ends_a_slow_start_after_a_timeout_that_is_undone() {
    for undone in [true, false] {
        let mut controller = create(&COPA, &initial(40.0));
        controller.on_ack(&with_rtt(0, 100), &flow_on(0));
        let prior = Prior { cwnd: controller.decision().cwnd, ssthresh: controller.ssthresh() };
        controller.on_congestion(CongestionEvent::Rto, &flow_on(500));
        if undone {
            controller.on_undo(&prior, &flow_on(600));
        }
        controller.on_ack(&with_rtt(1, 180), &flow_on(700));
        assert_eq!(controller.phase() == Phase::SlowStart, !undone);
    }
}

/// NSDI 2018: five round trips without an empty queue show a filler, and none passes before an RTT is known.
#[test]
fn no_round_passes_before_the_first_rtt() {
    let mut controller = create(&COPA, &initial(10.0));
    for now_ms in 0..10 {
        let unmeasured = Flow { srtt: Duration::ZERO, min_rtt: Duration::ZERO, ..flow_on(now_ms) };
        controller.on_ack(&ack(1), &unmeasured);
    }
    assert_near(read(&*controller, "delta"), 0.5);
}

/// Delay is the signal, so segments are not ECN-capable: RFC 3168, section 5, wants an answer to marks.
#[test]
fn marks_have_no_answer() {
    assert_eq!(create(&COPA, &initial(10.0)).needs().ecn, Ecn::None);
}

/// NSDI 2018: the queue is "nearly empty" where its delay is below a tenth of the oscillations of the last four round
/// trips, (`RTTmax` - `RTTmin`), or where there is none.
#[test]
fn queues_are_nearly_empty_below_a_tenth_of_the_oscillations() {
    let mut rtts = Rtts::new(10.0);
    let mut add = |now_ms, rtt_ms| {
        rtts.add(Duration::from_millis(rtt_ms), &flow_on(now_ms));
        rtts.is_nearly_empty()
    };
    assert!(add(0, 100));
    // The oscillations are 100 ms, and the standing RTT is that of the last half round trip.
    add(1, 200);
    assert!(!add(100, 111));
    assert!(add(200, 109));
    // Four round trips later they are 10 ms.
    for _ in 0..4 {
        rtts.end_round();
        assert!(rtts.is_nearly_empty());
    }
    rtts.add(Duration::from_millis(109), &flow_on(700));
    rtts.end_round();
    assert!(!rtts.is_nearly_empty());
}
