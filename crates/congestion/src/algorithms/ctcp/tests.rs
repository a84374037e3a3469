//! The rules of Compound TCP, each with the section it comes from.

use super::*;
use crate::algorithm::Algorithm;
use crate::control::Halve;
use crate::control::Phase;
use crate::testing::{ack, assert_near, avoiding, create, create_with, flow, initial, round_end, segments};

/// A quantity in segments.
fn read(controller: &dyn CongestionControl, wanted: &str) -> f64 {
    crate::testing::read(controller, wanted) / 1000.0
}

fn flow_at(srtt_ms: u64) -> Flow {
    Flow { srtt: Duration::from_millis(srtt_ms), ..flow() }
}

/// A controller with a base RTT of 100 ms, `cwnd` 80 and `dwnd` from one round of growth.
fn grown() -> (Box<dyn CongestionControl>, f64) {
    let mut controller = create(&CTCP, &avoiding(80.0));
    controller.on_ack(&round_end(100), &flow_at(100));
    (controller, libm::pow(80.0, 0.75) / 8.0 - 1.0)
}

/// Draft equation 3 with the Infocom paper's window: dwnd += wnd^0.75 / 8 - 1 per round.
#[test]
fn delay_window_grows_while_the_queue_is_short() {
    let (mut controller, dwnd) = grown();
    assert_near(read(&*controller, "dwnd"), dwnd);
    assert_near(segments(&*controller), 80.0 + dwnd);
    assert_eq!(controller.phase(), Phase::Alternate);
    // Equation 2: a segment per window of both components.
    let total = segments(&*controller);
    controller.on_ack(&ack(40), &flow_at(100));
    assert_near(segments(&*controller), total + 40.0 / total);
}

/// Draft equation 4: dwnd -= diff once diff, the own segments in queues, reaches gamma.
#[test]
fn delay_window_gives_way_to_a_queue() {
    let mut controller = create(&CTCP, &avoiding(300.0));
    for _ in 0..5 {
        controller.on_ack(&round_end(100), &flow_at(100));
    }
    let dwnd = read(&*controller, "dwnd");
    // diff = wnd (1 - 100/108): below gamma = 30 the window would still grow.
    controller.on_ack(&round_end(108), &flow_at(108));
    let grown = read(&*controller, "dwnd");
    assert!(grown > dwnd);
    let diff = (300.0 + grown) * (1.0 - 0.100 / 0.112);
    assert!(diff > 30.0 && diff < grown);
    controller.on_ack(&round_end(112), &flow_at(112));
    assert_near(read(&*controller, "dwnd"), grown - diff);
    // "dwnd MUST never be negative".
    controller.on_ack(&round_end(500), &flow_at(500));
    assert_near(read(&*controller, "dwnd"), 0.0);
    assert_near(segments(&*controller), 300.0);
}

/// Draft equation 5: loss halves both components; no slow start follows.
#[test]
fn loss_halves_both_components() {
    let (mut controller, dwnd) = grown();
    controller.on_congestion(CongestionEvent::EnterRecovery, &flow_at(100));
    assert_near(segments(&*controller), 40.0 + dwnd / 2.0);
    assert_near(read(&*controller, "dwnd"), dwnd / 2.0);
    assert_near(read(&*controller, "ssthresh"), 40.0);
    // Section 6: no dwnd update while losses are repaired.
    let repairing = Flow { in_recovery: true, ..flow_at(100) };
    controller.on_ack(&round_end(100), &repairing);
    assert_near(read(&*controller, "dwnd"), dwnd / 2.0);
    controller.on_congestion(CongestionEvent::ExitRecovery, &flow_at(100));
    assert_ne!(controller.phase(), Phase::SlowStart);
}

/// RFC 5681 `FlightSize`: what was not in use does not count, in either component.
#[test]
fn loss_halves_the_flight() {
    let mut controller = create(&CTCP, &Initial { halve: Halve::Flight, ..avoiding(80.0) });
    controller.on_ack(&round_end(100), &flow_at(100));
    controller.on_congestion(CongestionEvent::EnterRecovery, &Flow { flight_size: 60_000, ..flow_at(100) });
    assert_near(segments(&*controller), 30.0);
}

/// Draft section 3: dwnd is reset, basertt measured anew, and slow start is standard.
#[test]
fn timeout_disables_the_delay_window() {
    let (mut controller, dwnd) = grown();
    controller.on_congestion(CongestionEvent::Rto, &flow_at(100));
    assert_near(segments(&*controller), 2.0);
    assert_near(read(&*controller, "ssthresh"), 40.0 + dwnd / 2.0);
    assert!(read(&*controller, "base_rtt").is_nan());
    controller.on_congestion(CongestionEvent::ExitRecovery, &flow_at(100));
    controller.on_ack(&round_end(150), &flow_at(150));
    assert_near(read(&*controller, "base_rtt") * 1000.0, 0.150);
    assert_near(read(&*controller, "dwnd"), 0.0);
    assert_eq!(controller.phase(), Phase::SlowStart);
}

/// Draft section 2: at or below 38 segments (41 in the study) "the same response function as Standard
/// TCP".
#[test]
fn small_windows_are_reno() {
    for (algorithm, low_window) in [(&CTCP, 38.0), (&NIST, 41.0)] {
        let mut controller = create(algorithm, &avoiding(low_window));
        assert_eq!(controller.phase(), Phase::Standard);
        controller.on_ack(&round_end(100), &flow_at(100));
        assert_near(segments(&*controller), low_window);
        controller.on_ack(&ack(1), &flow_at(100));
        controller.on_ack(&round_end(100), &flow_at(100));
        assert!(segments(&*controller) > low_window + 0.5);
    }
}

/// RFC 7661: an application that does not use the window learns nothing about the path.
#[test]
fn delay_window_does_not_grow_unused() {
    let mut controller = create(&CTCP, &avoiding(80.0));
    controller.on_ack(&round_end(100), &Flow { app_limited: true, ..flow_at(100) });
    assert_near(segments(&*controller), 80.0);
}

/// Draft section 5: gamma moves towards 3/4 of the queue that `cwnd` alone would build, within 5..30.
#[test]
fn gamma_follows_the_emulated_queue() {
    let mut controller = create(&TUNED, &avoiding(80.0));
    controller.on_ack(&round_end(100), &flow_at(100));
    controller.on_ack(&round_end(125), &flow_at(125));
    controller.on_congestion(CongestionEvent::EnterRecovery, &flow_at(125));
    assert_near(read(&*controller, "gamma"), 0.5 * 30.0 + 0.5 * 0.75 * 80.0 * 0.2);
    // A second loss without a round between finds diff_reno invalid.
    let gamma = read(&*controller, "gamma");
    controller.on_congestion(CongestionEvent::EcnEcho, &flow_at(125));
    assert_near(read(&*controller, "gamma"), gamma);

    let mut fixed = create(&CTCP, &initial(80.0));
    fixed.on_congestion(CongestionEvent::EcnEcho, &flow_at(125));
    assert_near(read(&*fixed, "gamma"), 30.0);
}

/// Growth of the delay window in one round with `queued` of 100 own segments in queues.
fn step(algorithm: &Algorithm, queued: f64) -> f64 {
    let mut controller = create(algorithm, &avoiding(100.0));
    // A base RTT, taken before the window is in use.
    controller.on_ack(&round_end(100), &Flow { app_limited: true, ..flow_at(100) });
    let srtt = Duration::from_seconds(0.1 / (1.0 - queued / 100.0));
    controller.on_ack(&round_end(100), &Flow { srtt, ..flow() });
    read(&*controller, "dwnd")
}

/// Burst control (SLAC): from `gamma_low` = 5 to gamma = 30 own segments in queues the growth is muted or
/// partial, and nothing else changes.
#[test]
fn bursts_are_controlled_between_the_thresholds() {
    let full = libm::pow(100.0, 0.75) / 8.0 - 1.0;
    for queued in [0.0, 3.0, 4.9] {
        for algorithm in [&CTCP, &SLAC_MUTED, &SLAC_PARTIAL] {
            assert_near(step(algorithm, queued), full);
        }
    }
    for queued in [5.1, 29.0] {
        assert_near(step(&CTCP, queued), full);
        assert_near(step(&SLAC_MUTED, queued), 0.0);
        assert_near(step(&SLAC_PARTIAL, queued), full / 2.0);
    }
    assert_near(step(&CTCP, 30.1), 0.0);
}

/// The band follows its parameters: on a path where 3 own segments queue, a `gamma_low` of 1 mutes.
#[test]
fn band_can_be_moved() {
    let mut controller = create_with(&SLAC_MUTED, &avoiding(100.0), &[("gamma_low", 1.0)]);
    controller.on_ack(&round_end(100), &Flow { app_limited: true, ..flow_at(100) });
    controller.on_ack(&round_end(100), &Flow { srtt: Duration::from_seconds(0.1 / 0.97), ..flow() });
    assert_near(segments(&*controller), 100.0);
    // cwnd grows as before.
    controller.on_ack(&ack(50), &flow_at(103));
    assert_near(segments(&*controller), 100.5);
}

/// The two ways to tune gamma differ by the window whose queue is counted.
#[test]
fn gamma_follows_the_whole_window_or_cwnd() {
    for (algorithm, on_total) in [(&SLAC_DIFFWND, true), (&SLAC_LOSSWND, false), (&TUNED, false)] {
        let mut controller = create(algorithm, &avoiding(80.0));
        for _ in 0..3 {
            controller.on_ack(&round_end(100), &flow_at(100));
        }
        let counted = if on_total { segments(&*controller) } else { 80.0 };
        controller.on_ack(&round_end(110), &flow_at(110));
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow_at(110));
        let sample = counted * (1.0 - 0.100 / 0.110);
        assert_near(read(&*controller, "gamma"), 0.5 * 30.0 + 0.5 * 0.75 * sample);
    }
}
