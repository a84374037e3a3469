//! The window against the sentences of the RFCs.

use super::*;
use crate::testing::{ack, assert_near, avoiding, flow, initial};

const SEGMENT: f64 = 1000.0;

/// RFC 5681 section 3.1: slow start adds a segment per ACK of a segment; RFC 3465 section 2.2: by
/// bytes, however they are spread over ACKs.
#[test]
fn slow_start_adds_what_was_delivered() {
    let mut window = Window::new(&initial(2.0));
    for _ in 0..2 {
        let credit = window.credit(&ack(1), &flow());
        assert_near(window.slow_start(credit), 0.0);
    }
    assert_near(window.cwnd(), 4.0 * SEGMENT);
    let credit = window.credit(&ack(4), &flow());
    assert_near(window.slow_start(credit), 0.0);
    assert_near(window.cwnd(), 8.0 * SEGMENT);
}

/// RFC 5681 section 3.1: "Slow start ends when cwnd exceeds ssthresh (or, optionally, when it reaches
/// it ...)". What the ACK opens beyond the threshold belongs to congestion avoidance.
#[test]
fn slow_start_stops_at_the_threshold() {
    let mut window = Window::new(&Initial { ssthresh: 5.3, ..initial(4.0) });
    assert!(window.in_slow_start());
    assert_near(window.slow_start(3.0 * SEGMENT), 1.7 * SEGMENT);
    assert_eq!(window.cwnd().to_bits(), window.ssthresh().to_bits());
    assert!(!window.in_slow_start());
    assert_near(window.slow_start(SEGMENT), SEGMENT);
}

/// Here the step to the threshold, added to the window, is less than the threshold by rounding.
#[test]
fn slow_start_ends_at_the_threshold_though_a_step_rounds() {
    let mut window = Window::new(&Initial { ssthresh: 64.6, ..initial(17.2) });
    window.shift(1.0 / 3.0);
    assert!(window.cwnd() + (window.ssthresh() - window.cwnd()) < window.ssthresh());
    assert!(window.slow_start(60.0 * SEGMENT) > 0.0 && !window.in_slow_start());
}

/// RFC 5681 equation 3: one segment per window delivered.
#[test]
fn avoidance_adds_a_segment_per_window() {
    let mut window = Window::new(&avoiding(10.0));
    window.avoid(10.0 * SEGMENT, window.cwnd());
    assert_near(window.cwnd(), 11.0 * SEGMENT);
    window.avoid(SEGMENT, window.cwnd());
    assert_near(window.cwnd(), (11.0 + 1.0 / 11.0) * SEGMENT);
}

/// RFC 7661: a window that is not used says nothing about the path.
#[test]
fn only_a_limiting_window_opens() {
    let mut window = Window::new(&initial(2.0));
    assert_near(window.credit(&ack(1), &Flow { cwnd_limited: false, ..flow() }), 0.0);
    assert_near(window.credit(&ack(1), &flow()), SEGMENT);
}

/// RFC 6675 section 5: during recovery `cwnd` stays at `ssthresh`.
#[test]
fn recovery_does_not_open_the_window() {
    let mut window = Window::new(&initial(20.0));
    let repairing = Flow { in_recovery: true, ..flow() };
    assert_near(window.credit(&ack(1), &repairing), 0.0);
    assert!(window.is_repairing(&repairing) && !window.is_repairing(&flow()));
    window.respond(CongestionEvent::EnterRecovery, 10.0 * SEGMENT);
    assert!(window.is_repairing(&flow()));
    assert_near(window.credit(&ack(1), &repairing), 0.0);
    assert_near(window.credit(&ack(1), &flow()), 0.0);
    window.respond(CongestionEvent::ExitRecovery, 1.0);
    assert_near(window.cwnd(), 10.0 * SEGMENT);
    assert_near(window.credit(&ack(1), &flow()), SEGMENT);
}

/// RFC 5681 section 3.1: after a timeout the sender slow-starts to the new threshold.
#[test]
fn timeout_restarts_slow_start_while_repairing() {
    let mut window = Window::new(&avoiding(20.0));
    window.respond(CongestionEvent::EnterRecovery, 10.0 * SEGMENT);
    window.respond(CongestionEvent::Rto, 5.0 * SEGMENT);
    assert_near(window.cwnd(), 2.0 * SEGMENT);
    assert_near(window.ssthresh(), 5.0 * SEGMENT);
    let repairing = Flow { in_recovery: true, ..flow() };
    assert_near(window.credit(&ack(1), &repairing), SEGMENT);
    // RFC 3465 section 2.3: no more than a segment per ACK until the repair is over.
    assert_near(window.credit(&ack(9), &repairing), SEGMENT);
    // Linux, `tcp_slow_start`: `min(tcp_snd_cwnd(tp) + acked, tp->snd_ssthresh)`, in `TCP_CA_Loss`, too.
    let mut whole = Window::new(&Initial { counts_whole_acks: true, ..avoiding(20.0) });
    whole.respond(CongestionEvent::Rto, 5.0 * SEGMENT);
    assert_near(whole.credit(&ack(9), &repairing), 9.0 * SEGMENT);
    window.respond(CongestionEvent::ExitRecovery, 0.0);
    assert_near(window.credit(&ack(9), &flow()), 9.0 * SEGMENT);
}

/// RFC 5681 section 3.1: for a segment resent before, "the value of ssthresh is held constant".
#[test]
fn repeated_timeout_holds_the_threshold() {
    let mut window = Window::new(&avoiding(20.0));
    window.respond(CongestionEvent::Rto, 10.0 * SEGMENT);
    window.respond(CongestionEvent::Rto, SEGMENT);
    assert_near(window.ssthresh(), 10.0 * SEGMENT);
    let _ = window.credit(&ack(1), &flow());
    window.respond(CongestionEvent::Rto, 4.0 * SEGMENT);
    assert_near(window.ssthresh(), 4.0 * SEGMENT);
}

/// RFC 5681 equation 4 has 2 segments as the least threshold, `MesoNet` the initial window after a
/// timeout; a back-off never opens the window.
#[test]
fn back_off_has_floors_but_never_opens() {
    let mut window = Window::new(&Initial { window: 1.0, ..avoiding(1.0) });
    window.respond(CongestionEvent::EcnEcho, 0.5 * SEGMENT);
    assert_near(window.ssthresh(), 2.0 * SEGMENT);
    assert_near(window.cwnd(), SEGMENT);
    let mut window = Window::new(&Initial { restart_window: 8.0, ..avoiding(9.0) });
    window.respond(CongestionEvent::Rto, 4.5 * SEGMENT);
    assert_near(window.ssthresh(), 8.0 * SEGMENT);
    assert_near(window.cwnd(), 8.0 * SEGMENT);
}

/// A window that is put lower must not make slow start begin.
#[test]
fn steering_down_is_not_slow_start() {
    let mut window = Window::new(&avoiding(20.0));
    window.steer(15.0 * SEGMENT);
    assert!(!window.in_slow_start());
    window.steer(SEGMENT);
    assert_near(window.cwnd(), 2.0 * SEGMENT);
    window.steer(9.0 * SEGMENT);
    assert_near(window.ssthresh(), 2.0 * SEGMENT);
    let mut window = Window::new(&initial(1.0));
    window.leave_slow_start();
    assert!(!window.in_slow_start());
    // A window below 2 segments is left there, but not lowered.
    window.steer(0.0);
    assert_near(window.cwnd(), SEGMENT);
}

/// RFC 5681 section 3.1: `FlightSize`, without what limited transmit sent beyond the window.
#[test]
fn flight_is_what_was_in_use() {
    let window = Window::new(&Initial { halve: Halve::Flight, ..avoiding(20.0) });
    let used = |flight_size| window.reference(window.cwnd(), &Flow { flight_size, ..flow() });
    assert_near(used(12_000), 12.0 * SEGMENT);
    assert_near(used(22_000), 20.0 * SEGMENT);
    let window = Window::new(&avoiding(20.0));
    assert_near(window.reference(window.cwnd(), &flow()), 20.0 * SEGMENT);
}

/// RFC 5681 section 4.1: a window that was not used is lowered, by the transport, to one segment at least.
#[test]
fn the_transport_puts_window_and_threshold() {
    let mut window = Window::new(&avoiding(20.0));
    window.put(10.0 * SEGMENT, 15.0 * SEGMENT);
    assert_near(window.cwnd(), 10.0 * SEGMENT);
    assert!(window.in_slow_start());
    window.put(0.0, SEGMENT);
    assert_near(window.cwnd(), SEGMENT);
}

/// RFC 4015 section 3.2, step 9: the window is what it was before, and never lower than it is.
#[test]
fn a_reduction_is_taken_back_to_what_was_before() {
    let mut window = Window::new(&avoiding(20.0));
    let prior = Prior { cwnd: 20.0 * SEGMENT, ssthresh: Some(15.0 * SEGMENT) };
    window.respond(CongestionEvent::EnterRecovery, 10.0 * SEGMENT);
    window.undo(&prior);
    assert_near(window.cwnd(), 20.0 * SEGMENT);
    assert_near(window.ssthresh(), 15.0 * SEGMENT);
    window.shift(5.0 * SEGMENT);
    window.undo(&Prior { ssthresh: None, ..prior });
    assert_near(window.cwnd(), 25.0 * SEGMENT);
    assert_near(window.ssthresh(), 15.0 * SEGMENT);
}

/// RFC 5681 section 3.1: `ssthresh` "is held constant" when the timer expires again for a segment that it has resent. An
/// ACK that delivers nothing is no progress.
#[test]
fn only_what_is_delivered_lets_a_timeout_count_anew() {
    for (delivered, threshold) in [(0, 10.0), (1, 2.0)] {
        let mut window = Window::new(&avoiding(20.0));
        window.back_off(CongestionEvent::Rto, 0.5, &flow());
        let _ = window.credit(&ack(delivered), &flow());
        window.back_off(CongestionEvent::Rto, 0.5, &flow());
        assert_near(window.ssthresh(), threshold * SEGMENT);
    }
}
