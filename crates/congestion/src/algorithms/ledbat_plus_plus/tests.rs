//! Rules of LEDBAT++ by the sections of its draft.

use super::*;
use crate::control::Halve;
use crate::testing::{ack, assert_near, avoiding, create, flow_at, initial, read, round_end, segments};

/// So many milliseconds after the start, on a path of 60 ms.
fn late(ms: u64) -> Flow {
    Flow { now: Time(Duration::from_millis(ms).0), ..flow_at(60, 60) }
}

/// A controller in congestion avoidance with a base RTT of 60 ms, long before a slowdown.
fn started(window: f64) -> Box<dyn CongestionControl> {
    started_with(window, Halve::Window)
}

fn started_with(window: f64, halve: Halve) -> Box<dyn CongestionControl> {
    let mut controller = create(&LEDBAT_PLUS_PLUS, &Initial { ssthresh: 2.0, halve, ..initial(2.0) });
    controller.on_ack(&round_end(60), &late(1));
    controller.on_ack(&round_end(60), &late(2));
    // 2 segments grow by half a segment per round trip.
    while segments(&*controller) < window {
        controller.on_ack(&ack(1), &late(3));
    }
    controller
}

fn queue(controller: &mut dyn CongestionControl, rtt_ms: u64) {
    for _ in 0..4 {
        controller.on_ack(&round_end(rtt_ms), &Flow { now: Time(4), ..flow_at(rtt_ms, 60) });
    }
}

/// Draft section 4.2: 1 / min(16, ceil(2 x 60 ms / base)).
#[test]
fn gain_follows_the_base_rtt() {
    for (base_ms, gain) in [(1, 1.0 / 16.0), (10, 1.0 / 12.0), (50, 1.0 / 3.0), (60, 0.5), (300, 1.0)] {
        let mut controller = create(&LEDBAT_PLUS_PLUS, &initial(2.0));
        assert_near(read(&*controller, "gain"), 1.0 / 16.0);
        controller.on_ack(&round_end(base_ms), &flow_at(base_ms, base_ms));
        assert_near(read(&*controller, "gain"), gain);
    }
}

/// Draft section 4.1: two segments at the start, GAIN per segment acknowledged, until 3/4 of the target.
#[test]
fn slow_start_is_gentle_and_ends_early() {
    let mut controller = create(&LEDBAT_PLUS_PLUS, &initial(10.0));
    assert_near(segments(&*controller), 2.0);
    controller.on_ack(&round_end(60), &flow_at(60, 60));
    controller.on_ack(&ack(2), &flow_at(60, 60));
    assert_near(segments(&*controller), 3.0);
    queue(&mut *controller, 105);
    assert_eq!(controller.phase(), Phase::SlowStart);
    queue(&mut *controller, 106);
    assert_eq!(controller.phase(), Phase::Alternate);
}

/// Draft section 4.4: two packets in a slowdown. One that is due below them, after a timeout, waits for slow start.
#[test]
fn a_slowdown_keeps_no_window_below_two_segments() {
    let start = Initial { ssthresh: 2.0, restart_window: 1.0, ..initial(2.0) };
    let mut controller = create(&LEDBAT_PLUS_PLUS, &start);
    let at = |ms| Flow { now: Time(Duration::from_millis(ms).0), ..flow_at(60, 60) };
    controller.on_ack(&round_end(60), &at(1));
    controller.on_ack(&round_end(60), &at(2));
    controller.on_congestion(CongestionEvent::Rto, &at(4));
    controller.on_congestion(CongestionEvent::ExitRecovery, &at(5));
    controller.on_ack(&ack(1), &at(60_000));
    assert_near(segments(&*controller), 1.5);
    controller.on_ack(&ack(1), &at(60_001));
    controller.on_ack(&ack(1), &at(60_002));
    assert_near(segments(&*controller), 2.0);
    assert_near(read(&*controller, "ssthresh"), 2000.0);
}

/// Draft section 4.3: + GAIN below the target, - W (delay / target - 1) above, at most half.
#[test]
fn decrease_is_multiplicative() {
    let per_round_trip = |rtt_ms| {
        let mut controller = started(100.0);
        queue(&mut *controller, rtt_ms);
        let window = segments(&*controller);
        // One byte of a round trip, so that the window does not change meanwhile.
        let small = AckSample { delivered: 1, ..ack(0) };
        controller.on_ack(&small, &Flow { now: Time(4), ..flow_at(rtt_ms, 60) });
        (segments(&*controller) - window) * window * 1000.0
    };
    let near = |actual: f64, expected: f64| assert!((actual - expected).abs() < 0.1, "{actual} {expected}");
    near(per_round_trip(60), 0.5);
    near(per_round_trip(120), 0.5);
    near(per_round_trip(126), 0.5 - 0.1 * 100.0);
    near(per_round_trip(300), -50.0);
}

/// Draft section 4.4: two segments for two round trips, back to the window before, then a pause of nine
/// times as long.
#[test]
fn slowdowns_come_and_go() {
    [300, 600].into_iter().for_each(slow_down);
}

/// Plays a slowdown on a path with this RTT; the times are those of 300 ms.
fn slow_down(rtt_ms: u64) {
    let mut controller = create(&LEDBAT_PLUS_PLUS, &initial(2.0));
    let at = |ms| {
        let now = Time(Duration::from_millis(ms * rtt_ms / 300).0);
        Flow { now, ..flow_at(rtt_ms, rtt_ms) }
    };
    controller.on_ack(&AckSample { rtt: Some(Duration::from_millis(rtt_ms)), ..ack(38) }, &at(0));
    assert_near(segments(&*controller), 40.0);
    controller.on_congestion(CongestionEvent::EnterRecovery, &at(0));
    controller.on_congestion(CongestionEvent::ExitRecovery, &at(0));
    controller.on_ack(&ack(0), &at(300));
    controller.on_ack(&ack(0), &at(899));
    assert_near(segments(&*controller), 20.0);
    controller.on_ack(&ack(2), &at(900));
    assert_near(segments(&*controller), 2.0);
    controller.on_ack(&ack(2), &at(1499));
    assert_near(segments(&*controller), 2.0);
    controller.on_ack(&ack(2), &at(1500));
    assert_near(segments(&*controller), 4.0);
    assert_eq!(controller.phase(), Phase::SlowStart);
    controller.on_ack(&ack(40), &at(1800));
    assert_near(segments(&*controller), 20.0);
    // It took from 0.9 to 1.9 s, so the next one is due 9 s later.
    controller.on_ack(&ack(0), &at(1900));
    assert_eq!(controller.phase(), Phase::Alternate);
    controller.on_ack(&ack(0), &at(10_899));
    assert_near(segments(&*controller), 20.0);
    controller.on_ack(&ack(0), &at(10_900));
    assert_near(segments(&*controller), 2.0);
}

/// Draft section 4.1: delay ends the initial slow start only. Neither the return from a slowdown nor the slow
/// start after a timeout ends short of its target.
#[test]
fn delay_does_not_end_later_slow_starts() {
    let mut controller = started(40.0);
    let at = |ms| Flow { now: Time(Duration::from_millis(ms).0), ..flow_at(300, 60) };
    // The queue is far beyond 3/4 of the target, and other flows keep it.
    queue(&mut *controller, 300);
    controller.on_congestion(CongestionEvent::Rto, &at(3));
    let threshold = read(&*controller, "ssthresh") / 1000.0;
    assert!(threshold > 10.0);
    let mut most = 0.0;
    while controller.phase() == Phase::SlowStart {
        most = segments(&*controller);
        let repairing = Flow { in_recovery: true, ..at(4) };
        controller.on_ack(&AckSample { rtt: Some(Duration::from_millis(300)), ..ack(1) }, &repairing);
    }
    assert!(most > threshold - 1.0);
    controller.on_congestion(CongestionEvent::ExitRecovery, &at(5));
    controller.on_ack(&ack(0), &at(10_000));
    assert_near(segments(&*controller), 2.0);
    controller.on_ack(&ack(0), &at(10_600));
    assert_eq!(controller.phase(), Phase::SlowStart);
    for index in 0..8 {
        assert_eq!(controller.phase(), Phase::SlowStart);
        controller
            .on_ack(&AckSample { rtt: Some(Duration::from_millis(300)), ..ack(2) }, &at(10_601 + index));
    }
    assert!(segments(&*controller) > 8.0);
}

/// Draft section 4.4, and RFC 6817 for losses: a loss in a slowdown shows that the window before it was too large. Half of
/// that is left, not of the two segments of the slowdown, and the next one is due nine times as long after it.
#[test]
fn a_loss_ends_a_slowdown() {
    for halve in [Halve::Window, Halve::Flight] {
        let mut controller = started_with(40.0, halve);
        let before = segments(&*controller);
        let at = |ms| Flow { flight_size: 2000, ..late(ms) };
        controller.on_ack(&ack(0), &at(10_000));
        controller.on_ack(&ack(0), &at(10_120));
        assert_eq!(controller.phase(), Phase::SlowStart);
        controller.on_congestion(CongestionEvent::EnterRecovery, &at(10_200));
        assert_near(segments(&*controller), 2.0);
        assert_near(read(&*controller, "ssthresh"), before * 500.0);
        controller.on_congestion(CongestionEvent::ExitRecovery, &at(10_260));
        controller.on_ack(&ack(100), &at(11_999));
        assert!(segments(&*controller) > before / 2.0);
        controller.on_ack(&ack(0), &at(12_000));
        assert_near(segments(&*controller), 2.0);
    }
}

/// Draft section 4.4: "set `SSThresh` to the current version of the congestion window". One that slow start has not brought
/// back yet would be lost for good: a restart leaves 2 segments of 40.
#[test]
fn a_slowdown_waits_for_the_end_of_slow_start() {
    let mut controller = started(40.0);
    let before = segments(&*controller);
    controller.override_window(2e3, before * 1e3);
    controller.on_ack(&ack(2), &late(10_000));
    assert_near(segments(&*controller), 3.0);
    assert_near(read(&*controller, "ssthresh"), before * 1e3);
    controller.on_ack(&ack(200), &late(10_060));
    let regrown = segments(&*controller);
    assert!(regrown > before);
    controller.on_ack(&ack(0), &late(10_120));
    assert_near(segments(&*controller), 2.0);
    assert_near(read(&*controller, "ssthresh"), regrown * 1e3);
}

/// Draft section 4.4: slowdowns are gaps that "allow the queues to drain". A pause of two round trips, here of 60 ms, is
/// such a gap: the window before it comes back, and the next one is due nine times as long after its last two round trips
/// and the return, 120 + 180 ms. Neither a shorter pause is one nor a window that has to wait for ACKs.
#[test]
fn a_pause_is_a_slowdown() {
    for (idle, held, is_gap) in
        [(5000, false, true), (120, false, true), (119, false, false), (5000, true, false)]
    {
        let mut controller = started(40.0);
        let before = segments(&*controller);
        let restart = Flow { cwnd_limited: held, ..late(5000) };
        controller.on_restart(Duration::from_millis(idle), &restart);
        controller.on_ack(&ack(0), &late(5060));
        assert_near(segments(&*controller), if is_gap { before } else { 2.0 });
        if is_gap && idle == 5000 {
            let mut controller = started(40.0);
            controller.on_restart(Duration::from_millis(idle), &restart);
            assert_near(read(&*controller, "ssthresh"), before * 1e3);
            controller.override_window(2e3, before * 1e3);
            controller.on_ack(&ack(200), &late(5120));
            assert_near(segments(&*controller), before);
            controller.on_ack(&ack(0), &late(5180));
            controller.on_ack(&ack(0), &late(7879));
            assert_near(segments(&*controller), before);
            controller.on_ack(&ack(0), &late(7880));
            assert_near(segments(&*controller), 2.0);
        }
    }
}

/// An unused window neither grows in slow start nor in congestion avoidance.
#[test]
fn unused_window_does_not_grow() {
    let mut controller = create(&LEDBAT_PLUS_PLUS, &avoiding(2.0));
    controller.on_ack(&ack(2), &Flow { cwnd_limited: false, ..flow_at(60, 60) });
    assert_near(segments(&*controller), 2.0);
}

/// Draft sections 4.1 and 4.3: what an ACK delivers beyond the threshold counts for congestion avoidance, by GAIN
/// as before it.
#[test]
fn the_rest_of_an_ack_counts_after_slow_start() {
    let mut controller = create(&LEDBAT_PLUS_PLUS, &Initial { ssthresh: 3.0, ..initial(2.0) });
    controller.on_ack(&round_end(60), &flow_at(60, 60));
    // At a GAIN of a half, two of five segments lead to the threshold.
    controller.on_ack(&ack(5), &flow_at(60, 60));
    assert_near(segments(&*controller), 3.0 + 3.0 * 0.5 / 3.0);
}
