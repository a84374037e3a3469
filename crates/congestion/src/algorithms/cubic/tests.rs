//! CUBIC against the sentences of RFC 9438, and against Linux.

mod start;

use super::*;
use crate::control::{CongestionControl, Phase, Prior};
use crate::testing::{
    ack, assert_near, avoiding, create, create_with, flow_at, initial, read, round_end, segments,
};

fn at(seconds: f64) -> Flow {
    Flow { now: Time(Duration::from_seconds(seconds).0), ..flow_at(100, 100) }
}

fn lose(controller: &mut dyn CongestionControl, seconds: f64) {
    controller.on_congestion(CongestionEvent::EnterRecovery, &at(seconds));
    controller.on_congestion(CongestionEvent::ExitRecovery, &at(seconds));
}

/// Round trips of 100 ms from `from` to `to` seconds, ACKs evenly spread.
fn pass(controller: &mut dyn CongestionControl, from: f64, to: f64) -> f64 {
    let mut now = from;
    while now < to {
        now += 0.1 / segments(controller);
        controller.on_ack(&ack(1), &at(now));
    }
    segments(controller)
}

/// Section 4.6: beta 0.7 and `W_max` as it was; equation 2: K = cbrt(0.3 `W_max` / C); equation 1: the window
/// is back at `W_max` after K, flat there, and beyond it after that.
#[test]
fn window_is_cubic_in_time() {
    let mut controller = create(&CUBIC, &avoiding(1000.0));
    lose(&mut *controller, 0.0);
    assert_near(segments(&*controller), 700.0);
    let k = (300.0_f64 / 0.4).cbrt();
    controller.on_ack(&ack(1), &at(0.0));
    assert_near(read(&*controller, "k"), k);
    for (from, to) in [(0.0, 3.0), (3.0, 6.0), (6.0, k), (k, 12.0), (12.0, 15.0)] {
        let window = pass(&mut *controller, from, to);
        // The window follows W_cubic(t + RTT) with a lag of one round trip.
        let expected = 0.4 * (to - k).powi(3) + 1000.0;
        assert!((window - expected).abs() < 2.0, "at {to}: {window} instead of {expected}");
    }
}

/// Section 4.2: the target is at most 1.5 cwnd.
#[test]
fn growth_is_bounded() {
    let mut controller = create(&CUBIC, &avoiding(100.0));
    controller.on_ack(&ack(1), &at(0.0));
    let before = segments(&*controller);
    controller.on_ack(&ack(1), &at(1000.0));
    assert_near(segments(&*controller) - before, 0.5);
}

/// Section 4.3: alpha = 3 (1 - beta) / (1 + beta) until the window is what it was before the loss, then 1.
#[test]
fn reno_friendly_region_has_two_slopes() {
    let mut controller = create(&CUBIC, &avoiding(20.0));
    lose(&mut *controller, 0.0);
    // Time stands still, so the cubic function does not grow and Reno's estimate leads.
    controller.on_ack(&ack(1), &at(0.0));
    assert_near(segments(&*controller), 14.0 + 9.0 / 17.0 / 14.0);
    while segments(&*controller) < 20.0 {
        controller.on_ack(&ack(1), &at(0.0));
    }
    let before = segments(&*controller);
    controller.on_ack(&ack(1), &at(0.0));
    assert_near(segments(&*controller), before + 1.0 / before);
    let mut off = create_with(&CUBIC, &avoiding(20.0), &[("reno_friendly", 0.0)]);
    lose(&mut *off, 0.0);
    off.on_ack(&ack(1), &at(0.0));
    // Sections 4.4 and 4.5: W_cubic(RTT), 6 segments below the last window, and each ACK adds its share of the way.
    let target = 0.4 * (0.1 - (6.0_f64 / 0.4).cbrt()).powi(3) + 20.0;
    assert_near(segments(&*off), 14.0 + (target - 14.0) / 14.0);
}

/// Section 4.9.2: after a spurious loss the window follows the function that it followed before. Linux keeps `W_max` of
/// that loss.
#[test]
fn a_spurious_loss_leaves_the_function_as_it_was() {
    for (algorithm, restores) in [(&CUBIC, true), (&LINUX, false)] {
        let mut controller = create(algorithm, &avoiding(1000.0));
        lose(&mut *controller, 0.0);
        pass(&mut *controller, 0.0, 3.0);
        let (cwnd, w_max, k) =
            (controller.decision().cwnd, read(&*controller, "w_max"), read(&*controller, "k"));
        let prior = Prior { cwnd, ssthresh: controller.ssthresh() };
        controller.on_congestion(CongestionEvent::EnterRecovery, &at(3.0));
        controller.on_undo(&prior, &at(3.1));
        controller.on_congestion(CongestionEvent::ExitRecovery, &at(3.1));
        assert_near(controller.decision().cwnd, cwnd);
        assert_eq!((read(&*controller, "w_max") - w_max).abs() < 1.0, restores);
        if restores {
            pass(&mut *controller, 3.1, 6.0);
            assert_near(read(&*controller, "k"), k);
            let expected = 0.4 * (6.0 - k).powi(3) + 1000.0;
            assert!((segments(&*controller) - expected).abs() < 2.0, "{}", segments(&*controller));
            // The next loss is one of its own.
            lose(&mut *controller, 6.0);
            assert_near(read(&*controller, "w_max"), 850.0 * segments(&*controller) / 0.7);
        }
    }
}

/// Section 4.9.2: the loss that follows one which turned out to be spurious after its repair is answered as any other.
#[test]
fn a_loss_after_a_spurious_one_counts() {
    let mut controller = create(&CUBIC, &avoiding(1000.0));
    let prior = Prior { cwnd: 1e6, ssthresh: controller.ssthresh() };
    lose(&mut *controller, 0.0);
    controller.on_undo(&prior, &at(0.1));
    assert!(read(&*controller, "w_max").is_nan());
    controller.on_congestion(CongestionEvent::EnterRecovery, &at(1.0));
    assert_near(read(&*controller, "w_max"), 1e6);
}

/// Section 4.9: an undo returns to the state before the first of two timeouts, or before the recovery that one interrupts
/// (Linux, `tcp_enter_loss`), and to the initial slow start with `HyStart`++, for ssthresh is "at its initial value" (RFC
/// 9406 section 4.3): an ACK opens 8 segments at most. After a delivery a timeout is an event of its own.
#[test]
fn an_undo_returns_to_before_all_that_goes_together() {
    use CongestionEvent::{EnterRecovery, ExitRecovery, Rto};
    for (events, delivered, is_new) in
        [([Rto, Rto], 0, false), ([Rto, Rto], 1, true), ([EnterRecovery, Rto], 0, false)]
    {
        let undo = |controller: &mut dyn CongestionControl| {
            let prior = Prior { cwnd: controller.decision().cwnd, ssthresh: controller.ssthresh() };
            controller.on_congestion(events[0], &at(3.0));
            controller.on_ack(&ack(delivered), &at(4.0));
            controller.on_congestion(events[1], &at(5.0));
            controller.on_undo(&prior, &at(5.1));
            controller.on_congestion(ExitRecovery, &at(5.1));
        };
        let mut avoids = create(&CUBIC, &avoiding(1000.0));
        lose(&mut *avoids, 0.0);
        pass(&mut *avoids, 0.0, 3.0);
        let state = |cubic: &dyn CongestionControl| {
            ["w_max", "k", "cwnd_prior"].map(|name| read(cubic, name).to_bits())
        };
        let before = state(&*avoids);
        undo(&mut *avoids);
        assert_eq!(state(&*avoids) != before, is_new);
        for algorithm in [&CUBIC, &LINUX] {
            let mut starts = create(algorithm, &initial(100.0));
            undo(&mut *starts);
            starts.on_ack(&ack(20), &at(5.2));
            assert_near(segments(&*starts), if is_new { 120.0 } else { 108.0 });
        }
    }
}

/// Section 4.7: `W_max` = cwnd (1 + beta) / 2 when the loss came below the last `W_max`.
#[test]
fn fast_convergence_aims_lower() {
    for (switch, expected) in [(1.0, 700.0 * 0.85), (0.0, 700.0)] {
        let changes = [("fast_convergence", switch)];
        let mut controller = create_with(&CUBIC, &avoiding(1000.0), &changes);
        lose(&mut *controller, 0.0);
        assert_near(read(&*controller, "w_max"), 1e6);
        lose(&mut *controller, 1.0);
        assert_near(read(&*controller, "w_max"), 1000.0 * expected);
        // A loss at the last `W_max` is not below it.
        controller.override_window(1000.0 * expected, 0.0);
        lose(&mut *controller, 2.0);
        assert_near(read(&*controller, "w_max"), 1000.0 * expected);
    }
}

/// Section 4.6: a mark is a congestion event as a loss is; RFC 8511 section 3.1: "`beta_{ecn}` of 0.85", in congestion
/// avoidance, with `W_max` as after a loss.
#[test]
fn mark_is_a_loss_unless_abe_is_on() {
    for (beta_ecn, expected) in [(0.0, 0.7), (0.85, 0.85)] {
        let mut controller = create_with(&CUBIC, &avoiding(1000.0), &[("beta_ecn", beta_ecn)]);
        controller.on_congestion(CongestionEvent::EcnEcho, &at(0.0));
        assert_near(segments(&*controller), 1000.0 * expected);
        assert_near(read(&*controller, "w_max"), 1e6);
        lose(&mut *controller, 1.0);
        assert_near(segments(&*controller), 1000.0 * expected * 0.7);
    }
    let mut starting = create_with(&CUBIC, &initial(100.0), &[("beta_ecn", 0.85)]);
    starting.on_congestion(CongestionEvent::EcnEcho, &at(0.0));
    assert_near(segments(&*starting), 70.0);
}

/// Section 4.8: `ssthresh` by beta, Reno's window, and K = 0 in the stage that follows. RFC 5681 section 3.1: of a segment
/// that the timer has resent, "the value of ssthresh is held constant", and so is the window before it (section 4.3).
#[test]
fn stage_after_a_timeout_starts_flat() {
    let mut controller = create(&CUBIC, &avoiding(100.0));
    lose(&mut *controller, 0.0);
    for now in [1.0, 2.0] {
        controller.on_congestion(CongestionEvent::Rto, &at(now));
        assert_near(segments(&*controller), 2.0);
        assert_near(read(&*controller, "ssthresh"), 49_000.0);
        assert_near(read(&*controller, "cwnd_prior"), 70_000.0);
    }
    assert_eq!(controller.phase(), Phase::SlowStart);
    controller.on_congestion(CongestionEvent::ExitRecovery, &at(1.0));
    controller.on_ack(&ack(60), &at(2.0));
    assert_eq!(controller.phase(), Phase::Alternate);
    assert_near(read(&*controller, "k"), 0.0);
    assert_near(read(&*controller, "w_max"), 49_000.0);
}

/// Section 5.8: an application-limited period does not count.
#[test]
fn idle_time_does_not_count() {
    let mut controller = create(&CUBIC, &avoiding(1000.0));
    lose(&mut *controller, 0.0);
    let used = pass(&mut *controller, 0.0, 2.0);
    controller.on_ack(&ack(1), &Flow { cwnd_limited: false, app_limited: true, ..at(2.1) });
    assert_near(segments(&*controller), used);
    controller.on_ack(&ack(1), &at(100.0));
    assert!(segments(&*controller) < used + 0.1);
}

/// Section 4.2: time counts in which ACKs that only SACK leave the window as it is, since the application does not limit it.
#[test]
fn acks_that_may_not_open_the_window_do_not_stop_the_clock() {
    let window_after = |cwnd_limited| {
        let mut controller = create(&CUBIC, &avoiding(1000.0));
        lose(&mut *controller, 0.0);
        pass(&mut *controller, 0.0, 2.0);
        for tenth in 1..=40 {
            controller.on_ack(&ack(0), &Flow { cwnd_limited, ..at(2.0 + 0.1 * f64::from(tenth)) });
        }
        pass(&mut *controller, 6.0, 6.1)
    };
    assert_near(window_after(false), window_after(true));
}

/// Section 5.8: t does "not include application-limited periods, such as idle periods", whatever the ACK before one says
/// of the window; so what follows a pause does not depend on its length. A round trip passes from the restart to the
/// first ACK, here 0.1 s. An ACK of all that is in flight begins no pause.
#[test]
fn pauses_of_any_length_are_alike() {
    for algorithm in [&CUBIC, &LINUX] {
        let after = |pause: f64| {
            let mut controller = create(algorithm, &avoiding(1000.0));
            lose(&mut *controller, 0.0);
            pass(&mut *controller, 0.0, 2.0);
            controller.on_restart(Duration::from_seconds(pause), &at(2.0 + pause));
            controller.on_ack(&ack(1), &at(2.1 + pause));
            pass(&mut *controller, 2.1 + pause, 4.0 + pause)
        };
        let without = after(0.0);
        for pause in [5.0, 20.0, 60.0] {
            assert!((after(pause) - without).abs() < 1e-3, "{} {pause} {without}", after(pause));
        }
    }
}

/// Section 4.10: after `HyStart`++ there is no `W_max`; the stage starts flat.
#[test]
fn slow_start_may_end_without_loss() {
    let mut controller = create(&CUBIC, &initial(16.0));
    let rtt = |ms| Some(Duration::from_millis(ms));
    let mut now = 0.0;
    for round_trip in 0..12_u64 {
        let mut round =
            Some(crate::RoundSample { min_rtt: None, rtt_count: 9, delivered: 0, lost: 0, ce_marked: 0 });
        now += 0.1;
        for _ in 0..16 {
            let rtt = rtt(100 + 15 * round_trip.min(2));
            controller.on_ack(&AckSample { rtt, round: round.take(), ..ack(1) }, &at(now));
        }
    }
    assert_eq!(controller.phase(), Phase::Alternate);
    assert_near(read(&*controller, "k"), 0.0);
    assert!(read(&*controller, "ssthresh").is_finite());
}

/// Linux, packetdrill `cubic-bulk-166k`, as in `kernel`: the controller opens its window by what whole segments earn, and
/// time without anything in flight earns nothing.
#[test]
fn the_controller_of_linux_has_its_windows() {
    let controller = |restart: bool| {
        let mut cubic = create_with(&LINUX, &avoiding(48.0), &[]);
        let mut windows = Vec::new();
        let mut late = 0;
        for number in 20..=70 {
            if restart && number == 21 {
                late = 4000;
                let now = Time::ZERO + Duration::from_millis(6000);
                cubic.on_restart(Duration::from_millis(4500), &Flow { now, ..flow_at(100, 100) });
            }
            let now = Time::ZERO + Duration::from_millis(late + 100 * number);
            let ack = AckSample { rtt: Some(Duration::from_millis(100)), ..ack(2) };
            cubic.on_ack(&ack, &Flow { now, ..flow_at(100, 100) });
            if number % 10 == 0 {
                windows.push(segments(&*cubic));
            }
        }
        windows
    };
    for restart in [false, true] {
        assert_eq!(controller(restart), [48.0, 49.0, 50.0, 52.0, 58.0, 68.0]);
    }
}

/// Linux, `cubictcp_recalc_ssthresh`: a loss at 100 segments leaves 70, and 100 to return to.
#[test]
fn the_controller_of_linux_shows_its_state() {
    let mut cubic = create_with(&LINUX, &avoiding(100.0), &[]);
    cubic.on_congestion(CongestionEvent::EnterRecovery, &flow_at(100, 100));
    cubic.on_congestion(CongestionEvent::ExitRecovery, &flow_at(100, 100));
    assert_near(segments(&*cubic), 70.0);
    assert_near(read(&*cubic, "w_max"), 100e3);
    cubic.on_ack(&ack(1), &flow_at(100, 100));
    // The whole part of cbrt(30 x 2^40 / 410), in 2^-10 s.
    assert_near(read(&*cubic, "k"), 4316.0 / 1024.0);
    assert_near(read(&*cubic, "w_est"), 70e3);
}

/// Section 4.2: t counts from "the beginning of the current congestion avoidance stage". ACKs that open nothing begin
/// none: those that find the window unused, as in Linux (`tcp_is_cwnd_limited`), and those that deliver nothing.
#[test]
fn acks_that_open_nothing_begin_no_stage() {
    for algorithm in [&CUBIC, &LINUX] {
        let [plain, unused, duplicate] = [None, Some((1, false)), Some((0, true))].map(|first| {
            let mut controller = create(algorithm, &avoiding(1000.0));
            controller.on_congestion(CongestionEvent::EcnEcho, &at(0.0));
            if let Some((delivered, cwnd_limited)) = first {
                controller.on_ack(&ack(delivered), &Flow { cwnd_limited, ..at(0.1) });
            }
            pass(&mut *controller, 3.0, 6.0)
        });
        assert_near(unused, plain);
        assert_near(duplicate, plain);
    }
}

/// Section 4.3, figure 4: `W_est` + alpha * `segments_acked` / cwnd, and the window "SHOULD be set to `W_est`".
#[test]
fn the_window_of_reno_counts_segments() {
    let mut controller = create(&CUBIC, &avoiding(100.0));
    lose(&mut *controller, 0.0);
    controller.on_ack(&ack(1), &at(0.0));
    let (before, window) = (read(&*controller, "w_est") / 1000.0, segments(&*controller));
    controller.on_ack(&ack(10), &at(0.0));
    let alpha = 3.0 * (1.0 - 0.7) / (1.0 + 0.7);
    let after = before + alpha * 10.0 / window;
    assert_near(read(&*controller, "w_est") / 1000.0, after);
    assert_near(segments(&*controller), after);
}

/// RFC 8511 in whole segments: a mark leaves 84 of 0.85 x 99 = 84.15 segments, a loss 69 of 717/1024 x 99 = 69.3.
#[test]
fn abe_in_whole_segments_is_for_marks() {
    for (event, left) in [(CongestionEvent::EcnEcho, 84.0), (CongestionEvent::EnterRecovery, 69.0)] {
        let mut cubic = create_with(&LINUX, &avoiding(99.0), &[("beta_ecn", 0.85)]);
        cubic.on_congestion(event, &flow_at(100, 100));
        assert_near(segments(&*cubic), left);
        assert_near(read(&*cubic, "w_max"), 99e3);
    }
}

/// Linux, `cubictcp_state`: a timeout resets the module (`bictcp_reset`), so there is no window to return to.
#[test]
fn a_timeout_resets_the_module_of_linux() {
    let mut cubic = create_with(&LINUX, &avoiding(100.0), &[]);
    cubic.on_congestion(CongestionEvent::EnterRecovery, &flow_at(100, 100));
    cubic.on_congestion(CongestionEvent::ExitRecovery, &flow_at(100, 100));
    cubic.on_ack(&ack(1), &flow_at(100, 100));
    cubic.on_congestion(CongestionEvent::Rto, &flow_at(100, 100));
    for name in ["w_max", "w_est", "k"] {
        assert_near(read(&*cubic, name), 0.0);
    }
}
